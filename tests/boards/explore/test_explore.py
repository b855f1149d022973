# SPDX-License-Identifier: Apache-2.0
"""``xymac explore``: sizes, resources and network speeds, with stand-ins for the tools."""

import json
import re
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.boards.explore.conftest import luts_of
from tests.support.seed import random_of
from tests.support.tflite.reals import real_network
from xymac import host
from xymac.boards.explore.measure import add_cycles, begin
from xymac.boards.tools.resources import hard_cells
from xymac.hdl.config import TINY, find_size
from xymac.host.cli.main import main
from xymac.host.errors import InputError
from xymac.host.network.load import load_model
from xymac.host.network.pace import predict_dma
from xymac.host.network.predicted import predict_cycles
from xymac.host.network.tflite import network_of
from xymac.host.network.traffic import count_traffic
from xymac.sim.benchmarks.results import MODEL_ERROR

DATA  = Path(host.__file__).parent / "examples" / "data"
DIGITS, POOL = (str(DATA / name) for name in ("digits_cnn.tflite", "digits_pool.npz"))


def run_json(tmp_path, *arguments, code=0):
    """Rows of the JSON of ``xymac explore``, by size."""
    path = tmp_path / "rows.json"
    assert main(["explore", "--json", str(path), *arguments]) == code
    return {row["size"]: row for row in json.loads(path.read_text())}


def test_sizes_without_synthesis(tmp_path, capsys):
    rows = run_json(tmp_path, "--quick", "--network", DIGITS, "--ways", "1,2", "--y-rows",
                    "1024,4096")

    assert list(rows) == ["w1_x2048_y1024_p32_s2", "tiny", "w2_x2048_y1024_p64_s2",
                          "w2_x2048_y4096_p64_s2"]
    network, printed = load_model(DIGITS), capsys.readouterr().out
    for name, row in rows.items():
        cycles  = predict_cycles(network, find_size(name))
        traffic = count_traffic(network, find_size(name))
        assert row["networks"][network.name] == {
            "cycles": cycles, "reason": None, "link": "bus",
            "limit": "core" if cycles >= traffic.bus_cycles else "transfer",
            "rate": pytest.approx(1e6 * row["clock"] / (cycles + traffic.bus_cycles)),
            "words": traffic.words, "host": traffic.as_json(row["clock"])}
        assert {kind: row[kind] for kind in ("MULT18X18D", "block RAM")} == hard_cells(
            find_size(name))
        assert row["fits"]
        assert row["LUT4"] is None
        assert f"  xymac fit --size {name} --device ecp5-85k\n" in printed


def test_a_dma_as_the_link(tmp_path):
    [tiny] = run_json(tmp_path, "--quick", "--network", DIGITS, "--ways", "1", "--link",
                      "dma").values()

    listed = predict_dma(load_model(DIGITS), TINY)
    assert tiny["networks"]["digits_cnn"]["link"] == "dma"
    assert tiny["networks"]["digits_cnn"]["rate"] == pytest.approx(
        1e6 * tiny["clock"] / listed.cycles)


@pytest.mark.parametrize("link", ["bus", "uart"])
def test_sizes_are_ranked_by_inputs_a_second(link, tmp_path, capsys):
    rows = run_json(tmp_path, "--quick", "--network", DIGITS, "--link", link)

    out    = capsys.readouterr().out
    table  = out[out.index("digits_cnn"):].splitlines()[2:2 + len(rows)]
    wanted = sorted(rows, key=lambda name: -rows[name]["networks"]["digits_cnn"]["rate"])
    assert [line.split()[0] for line in table] == wanted
    assert len({row["networks"]["digits_cnn"]["rate"] for row in rows.values()}) == len(rows)


@pytest.mark.parametrize(("options", "clock", "device", "link"), [
    ((), 100, "ecp5-25k", "uart"), (("--link", "bus"), 100, "ecp5-25k", "bus"),
    (("--freq", "48", "--device", "ecp5-25k"), 48, "ecp5-25k", "uart")])
def test_a_board_has_a_device_a_clock_and_a_link(options, clock, device, link, tmp_path, capsys):
    rows = run_json(tmp_path, "--quick", "--network", DIGITS, "--board", "ulx3s-25f", *options)

    small = rows["small"]
    assert {(row["device"], row["clock"]) for row in rows.values()} == {(device, clock)}
    assert (rows["base"]["fits"], small["networks"]["digits_cnn"]["link"]) == (False, link)
    assert f"{device}: 2 of 3 sizes fit" in capsys.readouterr().out
    seconds = small["networks"]["digits_cnn"]["cycles"] / (1e6 * clock)
    traffic = count_traffic(load_model(DIGITS), find_size("small"))
    seconds += {"uart": traffic.link_seconds, "bus": traffic.bus_cycles / (1e6 * clock)}[link]
    assert small["networks"]["digits_cnn"]["rate"] == pytest.approx(1 / seconds)


def test_functions_left_out(tmp_path):
    """Every one of them alone, equal cores once, and whether the network does without."""
    rows = run_json(tmp_path, "--quick", "--network", DIGITS, "--ways", "2", "--heap", "0,1",
                    "--extremes", "0,1", "--comparison", "0,1")

    assert list(rows) == ["w2_x2048_y2048_p64_s2_no_heap_no_comparison",
                          "w2_x2048_y2048_p64_s2_no_heap", "w2_x2048_y2048_p64_s2_no_comparison",
                          "small"]
    for name, row in rows.items():
        [network] = row["networks"].values()
        assert row["heap"] == ("no_heap" not in name)
        assert row["comparison"] == ("no_comparison" not in name)
        assert not row["extremes"]
        assert (network["cycles"] is None) == ("no_comparison" in name)
        if network["cycles"] is None:
            assert "needs the operation MIN" in network["reason"]


def test_the_table(tools, tmp_path, capsys):
    rows  = run_json(tmp_path, "--network", DIGITS, POOL, "--passes", "32,128", "--ways", "1,4")
    lines = capsys.readouterr().out.splitlines()

    for name, row in rows.items():
        texts = [line.split() for line in lines if line.split()[:1] == [name]]
        assert len(texts) == 3  # what it takes, and the two networks
        for number in (row["LUT4"], row["block RAM"], *(
                each[what] for each in row["networks"].values() for what in ("cycles", "words"))):
            assert any(f"{number:,}" in text for text in texts)
        assert row["LUT4"] == luts_of(find_size(name))
        assert f"{name}: {row['LUT4']:,} LUT4" in lines
    assert sorted(tools) == sorted(rows)
    assert lines[-1].startswith("  xymac fit --size ")
    assert any(line.startswith("* no other size is as fast with fewer LUT4") for line in lines)


def test_the_same_on_a_cluster(tools, tmp_path, address):
    arguments = ("--network", DIGITS, "--ways", "1,2", "--y-rows", "1024,2048")
    here      = run_json(tmp_path, *arguments)

    assert run_json(tmp_path, *arguments, "--cluster", address) == here
    assert sorted(tools) == sorted([*here, *here])


def test_what_does_not_fit_is_told_and_not_synthesised(tools, tmp_path, capsys):
    rows = run_json(tmp_path, "--device", "ecp5-25k", "--network", DIGITS)

    assert [row["fits"] for row in rows.values()] == [True, True, False]
    assert rows["base"]["trouble"] == "84 MULT18X18D of 28, 206 block RAM of 56"
    assert rows["base"]["networks"]["digits_cnn"]["rate"] is None
    assert sorted(tools) == ["small", "tiny"]
    assert "ecp5-25k: 2 of 3 sizes fit" in capsys.readouterr().out


def test_no_size_fits(tools, tmp_path, capsys):
    run_json(tmp_path, "--device", "ecp5-25k", "--ways", "4", code=2)

    assert capsys.readouterr().err == (
        "xymac explore: No size of 1 fits the ecp5-25k: base needs 84 MULT18X18D of 28, 206 block "
        "RAM of 56\n")
    assert tools == []


def test_routing_gives_clock_and_cells(tools, tmp_path):
    rows = run_json(tmp_path, "--route", "--ways", "1,2", "--network", DIGITS)

    tiny, small = rows["tiny"], rows["small"]
    cycles = tiny["networks"]["digits_cnn"]["cycles"]
    assert (tiny["clock"], tiny["routed"], tiny["LUT4"]) == (50, True, 7)
    words  = tiny["networks"]["digits_cnn"]["host"]["bus_cycles"]
    assert tiny["networks"]["digits_cnn"]["rate"] == pytest.approx(50e6 / (cycles + words))
    assert small["trouble"] == "nextpnr failed: ERROR: Unable to place cell"


def test_a_network_that_a_size_cannot_hold(tmp_path, monkeypatch, capsys):
    def refuse(network, config):
        raise InputError(f"{network.name} is too large for {config.name}")

    monkeypatch.setattr("xymac.boards.explore.measure.predict_cycles", refuse)
    rows = run_json(tmp_path, "--quick", "--ways", "1", "--network", DIGITS)

    assert rows["tiny"]["networks"]["digits_cnn"] == {
        "cycles": None, "reason": "digits_cnn is too large for tiny", "rate": None, "link": "bus",
        "limit": None,
        "words": None, "host": None}
    assert "no: digits_cnn is too" in capsys.readouterr().out


@pytest.mark.parametrize("network", [
    load_model(POOL), network_of(real_network(random_of(4), "EXP"), "pool")],
    ids=["int8", "float"])
def test_rtl_takes_what_the_model_says(network):
    point  = begin(TINY, "ecp5-25k")
    model  = add_cycles(point, {"pool": network}).cycles["pool"]
    actual = add_cycles(point, {"pool": network}, rtl=True)

    assert abs(model / actual.cycles["pool"] - 1) <= MODEL_ERROR
    assert not actual.wrong


def test_a_wrong_result_in_rtl(monkeypatch, capsys):
    monkeypatch.setattr("xymac.boards.explore.measure.open_device", lambda *_: nullcontext())
    monkeypatch.setattr("xymac.boards.explore.measure.run_image", lambda session, inputs, number: (
        SimpleNamespace(difference="element 0", cycles=5)))

    assert main(["explore", "--quick", "--ways", "1", "--network", POOL, "--backend", "rtl"]) == 1
    assert capsys.readouterr().out.endswith(
        "The RTL result of digits_pool on size tiny differs from golden\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (["--ways", "3"], "Ways must be 1, 2 or 4, not 3"),
    (["--x-rows", "512,1000"], "x_rows must be a multiple of 512 from 512 to 4096, not 1000"),
    (["--y-rows", "a"], r"argument --y-rows: must be ints with commas between, not 'a' .*"),
    (["--passes", "3"], "Passes must be a power of two from 2 to 256, not 3"),
    (["--slots", "8"], "Slots must be 2 or 4, not 8"),
    (["--link", "uart"], "--link is for the speed of networks: it needs at least one --network"),
    (["--backend", "rtl"], "--backend is for the speed of networks: it needs at least one .*"),
    (["--route"], "--route needs synthesis, which --quick leaves out"),
    (["--plot", "f.svg", "--network", DIGITS], "--plot draws LUT4, which --quick leaves out"),
    (["--network", "absent.tflite"], "There is no file absent.tflite"),
    (["--network", DIGITS, str(DATA / "digits_cnn.npz")],
     "Networks must have names of their own, two are called digits_cnn"),
    (["--board", "ulx3s"], "Board must be one of .*, not 'ulx3s'.*"),
    (["--board", "icebreaker"],
     "Board must be one with an ECP5, not icebreaker, which has the iCE40UP5K"),
    (["--board", "ulx3s-25f", "--device", "ecp5-85k"],
     "--device ecp5-85k contradicts --board ulx3s-25f, which has the LFE5U-25F"),
    (["--device", "ice40"], "argument --device: invalid choice: 'ice40'.*")])
def test_bad_input(arguments, message, capsys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xymac.boards.explore.command._measure", lambda *_: pytest.fail("it began"))
        try:
            code = main(["explore", "--quick", *arguments])
        except SystemExit as stop:
            code = stop.code

    assert code == 2
    assert re.fullmatch(f"xymac explore: {message}\n", capsys.readouterr().err)
