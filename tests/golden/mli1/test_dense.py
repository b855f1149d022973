# SPDX-License-Identifier: Apache-2.0
"""Fully connected kernel against plain loops over Python ints."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import FullyConnected, Tensor, fully_connected
from xymac.hdl.isa import ROUNDINGS, RoundMode

TYPES = {"fx8": (np.int8, np.int8, np.int8), "fx16": (np.int16, np.int16, np.int16),
         "fx8w16d": (np.int16, np.int8, np.int8)}


def naive_dense(layer, x):
    """Two plain loops: outputs and the overflow flag."""
    scale    = x.frac_bits + layer.weights.frac_bits
    wide     = layer.weights.data.dtype == np.int16
    info     = np.iinfo(x.data.dtype)
    inputs   = x.data.ravel().tolist()
    out, overflow = [], False
    for row, bias in zip(layer.weights.data.tolist(), layer.bias.data.tolist(), strict=True):
        acc = bias * 2 ** (scale - layer.bias.frac_bits)
        if not wide:
            acc = max(-2 ** 31, min(acc, 2 ** 31 - 1))
        for value, weight in zip(inputs, row, strict=True):
            acc += value * weight
        overflow |= not -2 ** (39 if wide else 31) <= acc < 2 ** (39 if wide else 31)
        acc   = (acc + 2 ** 39) % 2 ** 40 - 2 ** 39
        value = Fraction(acc) * Fraction(2) ** (layer.out_frac_bits - scale)
        value = {RoundMode.CONVERGENT: round(value), RoundMode.UP: floor(value + Fraction(1, 2)),
                 RoundMode.FLOOR: floor(value)}[layer.rounding]
        out.append(max(info.min, min(value, info.max)))
    return out, overflow


@st.composite
def calls(draw):
    """A legal layer and its input: any shape, type and fraction bits."""
    types  = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    shape  = draw(st.sampled_from([(1,), (7,), (40,), (3, 5), (2, 3, 4)]))
    shapes = [shape, (draw(st.integers(1, 6)), int(np.prod(shape)))]
    shapes.append(shapes[1][:1])
    scale  = draw(st.tuples(st.integers(0, 40), st.integers(0, 40)))
    bias_shift = draw(st.integers(0, min(31, sum(scale))))
    out_frac   = max(0, sum(scale) - draw(st.integers(-20, 45)))
    rng  = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    top  = draw(st.sampled_from([2, 20, 1 << 15]))
    data = [rng.integers(max(-top, info.min), min(top, info.max + 1), size, dtype=info.dtype)
            for info, size in zip(map(np.iinfo, types), shapes, strict=True)]
    x, weights, bias = map(Tensor, data, (*scale, sum(scale) - bias_shift))
    return FullyConnected(weights, bias, out_frac, draw(st.sampled_from(ROUNDINGS))), x


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(300))
@given(calls())
def test_fully_connected_matches_loops(call):
    layer, x = call

    result = run(layer, x)

    assert (result.output.data.tolist(), result.overflow) == naive_dense(layer, x)
    assert result.output.data.dtype == x.data.dtype
    assert result.output.frac_bits == layer.out_frac_bits
    assert result.output.shape == layer.output_shape(x.shape)


@pytest.mark.parametrize(("row", "expected", "overflow"), [
    ([0, 0], 127, False), ([1, 0], 127, True), ([1, -1], 127, False), ([-1, 0], 127, False)])
def test_overflow_flag_at_the_edge(row, expected, overflow):
    x     = Tensor(np.array([1, 1], np.int8), 25)
    layer = FullyConnected(Tensor(np.array([row], np.int8), 0),
                           Tensor(np.array([127], np.int8), 0), 7)

    result = run(layer, x)

    assert (result.output.data.item(), result.overflow) == (expected, overflow)


def test_long_sum_overflows_16x8():
    """513 products of 2**22 leave 32 bits, 511 do not: 2**9 is what the library promises."""
    for count, overflow in [(511, False), (513, True)]:
        x     = Tensor(np.full(count, -32768, np.int16), 0)
        layer = FullyConnected(Tensor(np.full((1, count), -128, np.int8), 0),
                               Tensor(np.zeros(1, np.int8), 0), 0)
        assert run(layer, x).overflow is overflow


def test_function_equals_layer():
    rng = random_of(3)
    x, weights, bias = (Tensor(rng.integers(-32768, 32768, shape, dtype=np.int16), 15)
                        for shape in [(4, 5), (6, 20), 6])
    assert fully_connected(x, weights, bias, out_frac_bits=11, rounding=RoundMode.UP) == run(
        FullyConnected(weights, bias, 11, RoundMode.UP), x)


def tensor(*shape, dtype=np.int8, frac_bits=4):
    return Tensor(np.ones(shape, dtype), frac_bits)


LAYER = FullyConnected(tensor(4, 6), tensor(4), 4)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (replace(LAYER, weights=tensor(4, 2, 3)), tensor(6), r"^Weights must have 2 dimensions, not 3"),
    (LAYER, tensor(7), r"^Weights have 6 inputs, input has 7 elements$"),
    (LAYER, tensor(2, 4), r"^Weights have 6 inputs, input has 8 elements$"),
    (LAYER, tensor(0), r"^Input must not be empty, but has shape \(0,\)$"),
    (replace(LAYER, bias=tensor(5)), tensor(6), r"^Bias must have shape \(4,\), .* not \(5,\)$"),
    (replace(LAYER, bias=tensor(4, frac_bits=9)), tensor(6),
     r"^Bias must have at most 8 fractional bits, .* not 9$"),
    (replace(LAYER, weights=tensor(4, 6, dtype=np.int16)), tensor(6), r" not \(8, 16, 8\)$"),
])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)
