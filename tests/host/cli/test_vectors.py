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


@pytest.mark.parametrize(("arguments", "words"), [
    (["--shapes", "8y8"], "A shape must be like 8x8x16, not '8y8'"),
    (["--limit", "channels"], "A limit must be like channels=1..8,16, not 'channels'"),
    (["--limit", "size=3"], "There is no quantity 'size' to limit"),
    (["--type", "fx8"], "must be one of int8, int16, not 'fx8'"),
    (["--limit", "kernel_height=9", "--limit", "height=1", "--limit", "padding=0"],
     "leave no case")])
def test_what_cannot_be_written_is_a_sentence(arguments, words, tmp_path, capsys):
    assert run(tmp_path, *CONV, *arguments) == 2

    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_requantiser_is_no_function_of_a_library(tmp_path, capsys):
    assert run(tmp_path, "--kernel", "requantise", "--dialect", "tflm") == 2
    assert "No function of a library is requantise alone" in capsys.readouterr().err
