# SPDX-License-Identifier: Apache-2.0
"""Convolutions that read pixels out of strips: the golden results, without a pass that moves them.

Windows of several heights, some that reach the last row of the last strip.
"""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from xymac.golden.tflm import Conv2d, MaxPool2d, Padding, Quantisation
from xymac.hdl.config import BASE, SMALL
from xymac.hdl.isa import AguMode
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.strips import StripLayout

from .test_tflm import predicted, scaled, tensor

OUT = Quantisation((0.5,), (3,))


def random_layers(rng):
    """A convolution on strips, a pool, and a convolution with windows beyond a strip."""
    channels = int(rng.choice([4, 8, 12]))
    first  = scaled(rng, Conv2d, (channels, 3, 3, 1), (2.0**-7,), OUT, padding=Padding.SAME)
    kernel = tuple(rng.integers(1, 6, 2).tolist())
    second = scaled(rng, Conv2d, (int(rng.integers(1, 25)), *kernel, channels), (2.0**-9,), OUT,
                    stride=tuple(rng.integers(1, 4, 2).tolist()),
                    padding=Padding(int(rng.integers(2))),
                    dilation=(int(rng.integers(1, 3)), 1) if rng.random() < 0.2 else (1, 1))
    return [first, MaxPool2d((2, 2), OUT, (2, 2)), second]


@pytest.mark.parametrize(("config", "count", "least"), [(BASE, 45, 10), (SMALL, 10, 1)])
def test_windows_beyond_the_strips(config, count, least):
    read = wrapped = 0
    for key in range(count):
        rng  = random_of((config.ways, key))
        size = int(rng.choice([23, 32, 32, 38, 47])), int(rng.integers(12, 30))

        plan = assert_plan(config, random_layers(rng), tensor(rng, (1, *size, 1), zero=int(
            rng.integers(-9, 9))))

        step = plan.steps[-1]
        if isinstance(step.sources[0], StripLayout) and type(step.target) is TensorLayout:
            read    += step.moved == 0
            wrapped += {plan.program[index].operands.x.mode for index in step.passes} == {
                AguMode.LINEAR, AguMode.MODULO}
    assert read >= least
    assert wrapped or config is SMALL


def test_a_stride_of_three_behind_a_pool():
    """The last layer takes 2,028 cycles with three of four banks at work."""
    rng    = random_of(1)
    layers = [scaled(rng, Conv2d, (12, 5, 5, 1), (2.0**-7,), OUT, stride=(3, 3),
                     padding=Padding.SAME),
              MaxPool2d((2, 2), OUT, (2, 2)),
              scaled(rng, Conv2d, (12, 5, 5, 12), (2.0**-9,), OUT, stride=(3, 3),
                     padding=Padding.SAME)]

    plan = assert_plan(BASE, layers, tensor(rng, (1, 96, 96, 1)))

    assert not any(step.moved for step in plan.steps)
    assert predicted(plan) < 5432 + 819 + 2200


def test_elements_of_16_bits():
    rng    = random_of(2)
    out    = Quantisation((0.5,), (0,))
    layers = [scaled(rng, Conv2d, (8, 3, 3, 1), (2.0**-7,), out, padding=Padding.SAME),
              MaxPool2d((2, 2), out, (2, 2)),
              scaled(rng, Conv2d, (6, 5, 3, 8), (2.0**-9,), out, stride=(2, 1))]

    plan = assert_plan(BASE, layers, tensor(rng, (1, 32, 18, 1), np.int16))

    assert not any(step.moved for step in plan.steps)
