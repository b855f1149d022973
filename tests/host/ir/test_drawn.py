# SPDX-License-Identifier: Apache-2.0
"""Forms of the kit's drawn cases, which reach the ends of sums and parameters, against golden."""

import numpy as np
import pytest

from tests.host.ir.test_calls import evaluate
from tests.support.recorded import draw, drawn
from xymac import golden
from xymac.golden.layer import Layer
from xymac.host.errors import Refusal
from xymac.host.ir.requantiser import Requantiser
from xymac.host.lower.registry import find_lowering

#: Operations whose forms are evaluated in every case that has passes.
EVALUATED = ("conv2d", "depthwise_conv2d", "fully_connected", "average_pool", "max_pool", "add",
             "sub", "mul", "relu", "sigmoid", "tanh", "transpose", "slice")


def check(cases):
    """Compare forms with golden; returns how many could be evaluated."""
    count = 0
    for case in cases:
        if not isinstance(case.layer, Layer):
            continue
        try:
            lowering = find_lowering(case.layer, case.inputs, 4)
        except Refusal:
            continue
        if hasattr(lowering.form, "evaluate"):
            np.testing.assert_array_equal(
                evaluate(lowering.form, lowering.output, case.inputs),
                golden.run(case.layer, *case.inputs).output.data, case.name)
            count += 1
    return count


@pytest.mark.parametrize(("group", "which"), [(group, which) for group, *which in drawn()])
def test_forms_equal_golden(group, which):
    cases = draw(*which)
    count = check(cases)
    if which[0] in EVALUATED and cases:
        assert count > len(cases) // 2, group


@pytest.mark.parametrize("bits", [8, 12, 16])
def test_narrow_elements_are_rounded_up_at_ties_and_clipped(bits):
    values = np.arange(-32768, 32768)
    low, high = -(1 << bits - 1) + 3, (1 << bits - 1) - 5
    expected  = [min(max((2 * value + (1 << 16 - bits)) >> 17 - bits, low), high)
                 for value in values.tolist()]

    assert Requantiser.narrow(bits, (low, high)).compute(values).tolist() == expected
