# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices as passes against the golden kernels, and what a pass looks like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, noise, sizes
from tests.support.seed import SEED, examples, random_of
from xymac import golden
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Relu, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import ROUNDINGS, AccumulatorRange
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer

TYPES = {"fx8": (np.int8, np.int8), "fx16": (np.int16, np.int16), "fx8w16d": (np.int16, np.int8)}


@st.composite
def frac_bits(draw):
    """Fractional bits of input, weights, bias, output: legal, and often beyond the container."""
    x, w = draw(st.integers(0, 18)), draw(st.integers(0, 18))
    return x, w, draw(st.integers(max(0, x + w - 31), x + w)), draw(st.integers(0, 40))


@st.composite
def convolutions(draw, kind):
    """A legal layer of ``kind`` and its input."""
    rng, (data, constants) = random_of(draw(st.integers(0, 999))), TYPES[
        draw(st.sampled_from(list(TYPES)))]
    layout   = Layout.CHW if kind is DepthwiseConv2d else draw(st.sampled_from(Layout))
    rows, cols, channels = (draw(st.integers(1, n)) for n in (9, 9, 35))
    outputs  = channels if kind is DepthwiseConv2d else draw(st.integers(1, 35))
    kernel   = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    pads     = [draw(st.integers(0, size - 1)) for size in kernel for _ in range(2)]
    rows     = max(rows, kernel[0] - pads[0] - pads[1])
    cols     = max(cols, kernel[1] - pads[2] - pads[3])
    inputs   = 1 if kind is DepthwiseConv2d else channels
    shape    = (outputs, inputs, *kernel) if layout is Layout.CHW else (outputs, *kernel, inputs)
    x_frac, w_frac, b_frac, out_frac = draw(frac_bits())
    layer = kind(noise(rng, shape, constants, w_frac), noise(rng, outputs, constants, b_frac),
                 out_frac, stride=(draw(st.integers(1, 3)), draw(st.integers(1, 3))),
                 pad=tuple(pads), relu=draw(st.sampled_from(Relu)), layout=layout,
                 rounding=draw(st.sampled_from(ROUNDINGS)))
    shape = (channels, rows, cols) if layout is Layout.CHW else (rows, cols, channels)
    return layer, noise(rng, shape, data, x_frac)


@st.composite
def dense(draw):
    rng, (data, constants) = random_of(draw(st.integers(0, 999))), TYPES[
        draw(st.sampled_from(list(TYPES)))]
    shape   = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    outputs = draw(st.integers(1, 40))
    x_frac, w_frac, b_frac, out_frac = draw(frac_bits())
    layer = FullyConnected(noise(rng, (outputs, int(np.prod(shape))), constants, w_frac),
                           noise(rng, outputs, constants, b_frac), out_frac,
                           rounding=draw(st.sampled_from(ROUNDINGS)))
    return layer, noise(rng, shape, data, x_frac)


@settings(max_examples=examples(80), derandomize=SEED.is_default, deadline=None)
@given(sizes, convolutions(Conv2d))
def test_conv2d(config, call):
    assert_equals_golden(config, *call)


@settings(max_examples=examples(50), derandomize=SEED.is_default, deadline=None)
@given(sizes, convolutions(DepthwiseConv2d))
def test_depthwise(config, call):
    assert_equals_golden(config, *call)


@settings(max_examples=examples(50), derandomize=SEED.is_default, deadline=None)
@given(sizes, dense())
def test_fully_connected(config, call):
    assert_equals_golden(config, *call)


@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize(("data", "constants", "x", "w", "bias", "frac_bits"), [
    (np.int8, np.int8, [1], [1], 127, 15),           # The bias saturates at 2**31 - 1,
    (np.int8, np.int8, [1], [-1], -128, 16),         # or at -2**31.
    (np.int16, np.int8, [1], [1], 127, 16),
    (np.int16, np.int16, [-32768, -32768, -1, 1], [-32768, -32768, 1, 1], 255, 15.5),
    (np.int16, np.int16, [1], [-1], -256, 15.5)])
def test_overflow_at_the_edge_of_the_accumulator(data, constants, x, w, bias, frac_bits, extra):
    """The sum is the last one inside, or with its last product the first one outside."""
    w = np.array([w], constants)
    w[0, -1] *= extra
    layer = FullyConnected(Tensor(w, int(frac_bits)),
                           Tensor(np.array([bias], constants), 0), 40)
    x = Tensor(np.array(x, data), int(2 * frac_bits) - int(frac_bits))

    with MachineDevice(BASE) as device:
        run = run_layer(device, layer, x)

    assert run.output == golden.run(layer, x).output
    assert run.overflow == golden.run(layer, x).overflow == bool(extra)


@pytest.mark.parametrize("out_frac", [0, 255])
@pytest.mark.parametrize("bias", [-1, 0, 1])
def test_a_bias_shifted_beyond_everything_saturates(bias, out_frac):
    layer = FullyConnected(Tensor(np.ones((1, 2), np.int8), 255), Tensor(np.array([bias], np.int8),
                                                                         0), out_frac)
    assert_equals_golden(TINY, layer, Tensor(np.array([0, 1], np.int8), 255))


def passes_of(layer, shape, config=BASE, dtype=np.int8):
    return Plan(config, [layer], Tensor(np.zeros(shape, dtype), 7)).program


def layer_of(outputs, inputs, kernel=(3, 3), **options):
    return Conv2d(Tensor(np.ones((outputs, inputs, *kernel), np.int8), 7),
                  Tensor(np.ones(outputs, np.int8), 7), 7, **options)


def test_padding_costs_no_step():
    """Loops of conv 3x3 on base: 9 taps of 4 groups, clipped at the border."""
    [pass_] = passes_of(layer_of(16, 16, pad=(1, 1, 1, 1)), (16, 32, 32))

    assert (pass_.loop.outer, pass_.loop.taps, pass_.epilogue.beats) == ((1, 32, 32), (3, 3, 4), 4)
    assert (pass_.loop.rows.pad, pass_.loop.rows.step, pass_.loop.rows.size) == (1, 1, 32)
    assert pass_.operands.x.base == pass_.operands.x.low - 32 * 4 - 4
    assert pass_.accumulate.acc_range is AccumulatorRange.BITS32


def test_outputs_left_over_take_a_pass_with_fewer_beats():
    passes = passes_of(layer_of(37, 3), (3, 8, 8))
    assert [(pass_.loop.outer[0], pass_.epilogue.beats) for pass_ in passes] == [(2, 4), (1, 2)]
    assert [pass_.control.last for pass_ in passes] == [False, True]
    assert not any(pass_.control.wait for pass_ in passes)


def test_rows_and_columns_of_1x1_are_one_loop():
    [pass_] = passes_of(layer_of(128, 128, (1, 1)), (128, 6, 6))
    assert (pass_.loop.outer, pass_.loop.taps) == ((8, 1, 36), (1, 1, 32))


@pytest.mark.parametrize(("stride", "rows"), [((2, 2), 3), ((1, 2), 6)])
def test_a_stride_keeps_rows_and_columns_apart(stride, rows):
    [pass_] = passes_of(layer_of(16, 16, (1, 1), stride=stride), (16, 6, 6), TINY)
    assert pass_.loop.outer == (4, rows, 3)


@pytest.mark.parametrize(("out_frac", "shift"), [(0, 14), (20, -6), (60, -16)])
def test_shifts_that_do_not_fit_are_equal_to_the_limit(out_frac, shift):
    layer = FullyConnected(Tensor(np.ones((1, 1), np.int8), 7), Tensor(np.ones(1, np.int8), 7),
                           out_frac)
    assert passes_of(layer, (1,))[0].epilogue.shift == shift
