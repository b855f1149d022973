# SPDX-License-Identifier: Apache-2.0
"""``xymac vectors``: what it writes, and what it refuses in a sentence."""

import pytest

from xymac.host.cli.main import main
from xymac.host.vectors.files import read_arrays, read_cases

CONV = ("--kernel", "conv2d", "--dialect", "tflm")


def run(folder, *arguments):
    """Exit code of the command."""
    return main(["vectors", "-o", str(folder), *arguments])


def test_shapes_and_limits_hold(tmp_path, capsys):
    code = run(tmp_path, *CONV, "--count", "9", "--shapes", "5x4x3", "3x3x16", "--limit",
               "kernel_height=1..2", "--limit", "activation=none,relu")

    cases  = read_cases(tmp_path)
    shapes = [case.config["tensors"][0]["shape"] for case in cases]
    assert code == 0
    assert "9 cases of conv2d, tflm int8" in capsys.readouterr().out
    assert shapes == [[1, 5, 4, 3]] * 5 + [[1, 3, 3, 16]] * 4
    assert {case.config["tensors"][1]["shape"][1] for case in cases} == {1, 2}
    assert {case.config["options"]["fused_activation_function"] for case in cases
            } == {"NONE", "RELU"}


def test_another_seed_writes_others(tmp_path):
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        assert run(tmp_path / name, *CONV, "--count", "3", "--seed", seed) == 0

    first, again, other = ([array.tolist() for case in read_cases(tmp_path / name)
                            for array in read_arrays(case).values()] for name in "abc")
    assert sorted(map(str, first)) == sorted(map(str, again))
    assert sorted(map(str, first)) != sorted(map(str, other))


def test_numbers_for_readmemh_are_of_any_operation(tmp_path):
    assert run(tmp_path, "--kernel", "requantise", "--dialect", "mli-2", "--count", "3",
               "--readmemh") == 0

    assert {path.name for path in tmp_path.iterdir()} == {
        "acc.hex", "multiplier.hex", "shift.hex", "expected.hex", "cases.hex", "bench.sv",
        "device.svh"}


def test_a_bench_of_cocotb_keeps_the_device(tmp_path):
    arguments = ("--kernel", "lstm", "--dialect", "mli-1", "--count", "3", "--cocotb")
    assert run(tmp_path, *arguments) == 0
    (tmp_path / "device.py").write_text("# mine")

    assert run(tmp_path, *arguments, "--readmemh") == 0

    assert (tmp_path / "device.py").read_text() == "# mine"
    assert {"bench.py", "bench.sv", "device.svh", "cases.hex"} <= {
        path.name for path in tmp_path.iterdir()}
    compile((tmp_path / "bench.py").read_text(), "bench.py", "exec")


def test_limits_are_those_of_an_adapter(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(
        "import xymac\n\nclass Mine(xymac.Adapter):\n    supports = (xymac.Supports('conv2d', "
        "'tflm', limits={'kernel_height': (3,), 'stride_height': "
        "lambda stride_height, stride_width: stride_height == stride_width}),)\n")
    adapter = ("--adapter", str(tmp_path / "mine.py"))

    assert run(tmp_path / "out", *CONV, "--count", "12", *adapter) == 0
    assert run(tmp_path / "no", "--kernel", "add", "--dialect", "tflm", *adapter) == 2

    cases = read_cases(tmp_path / "out")
    assert {case.config["tensors"][1]["shape"][1] for case in cases} == {3}
    assert all(case.config["options"]["stride_h"] == case.config["options"]["stride_w"]
               for case in cases)
    assert "does not support add of tflm int8" in capsys.readouterr().err


def test_a_limit_may_be_another_quantity(tmp_path):
    assert run(tmp_path, *CONV, "--count", "12", "--limit", "height==width") == 0

    shapes = [case.config["tensors"][0]["shape"] for case in read_cases(tmp_path)]
    assert all(rows == columns for _, rows, columns, _ in shapes)
    assert run(tmp_path / "no", *CONV, "--limit", "height==size") == 2


@pytest.mark.parametrize(("arguments", "words"), [
    (["--shapes", "8y8"], "A shape must be like 8x8x16, not '8y8'"),
    (["--limit", "channels"], "A limit must be like channels=1..8,16 or low==output_zero, not"),
    (["--limit", "low=="], "must be like channels=1..8,16 or low==output_zero, not 'low=='"),
    (["--limit", "channels=a"], "The values of channels must be ints, as in 1..8,16, not 'a'"),
    (["--limit", "channels=1..2..3"], "must be ints, as in 1..8,16, not '1..2..3'"),
    (["--limit", "channels=1,,2"], "The values of channels must be ints, as in 1..8,16, not ''"),
    (["--limit", "channels=8..1"], "A range of channels must go from low to high, not '8..1'"),
    (["--limit", "activation=5"], "The values of activation must be words, not '5'"),
    (["--limit", "bias=zero,"], "The values of bias must be words, not ''"),
    (["--limit", "channels=1", "--limit", "channels=2"],
     "A quantity must have one --limit, channels has two"),
    (["--limit", "low==nothing"], "There is no quantity 'nothing' to limit"),
    (["--limit", "multiplier=1,2..99999999999"],
     "A list of values of multiplier must have at most 1,048,576, not 99,999,999,999; one range"),
    (["--limit", "channels=1..99999999999"],
     "The values of channels must be at most 65,536, not 99,999,999,999"),
    (["--limit", "channels=9999", "--limit", "width=9999"],
     "The smallest input must have at most 1,048,576 elements, not 99,980,001"),
    (["--shapes", "99999x99999x9"],
     "The smallest input must have at most 1,048,576 elements, not 89,998,200,009"),
    (["--limit", "batches=9999", "--limit", "width=9999"],
     "The smallest input must have at most 1,048,576 elements, not 99,980,001"),
    (["--limit", "channels=60000", "--limit", "outputs=60000"],
     "The smallest weights must have at most 16,777,216 elements, not 3,600,000,000"),
    (["--kernel", "lstm", "--limit", "outputs=60000"],
     "The smallest weights must have at most 16,777,216 elements, not 3,600,060,000"),
    (["--shapes", "8x8x3", "--limit", "channels=5"],
     "Either --shapes or --limit must bind channels, not both"),
    (["--limit", "steps=3"], "Cases of conv2d have no steps to limit, only elements, channels"),
    (["--limit", "size=3"], "There is no quantity 'size' to limit"),
    (["--type", "fx8"], "must be one of int8, int16, uint8, not 'fx8'"),
    (["--limit", "kernel_height=9", "--limit", "height=1", "--limit", "padding=0"],
     "leave no case")])
def test_what_cannot_be_written_is_a_sentence(arguments, words, tmp_path, capsys):
    assert run(tmp_path, *CONV, *arguments) == 2

    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_range_may_be_long(tmp_path):
    assert run(tmp_path, "--kernel", "requantise", "--dialect", "tflm", "--count", "3", "--limit",
               "multiplier=1073741824..2147483647", "--readmemh") == 0


@pytest.mark.parametrize(("kernel", "shape"), [
    ("pad", "2x3x4x5"), ("transpose", "4x5x6x7"), ("concatenate", "2x8x8x3"), ("slice", "9")])
def test_shapes_of_moves_have_up_to_four_sizes(kernel, shape, tmp_path):
    assert run(tmp_path, "--kernel", kernel, "--dialect", "tflm", "--count", "4", "--shapes", shape,
               "--readmemh") == 0

    sizes = [int(size) for size in shape.split("x")]
    rows  = (tmp_path / "cases.hex").read_text().split()
    assert all(f"{size:08x}" in rows for size in sizes)


@pytest.mark.parametrize(("arguments", "words"), [
    (["--kernel", "fully_connected", "--shapes", "4x16"],
     "Inputs of fully_connected must have shapes such as 1x16, not 4x16"),
    (["--kernel", "pad", "--shapes", "1x2x3x4x5"], "A shape must be like 2x8x8x16, not '1x2x3"),
    (["--kernel", "pad", "--limit", "shape=3"], "The values of shape must be tuples of sizes"),
    (["--kernel", "requantise", "--limit", "multiplier=5"],
     "no case with multiplier of 5")])
def test_a_shape_that_no_input_has_is_refused(arguments, words, tmp_path, capsys):
    assert run(tmp_path, *arguments, "--dialect", "tflm", "--readmemh") == 2

    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "words"), [
    (["--kernel", "requantise", "--dialect", "tflm", "--limit", "multiplier=5"], "leave no case"),
    (["--kernel", "pad", "--dialect", "tflm"], "Cases of pad are written with --readmemh or"),
    (["--kernel", "lstm", "--dialect", "tflm"], "Cases of lstm are written with --readmemh or"),
    (["--kernel", "conv2d", "--dialect", "tflm", "--type", "uint8"], "Cases of uint8 are written")])
def test_what_is_refused_leaves_no_folder(arguments, words, tmp_path, capsys):
    assert run(tmp_path / "new", *arguments) == 2

    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_requantiser_is_no_function_of_a_library(tmp_path, capsys):
    assert run(tmp_path, "--kernel", "requantise", "--dialect", "tflm") == 2
    assert "No function of a library is requantise alone" in capsys.readouterr().err
