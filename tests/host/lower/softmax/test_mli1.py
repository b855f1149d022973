# SPDX-License-Identifier: Apache-2.0
"""Softmax as passes against the golden kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, noise, sizes, tensors
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden.mli1 import Conv2d, Layout, Softmax, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import ROUNDINGS, Op, Reduce, RoundMode
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}
softmaxes = st.builds(Softmax, st.sampled_from(ROUNDINGS))


@settings(max_examples=examples(200), **SETTINGS)
@given(sizes, softmaxes, tensors())
def test_equals_golden(config, layer, x):
    assert_equals_golden(config, layer, x)


@pytest.mark.parametrize("rounding", [RoundMode.CONVERGENT, RoundMode.UP])
@pytest.mark.parametrize("frac_bits", [0, 3, 5, 7, 19, 255, *(
    pytest.param(bits, marks=pytest.mark.long) for bits in (1, 4, 12, 18, 20, 30))])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_ranges_around_half_the_container(dtype, frac_bits, rounding):
    """Only a range beyond half the container halves the elements; odd and even maxima differ."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    half = -low
    for top in (high, high - 1, 0, 1, half // 2, half // 2 + 1):
        for spread in (0, 1, half - 1, half, half + 1, 2 * half - 1):
            if top - spread >= low:
                near = [max(top - step, top - spread) for step in range(9)]
                data = np.array([top - spread, *near], dtype)
                assert_equals_golden(TINY, Softmax(rounding), Tensor(data, frac_bits))


@each_size
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 15, 16, 17, 18, 63, 64, 65, 1000, 2999])
def test_any_number_of_elements(config, count):
    for dtype in (np.int8, np.int16):
        assert_equals_golden(config, Softmax(), noise(random_of(count), (count,), dtype,
                                                      11))


@pytest.mark.parametrize("layout", Layout)
@pytest.mark.parametrize("channels", [3, 4, 5])
def test_padding_between_pixels_takes_no_part(layout, channels):
    """The output of a convolution has padding in every pixel unless its channels fill groups: where
    it does, the pixels are moved together."""
    rng = random_of(channels)
    x, weights, bias = (noise(rng, shape, np.int8, 5) for shape in (
        (2, 3, 2) if layout is Layout.CHW else (3, 2, 2),
        (channels, 2, 1, 1) if layout is Layout.CHW else (channels, 1, 1, 2), (channels,)))
    layers = [Conv2d(weights, bias, 3, layout=layout), Softmax()]
    plan   = Plan(BASE, layers, x)

    with MachineDevice(BASE) as device:
        plan.load(device)
        run = plan.run(device, x)

    first = golden.run(layers[0], x).output
    assert run.output == golden.run(layers[1], first).output
    reduced = [pass_ for pass_ in plan.program if pass_.reduction.reduce is not Reduce.NONE]
    moved   = [pass_ for pass_ in plan.program if pass_.accumulate.op is Op.GATHER]
    assert len(moved) == (channels != 4)
    assert len(reduced) <= 3 * 2  # whole outputs and the rest


def test_too_many_elements_are_refused():
    with pytest.raises(Refusal, match=r"bytes of X memory"):
        Plan(TINY, [Softmax()], Tensor(np.zeros(9000, np.int16), 4))
