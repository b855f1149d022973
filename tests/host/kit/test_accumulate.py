# SPDX-License-Identifier: Apache-2.0
"""Devices that give sums: cases, limits of tiles, rules."""

import numpy as np
import pytest

from xymac.host.errors import InputError
from xymac.host.kit.accumulate import Accumulate
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.model import run
from xymac.host.kit.rounding import Limit
from xymac.host.kit.rule import Rule
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.write.readmemh import write_readmemh

TILE = {"channels": (8,), "outputs": (8,)}


@pytest.mark.parametrize(("operation", "limits", "top"), [
    ("accumulate", {}, 31), ("matmul", {}, 31), ("matmul", TILE, 18)])
def test_narrow_accumulators_are_shown(operation, limits, top):
    cases = generate(Supports(operation, "tflm", limits=limits), 100).cases

    hidden = [(bits, limit) for bits in range(16, top + 1)
              for limit in (Limit.WRAP, Limit.SATURATE)
              if all(np.array_equal(run(Rule(acc_bits=bits, acc_limit=limit), case),
                                    case.expected()) for case in cases)]

    assert hidden == []


def test_sums_are_those_of_python():
    for operation in ("accumulate", "matmul"):
        for case in generate(Supports(operation, "tflm"), 20).cases:
            given = case.operands
            table = given["weights"] if operation == "matmul" else given["weights"].T
            x     = given["x"].astype(object) - given.get("x_zero", 0)
            want  = x @ table.astype(object) + given.get("bias", 0)
            assert case.expected().tolist() == want.tolist()
            assert (case.dtype, case.type) == (np.int32, "int8")


def test_a_rule_of_sums_is_named():
    cases   = list(generate(Supports("matmul", "tflm", limits=TILE), 60).cases)
    verdict = explain(cases, [run(Rule(unsigned_inputs=True), case) for case in cases])

    assert verdict.sentence.startswith("takes inputs as unsigned; ")
    assert verdict.first.parameters.keys() >= {"lowest", "highest"}


def test_cases_of_tiles_are_written_for_readmemh(tmp_path):
    write_readmemh(tmp_path, generate(Supports("matmul", "tflm", limits=TILE), 4).cases)

    assert {path.name for path in tmp_path.iterdir()} >= {
        "x.hex", "weights.hex", "expected.hex", "bench.sv"}


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="a bias for each output"):
        Accumulate(np.zeros((2, 3), np.int8), np.zeros(3, np.int32))
    with pytest.raises(InputError, match="There are no cases of matmul in mli-1"):
        generate(Supports("matmul", "mli-1", "fx8"), 3)
