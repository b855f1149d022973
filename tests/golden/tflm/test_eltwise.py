# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite on two tensors against plain Python ints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.tflm import clamped, limits, multiplied, quantised, wrapped
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.tflm import Activation, Add, Maximum, Minimum, Mul, Quantisation, Sub, Tensor

FUSED  = [Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6]
SHAPES = [((2, 3), (2, 3)), ((2, 3), (3,)), ((), (2, 1)), ((2, 1, 3), (4, 1)), ((5,), (1, 1, 2, 1)),
          ((1, 2, 1, 2, 1), (2, 1, 2, 1, 2)), ((), ())]


def naive_sum(layer, a, b, x, y):
    """One output of ADD or SUB of elements ``x`` and ``y``."""
    scales = a.quantisation.scale, b.quantisation.scale
    shift  = 20 if a.bits == 8 else 15
    twice  = 2 * max(scales)
    scaled = [multiplied((value - tensor.quantisation.zero_point) * 2 ** shift,
                         *quantised(tensor.quantisation.scale / twice))
              for tensor, value in ((a, x), (b, y))]
    total  = scaled[0] + scaled[1] if isinstance(layer, Add) else scaled[0] - scaled[1]
    return multiplied(total, *quantised(twice / (2 ** shift * layer.out.scale)))


def naive_product(layer, a, b, x, y):
    """One output of MUL."""
    product = (x - a.quantisation.zero_point) * (y - b.quantisation.zero_point)
    return multiplied(product, *quantised(
        a.quantisation.scale * b.quantisation.scale / layer.out.scale))


def naive_outputs(layer, a, b):
    """All outputs, a flat list of ints."""
    pairs = [(int(x), int(y)) for x, y in np.broadcast(a.data, b.data)]
    if isinstance(layer, Maximum | Minimum):
        return [max(pair) if isinstance(layer, Maximum) else min(pair) for pair in pairs]
    each  = naive_product if isinstance(layer, Mul) else naive_sum
    low, high = limits(layer.activation, layer.out, a.bits)
    return [clamped(wrapped(each(layer, a, b, *pair) + layer.out.zero_point), low, high)
            for pair in pairs]


def float32(value):
    return float(np.float32(value))


@st.composite
def calls(draw, kind):
    """A legal layer of ``kind`` and its inputs."""
    bits   = draw(st.sampled_from([8, 16]))
    dtype  = np.dtype(f"int{bits}")
    top    = np.iinfo(dtype).max
    rng    = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    wide   = bits == 8 or kind is not Mul
    zeros  = st.sampled_from([-top - 1, -1, 0, 5, top]) if wide else st.just(0)
    scales = [float32(2 ** rng.uniform(-10, 3)) for _ in range(2)]
    if kind is not Mul and draw(st.booleans()):
        scales[1] = float32(scales[0] * 2.0 ** draw(st.sampled_from([-40, -31, -8, 0, 1])))
    shapes = draw(st.sampled_from(SHAPES))
    inputs = []
    for shape, scale in zip(shapes, scales, strict=True):
        data = (rng.choice([-top - 1, top, 0, -1], shape) if draw(st.integers(0, 3)) == 0
                else rng.integers(-top - 1, top, shape, endpoint=True))
        inputs.append(Tensor(np.asarray(data, dtype), Quantisation((scale,), (draw(zeros),))))
    if kind is Mul:
        places = rng.uniform(-12, 2) - draw(st.sampled_from([0, bits]))
        scale  = scales[0] * scales[1] * 2 ** -places
    else:
        scale  = max(scales) * 2.0 ** draw(st.sampled_from([-13, -4, 0, 1, rng.uniform(-6, 3)]))
    out = Quantisation((float32(scale),), (draw(zeros),))
    if kind in (Maximum, Minimum):
        return kind(out), inputs
    return kind(out, draw(st.sampled_from(FUSED))), inputs


@pytest.mark.parametrize("kind", [Add, Sub, Mul, Maximum, Minimum])
def test_every_element_matches_ints(kind):
    @settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(80))
    @given(calls(kind))
    def check(call):
        layer, inputs = call

        result = run(layer, *inputs)

        assert result.output.data.reshape(-1).tolist() == naive_outputs(layer, *inputs)
        assert result.output.shape == np.broadcast(*(x.data for x in inputs)).shape
        assert result.output.data.dtype == inputs[0].data.dtype
        assert result.output.quantisation == layer.out
        assert not result.overflow

    check()


def tensor(*values, bits=8, scale=1.0, zero=0):
    return Tensor(np.array(values, f"int{bits}"), Quantisation((scale,), (zero,)))


@pytest.mark.parametrize(("layer", "a", "b", "expected"), [
    # Steps of 2: halves of sums go away from zero, also where the zero point is odd.
    (Add(Quantisation((2.0,), (3,))), tensor(1, 2, -1, -2), tensor(0), [4, 4, 2, 2]),
    # All of both operands, from their zero points: 510 steps.
    (Add(Quantisation((4.0,), (-128,))), tensor(127, zero=-128), tensor(127, zero=-128), [0]),
    (Sub(Quantisation((4.0,), (0,))), tensor(127, zero=-128), tensor(-128, zero=127), [127]),
    (Sub(Quantisation((8.0,), (0,)), Activation.RELU6), tensor(127, -128), tensor(0), [1, 0]),
    # A scale of less than 2**-32 of the other one counts nothing.
    (Add(Quantisation((1.0,), (0,))), tensor(100), tensor(127, scale=2.0 ** -33), [100]),
    # A factor of a half is rounded once, and halves go up.
    (Mul(Quantisation((2.0,), (0,))), tensor(1, -1, 3, -3), tensor(1), [1, 0, 2, -1]),
    (Mul(Quantisation((4.0,), (0,))), tensor(2, -2, 6, -6), tensor(1), [1, -1, 2, -2]),
    # 2**30 shifted left wraps.
    (Mul(Quantisation((0.125,), (0,))), tensor(-32768, bits=16), tensor(-32768, bits=16), [0]),
    (Maximum(Quantisation((1.0,), (0,))), tensor(3, scale=9.0), tensor(4, -5), [4, 3])])
def test_elements_by_hand(layer, a, b, expected):
    assert run(layer, a, b).output.data.tolist() == expected
