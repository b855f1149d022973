"""Kernels of MLI 2.0 without weights against single Python ints, as the formulas say."""

from dataclasses import replace
from math import exp, sqrt, tanh

import numpy as np
import pytest

from golden import run
from golden.mli2 import (
    Affine,
    ArgMax,
    AvePool,
    Build,
    ConvertTensor,
    Element,
    Eltwise,
    EltwiseOp,
    Fixed,
    L2Normalize,
    LeakyRelu,
    MaxPool,
    Permute,
    Prelu,
    QuantTensor,
    Rectify,
    Relu,
    Sigmoid,
    Softmax,
    Tanh,
)
from tests.naive_mli2 import limits, norm, rescaled, rounded, saturated, scaled_to_16

SEEDS = range(3)


def tensor_of(rng, element, shape, frac_bits=None):
    """Noise with edges in it; SA_8 has any zero point and a unit of 2**-10 to 2**-3."""
    info = np.iinfo(element.dtype)
    data = rng.integers(info.min, info.max + 1, shape, dtype=info.dtype)
    data.reshape(-1)[:2] = (info.min, info.max)[:data.size]
    return QuantTensor(data, element, format_of(rng, element, frac_bits))


def format_of(rng, element, frac_bits=None):
    if element.format is Fixed:
        return Fixed(int(rng.integers(-2, 18)) if frac_bits is None else frac_bits)
    scale = int(rng.integers(1, 32768))
    return Affine(int(rng.integers(-128, 128)), scale,
                  scale.bit_length() + int(rng.integers(3, 11)))


def requantised(kind, out, build):
    """Multiplier and right shift from one Affine to another."""
    places = norm(kind.scale, 32) - norm(out.scale, 16)
    multiplier, shift = rescaled(kind.scale, out.scale, places, build)
    return multiplier, shift + kind.scale_frac_bits - out.scale_frac_bits


def naive_mean(values, x, out, build):
    """Mean of one window, with the wrapped accumulator left out."""
    count = len(values)
    ones  = 2 ** 31 // count
    extra = 32 - ones.bit_length()
    mul, shift = ones * 2 ** extra >> 17, 14 + extra
    if not x.is_affine:
        bits  = 64 if x.bits == 16 else 32
        shift += x.format.frac_bits - out.frac_bits
        return saturated(rounded(mul * sum(values), shift, bits, build), x.bits)
    scale, frac = requantised(x.format, out, build)
    offset  = saturated(out.zero_point - saturated(
        rounded(scale * x.format.zero_point, frac, 32, build), 16), 16)
    product = scale * mul
    excess  = 24 - norm(product, 32)
    mul     = saturated(rounded(product, excess, 32, build), 8)
    shift  += frac - excess
    start   = saturated(offset * 2 ** shift, 32) if shift >= 0 else offset >> -shift
    return saturated(rounded(start + mul * sum(values), shift, 32, build), 8)


def windows(layer, x):
    """Lists of the valid elements of every window, in the order of the output."""
    rows, cols, _ = x.shape
    for row, col, c in np.ndindex(*layer.output_shape(x.shape)):
        top, left = row * layer.stride[0] - layer.pad[0], col * layer.stride[1] - layer.pad[2]
        yield [int(x.data[i, j, c]) for i in range(top, top + layer.kernel[0]) if 0 <= i < rows
               for j in range(left, left + layer.kernel[1]) if 0 <= j < cols]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_pools(element, build, seed):
    rng = np.random.default_rng(seed)
    x   = tensor_of(rng, element, (7, 6, 2), 9)
    out = format_of(rng, element, 10) if seed else None
    ave = AvePool((3 + seed, 2), (2, 1), (1, 2, 1, 0), out, build)
    big = MaxPool(ave.kernel, ave.stride, ave.pad)

    mean, top = run(ave, x), run(big, x)

    parts = list(windows(ave, x))
    assert mean.output.data.reshape(-1).tolist() == [
        naive_mean(part, x, out or x.format, build) for part in parts]
    assert mean.output.format == (out or x.format)
    assert top.output.data.reshape(-1).tolist() == list(map(max, parts))
    assert top.output.format == x.format
    assert not mean.overflow


def guarded(multiplier, shift, top, build):
    excess = max(shift - top, 0) + min(shift + 31, 0)
    return rounded(multiplier, excess, 16, build), shift - excess


def naive_eltwise(op, a, b, x, y, out, build):
    """One element; ``x`` and ``y`` are the tensors."""
    combine = {EltwiseOp.ADD: a + b, EltwiseOp.SUB: a - b, EltwiseOp.MUL: a * b,
               EltwiseOp.MIN: min(a, b), EltwiseOp.MAX: max(a, b)}
    if not x.is_affine:
        bits, (fa, fb) = x.bits, (x.format.frac_bits, y.format.frac_bits)
        if op in (EltwiseOp.MIN, EltwiseOp.MAX):
            return rounded(combine[op], min(fa - out.frac_bits, bits - 1), bits, build)
        if op is EltwiseOp.MUL:
            shift = min(fa + fb - out.frac_bits, 2 * bits - 1)
            return saturated(rounded(a * b, shift, 64, build), bits)
        a, b  = saturated(a * 2 ** max(fb - fa, 0), 32), saturated(b * 2 ** max(fa - fb, 0), 32)
        total = saturated(a + b if op is EltwiseOp.ADD else a - b, 32)
        shift = min(max(fa, fb) - out.frac_bits, 2 * bits - 1)
        return saturated(rounded(total, shift, 64, build), bits)
    return saturated(saturated(naive_affine(op, a, b, x.format, y.format, out, build)
                               + out.zero_point, 16), 8)


def naive_affine(op, a, b, x, y, out, build):
    a, b = a - x.zero_point, b - y.zero_point
    if op is EltwiseOp.MUL:
        scale = x.scale * y.scale
        k, p  = rescaled(scale, out.scale, norm(scale, 32), build)
        k, p  = guarded(k, p + x.scale_frac_bits + y.scale_frac_bits - out.scale_frac_bits, 31,
                        build)
        early = min(max(p - 21, 0), 3)
        short = saturated(rounded(a * b, early, 32, build), 16)
        return saturated(rounded(short * k, p - early, 32, build), 16)
    scaled = []
    for value, kind in ((a, x), (b, y)):
        places = 16 if op in (EltwiseOp.MIN, EltwiseOp.MAX) else norm(kind.scale, 32)
        k, p = rescaled(kind.scale, out.scale, places, build)
        k, p = guarded(k, p + kind.scale_frac_bits - out.scale_frac_bits, 23, build)
        scaled.append((value * k, p))
    if op in (EltwiseOp.MIN, EltwiseOp.MAX):
        pick = min if op is EltwiseOp.MIN else max
        return saturated(rounded(pick(scaled[0][0], scaled[1][0]), scaled[0][1], 32, build), 16)
    left, right = (rounded(*value, 32, build) for value in scaled)
    return saturated(saturated(left + right if op is EltwiseOp.ADD else left - right, 32), 16)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("op", EltwiseOp)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_eltwise(element, op, seed):
    rng = np.random.default_rng(seed)
    shapes = [((3, 11), (3, 11)), ((3, 11), (1,)), ((1, 1), (33,))][seed]
    a, b = (tensor_of(rng, element, shape) for shape in shapes)
    if op in (EltwiseOp.MIN, EltwiseOp.MAX):
        b = QuantTensor(b.data, element, a.format)
    for build in Build:
        layer = Eltwise(op, format_of(rng, element), build)

        found = run(layer, a, b).output

        pairs = np.broadcast(a.data.reshape(-1), b.data.reshape(-1))
        assert found.data.reshape(-1).tolist() == [
            naive_eltwise(op, int(x), int(y), a, b, layer.out, build) for x, y in pairs]
        assert found.shape == (shapes[1] if seed == 2 else shapes[0])


def entry(function, index, offset, places, out_bits=15):
    return min(round(function((index - offset) / 2 ** places) * 2 ** out_bits), 32767)


TABLES = {"sigm": (lambda x: 1 / (1 + exp(-x)), 320, 160, 4), "tanh": (tanh, 344, 172, 5),
          "exp": (exp, 358, 356, 5)}


def naive_table(name, x, frac_bits, build):
    """Value of a table at one argument, 16 bits."""
    function, size, offset, places = TABLES[name]
    shift = min(frac_bits - places, 15)
    if shift <= 0:
        index = saturated(x * 2 ** -shift, 32) + offset
        return entry(function, max(0, min(index, size - 1)), offset, places)
    x    >>= min(max(frac_bits - places - 15, 0), 15)
    index  = max(0, min((x >> shift) + offset, size - 2))
    left   = entry(function, index, offset, places)
    fall   = left - entry(function, index + 1, offset, places)
    return saturated(left - saturated(rounded(fall * (x % 2 ** shift), shift, 32, build), 16), 16)


def argument(name, value, kind, build):
    """SA_8 argument less its zero point as one of 16 bits, and its fractional bits."""
    frac_bits = 8 + TABLES[name][3]
    return rounded(value * kind.scale, kind.scale_frac_bits - frac_bits, 32, build), frac_bits


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize(("name", "kind", "zero", "frac"), [
    ("sigm", Sigmoid, -128, 8), ("tanh", Tanh, 0, 7)])
def test_tables(name, kind, zero, frac, build):
    rng = np.random.default_rng(5)
    for element in (Element.FX_8, Element.FX_16, Element.SA_8):
        for frac_bits in (-1, 3, 4, 5, 7, 12, 22, 40):
            x = tensor_of(rng, element, (13,), frac_bits)

            found = run(kind(build), x).output

            if element is Element.SA_8:
                values = [naive_table(name, *argument(name, v, x.format, build), build)
                          for v in x.centred.tolist()]
                values = [saturated(rounded(v, 15 - frac, 32, build) + zero, 8) for v in values]
                assert found.format == Affine(zero, 1, frac)
            else:
                values = [saturated(rounded(naive_table(name, v, frac_bits, build), 16 - x.bits, 16,
                                            build), x.bits) for v in x.centred.tolist()]
                assert found.format == Fixed(x.bits - 1)
            assert found.data.tolist() == values


def naive_softmax(values, x, build):
    """Outputs of one slice, zero points taken off."""
    top = max(values)
    if x.is_affine:
        powers = [naive_table("exp", *argument("exp", v - top, x.format, build), build)
                  for v in values]
    else:
        powers = [naive_table("exp", v - top, x.format.frac_bits, build) for v in values]
    places   = norm(sum(powers), 32)
    mantissa = saturated(rounded(sum(powers), 16 - places, 32, build), 16)
    inverse  = min(2 ** 29 // mantissa, 32767)
    shift    = min(45 - places - (8 if x.is_affine else 15), 31)
    return [saturated(rounded(v * inverse, shift, 32, build) - 128 * x.is_affine, x.bits)
            for v in powers]


def naive_l2(values, x, build):
    squares = sum(v * v for v in values)
    shift   = squares.bit_length() - 15
    shift  += shift % 2
    short   = saturated(rounded(squares, shift, 64, build), 16)
    index   = max(0, min((short >> 8) - 32, 95))
    left    = entry(lambda v: 1 / sqrt(v), index, -32, 0, 17)
    fall    = left - entry(lambda v: 1 / sqrt(v), index + 1, -32, 0, 17)
    inverse = left - rounded(fall * (short % 256), 8, 32, build)
    shift   = 17 + (shift + 8) // 2 - (7 if x.is_affine else 15)
    return [saturated(rounded(inverse * v, shift, 32, build), x.bits) for v in values]


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
@pytest.mark.parametrize(("kind", "naive"), [(Softmax, naive_softmax), (L2Normalize, naive_l2)])
def test_divided(kind, naive, axis, build):
    rng = np.random.default_rng(axis + 7)
    for element in (Element.FX_16, Element.SA_8):
        x = tensor_of(rng, element, (2, 3, 4), 11)

        found = run(kind(axis, build), x).output.data

        data     = x.centred
        slices   = [data.reshape(-1)] if axis < 0 else np.moveaxis(data, axis, -1).reshape(
            -1, data.shape[axis])
        expected = np.array([naive(part.tolist(), x, build) for part in slices])
        found    = found.reshape(1, -1) if axis < 0 else np.moveaxis(found, axis, -1).reshape(
            -1, data.shape[axis])
        np.testing.assert_array_equal(found, expected)


def naive_leaky(value, slope, x, layer, build):
    """One output; ``value`` and ``slope`` less their zero points."""
    kind = layer.slope.format
    if not x.is_affine:
        below = rounded(min(value, 0) * slope, min(kind.frac_bits, 31), 32, build)
        return saturated(max(value, 0) + saturated(below, x.bits), x.bits)
    scale, shift = requantised(x.format, layer.out, build)
    scale, shift = saturated(scale * 2 ** max(-shift, 0), 16), max(shift, 0)
    if value < 0:
        slope, lost = scaled_to_16(slope * kind.scale, build)
        scale, more = scaled_to_16(scale * slope, build)
        shift += kind.scale_frac_bits - lost - more
    return saturated(saturated(rounded(value * scale, shift, 32, build) + layer.out.zero_point, 32),
                     8)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_leaky_relus(element, build):
    rng = np.random.default_rng(3)
    x   = tensor_of(rng, element, (3, 4, 5))
    out = format_of(rng, element) if x.is_affine else None
    for axis in (None, -1, 0, 1, 2):
        shape = [x.shape[k] if k == axis else 1 for k in range(3)] if axis is not None else (1,)
        slope = tensor_of(rng, element, shape, 12)
        layer = (LeakyRelu(slope, out, build) if axis is None
                 else Prelu(slope, out, build, axis=axis))

        found = run(layer, x).output

        slopes = np.broadcast_to(slope.centred, x.shape).reshape(-1).tolist()
        assert found.data.reshape(-1).tolist() == [
            naive_leaky(value, one, x, layer, build)
            for value, one in zip(x.centred.reshape(-1).tolist(), slopes, strict=True)]


@pytest.mark.parametrize("relu", Relu)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_relu(element, relu):
    rng = np.random.default_rng(4)
    for frac_bits in (-4, -2, -1, 0, 4, 27, 28, 29, 30, 40):
        x = tensor_of(rng, element, (20,), frac_bits)
        if x.is_affine:
            x = replace(x, format=replace(x.format, scale_frac_bits=frac_bits))
        high, low = limits(relu, x.format, x.bits)
        assert run(Rectify(relu), x).output.data.tolist() == [
            max(min(value, high), low) for value in x.data.tolist()]


def naive_convert(value, kind, out, wide, bits, build):
    zero, scale, frac = ((kind.zero_point, kind.scale, kind.scale_frac_bits)
                         if isinstance(kind, Affine) else (0, 1, kind.frac_bits))
    out_zero, out_scale, out_frac = ((out.zero_point, out.scale, out.scale_frac_bits)
                                     if isinstance(out, Affine) else (0, 1, out.frac_bits))
    k, p = rescaled(scale, out_scale, norm(scale, 32) - norm(out_scale, 16), build)
    p   += frac - out_frac
    if not wide:
        found = rounded(saturated(value - zero, 16) * k, min(p, 31), 32, build)
    else:
        value  = saturated(value - zero, 32)
        places = norm(value, 32), norm(k, 32)
        high   = value * 2 ** places[0] * k * 2 ** places[1] >> 32
        found  = rounded(high, p + sum(places) - 32, 32, build)
    return saturated(saturated(found + out_zero, 32), bits)


ELEMENTS = (Element.FX_8, Element.FX_16, Element.SA_8, Element.SA_32)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("target", ELEMENTS)
@pytest.mark.parametrize("source", ELEMENTS)
def test_convert(source, target, build):
    rng = np.random.default_rng(6)
    x, out = tensor_of(rng, source, (40,)), format_of(rng, target)

    found = run(ConvertTensor(target, out, build), x).output

    wide = Element.SA_32 in (source, target)
    assert found.data.tolist() == [naive_convert(v, x.format, out, wide, target.bits, build)
                                   for v in x.data.tolist()]
    assert (found.element, found.format) == (target, out)


def test_convert_along_a_dimension():
    data = np.array([[-128, 5], [9, 127], [3, -3]], np.int8)
    x    = QuantTensor(data, Element.SA_8, Affine((3, -7), (1000, 32767), (9, 15), 1))
    out  = Fixed(4)

    found = run(ConvertTensor(Element.FX_16, out, Build.UP_FULL), x).output

    for column in (0, 1):
        kind = Affine(x.format.zero_point[column], x.format.scale[column],
                      x.format.scale_frac_bits[column])
        assert found.data[:, column].tolist() == [
            naive_convert(v, kind, out, False, 16, Build.UP_FULL) for v in data[:, column].tolist()]


def test_convert_from_and_to_floating_point():
    floats = QuantTensor(np.array([0.5, -0.5, 0.49, 1e9, -1e9, 31.75], np.float32), Element.FP_32)

    fixed  = run(ConvertTensor(Element.FX_8, Fixed(0)), floats).output
    affine = run(ConvertTensor(Element.SA_8, Affine(-10, 1, 2)), floats).output
    back   = run(ConvertTensor(Element.FP_32, None), affine).output

    assert fixed.data.tolist() == [1, -1, 0, 127, -128, 32]
    assert affine.data.tolist() == [-8, -12, -8, 127, -128, 117]
    assert back.data.tolist() == [0.5, -0.5, 0.5, 34.25, -29.5, 31.75]


def test_permute_moves_the_scales():
    x = QuantTensor(np.arange(6, dtype=np.int8).reshape(1, 2, 3), Element.SA_8,
                    Affine((1, 2, 3), (4, 5, 6), (7, 8, 9), 2))

    found = run(Permute((2, 0, 1)), x).output

    assert found.data.tolist() == [[[0, 3]], [[1, 4]], [[2, 5]]]
    assert found.format == Affine((1, 2, 3), (4, 5, 6), (7, 8, 9), 0)


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_argmax_finds_the_largest(axis):
    rng  = np.random.default_rng(9)
    data = rng.permutation(24).astype(np.int16).reshape(2, 3, 4)
    x    = QuantTensor(data, Element.FX_16, Fixed(0))

    found = run(ArgMax(4, axis), x).output.data

    places = np.arange(24).reshape(x.shape)
    slices = [places] if axis < 0 else np.moveaxis(places, axis, 0)
    order  = [sorted(part.reshape(-1).tolist(), key=lambda i: -x.data.reshape(-1)[i])[:4]
              for part in slices]
    assert found.tolist() == order


WORDS = QuantTensor(np.zeros((2, 3), np.int16), Element.FX_16, Fixed(3))
LONGS = QuantTensor(np.zeros((2, 3), np.int32), Element.SA_32, Affine(0, 1, 0))
AXES  = QuantTensor(np.zeros((2, 3), np.int8), Element.SA_8, Affine((0, 0), (1, 1), (0, 0), 0))


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (Rectify(Relu.GEN), [LONGS], r"^Input must be FX_8 or FX_16 or SA_8, not SA_32$"),
    (Sigmoid(), [AXES], r"^Input must have one scale, not one along dimension 0$"),
    (Softmax(2), [WORDS], r"^axis must be between -1 and 1, not 2$"),
    (ArgMax(4, 0), [WORDS], r"^topk must be between 1 and the 3 elements of a slice, not 4$"),
    (Permute((0, 0)), [WORDS], r"^order must hold every dimension from 0 to 1 once, "),
    (LeakyRelu(WORDS), [WORDS], r"^Slope must have 1 element, not 6$"),
    (Prelu(WORDS, axis=0), [WORDS], r"^Slope must have shape \(2, 1\), not \(2, 3\)$"),
    (MaxPool((1, 1), (1, 1)), [WORDS], r"^Input must have 3 dimensions, not 2$"),
    (Eltwise(EltwiseOp.ADD, Fixed(0)), [WORDS, replace(WORDS, data=WORDS.data[:1])],
     r"^First input has shape \(2, 3\), second input has \(1, 3\)$"),
    (Eltwise(EltwiseOp.MAX, Fixed(0)), [WORDS, replace(WORDS, format=Fixed(4))],
     r"^First input has format Fixed\(frac_bits=3\), second input has "),
    (ConvertTensor(Element.FX_4, Fixed(0)), [WORDS], r"^Output must be .* not FX_4$"),
    (ConvertTensor(Element.SA_8, Affine((0,) * 3, (1,) * 3, (0,) * 3, 1)), [AXES],
     r"^Input has scales along dimension 0, output along 1$")])
def test_refusals(layer, inputs, message):
    with pytest.raises(ValueError, match=message):
        run(layer, *inputs)
