# SPDX-License-Identifier: Apache-2.0
"""Adapters: what they say of a device, how they are loaded, and answers that are none."""

import re
import time

import numpy as np
import pytest
from cocotb.types import LogicArray

from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import (
    CYCLES,
    ELEMENT_CYCLES,
    Adapter,
    Supports,
    load_adapter,
)
from xymac.host.kit.device.answer import take_answer
from xymac.host.kit.device.functions import ask_functions
from xymac.host.kit.device.packing import UnknownBitsError, pack, read, unpack
from xymac.host.kit.stimuli.generate import generate

ADD   = Supports("add", "tflm")
CASES = generate(ADD, 4).cases
HEAD  = "import xymac\nclass Mine(xymac.Adapter):\n    "


@pytest.mark.parametrize(("arguments", "words"), [
    (("conv3d", "tflm"), "operation .* one of requantise, .* not 'conv3d'"),
    (("conv2d", "onnx"), "dialect .* one of tflm, mli-1, mli-2, xs3, not 'onnx'"),
    (("conv2d", "mli-1", "int8"), "type .* one of fx8, fx16, fx8w16d, not 'int8'"),
    (("conv2d", "tflm", "int8", {"height": 3}), "limit of height must be a range"),
    (("conv2d", "tflm", "int8", {"size": (3,)}), "no quantity 'size'")])
def test_supports_refuses_what_is_unknown(arguments, words):
    with pytest.raises(InputError, match=words):
        Supports(*arguments)


@pytest.mark.parametrize(("text", "words"), [
    ("import xymac", "must define one subclass of Adapter, not 0"),
    (f"{HEAD}supports = ()\nclass More(Mine): pass", "one subclass of Adapter, not 2"),
    (f"{HEAD}supports = ()", r"Mine\.supports must be a tuple of Supports"),
    (f"{HEAD}supports, sources = (xymac.Supports('add', 'tflm'),), ('a.v',)", r"Mine\.top must"),
    (f"{HEAD}supports = (xymac.Supports('add', 'tensor'),)", "The dialect of what"),
    (f"{HEAD}supports = xymac.Supports('add', 'tflm')", r"Mine\.supports must be a tuple of"),
    (f"{HEAD}supports = 'add'", r"Mine\.supports must be a tuple of Supports"),
    (f"{HEAD}supports, seconds = (xymac.Supports('add', 'tflm'),), '10'",
     r"Mine\.seconds must be a number above 0, not '10'"),
    (f"{HEAD}supports = (xymac.Supports('add', 'tflm'),)\n    cycles = True",
     r"Mine\.cycles must be a number above 0, not True"),
    (f"{HEAD}supports = (xymac.Supports('add', 'tflm'),)\n    parameters = [1]",
     r"Mine\.parameters must be a dict, not \[1\]"),
    (f"{HEAD}supports = (xymac.Supports('add', 'tflm'),)\n    name = 5",
     r"name must be a str, not 5"),
    (f"{HEAD}supports, sources = (xymac.Supports('add', 'tflm'),), 'a.v'",
     r"Mine\.sources must be a tuple of names of files, not 'a\.v'"),
    (f"{HEAD}def __init__(self, board): pass", "is broken: TypeError: .*board"),
    ("class Mine(:", "is broken: SyntaxError: "), ("raise SystemExit('bye')", "SystemExit: bye$"),
    ("import nothing_of_this_name", "is broken: ModuleNotFoundError")])
def test_adapters_that_cannot_be_used_are_refused(text, words, tmp_path):
    (tmp_path / "mine.py").write_text(text)

    with pytest.raises(InputError, match=words):
        load_adapter(tmp_path / "mine.py")


def test_a_missing_adapter_is_refused(tmp_path):
    (tmp_path / "mine.txt").write_text("")

    with pytest.raises(InputError, match="There is no adapter"):
        load_adapter(tmp_path / "mine.py")
    with pytest.raises(InputError, match=r"must be a file of Python, \*\.py, not .*mine\.txt"):
        load_adapter(tmp_path / "mine.txt")


def test_a_case_has_cycles_for_its_elements_unless_the_adapter_limits_them():
    case = CASES[0]

    elements = sum(np.size(each) for each in case.operands.values())

    assert Adapter().cycles_of(case) == CYCLES + ELEMENT_CYCLES * elements > CYCLES
    assert type("Quick", (Adapter,), {"cycles": 99})().cycles_of(case) == 99


class Faulty(Adapter):
    """A device with a fault of its own for every case."""

    supports, seconds = (ADD,), 0.2

    def add(self, case):
        """One fault after the other."""
        fault = int(case.name.split()[1])
        if fault == 0:
            time.sleep(2)
        if fault == 1:
            raise RuntimeError("no power")
        return case.expected() if fault == 2 else case.expected()[:, :0]


def test_faults_are_a_sentence_each_and_the_rest_goes_on():
    hangs, raises, right, short = ask_functions(Faulty(), CASES)

    assert hangs.failure == "add of tflm, case add 0: did not end within 0.2 s"
    assert raises.failure == "add of tflm, case add 1: RuntimeError: no power"
    assert np.array_equal(right.values, CASES[2].expected())
    assert re.search(r"case add 3: the result must have shape \(\d+, \d+\), not", short.failure)


def test_after_two_cases_that_hang_others_of_the_operation_are_not_tried():
    class Hanging(Faulty):
        def add(self, case):
            time.sleep(2)

    failures = [answer.failure for answer in ask_functions(Hanging(), CASES)]

    assert [("not tried" in failure) for failure in failures] == [False, False, True, True]


def test_a_device_without_the_operation_says_so():
    [answer] = ask_functions(type("Bare", (Adapter,), {"supports": (ADD,)})(), CASES[:1])

    assert answer.failure == "add of tflm, case add 0: Bare has no add"


def _exit(self, case):
    raise SystemExit("line\n  by line")


async def _coroutine(self, case):
    return 0


@pytest.mark.parametrize(("method", "words"), [
    (_exit, "SystemExit: line by line"), (5, "add of Odd must be a function, as it has no sources"),
    (_coroutine, "add of Odd must be a function, as it has no sources"),
    (lambda self: 0, "TypeError: .*takes 1 positional argument but 2 were given")])
def test_odd_methods_are_a_sentence(method, words):
    device = type("Odd", (Adapter,), {"supports": (ADD,), "add": method})()

    [answer] = ask_functions(device, CASES[:1])

    assert re.fullmatch(f"add of tflm, case add 0: {words}", answer.failure)


@pytest.mark.parametrize(("given", "words"), [
    (None, "nothing was returned"), ([0.5], "integers must be returned, not float64"),
    ([LogicArray("0X01")], "unknown bits: value is 0X01"),
    ("text", "integers must be returned, not str"), ({}, "integers must be returned, not a dict"),
    ([1 << 63], "integers of 64 bits must be returned, not 9223372036854775808"),
    ([-1 << 70, 0], "integers of 64 bits must be returned, not -1180591620717411303424"),
    (np.array([2**64 - 1], np.uint64), "of 64 bits must be returned, not 18446744073709551615"),
    ([[0] * 7 + [-4294967423]], "-4294967423 is no int8"), ([[128] * 8], "128 is no int8"),
    ([[1], [2, 3]], "an array or lists of equal lengths must be returned, not lists of different"),
    ([[1, None]], "integers must be returned, not None"), (b"12", "must be returned, not bytes"),
    (iter([1]), "integers must be returned, not a list_iterator")])
def test_answers_that_are_none_are_a_sentence(given, words):
    limits = {"height": (1,), "channels": (8,)}
    answer = take_answer(generate(Supports("add", "tflm", "int8", limits), 1).cases[0], given)

    assert answer.values is None
    assert words in answer.failure


def test_answers_may_be_flat_and_values_of_a_simulator():
    case = CASES[0]
    flat = [LogicArray(int(value) & 0xFF, 8) for value in case.expected().ravel()]

    answer = take_answer(case, flat)

    assert np.array_equal(answer.values, case.expected())


def test_words_are_packed_lowest_first():
    assert pack([-1, 2, 3], 8) == 0x0302FF
    assert unpack(0x0302FF, 8, 3).tolist() == [-1, 2, 3]
    assert unpack(0x0302FF, 8, 3, signed=False).tolist() == [255, 2, 3]
    with pytest.raises(ValueError, match="Value 1 must fit 8 bits, not 256"):
        pack([0, 256], 8)


def test_unknown_bits_are_not_read_as_numbers():
    assert read(LogicArray("1000")) == -8
    assert read(LogicArray("1000"), signed=False) == 8
    with pytest.raises(UnknownBitsError, match="value is 10Z0"):
        read(LogicArray("10Z0"))
