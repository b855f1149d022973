# SPDX-License-Identifier: Apache-2.0
"""Devices that keep sums or states from case to case: the report says so."""

from dataclasses import replace

import numpy as np
import pytest

from xymac.host.kit.libraries import sums_of
from xymac.host.kit.model import compute

from .devices import cases_of, explain

LEFT = "the first sum of a case starts from the last sum of the case before"


class Lanes:
    """Accumulators that are not cleared between cases; ``by`` gives the lane of each output."""

    def __init__(self, lanes, by):
        self.held, self.by = np.zeros(lanes, np.int64), by

    def __call__(self, case):
        places = np.arange(np.prod(case.shape))
        sums   = sums_of(case, places)
        lanes  = self.by(places, case.shape[-1]) % len(self.held)
        added  = np.zeros_like(places)
        _, first = np.unique(lanes, return_index=True)
        added[first] = self.held[lanes[first]]
        final = sums.total + sums.bias + added
        for lane, value in zip(lanes, final, strict=True):
            self.held[lane] = (value + 2 ** 31) % 2 ** 32 - 2 ** 31
        return compute(sums.narrowing, replace(sums, bias=sums.bias + added)).reshape(case.shape)


@pytest.mark.parametrize("operation", ["fully_connected", "conv2d", "depthwise_conv2d"])
@pytest.mark.parametrize(("lanes", "names", "by"), [
    (8, "elements", lambda places, channels: places),
    (4, "channels", lambda places, channels: places % channels)])
def test_sums_of_lanes(operation, lanes, names, by):
    cases  = cases_of(operation)
    device = Lanes(lanes, by)

    verdict = explain(cases, [device(case) for case in cases])

    assert f"in each of {lanes} lanes, " in verdict.sentence
    assert verdict.where.endswith(LEFT)
    assert f"{names} modulo" in verdict.sentence or operation == "fully_connected"


def test_a_single_accumulator_has_no_lanes():
    cases  = cases_of("conv2d")
    device = Lanes(1, lambda places, channels: places)

    verdict = explain(cases, [device(case) for case in cases])

    assert verdict.where.endswith(f"cases {LEFT}")


def test_first_outputs_of_lanes_that_are_wrong_otherwise():
    cases   = cases_of("fully_connected")
    results = [case.expected() for case in cases]
    for result in results[1:]:
        result.flat[:8] ^= 1

    assert LEFT not in explain(cases, results).sentence
