# SPDX-License-Identifier: Apache-2.0
"""Padding of the innermost dimension: golden results, and no more cycles than ideal ones where
channels begin with a group."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_core
from xymac.golden.tflm import Pad, Quantisation, Tensor
from xymac.hdl.config import BASE
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.cycles.model import predict

KIND = Quantisation((0.5,), (-3,))


def padded(rng, shape, widths, dtype=np.int8):
    """A Pad whose input has other readers' layouts on both sides, and that input."""
    limits = np.iinfo(dtype)
    kind   = KIND if dtype is np.int8 else Quantisation((0.5,), (0,))
    x = Tensor(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True), kind)
    return Pad(tuple(widths), kind), x


@each_core
def test_any_width_equals_golden(config):
    rng = random_of(3)
    for _ in range(25):
        size    = (1, *rng.integers(1, 6, 2).tolist(), int(rng.integers(1, 20)))
        spatial = [(0, 0)] * 3 if rng.random() < 0.6 else [
            (0, 0), *(tuple(rng.integers(0, 3, 2).tolist()) for _ in range(2))]
        widths  = [*spatial, tuple(rng.integers(0, 9, 2).tolist())]
        layer, x = padded(rng, size, widths, np.int16 if rng.random() < 0.3 else np.int8)

        assert_plan(config, [layer], x)


@pytest.mark.parametrize(("channels", "more"), [
    (24, 4), (28, 4), (32, 4), (42, 6), (48, 8), (6, 4)])
def test_ideal_cycles(channels, more):
    layer, x = padded(random_of(4), (1, 16, 16, channels), [(0, 0)] * 3 + [(0, more)])

    plan = assert_plan(BASE, [layer], x)

    groups = -(-(channels + more) // 4) * 4 / (channels + more)  # the last one is not full
    assert predict(plan.program, BASE).cycles <= 250 + groups * ideal_cycles(layer, BASE, x.shape)
