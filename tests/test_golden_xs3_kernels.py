"""XS3 kernels against plain loops over Python ints, and their refusals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden import run
from golden.xs3_kernels import (
    Integers,
    Window,
    Xs3AddElementwise,
    Xs3Argmax16,
    Xs3AvgPool2d,
    Xs3AvgPool2dGlobal,
    Xs3Conv2d1x1,
    Xs3Conv2dDeep,
    Xs3Conv2dDepthwise,
    Xs3Conv2dShallowin,
    Xs3FcDeepin,
    Xs3FullyConnected,
    Xs3Lookup8,
    Xs3MaxPool2d,
    Xs3OutputTransform,
    Xs3Requantize16To8,
)
from golden.xs3_pool import mean_factor
from tests import naive_xs3 as naive

TOP = 2 ** 31 - 1
SETTINGS = settings(derandomize=True, deadline=None, max_examples=60)
#: How a tensor of biases, scales and offsets is made: anything, or so that sums that saturate show.
KINDS = ("random", "high", "low")


def make_bso(rng, channels, kind="random", scale_down=False):
    """Rows (7, 16) a group; the padding holds shifts that would be refused.

    ``high`` and ``low`` begin near a limit of 32 bits, and their outputs of 8 bits tell
    differences of 2**16 in sums near it; with ``scale_down`` before a final shift of 8 bits.
    """
    bias = rng.integers(-TOP - 1, TOP + 1, channels)
    rows = [rng.integers(0, 32, channels), *rng.integers(-1 << 15, 1 << 15, (3, channels)),
            rng.integers(0, 32, channels)]
    if kind != "random":
        sign = 1 if kind == "high" else -1
        bias = sign * (TOP - rng.integers(0, 2, channels) * rng.integers(0, 1 << 18, channels))
        unit, shift = (256, 0) if scale_down else (1, 0)
        # 32640 * unit would pass 16 bits, so it is the product of scale and offset.
        rows = [np.full(channels, value)
                for value in (16, unit, -unit, sign * 32640, shift)]
    columns = np.stack([bias >> 16, bias & 0xFFFF, *rows])
    groups  = -(-channels // 16)
    bso     = np.full((7, groups * 16), 0xFFFF)
    bso[:, :channels] = columns & 0xFFFF
    return bso.reshape(7, groups, 16).transpose(1, 0, 2).astype(np.uint16)


def make_int8(rng, shape, loud):
    """Any values, or only those that make the largest products."""
    values = rng.choice([-128, -127, 127], shape) if loud else rng.integers(-128, 128, shape)
    return values.astype(np.int8)


@st.composite
def seeds(draw):
    """Generator, kind of the output tensor, whether values are loud, options of the output."""
    kind = draw(st.sampled_from(KINDS))
    options = {"low": draw(st.sampled_from([-128, -127])), "final_shift": draw(st.booleans())}
    rng = np.random.default_rng(draw(st.integers(0, 2 ** 32 - 1)))
    return rng, kind, draw(st.booleans()), options


def windows(draw, kernel, sizes, inside=False):
    """A Window for a kernel on an image of ``sizes``, reaching out of it unless ``inside``."""
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    if inside:
        start = tuple(draw(st.integers(0, size - k)) for size, k in zip(sizes, kernel, strict=True))
        out = tuple(draw(st.integers(1, (size - first - k) // step + 1)) for size, first, k, step
                    in zip(sizes, start, kernel, stride, strict=True))
        return Window(out, start, stride)
    start = tuple(draw(st.integers(-k - 1, size)) for size, k in zip(sizes, kernel, strict=True))
    return Window(draw(st.tuples(st.integers(1, 3), st.integers(1, 3))), start, stride)


def assert_equal(result, expected, dtype=np.int8):
    np.testing.assert_array_equal(result.output.data, expected)
    assert result.output.data.dtype == dtype
    assert result.overflow is False


def assert_same_shape(layer, *inputs):
    assert layer.output_shape(*(x.shape for x in inputs)) == run(layer, *inputs).output.shape


@SETTINGS
@given(seeds(), st.integers(1, 100), st.integers(1, 40), st.sampled_from([8, 16]))
def test_fully_connected_matches_loops(seed, inputs, outputs, bits):
    rng, kind, loud, options = seed
    x, weights = make_int8(rng, inputs, loud), make_int8(rng, (outputs, inputs), loud)
    bso   = make_bso(rng, outputs, kind, options["final_shift"])
    layer = Xs3FullyConnected(Integers(weights), Integers(bso), bits, **options)

    assert_equal(run(layer, Integers(x)),
                 naive.fully_connected(x, weights, bso, bits=bits, **options),
                 np.int8 if bits == 8 else np.int16)
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(seeds(), st.integers(1, 4), st.integers(1, 16), st.sampled_from([8, 16]))
def test_fc_deepin_matches_loops(seed, groups, outputs, bits):
    rng, kind, loud, _ = seed
    x, weights = make_int8(rng, 32 * groups, loud), make_int8(rng, (outputs, 32 * groups), loud)
    bias   = rng.integers(-TOP - 1, TOP + 1, outputs)
    shifts = np.array([*rng.integers(0, 32, outputs), *[0xFFFF] * (16 - outputs)], np.uint16)
    if kind != "random":
        bias = np.full(outputs, TOP if kind == "high" else -TOP - 1)
        shifts[:outputs] = rng.integers(15, 17)
    scales = rng.integers(-1 << 15, 1 << 15, 16).astype(np.int16)
    layer  = Xs3FcDeepin(*map(Integers, (weights, bias.astype(np.int32), shifts, scales)), bits)

    assert_equal(run(layer, Integers(x)), naive.fc_deepin(x, weights, bias, shifts, scales, bits),
                 np.int8 if bits == 8 else np.int16)
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(seeds(), st.integers(1, 20), st.integers(1, 9), st.integers(1, 3), st.integers(1, 3))
def test_conv2d_1x1_matches_loops(seed, inputs, outputs, rows, cols):
    rng, kind, loud, options = seed
    x = make_int8(rng, (rows, cols, 4 * inputs), loud)
    weights = make_int8(rng, (4 * outputs, 4 * inputs), loud)
    bso   = make_bso(rng, 4 * outputs, kind, options["final_shift"])
    layer = Xs3Conv2d1x1(Integers(weights), Integers(bso), **options)

    assert_equal(run(layer, Integers(x)), naive.conv2d_1x1(x, weights, bso, **options))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.sampled_from([4, 28, 32, 36, 68]), st.integers(1, 5))
def test_conv2d_deep_matches_loops(data, seed, inputs, outputs):
    rng, kind, loud, options = seed
    kernel, sizes = (data.draw(st.tuples(*[st.integers(1, 3)] * 2)) for _ in range(2))
    window  = windows(data.draw, kernel, sizes)
    x       = make_int8(rng, (*sizes, inputs), loud)
    weights = make_int8(rng, (4 * outputs, *kernel, inputs), loud)
    bso     = make_bso(rng, 4 * outputs, kind, options["final_shift"])
    zero    = data.draw(st.sampled_from([-128, -1, 0, 127]))
    layer   = Xs3Conv2dDeep(Integers(weights), Integers(bso), window, zero, **options)

    assert_equal(run(layer, Integers(x)),
                 naive.conv2d_deep(x, weights, bso, window, zero, **options))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.sampled_from([4, 8, 16, 32]), st.integers(1, 5))
def test_conv2d_shallowin_matches_loops(data, seed, inputs, outputs):
    rng, kind, loud, options = seed
    kernel, sizes = (data.draw(st.integers(1, 3)), 32 // inputs), data.draw(
        st.tuples(*[st.integers(1, 4)] * 2))
    columns = data.draw(st.integers(1, kernel[1]))
    window  = windows(data.draw, kernel, sizes)
    x       = make_int8(rng, (*sizes, inputs), loud)
    weights = make_int8(rng, (4 * outputs, *kernel, inputs), loud)
    weights[:, :, columns:] = 0
    bso     = make_bso(rng, 4 * outputs, kind, options["final_shift"])
    zero    = data.draw(st.sampled_from([-128, -1, 0, 127]))
    layer   = Xs3Conv2dShallowin(Integers(weights), Integers(bso), window, zero, **options,
                                 columns=columns)

    assert_equal(run(layer, Integers(x)),
                 naive.conv2d_shallowin(x, weights, bso, window, zero, **options))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 10))
def test_conv2d_depthwise_matches_loops(data, seed, channels):
    rng, kind, loud, options = seed
    kernel, sizes = (data.draw(st.tuples(*[st.integers(1, 3)] * 2)) for _ in range(2))
    window  = windows(data.draw, kernel, sizes)
    x       = make_int8(rng, (*sizes, 4 * channels), loud)
    weights = make_int8(rng, (*kernel, 4 * channels), loud)
    bso     = make_bso(rng, 4 * channels, kind, options["final_shift"])
    zero    = data.draw(st.sampled_from([-128, -1, 0, 127]))
    layer   = Xs3Conv2dDepthwise(Integers(weights), Integers(bso), window, zero, **options)

    assert_equal(run(layer, Integers(x)),
                 naive.conv2d_depthwise(x, weights, bso, window, zero, **options))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 9))
def test_pooling_matches_loops(data, seed, channels):
    rng, _, loud, options = seed
    kernel = data.draw(st.tuples(*[st.integers(1, 5)] * 2))
    sizes  = tuple(size + data.draw(st.integers(0, 4)) for size in kernel)
    window = windows(data.draw, kernel, sizes, inside=True)
    x      = make_int8(rng, (*sizes, 4 * channels), loud)
    largest, average = Xs3MaxPool2d(kernel, window), Xs3AvgPool2d(kernel, window, options["low"])

    assert_equal(run(largest, Integers(x)), naive.pool(x, kernel, window, max))
    assert_equal(run(average, Integers(x)), naive.pool(
        x, kernel, window, lambda values: naive.mean(values, options["low"])))
    assert_same_shape(average, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.sampled_from(KINDS))
def test_global_mean_matches_loops(data, seed, kind):
    rng, _, loud, options = seed
    x = make_int8(rng, (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6)),
                        4 * data.draw(st.integers(1, 9))), loud)
    bias  = {"random": int(rng.integers(-1 << 20, 1 << 20)), "high": TOP, "low": -TOP - 1}[kind]
    layer = Xs3AvgPool2dGlobal(bias, data.draw(st.integers(-128, 127)),
                               data.draw(st.integers(0, 31)), options["low"])

    assert_equal(run(layer, Integers(x)),
                 naive.global_mean(x, layer.bias, layer.scale, layer.shift, layer.low))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 40))
def test_add_elementwise_matches_loops(data, seed, count):
    rng, kind, loud, options = seed
    a, b   = make_int8(rng, count, loud), make_int8(rng, count, loud)
    bias   = {"random": int(rng.integers(-TOP - 1, TOP + 1)), "high": TOP, "low": -TOP - 1}[kind]
    shifts = data.draw(st.tuples(*[st.integers(-31, 31)] * 2))
    scales = tuple(rng.integers(-1 << 15, 1 << 15, 2).tolist())
    layer  = Xs3AddElementwise(shifts, scales, bias, data.draw(st.integers(1, 31)), options["low"])

    assert_equal(run(layer, Integers(a), Integers(b)), naive.add_elementwise(
        a, b, shifts, scales, bias, layer.shift, layer.low))
    assert_same_shape(layer, Integers(a), Integers(b))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 50), st.booleans(), st.booleans())
def test_output_transform_matches_loops(data, seed, channels, channelwise, padded):
    rng, _, _, options = seed
    kinds  = 3 if channelwise else 2
    acc    = rng.integers(-TOP - 1, TOP + 1, (2, -(-channels // 16) * 16 if padded else channels))
    acc    = (acc >> rng.integers(0, 32, acc.shape)).astype(np.int32)
    params = rng.integers(-1 << 15, 1 << 15, channels * kinds).astype(np.int16)
    if channelwise:
        for start in range(0, channels, 16):
            held = min(16, channels - start)
            params[start * kinds:][:held] = rng.integers(0, 32, held)
    first = None if channelwise else data.draw(st.integers(-31, 31))
    layer = Xs3OutputTransform(Integers(params), channels, data.draw(st.integers(-31, 31)), first,
                               options["low"])

    assert_equal(run(layer, Integers(acc)), [naive.output_transform(
        row, params, channels, layer.final_shr, first, layer.low) for row in acc])
    assert_same_shape(layer, Integers(acc))


@pytest.mark.parametrize("low", [-128, -127])
def test_requantize_of_every_value(low):
    x = np.arange(-1 << 15, 1 << 15, dtype=np.int16)

    expected = [max(low, min(naive.rsh(value, 8), 127)) for value in x.tolist()]
    assert_equal(run(Xs3Requantize16To8(low), Integers(x)), expected)


def test_lookup_takes_bytes_without_a_sign():
    table = np.random.default_rng(seed=3).permutation(256).astype(np.uint8)
    x     = np.arange(256, dtype=np.uint8)

    for dtype in (np.uint8, np.int8):
        for held in (np.uint8, np.int8):
            assert_equal(run(Xs3Lookup8(Integers(table.view(held))), Integers(x.view(dtype))),
                         table.view(held), held)


def test_argmax_takes_the_first():
    x = np.array([-32768, 5, 7, 7, -1], np.int16)
    assert_equal(run(Xs3Argmax16(), Integers(x)), [2], np.int32)


#: Outputs of ``probe``: at the upper limit, and 16 or 32 products of 127 * 127 below it.
FULL, LOST_16, LOST_32 = 127, 124, 120


def probe():
    """BSO of 4 channels that starts at the upper limit; outputs tell steps of 2**16 below it."""
    columns = np.array([TOP >> 16, TOP & 0xFFFF, 16, 1, -1, 32640, 0]) & 0xFFFF
    return Integers(np.tile(columns[:, np.newaxis], (1, 1, 16)).astype(np.uint16))


def loud(*shape, sign=1):
    return np.full(shape, sign * 127, np.int8)


def outputs_of(layer, x):
    """The values of the 4 channels, which are equal, as one."""
    return set(run(layer, Integers(x)).output.data.ravel().tolist())


def signed_blocks(signs, size=32):
    """Weights (4, ...): ``size`` times plus or minus 127 for every sign."""
    return np.concatenate([loud(4, size, sign=sign) for sign in signs], axis=1)


@pytest.mark.parametrize(("signs", "expected"), [((1, -1), LOST_32), ((-1, 1), FULL)])
def test_saturation_in_the_middle_of_a_sum(signs, expected):
    weights = signed_blocks(signs)

    assert outputs_of(Xs3FullyConnected(Integers(weights), probe()), loud(64)) == {expected}
    assert outputs_of(Xs3Conv2d1x1(Integers(weights), probe()), loud(1, 1, 64)) == {expected}
    assert outputs_of(Xs3Conv2dDeep(Integers(weights.reshape(4, 1, 1, 64)), probe(),
                                    Window((1, 1))), loud(1, 1, 64)) == {expected}


def test_one_saturation_for_32_products():
    layer = Xs3FullyConnected(Integers(signed_blocks((1, -1), size=16)), probe())
    assert outputs_of(layer, loud(32)) == {FULL}


def test_one_saturation_for_every_product_of_a_depthwise_kernel():
    weights = np.concatenate([loud(16, 1, 4), loud(16, 1, 4, sign=-1)])
    layer   = Xs3Conv2dDepthwise(Integers(weights), probe(), Window((1, 1)))
    assert outputs_of(layer, loud(32, 1, 4)) == {LOST_16}


def test_short_block_of_a_fully_connected_comes_first():
    """In the other grouping, 32 and 28, the sum of the first block would be 0."""
    weights = np.concatenate([loud(4, 16), loud(4, 16, sign=-1), loud(4, 16, sign=-1)], axis=1)
    layer   = Xs3FullyConnected(Integers(weights), probe())
    assert outputs_of(layer, loud(48)) == {LOST_32}


def test_short_block_of_a_convolution_comes_last():
    weights = np.concatenate([loud(4, 16), loud(4, 16, sign=-1), loud(4, 16, sign=-1)], axis=1)
    layer   = Xs3Conv2d1x1(Integers(weights), probe())
    assert outputs_of(layer, loud(1, 1, 48)) == {LOST_16}


@pytest.mark.parametrize(("signs", "expected"), [
    ((1, -1, 0), LOST_32), ((-1, 1, 0), FULL),   # above before inside
    ((1, 0, -1), LOST_32), ((-1, 0, 1), FULL),   # above before below
    ((0, -1, 1), LOST_32), ((0, 1, -1), FULL)])  # below before inside
@pytest.mark.parametrize("kind", [Xs3Conv2dDeep, Xs3Conv2dShallowin])
def test_rows_outside_of_the_image_come_first(kind, signs, expected):
    """Three kernel rows, above, inside of and below an image of one row."""
    weights = np.stack([loud(4, 1, 32, sign=sign) for sign in signs], axis=1)
    options = {"columns": 1} if kind is Xs3Conv2dShallowin else {}
    layer   = kind(Integers(weights), probe(), Window((1, 1), (-1, 0)), 127, **options)
    assert outputs_of(layer, loud(1, 1, 32)) == {expected}


def test_a_final_shift_rounds_twice():
    """1020 / 2048 is 0.498 and becomes 0; 1020 / 8 becomes 128, and that / 256 is a half."""
    columns = np.array([0, 1020, 0, 1, 0, 0, 0])
    for final_shift, shift2, expected in ((False, 11, 0), (True, 3, 1)):
        columns[6] = shift2
        bso   = Integers(np.tile(columns[:, np.newaxis], (1, 1, 16)).astype(np.uint16))
        layer = Xs3FullyConnected(Integers(np.zeros((1, 4), np.int8)), bso,
                                  final_shift=final_shift)
        assert outputs_of(layer, np.zeros(4, np.int8)) == {expected}


@pytest.mark.parametrize(("count", "expected"), [
    (1, (1, 0)), (2, (1, 1)), (3, (85, 8)), (9, (114, 10)), (16, (1, 4)), (25, (82, 11)),
    ((1 << 25) - 1, (64, 31)), (1 << 31, (1, 31))])
def test_mean_factor(count, expected):
    assert mean_factor(count) == expected


def test_bso_may_be_signed():
    rng = np.random.default_rng(seed=4)
    weights, bso = make_int8(rng, (20, 8), loud=False), make_bso(rng, 20)
    layers = [Xs3FullyConnected(Integers(weights), Integers(bso.view(dtype)))
              for dtype in (np.uint16, np.int16)]
    x = Integers(make_int8(rng, 8, loud=False))
    assert run(layers[0], x) == run(layers[1], x)


def test_integers_compare_values_and_type():
    ones = Integers(np.ones(3, np.int8))
    assert ones == Integers(np.ones(3, np.int8))
    assert ones != Integers(np.ones(3, np.uint8))
    assert ones != Integers(np.zeros(3, np.int8))
    assert ones != "ones"
    assert (ones.bits, ones.shape) == (8, (3,))


def zeros(*shape, dtype=np.int8):
    return Integers(np.zeros(shape, dtype))


def bso_with(row, lane, value):
    data = np.zeros((1, 7, 16), np.uint16)
    data[0, row, lane] = value
    return Integers(data)


BSO     = zeros(1, 7, 16, dtype=np.uint16)
DENSE   = Xs3FullyConnected(zeros(3, 8), BSO)
DEEPIN  = Xs3FcDeepin(zeros(3, 32), zeros(3, dtype=np.int32), zeros(16, dtype=np.uint16),
                      zeros(16, dtype=np.int16))
POINT   = Xs3Conv2d1x1(zeros(4, 8), BSO)
DEEP    = Xs3Conv2dDeep(zeros(4, 3, 3, 8), BSO, Window((2, 2)))
SHALLOW = Xs3Conv2dShallowin(zeros(4, 3, 4, 8), BSO, Window((2, 2)), columns=3)
DEPTH   = Xs3Conv2dDepthwise(zeros(3, 3, 8), BSO, Window((2, 2)))
POOL    = Xs3MaxPool2d((2, 2), Window((2, 2)))
MEAN    = Xs3AvgPool2d((2, 2), Window((2, 2)))
GLOBAL  = Xs3AvgPool2dGlobal(0, 1, 0)
ADD     = Xs3AddElementwise((0, 0), (1, 1), 0, 1)
GROUP   = Xs3OutputTransform(zeros(40, dtype=np.int16), 20, 0, 0)
IMAGE, ACC = zeros(5, 5, 8), zeros(20, dtype=np.int32)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (DENSE, [zeros(2, 4)], r"^Input must have 1 dimensions, not 2$"),
    (DENSE, [zeros(8, dtype=np.int16)], r"^Input must be int8, not int16$"),
    (DENSE, [zeros(9)], r"^Weights have 8 channels, input has 9$"),
    (DENSE, [zeros(0)], r"^Input must not be empty, but has shape \(0,\)$"),
    (replace(DENSE, out_bits=32), [zeros(8)], r"^out_bits must be 8 or 16, not 32$"),
    (replace(DENSE, low=-126), [zeros(8)], r"^low must be between -128 and -127, not -126$"),
    (replace(DENSE, bso=zeros(1, 7, 16)), [zeros(8)], r"^BSO must be uint16 or int16, not int8$"),
    (replace(DENSE, weights=zeros(17, 8)), [zeros(8)],
     r"^BSO of 17 channels must have shape \(2, 7, 16\), not \(1, 7, 16\)$"),
    (replace(DENSE, bso=bso_with(2, 1, 0xFFFF)), [zeros(8)],
     r"^Shift 1 of channel 1 must be between 0 and 31 bits, not -1$"),
    (replace(DENSE, bso=bso_with(6, 2, 32)), [zeros(8)],
     r"^Shift 2 of channel 2 must be between 0 and 31 bits, not 32$"),
    (replace(DEEPIN, weights=zeros(3, 36)), [zeros(36)],
     r"^Inputs must be a multiple of 32, not 36$"),
    (replace(DEEPIN, weights=zeros(17, 32)), [zeros(32)], r"^Outputs must be at most 16, not 17$"),
    (replace(DEEPIN, bias=zeros(4, dtype=np.int32)), [zeros(32)],
     r"^Weights have 3 channels, bias has 4$"),
    (replace(DEEPIN, shifts=zeros(2, dtype=np.uint16)), [zeros(32)],
     r"^Shifts must have at least 3 elements, one an output, not 2$"),
    (replace(DEEPIN, shifts=Integers(np.full(16, 0xFFFF, np.uint16))), [zeros(32)],
     r"^Shift of channel 0 must be between 0 and 31 bits, not -1$"),
    (replace(DEEPIN, scales=zeros(16)), [zeros(32)], r"^Scales must be int16, not int8$"),
    (POINT, [zeros(8)], r"^Input must have 3 dimensions, not 1$"),
    (replace(POINT, weights=zeros(4, 6)), [zeros(5, 5, 6)],
     r"^Input channels must be a multiple of 4, not 6$"),
    (replace(POINT, weights=zeros(5, 8)), [IMAGE],
     r"^Output channels must be a multiple of 4, not 5$"),
    (replace(DEEP, zero_point=128), [IMAGE], r"^zero_point must be between -128 and 127, not 128$"),
    (replace(DEEP, window=Window((0, 2))), [IMAGE], r"^out must be at least 1 of rows, not 0$"),
    (replace(DEEP, window=Window((2, 2), stride=(1, 0))), [IMAGE],
     r"^stride must be at least 1 of columns, not 0$"),
    (replace(SHALLOW, weights=zeros(4, 3, 3, 8)), [IMAGE],
     r"^Weights of a kernel row must be 32, inputs times columns, not 24$"),
    (replace(SHALLOW, columns=5), [IMAGE], r"^columns must be between 1 and 4, not 5$"),
    (replace(SHALLOW, weights=Integers(np.ones((4, 3, 4, 8), np.int8))), [IMAGE],
     r"^Weights from column 3 on must be 0, but 96 are not$"),
    (DEPTH, [zeros(5, 5, 4)], r"^Weights have 8 channels, input has 4$"),
    (replace(POOL, kernel=(0, 1)), [IMAGE], r"^Kernel must have at least 1 of rows, not 0$"),
    (replace(POOL, window=Window((5, 2))), [IMAGE],
     r"^Windows must lie inside of the 5 rows of the input, not from 0 to 6$"),
    (replace(POOL, window=Window((2, 2), (0, -1))), [IMAGE], r" 5 columns .* not from -1 to 2$"),
    (POOL, [zeros(5, 5, 6)], r"^Input channels must be a multiple of 4, not 6$"),
    (replace(MEAN, low=0), [IMAGE], r"^low must be between -128 and -127, not 0$"),
    (replace(GLOBAL, bias=1 << 31), [IMAGE],
     r"^bias must be between -2147483648 and 2147483647, not 2147483648$"),
    (replace(GLOBAL, scale=128), [IMAGE], r"^scale must be between -128 and 127, not 128$"),
    (replace(GLOBAL, shift=-1), [IMAGE], r"^shift must be between 0 and 31, not -1$"),
    (ADD, [zeros(3), zeros(4)], r"^First input has shape \(3,\), second input has \(4,\)$"),
    (replace(ADD, shifts=(0, 32)), [zeros(3)] * 2,
     r"^shifts\[1\] must be between -31 and 31, not 32$"),
    (replace(ADD, scales=(1 << 15, 0)), [zeros(3)] * 2,
     r"^scales\[0\] must be between -32768 and 32767, not 32768$"),
    (replace(ADD, shift=0), [zeros(3)] * 2, r"^shift must be between 1 and 31, not 0$"),
    (Xs3Requantize16To8(), [zeros(3)], r"^Input must be int16, not int8$"),
    (Xs3Requantize16To8(low=1), [zeros(3, dtype=np.int16)], r"^low must be between .*, not 1$"),
    (Xs3Lookup8(zeros(255)), [zeros(3)], r"^Table must have 256 elements, not 255$"),
    (Xs3Argmax16(), [zeros(0, dtype=np.int16)], r"^Input must not be empty, but has shape "),
    (GROUP, [zeros(16, dtype=np.int32)],
     r"^Accumulators of 20 channels must be 20 or 32, but have shape \(16,\)$"),
    (GROUP, [zeros(20)], r"^Accumulators must be int32, not int8$"),
    (replace(GROUP, initial_shift=None), [ACC], r"^Parameters of 20 channels must be 60, not 40$"),
    (replace(GROUP, initial_shift=32), [ACC],
     r"^initial_shift must be between -31 and 31, not 32$"),
    (replace(GROUP, final_shr=-32), [ACC], r"^final_shr must be between -31 and 31, not -32$"),
    (replace(GROUP, initial_shift=None, params=Integers(np.full(60, -1, np.int16))), [ACC],
     r"^Initial shift of channel 0 must be between 0 and 31 bits, not -1$"),
])
def test_refusals(layer, inputs, message):
    with pytest.raises(ValueError, match=message):
        run(layer, *inputs)


@pytest.mark.parametrize("count", [(1 << 25) + 1, (1 << 31) + 1])
def test_mean_of_too_many_elements(count):
    with pytest.raises(ValueError, match=rf"^Kernel must have at most \d+ elements, not {count}$"):
        mean_factor(count)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (DENSE, [np.zeros(8, np.int8)], r"^Input must be an Integers, not ndarray$"),
    (replace(DEEP, window=(2, 2)), [IMAGE], r"^window must be a Window, not tuple$"),
    (replace(DEEP, window=Window(2)), [IMAGE], r"^out must be a tuple of 2 ints, not 2$"),
    (replace(DENSE, final_shift=8), [zeros(8)], r"^final_shift must be a bool, not int$"),
    (replace(GLOBAL, scale=1.0), [IMAGE], r"^scale must be an int, not float$"),
    (ADD, [zeros(3)], r"^Inputs of Xs3AddElementwise must be 2, not 1$"),
])
def test_type_refusals(layer, inputs, message):
    with pytest.raises(TypeError, match=message):
        run(layer, *inputs)


def test_integers_must_have_a_type_of_the_library():
    with pytest.raises(TypeError, match=r"^Integers must be a numpy array of int8, uint8, int16, "
                                        r"uint16, int32, not float64$"):
        Integers(np.zeros(3))
