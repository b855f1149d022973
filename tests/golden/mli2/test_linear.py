# SPDX-License-Identifier: Apache-2.0
"""Convolutions and dense kernels of MLI 2.0 against plain loops over Python ints."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.mli2 import (
    affine_output,
    fixed_output,
    limits,
    norm,
    rescaled,
    rounded,
    saturated,
)
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli2 import (
    Affine,
    Build,
    Conv2d,
    DepthwiseConv2d,
    Element,
    Fixed,
    FullyConnected,
    GroupConv2d,
    QuantTensor,
    Relu,
    RnnDense,
    TransposeConv2d,
)

TYPES = {"fx16": (Element.FX_16, Element.FX_16, Element.FX_16),
         "fx16_fx8_fx8": (Element.FX_16, Element.FX_8, Element.FX_8),
         "sa8": (Element.SA_8, Element.SA_8, Element.SA_32)}


def zero_of(kind, index=0):
    if not isinstance(kind, Affine):
        return 0
    return kind.zero_points[index if kind.dim >= 0 else 0]


def naive_taps(layer, x, row, col, n):
    """Values and weights, less their zero points, that meet at one output."""
    image, weights = x.data.tolist(), layer.weights.data.tolist()
    rows, cols, channels = x.shape
    kh, kw, taken, outputs = layer.weights.shape
    first = n // (outputs // (channels // taken)) * taken
    top, _, left, _ = layer.pad
    for i, j, c in np.ndindex(kh, kw, taken):
        if isinstance(layer, TransposeConv2d):
            down, right = row + top - i, col + left - j
            if down % layer.stride[0] or right % layer.stride[1]:
                continue
            down, right = down // layer.stride[0], right // layer.stride[1]
        else:
            down  = row * layer.stride[0] - top + i * layer.dilation[0]
            right = col * layer.stride[1] - left + j * layer.dilation[1]
        if 0 <= down < rows and 0 <= right < cols:
            yield (image[down][right][first + c] - zero_of(x.format),
                   weights[i][j][c][n] - zero_of(layer.weights.format))


def naive_value(layer, x, total, n):
    bias = int(layer.bias.data[n])
    if x.is_affine:
        value = affine_output(layer, x, total, bias, n)
    else:
        value = fixed_output(layer, x, total, bias)
    if value is None:
        return None
    high, low = limits(layer.relu, layer.out, x.bits)
    return max(min(value, high), low)


def assert_outputs(result, expected, layer, x):
    """Equal wherever no sum overflows, and the flag says whether one does."""
    assert result.output.shape == layer.output_shape(x.shape)
    assert result.output.format == layer.out
    assert result.output.element is x.element
    flat = result.output.data.reshape(-1).tolist()
    assert result.overflow is (None in expected)
    kept = [element for element, value in zip(flat, expected, strict=True) if value is not None]
    assert kept == [value for value in expected if value is not None]


def data_of(rng, element, shape, top):
    info = np.iinfo(element.dtype)
    return rng.integers(max(-top, info.min), min(top, info.max + 1), shape, dtype=info.dtype)


def affine_of(rng, dim=-1, count=1):
    """Scales of any size; fractional bits such that one unit is 2**-12 to 2."""
    scales = rng.integers(1, 32768, count).tolist()
    fractions = [scale.bit_length() + int(rng.integers(-1, 12)) for scale in scales]
    zero = int(rng.integers(-128, 128))
    if dim < 0:
        return Affine(zero, scales[0], fractions[0])
    return Affine((zero,) * count, tuple(scales), tuple(fractions), dim)


def operands(draw, rng, shapes, dim):
    """Input, weights, bias and output format for ``shapes``."""
    elements = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    top  = draw(st.sampled_from([2, 40, 1 << 15]))
    tops = (top, top, draw(st.sampled_from([1, 1 << 9, 1 << 20, 1 << 31])))
    data = [data_of(rng, *values) for values in zip(elements, shapes, tops, strict=True)]
    if elements[0] is Element.SA_8:
        axis    = dim if draw(st.booleans()) else -1
        formats = [affine_of(rng), affine_of(rng, axis, shapes[1][dim]), Affine(0, 1, 0)]
        return *map(QuantTensor, data, elements, formats), affine_of(rng)
    formats = [Fixed(draw(st.integers(-4, 20))) for _ in range(3)]
    if elements[1] is Element.FX_16:  # the reference cuts an aligned bias to 32 bits
        formats[2] = Fixed(formats[0].frac_bits + formats[1].frac_bits - draw(st.integers(-3, 17)))
    return *map(QuantTensor, data, elements, formats), Fixed(draw(st.integers(-10, 40)))


@st.composite
def calls(draw, kind):
    """A legal convolution of ``kind`` and its input."""
    kernel   = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    dilation = (1, 1) if kind is TransposeConv2d else draw(st.tuples(*[st.integers(1, 3)] * 2))
    span     = [(size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True)]
    pad      = tuple(draw(st.integers(0, size - 1)) for size in span for _ in range(2))
    groups, taken, each = (draw(st.integers(1, 3)) for _ in range(3))
    groups = 1 if kind in (Conv2d, TransposeConv2d) else groups
    if kind is DepthwiseConv2d:
        taken = each = 1
    stride = draw(st.tuples(*[st.integers(1, 3)] * 2))
    image  = [draw(st.integers(max(1, size - sum(pad[2 * axis:2 * axis + 2])), 7))
              for axis, size in enumerate(span)]
    if kind is TransposeConv2d:
        image = [draw(st.integers(2 + size // step, 5 + size))
                 for size, step in zip(kernel, stride, strict=True)]
    shapes = ((*image, groups * taken), (*kernel, taken, groups * each), (groups * each,))
    rng    = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    x, weights, bias, out = operands(draw, rng, shapes, 3)
    return kind(weights, bias, out, stride, pad, dilation, draw(st.sampled_from(Relu)),
                draw(st.sampled_from(Build))), x


@pytest.mark.parametrize("kind", [Conv2d, GroupConv2d, DepthwiseConv2d, TransposeConv2d])
def test_convolutions_match_loops(kind):
    @settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(60))
    @given(calls(kind))
    def check(call):
        layer, x = call

        result = run(layer, x)

        sums = (sum(a * b for a, b in naive_taps(layer, x, *place))
                for place in np.ndindex(*layer.output_shape(x.shape)))
        places   = np.ndindex(*layer.output_shape(x.shape))
        expected = [naive_value(layer, x, total, place[2])
                    for total, place in zip(sums, places, strict=True)]
        assert_outputs(result, expected, layer, x)

    check()


@st.composite
def dense_calls(draw):
    rng = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    inputs, outputs = draw(st.integers(1, 40)), draw(st.integers(1, 6))
    x, weights, bias, out = operands(draw, rng, ((inputs,), (inputs, outputs), (outputs,)), 1)
    return FullyConnected(weights, bias, out, draw(st.sampled_from(Relu)),
                          draw(st.sampled_from(Build))), x


def naive_sums(x, weights):
    """Sums of products of every output, zero points taken off."""
    zeros = zero_of(x.format), zero_of(weights.format)
    return [sum((int(a) - zeros[0]) * (int(b) - zeros[1])
                for a, b in zip(x.data.reshape(-1), column, strict=True))
            for column in weights.data.T]


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(100))
@given(dense_calls())
def test_fully_connected_matches_loops(call):
    layer, x = call

    result = run(layer, x)

    expected = [naive_value(layer, x, total, n)
                for n, total in enumerate(naive_sums(x, layer.weights))]
    assert_outputs(result, expected, layer, x)


def naive_part(layer, x, weights, acc):
    """One input's sum in the format of the output, before they are added."""
    build, out = layer.build, layer.out
    bits = 64 if weights.bits == 16 else 32
    if not x.is_affine:
        return rounded(acc, x.format.frac_bits + weights.format.frac_bits - out.frac_bits, bits,
                       build)
    ratio, shift = rescaled(x.format.scale, out.scale, norm(x.format.scale, 32), build)
    shift += x.format.scale_frac_bits + weights.format.scale_frac_bits - out.scale_frac_bits
    multiplier = ratio * weights.format.scale
    if build is Build.UP_REDUCED:
        places = norm(multiplier, 32)
        multiplier, shift = multiplier * 2 ** places, shift + places
    return saturated(rounded(acc * multiplier, min(shift, 63), 64, build), 32)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("seed", range(4))
def test_rnn_dense_adds_what_is_rounded(name, build, seed):
    rng = random_of(seed)
    elements, sizes, outputs = TYPES[name], (5, 3, 7), 4
    affine = name == "sa8"
    inputs = [QuantTensor(data_of(rng, elements[0], size, 100), elements[0],
                          affine_of(rng) if affine else Fixed(9)) for size in sizes]
    weights = tuple(QuantTensor(data_of(rng, elements[1], (size, outputs), 100), elements[1],
                                affine_of(rng) if affine else Fixed(4)) for size in sizes)
    bias  = QuantTensor(data_of(rng, elements[2], outputs, 100), elements[2],
                        Affine(0, 1, 0) if affine else Fixed(10))
    out   = affine_of(rng) if affine else Fixed(11)
    layer = RnnDense(weights, bias, out, build)

    parts = [naive_part(layer, x, matrix, total + (
        0 if number else int(bias.data[n]) * (1 if affine else 2 ** 3)))
        for number, (x, matrix) in enumerate(zip(inputs, weights, strict=True))
        for n, total in enumerate(naive_sums(x, matrix))]
    totals = [sum(parts[n::outputs]) for n in range(outputs)]
    if affine:
        totals = [saturated(total, 16) + out.zero_point for total in totals]

    result = run(layer, *inputs)
    assert result.output.data.tolist() == [saturated(total, inputs[0].bits) for total in totals]
    assert not result.overflow


def conv_of(**changes):
    """A legal SA_8 convolution and its input."""
    x = QuantTensor(np.ones((4, 5, 2), np.int8), Element.SA_8, Affine(3, 100, 10))
    weights = QuantTensor(np.ones((2, 3, 2, 6), np.int8), Element.SA_8, Affine(0, 50, 10))
    bias = QuantTensor(np.zeros(6, np.int32), Element.SA_32, Affine(0, 5000, 20))
    return replace(Conv2d(weights, bias, Affine(0, 100, 8)), **changes), x


SHORT = QuantTensor(np.zeros(5, np.int32), Element.SA_32, Affine(0, 1, 0))
BYTES = QuantTensor(np.zeros((2, 3, 2, 6), np.int8), Element.FX_8, Fixed(0))
AXIS  = QuantTensor(np.ones((2, 3, 2, 6), np.int8), Element.SA_8, Affine((0, 0), (1, 1), (0, 0), 0))
ZEROS = QuantTensor(np.ones((2, 3, 2, 6), np.int8), Element.SA_8,
                    Affine((0, 0, 0, 1, 0, 0), (1,) * 6, (0,) * 6, 3))


@pytest.mark.parametrize(("changes", "message"), [
    ({"bias": SHORT}, r"^Bias must have shape \(6,\), one value per output, not \(5,\)$"),
    ({"weights": BYTES}, r" FX_16/FX_8/FX_8 or SA_8/SA_8/SA_32, not SA_8/FX_8/SA_32$"),
    ({"weights": AXIS}, r"^Scales of weights must be along dimension 3, not 0$"),
    ({"weights": ZEROS}, r"^Weights must have one zero point, not \(0, 0, 0, 1, 0, 0\)$"),
    ({"out": Affine((0,), (1,), (0,), 0)}, r"^out must have one scale, not one along dimension 0$"),
    ({"pad": (2, 0, 0, 0)}, r"^Padding of rows must be between 0 and 1, less than the kernel, "),
    ({"dilation": (0, 1)}, r"^Dilation must be at least 1, not 0$"),
    ({"dilation": (4, 1)}, r"^Kernel has 5 rows, the padded input only 4$"),
    ({"stride": (1, 0)}, r"^Stride along columns must be at least 1, not 0$"),
    ({"out": Affine(200, 1, 0), "relu": Relu.GEN},
     r"^Zero point of a ReLU must be between -128 and 127, not 200$"),
])
def test_conv2d_refuses(changes, message):
    layer, x = conv_of(**changes)
    with pytest.raises(ValueError, match=message):
        run(layer, x)


@pytest.mark.parametrize(("kind", "shape", "message"), [
    (Conv2d, (2, 3, 1, 6), r"^Weights have 1 input channels, input has 2$"),
    (DepthwiseConv2d, (2, 3, 2, 6), r"^Depthwise weights must have 1 input channel, not 2$"),
    (DepthwiseConv2d, (2, 3, 1, 6), r"^Depthwise weights have 6 channels, input has 2$"),
    (GroupConv2d, (2, 3, 3, 6), r"^Channels of the input must be a multiple of the 3 of a group, "),
    (GroupConv2d, (2, 3, 1, 3), r"^Outputs must be a multiple of the 2 groups, not 3$"),
    (FullyConnected, (2, 6), r"^Weights have 2 inputs, input has 40 elements$")])
def test_channels_must_fit(kind, shape, message):
    base, x = conv_of()
    weights = QuantTensor(np.ones(shape, np.int8), Element.SA_8, Affine(0, 50, 10))
    bias    = QuantTensor(np.zeros(shape[-1], np.int32), Element.SA_32, Affine(0, 5000, 20))
    with pytest.raises(ValueError, match=message):
        run(kind(weights, bias, base.out), x)


@pytest.mark.parametrize(("changes", "message"), [
    ({"dilation": (2, 1)}, r"^Dilation of a transposed convolution must be \(1, 1\), "),
    ({"pad": (0, 0, 3, 0)}, r"^Padding of columns must be between 0 and 2, less than the kernel, "),
    ({"stride": (0, 1)}, r"^Stride must be at least 1, not 0$")])
def test_transpose_conv2d_refuses(changes, message):
    base, x = conv_of()
    layer   = TransposeConv2d(base.weights, base.bias, base.out)
    with pytest.raises(ValueError, match=message):
        run(replace(layer, **changes), x)
