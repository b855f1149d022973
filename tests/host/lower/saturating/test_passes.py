# SPDX-License-Identifier: Apache-2.0
"""Sums that saturate after each block as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, assert_plan, sizes
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden import xs3
from xymac.golden.xs3 import Integers, Window
from xymac.golden.xs3 import conv as xs3_conv
from xymac.golden.xs3 import dense as xs3_dense
from xymac.golden.xs3 import pool as xs3_pool
from xymac.golden.xs3.sums import accumulate
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.limits import PASSES_MAX
from xymac.host.lower.registry import find_lowering
from xymac.host.lower.saturating.passes import SaturatingLowering
from xymac.host.plan.plan import Plan

EDGE   = 1 << 31


def elements(rng, shape, low=-128, high=127):
    return Integers(rng.integers(low, high, shape, np.int8, endpoint=True))


def biases(rng, shape):
    """Just inside of either limit."""
    sign = rng.choice([-1, 1], shape)
    return sign * (EDGE - 1 - rng.integers(0, 1 << 14, shape)), sign


def bso_at_the_limit(rng, outputs, final_shift=False):
    """Biases at the limits, and outputs that show how far sums have come from there."""
    bso = np.zeros((-(-outputs // 16), 7, 16), np.int64)
    bias, sign = biases(rng, bso[:, 0].shape)
    bso[:, 0], bso[:, 1] = bias >> 16, bias & 0xFFFF
    bso[:, 2] = 16
    bso[:, 3] = 1 << 14
    bso[:, 4], bso[:, 5] = 1 << 14, -sign * 32767  # takes the limit off again
    bso[:, 6] = rng.integers(10, 12, sign.shape) - 8 * final_shift
    return Integers((bso & 0xFFFF).astype(np.uint16))


def signed(rng, shape, depth):
    """Large weights, of one sign within a block: sums go to a limit and away from it.

    The ``depth`` inner dimensions make blocks of 32.
    """
    size  = int(np.prod(shape[len(shape) - depth:]))
    signs = rng.choice([-1, 1], (*shape[:len(shape) - depth], -(-size // 32)))
    signs = np.repeat(signs, 32, -1)[..., :size].reshape(shape)
    return Integers((signs * rng.integers(100, 128, shape)).astype(np.int8))


def matrix(rng, kind, outputs, inputs, **options):
    weights, x = signed(rng, (outputs, inputs), 1), elements(rng, inputs, 60)
    if kind is xs3.FullyConnected:
        return kind(weights, bso_at_the_limit(rng, outputs, "final_shift" in options),
                    **options), x
    bias, _ = biases(rng, outputs)
    return kind(weights, Integers(bias.astype(np.int32)), Integers(np.full(16, 16, np.int16)),
                Integers(rng.integers(8000, 16384, 16).astype(np.int16)), **options), x


def image_layer(rng, kind, shape, x_shape, **options):
    depth   = {xs3.Conv2dShallowin: 2, xs3.Conv2dDepthwise: 0}.get(kind, 1)
    outputs = shape[2] if kind is xs3.Conv2dDepthwise else shape[0]
    weights = signed(rng, shape, depth)
    if kind is xs3.Conv2dDepthwise:  # a sign for each half of the kernel
        half = shape[0] // 2
        weights.data[:half], weights.data[half:] = (
            np.abs(weights.data[rows]) * sign for rows, sign in (
                (slice(half), rng.choice([-1, 1], outputs)),
                (slice(half, None), rng.choice([-1, 1], outputs))))
    if kind is xs3.Conv2dShallowin:
        weights.data[:, :, options["columns"]:] = 0
    bso = bso_at_the_limit(rng, outputs, "final_shift" in options)
    return kind(weights, bso, **options), elements(rng, x_shape, 60)


def global_mean(rng):
    """Down beyond the limit, and then up from there by half a step of the output."""
    x = np.full((27, 36, 4), 127, np.int8)
    x[:12] = -128
    return xs3.AvgPool2dGlobal(-EDGE, 127, 24), Integers(x)


CALLS = {
    "fc_8": lambda rng: matrix(rng, xs3.FullyConnected, 21, 100),
    "fc_odd": lambda rng: matrix(rng, xs3.FullyConnected, 13, 107, out_bits=16),
    "fc_twice": lambda rng: matrix(rng, xs3.FullyConnected, 9, 97, final_shift=True, low=-127),
    "fc_one_block": lambda rng: matrix(rng, xs3.FullyConnected, 3, 32),
    "fc_long": lambda rng: matrix(rng, xs3.FullyConnected, 7, 32 * 40 + 4),
    "deepin_16": lambda rng: matrix(rng, xs3.FcDeepin, 16, 192, out_bits=16),
    "deepin_8": lambda rng: matrix(rng, xs3.FcDeepin, 6, 96),
    "1x1": lambda rng: image_layer(rng, xs3.Conv2d1x1, (20, 68), (3, 4, 68)),
    "1x1_twice": lambda rng: image_layer(rng, xs3.Conv2d1x1, (8, 100), (2, 1, 100),
                                         final_shift=True),
    "deep": lambda rng: image_layer(rng, xs3.Conv2dDeep, (8, 2, 3, 36), (4, 5, 36),
                                    window=Window((3, 2), stride=(1, 2))),
    "deep_padded": lambda rng: image_layer(
        rng, xs3.Conv2dDeep, (4, 3, 2, 32), (3, 2, 32), window=Window((5, 3), (-2, -1)),
        zero_point=101),
    "deep_beside": lambda rng: image_layer(
        rng, xs3.Conv2dDeep, (4, 2, 2, 32), (2, 2, 32), window=Window((3, 2), (-4, 1), (2, 5)),
        zero_point=-128, low=-127),
    "shallowin": lambda rng: image_layer(
        rng, xs3.Conv2dShallowin, (20, 3, 8, 4), (4, 6, 4), window=Window((4, 3), (-1, 0), (1, 2)),
        columns=5, zero_point=-90),
    "depthwise": lambda rng: image_layer(
        rng, xs3.Conv2dDepthwise, (5, 4, 12), (6, 4, 12), window=Window((2, 1))),
    "depthwise_padded": lambda rng: image_layer(
        rng, xs3.Conv2dDepthwise, (2, 4, 20), (3, 3, 20), window=Window((2, 4), (-1, -2)),
        zero_point=127),
    "global": lambda rng: (xs3.AvgPool2dGlobal(-EDGE, -128, 24, -127),
                           elements(rng, (6, 5, 24))),
    "global_large": global_mean,
}


#: Calls whose outputs are too coarse, or whose sums too short, to show the order of blocks.
COARSE = {"fc_one_block", "deepin_8", "global", "depthwise_padded"}


@each_size
@pytest.mark.parametrize("name", CALLS)
def test_layers_equal_golden(name, config):
    layer, x = CALLS[name](random_of(0))

    run = assert_equals_golden(config, layer, x)

    assert isinstance(find_lowering(layer, (x,), config.ways), SaturatingLowering)
    assert not run.overflow


@pytest.mark.parametrize("name", sorted({*CALLS} - COARSE))
def test_calls_tell_when_sums_saturate(name, monkeypatch):
    """So that passes which saturate once, or in another order, cannot pass."""
    def once(bias, sums):
        return np.clip(bias + sums.sum(0), 1 - EDGE, EDGE - 1)

    def backwards(bias, sums):
        return accumulate(bias, sums[::-1])

    layer, x = CALLS[name](np.random.default_rng(0))  # not every draw tells
    expected = golden.run(layer, x).output
    for other in (once, backwards):
        for module in (xs3_conv, xs3_dense, xs3_pool):
            monkeypatch.setattr(module, "accumulate", other)
        assert golden.run(layer, x).output != expected


@st.composite
def convolutions(draw):
    """A layer of any kind with windows anywhere on, over or beside its input, and that."""
    rng    = random_of(draw(st.integers(0, 9999)))
    kind   = draw(st.sampled_from([xs3.Conv2dDeep, xs3.Conv2dShallowin, xs3.Conv2dDepthwise]))
    kernel = tuple(draw(st.integers(1, 3)) for _ in range(2))
    image  = tuple(draw(st.integers(1, 5)) for _ in range(2))
    window = Window(tuple(draw(st.integers(1, 3)) for _ in range(2)),
                    tuple(draw(st.integers(-4, 3)) for _ in range(2)),
                    tuple(draw(st.integers(1, 3)) for _ in range(2)))
    inputs, outputs = (4 * draw(st.integers(1, 10)) for _ in range(2))
    options = {"window": window, "zero_point": draw(st.integers(-128, 127)),
               "low": draw(st.sampled_from([-128, -127]))}
    if draw(st.booleans()):
        options["final_shift"] = True
    shape = (outputs, *kernel, inputs)
    if kind is xs3.Conv2dDepthwise:
        shape = (*kernel, inputs)
    elif kind is xs3.Conv2dShallowin:
        inputs = draw(st.sampled_from([4, 8, 16, 32]))
        shape  = (outputs, kernel[0], 32 // inputs, inputs)
        options["columns"] = min(kernel[1], 32 // inputs)
    return image_layer(rng, kind, shape, (*image, inputs), **options)


@settings(max_examples=examples(80), **SETTINGS)
@given(st.sampled_from([SMALL, BASE]), convolutions())
def test_convolutions_equal_golden(config, call):
    assert_equals_golden(replace(config, passes=PASSES_MAX), *call)


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, st.integers(1, 40), st.integers(1, 150), st.sampled_from([8, 16]),
       st.integers(0, 99))
def test_matrices_equal_golden(config, outputs, inputs, bits, seed):
    call = matrix(random_of(seed), xs3.FullyConnected, outputs, inputs, out_bits=bits)
    assert_equals_golden(config, *call)


def program_of(config, call):
    return Plan(config, [call[0]], call[1]).program


def test_the_loop_is_the_one_that_makes_the_program_short():
    rng = random_of(0)
    for call, repeats in (
            (CALLS["fc_long"](rng), {39}),  # over blocks
            (image_layer(rng, xs3.Conv2d1x1, (4, 32), (9, 30, 32)), {8}),  # over rows
            (image_layer(rng, xs3.Conv2d1x1, (64, 32), (1, 30, 32)), {29})):  # over columns
        program = program_of(BASE, call)
        assert {pass_.control.repeat for pass_ in program} - {0} == repeats
        assert len(program) < 16


@pytest.mark.parametrize(("rows", "passes"), [(2, 1), (6, 1)])
def test_rows_above_the_image_need_no_passes_of_their_own(rows, passes):
    call = image_layer(random_of(0), xs3.Conv2dDeep, (4, 2, 1, 32), (rows, 2, 32),
                       window=Window((rows, 2), (-1, 0)))

    assert sum(pass_.control.repeat > 0 for pass_ in program_of(BASE, call)) == passes


def test_chains_are_layers_of_a_plan():
    """Their scratch does not reach what layers before and behind them keep."""
    rng    = random_of(1)
    first, x = image_layer(rng, xs3.Conv2dDeep, (8, 2, 2, 32), (5, 5, 32), window=Window((4, 4)))
    second, _ = image_layer(rng, xs3.Conv2dDepthwise, (2, 2, 8), (4, 4, 8),
                            window=Window((4, 4), (-1, 0)))
    layers = [first, xs3.MaxPool2d((1, 1), Window((4, 4))), second]

    assert_plan(SMALL, layers, x, keep=True)


def test_programs_longer_than_program_memory():
    call = image_layer(random_of(0), xs3.Conv2dDepthwise, (9, 9, 40), (9, 20, 40),
                       window=Window((1, 12)))
    assert len(assert_equals_golden(TINY, *call).plan.segments) > 1
