# SPDX-License-Identifier: Apache-2.0
"""Instructions of the XS3 unit against reference vectors."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from xymac.golden.xs3 import instructions as xs3

FOLDER = Path(__file__).parents[2] / "vectors" / "xs3"
CASES  = json.loads((FOLDER / "vpu_ops.json").read_text())["cases"]
KINDS  = sorted({(case["op"], case["mode"]) for case in CASES})


@cache
def arrays():
    with np.load(FOLDER / "vpu_ops.npz") as file:
        return dict(file)


def array(case, *names):
    """The first of the named arrays that ``case`` has."""
    return arrays()[next(case["arrays"][name] for name in names if name in case["arrays"])]


def apply(case):
    """What golden makes of a case."""
    op, bits = getattr(xs3, case["op"].lower()), case["mode"]
    if case["op"] in ("VLMACC", "VLMACCR"):
        return op(array(case, "acc_in"), array(case, "vC"), array(case, "mem"), bits)
    if case["op"] == "VLSAT":
        return op(array(case, "acc_in"), array(case, "shifts"), bits)
    if case["op"] == "VLASHR":
        return op(array(case, "mem"), case["params"]["shr"], bits)
    if case["op"].startswith("VDEPTH"):
        return op(array(case, "vR_in"), bits)
    return op(array(case, "vR_in"), array(case, "mem"), bits)


@pytest.mark.parametrize(("op", "mode"), KINDS)
def test_instruction_vectors(op, mode):
    """Sums as lib_nn's simulator has them, all else as lib_xcore_math has it."""
    cases = [case for case in CASES if (case["op"], case["mode"]) == (op, mode)]

    assert len(cases) == 24
    for case in cases:
        np.testing.assert_array_equal(apply(case), array(case, "acc_out", "vR_out_xmath",
                                                         "acc_out_xmath"), str(case))


def test_every_instruction_vector_is_used():
    assert len(CASES) == 24 * len(KINDS) == 576


@pytest.mark.parametrize("mode", [8, 16])
def test_the_simulator_differs_where_its_rounding_wraps(mode):
    """The one difference between both sources of VLSAT, so the choice between them is known."""
    differing = 0
    for case in CASES:
        if (case["op"], case["mode"]) == ("VLSAT", mode):
            wrong = array(case, "vR_out") != array(case, "vR_out_xmath")
            acc, shifts = (array(case, name).astype(np.int64) for name in ("acc_in", "shifts"))
            assert (acc[wrong] + (1 << shifts[wrong]) // 2 >= 2 ** 31).all()
            differing += wrong.sum()
    assert differing == {8: 25, 16: 20}[mode]
