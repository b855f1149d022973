# SPDX-License-Identifier: Apache-2.0
"""The command line: results, exit codes, and one sentence for input that cannot be used."""

import json
import re
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

from xymac.golden.mli1 import Conv2d, Eltwise, EltwiseOp, MaxPool, Tensor
from xymac.host.cli.main import main
from xymac.host.files.arrays import save_arrays
from xymac.host.network.file import save_network
from xymac.host.network.network import join_layers

ROOT    = Path(__file__).parents[3]
DIGITS  = str(ROOT / "host/examples/data/digits_cnn.npz")
IMAGES  = str(ROOT / "host/examples/data/digits_images.npz")
VECTORS = str(ROOT / "tests" / "vectors")


def test_run_golden_shows_layers_and_predictions(capsys):
    code = main(["run", DIGITS, "--images", IMAGES, "--backend", "golden", "--limit", "70"])

    out = capsys.readouterr().out
    assert code == 0
    assert "depthwise_conv2d 3x3 /2x2  16x8x8 > 16x4x4  fx8" in out
    assert re.search(r"\nimage  answer  score +label\n0 +0 +[\d.]+  0\n1 +6 +[\d.]+  6\n", out)
    assert re.search(r"\n67 +8 +[\d.]+  6 +wrong\n\.\.\. 59 more images, all right\n", out)
    assert "━" not in out  # the bar is for terminals
    assert "69 of 70 right (98.6%)" in out


@pytest.mark.parametrize("size", ["tiny", "small", "base"])
def test_run_machine_equals_golden(size, capsys):
    code = main(["run", DIGITS, "--images", IMAGES, "--backend", "machine", "--limit", "2",
                 "--size", size])

    assert code == 0
    assert "Machine = golden, bit for bit: 5 of 5 layers of 2 images" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "images", "kernel"), [
    ("digits_sa8.npz", "digits_pixels.npz", "mli2.depthwise_conv2d 3x3 /2x2"),
    ("digits_xs3.npz", "digits_pixels4.npz", "xs3.conv2d_depthwise 3x3 /2x2"),
    ("digits_cnn.tflite", "digits_pixels.npz", "DEPTHWISE_CONV_2D 3x3 /2x2")])
def test_run_takes_networks_of_every_library(name, images, kernel, capsys):
    folder = ROOT / "host/examples/data"

    assert main(["run", str(folder / name), "--images", str(folder / images), "--backend",
                 "machine", "--limit", "2"]) == 0

    out = capsys.readouterr().out
    assert kernel in out
    assert "2 of 2 right (100.0%)" in out
    assert "Machine = golden, bit for bit" in out


def test_run_shows_the_inputs_of_layers_with_branches(capsys, tmp_path):
    tensor  = Tensor(np.ones((4, 4, 3, 3), np.int8), 7)
    conv    = Conv2d(tensor, Tensor(np.ones(4, np.int8), 7), 3, pad=(1, 1, 1, 1))
    network = join_layers("residual", Tensor.zeros((4, 6, 6), 8, 3),
                          (conv, Eltwise(EltwiseOp.ADD), MaxPool((2, 2), (2, 2))),
                          ((0,), (1, 0), (2,)), ("inner", "sum", "pool"))
    save_network(tmp_path / "residual.npz", network)

    code = main(["run", str(tmp_path / "residual.npz"), "--backend", "machine"])

    out = capsys.readouterr().out
    assert code == 0
    assert re.search(r"inner +input +conv2d 3x3 +4x6x6 > 4x6x6 +fx8 +64", out)
    assert re.search(r"sum +inner, input +eltwise add +4x6x6 > 4x6x6 +fx8 +36", out)
    assert re.search(r"pool +sum +maxpool 2x2 /2x2 +4x6x6 > 4x3x3 +fx8 +9", out)
    assert "Machine = golden, bit for bit: 3 of 3 layers of 1 image compared" in out


def test_run_without_images_takes_one_random_input(capsys):
    code = main(["run", DIGITS, "--backend", "golden"])

    out = capsys.readouterr().out
    assert code == 0
    assert "1 image," in out
    assert "label" not in out


def test_check_prints_a_table_of_kernels_and_types(capsys):
    assert main(["check", VECTORS, "--match", "*_s*", "--limit", "25", "--markdown"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("|")] == [
        "| kernel | fx8 |", "|---|---|", "| mli_krn_sigm | 24 of 24 |",
        "| mli_krn_softmax | 24 of 24 |", "| mli_krn_eltwise_sub | 2 of 2 |"]


def test_check_counts_and_writes_json(capsys, tmp_path):
    code = main(["check", VECTORS, "--dialect", "mli-1", "--match", "mli_krn_conv2d_*",
                 "--limit", "5", "--json", str(tmp_path / "check.json")])

    report = json.loads((tmp_path / "check.json").read_text())
    assert code == 0
    assert capsys.readouterr().out.endswith("10 passed, 0 failed, 0 skipped\n")
    assert (report["passed"], report["failed"], report["skipped"]) == (10, 0, 0)


def copy_vectors(folder, change):
    """Copy the first vector case into ``folder`` after ``change`` of its entry and arrays."""
    entry = json.loads((Path(VECTORS) / "index.json").read_text())[0]
    with np.load(Path(VECTORS) / entry["file"]) as file:
        keys = {*entry["inputs"].values(), *(key for outputs in entry["expected"].values()
                                             for key in outputs.values())}
        arrays = {key: file[key] for key in keys}
    change(entry, arrays)
    (folder / "index.json").write_text(json.dumps([entry]))
    save_arrays(folder / entry["file"], arrays)


def test_check_shows_the_first_difference_and_exits_1(capsys, tmp_path):
    def spoil(entry, arrays):
        out = arrays[entry["expected"]["up"]["out"]]
        out[0, 0, 1] ^= 1

    copy_vectors(tmp_path, spoil)
    code = main(["check", str(tmp_path)])

    out = capsys.readouterr().out
    assert code == 1
    assert "(up): element (0, 0, 1) is " in out
    assert '"frac"' in out
    assert out.endswith("1 passed, 1 failed, 0 skipped\n")


def test_check_counts_an_unknown_function_as_skipped(capsys, tmp_path):
    copy_vectors(tmp_path, lambda entry, arrays: entry.update(function="mli_krn_fft_fx8"))

    code = main(["check", str(tmp_path), "--variant", "up"])

    out = capsys.readouterr().out
    assert code == 1
    assert "mli_krn_fft_fx8 (mli-1, up) is not available" in out
    assert out.endswith("0 passed, 0 failed, 1 skipped\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (["run"], "xymac run: The network NET is required, or --operators$"),
    (["run", "--operators", DIGITS], "xymac run: --operators .* takes --size and .*, not NET$"),
    (["run", "--operators", "--from", "1"], "xymac run: --operators .*, not --from$"),
    (["run", "gone.npz"], r"xymac run: There is no file gone\.npz$"),
    (["run", DIGITS, "--json", "-"], "xymac run: A file or folder to write .* name, not -: "),
    (["run", IMAGES], r"xymac run: .*digits_images\.npz is not a network: the key 'network'"),
    (["run", DIGITS, "--images", DIGITS], "xymac run: .* holds no images: the key 'images' is"),
    (["run", DIGITS, "--waves", "x.vcd", "--backend", "machine"],
     "xymac run: Waveforms need the backend rtl, not machine$"),
    (["run", DIGITS, "--waves", "x.txt"],
     r"xymac run: Waveforms go to a file with the suffix \.fst or \.vcd, not x\.txt$"),
    (["run", DIGITS, "--from", "7"], "xymac run: --from needs --waves$"),
    (["run", DIGITS, "--waves", "gone/x.vcd"],
     r"xymac run: Cannot write gone/x\.vcd: there is no folder gone$"),
    (["run", DIGITS, "--backend", "golden", "--plot", "layers.jpg"],
     r"xymac run: The file of a figure must end in \.png or \.svg, not layers\.jpg$"),
    (["run", DIGITS, "--plot", "gone/layers.png"],
     r"xymac run: Cannot write gone/layers\.png: there is no folder gone$"),
    (["run", DIGITS, "--port", "/dev/gone0"], "xymac run: There is no serial port /dev/gone0: "),
    (["run", DIGITS, "--board", "gone"], "xymac run: Board must be one of .*85f, not 'gone'$"),
    (["run", DIGITS, "--board", "ulx3s-85f"], "xymac run: A board needs --port: `xymac ports` "),
    (["check", VECTORS, "--board", "ulx3s-85f", "--backend", "rtl"],
     "xymac check: --board needs the backend serial, not rtl$"),
    (["run", DIGITS, "--backend", "machine", "--baud", "9600"],
     "xymac run: --baud needs the backend serial, not machine$"),
    (["run", DIGITS, "--backend", "machine", "--via", "bus"],
     "xymac run: --via needs the backend rtl, not machine$"),
    (["check", VECTORS, "--backend", "rtl", "--pauses", "5"],
     "xymac check: --pauses needs --via bus$"),
    (["run", DIGITS, "--backend", "golden", "--port", "COM3"], "backend serial, not golden$"),
    (["run", DIGITS, "--backend", "serial"],
     "xymac run: A board needs --port: `xymac ports` lists the serial ports$"),
    (["run", DIGITS, "--backend", "serial", "--port", "/dev/gone0"],
     "xymac run: There is no serial port /dev/gone0: `xymac ports` lists the serial ports$"),
    (["check", VECTORS, "--port", "COM3", "--backend", "rtl"],
     "xymac check: --port needs the backend serial, not rtl$"),
    (["check", VECTORS, "--backend", "serial", "--baud", "9600"],
     "xymac check: A board needs --port"),
    (["check", VECTORS, "--backend", "serial", "--port", "/dev/gone0"],
     "xymac check: There is no serial port /dev/gone0: `xymac ports` lists the serial ports$"),
    (["bench", "--plot", "bench.pdf"],
     r"xymac bench: The file of a figure must end in \.png or \.svg, not bench\.pdf$"),
    (["bench", "--plot", "gone/bench.svg"],
     r"xymac bench: Cannot write gone/bench\.svg: there is no folder gone$"),
    (["check", "gone"], "xymac check: There is no vector folder gone$"),
    (["check", VECTORS, "--json", "gone/x.json"],
     r"xymac check: Cannot write gone/x\.json: there is no folder gone$"),
    (["check", VECTORS, "--match", "nothing*"], "xymac check: None of .* function nothing"),
])
def test_bad_input_is_one_sentence(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    code = main(arguments)

    out, error = capsys.readouterr()
    assert code == 2
    assert error.count("\n") == 1
    assert re.search(message, error.strip())
    assert "--plot" not in arguments or not out  # refused before anything runs
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("arguments", "message"), [
    (["fly"], "xymac: argument COMMAND: invalid choice: 'fly'"),
    (["run", DIGITS, "--size", "huge"], "xymac run: argument --size: Size must be tiny, "),
    (["run", DIGITS, "--limit", "0"], "xymac run: argument --limit: must be at least 1, not 0"),
    (["run", DIGITS, "--baud", "0"], "xymac run: argument --baud: must be at least 1, not 0"),
    (["run", DIGITS, "--pauses", "100"],
     "xymac run: argument --pauses: must be between 0 and 99 percent, not 100"),
    (["run", DIGITS, "--limit", "x"], "xymac run: argument --limit: must be an int, not 'x'"),
])
def test_bad_arguments_are_one_sentence(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)

    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.count("\n") == 1
    assert re.search(message, error.strip())


def test_help_shows_an_example_of_every_command(capsys):
    names = [entry.name for entry in entry_points(group="xymac.commands")]

    for name in names:
        with pytest.raises(SystemExit, match="0"):
            main([name, "--help"])
        assert re.search(rf"example:\n  xymac {name}\s", capsys.readouterr().out)

    assert sorted(names) == ["bench", "build", "check", "compile", "evaluate", "explore", "fit",
                             "load", "ports", "regress", "run", "simulate", "vectors", "verilog"]


def test_traceback_on_request():
    with pytest.raises(ValueError, match=r"^There is no file gone\.npz$"):
        main(["--traceback", "run", "gone.npz"])
