# SPDX-License-Identifier: Apache-2.0
"""The functions of the newer lib_nn: loops over single numbers in the order of its C."""

from math import exp, trunc

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.api.xs3 import functions as lib
from xymac.golden.api.xs3.functions import LibNn
from xymac.golden.parameters.xs3 import product_factors
from xymac.hdl.config import TINY
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice

F32   = np.float32
EDGES = np.array([-128, -127, -65, -1, 0, 1, 64, 126, 127], np.int8)


def clamp(value, low, high):
    return max(low, min(value, high))


def naive_product(a, b, params):
    """One output, with the sums of the C written out."""
    z1, z2 = params.in1_zero_point, params.in2_zero_point
    value = (z2 * a + z1 * b + a * b + z1 * z2 + a + b + z1 + z2 + 1) >> 1
    value = (params.scalar * value + (1 << 13)) >> 14
    value = clamp(value + params.bias, -32767, 32767)
    shift = params.vlashr_shr
    value = clamp(value >> shift if shift > 0 else value << -shift, -32767, 32767)
    return clamp((value + 128) >> 8, -128, 127)


def away(value):
    """Nearest, halves away from zero."""
    return int(abs(value) + 0.5) * (-1 if value < 0 else 1)


def naive_factors(ratio, zeros, out_zero):
    """Factor, bias and shift as the library searches them."""
    z1, z2 = (-zero - 1 for zero in zeros)
    ends   = [((end - z1) * (end - z2) + 1) >> 1 for end in (127, -128)]
    shift  = -1
    while True:
        scale    = away(ratio * 2.0 ** (23 + shift))
        products = [(end * scale + (1 << 13)) >> 14 for end in ends]
        bias     = away(out_zero * 2.0 ** (8 + shift))
        held     = [scale, *products, bias, *(product + bias for product in products)]
        if all(-32768 <= value <= 32767 for value in held):
            return scale, bias, shift
        shift -= 1


@pytest.mark.parametrize("seed", range(8))
def test_a_product_with_the_parameters_that_the_library_finds(seed):
    rng    = random_of(seed)
    zeros  = rng.choice(EDGES, 3).tolist()
    scales = (2.0 ** rng.uniform(-9, 1, 3)).tolist()
    params = lib.nn_mul_params_t()
    a, b   = (grid.reshape(-1) for grid in np.meshgrid(np.arange(-128, 128, dtype=np.int8), EDGES))

    lib.mul_boggle(params, *scales, *zeros)

    assert (params.in1_zero_point, params.in2_zero_point) == (-zeros[0] - 1, -zeros[1] - 1)
    assert (params.scalar, params.bias, params.vlashr_shr) == naive_factors(
        scales[0] * scales[1] / scales[2], zeros[:2], zeros[2])
    wanted = [naive_product(*pair, params) for pair in zip(a.tolist(), b.tolist(), strict=True)]
    with MachineDevice(TINY) as device:
        for library in (LibNn(), on_device(device, LibNn)):
            out = np.full(a.size + 1, 77, np.int8)
            library.mul_elementwise(a, b, a.size, params, out)
            assert out.tolist() == [*wanted, 77]


def test_factors_at_both_ends():
    for ratio in (2.0 ** -200, 2.0 ** -24, 2.0 ** -23.999, 1e-6, 0.5, 1.0, 3.9, 64.0, 2.0 ** 20):
        for zeros in ((-128, -128), (127, 127), (-128, 127), (0, 0), (-1, -1)):
            for out_zero in (-128, 0, 127):
                scale, bias, left = product_factors(*zeros, ratio, out_zero)
                assert (scale, bias, -left) == naive_factors(ratio, zeros, out_zero)
    with pytest.raises(ValueError, match=r"^Scales of the .* up to 31 bits, not be 1e\+12$"):
        product_factors(0, 0, 1e12, 0)


@pytest.mark.parametrize("count", [0, -3])
def test_no_elements_of_a_product(count):
    out = np.full(4, 7, np.int8)
    assert lib.mul_elementwise(out, out, count, None, out) is None
    assert (out == 7).all()


@pytest.mark.parametrize("sides", [(0, 0, 0, 0), (1, 2, 3, 0), (2, 0, 0, 5)])
def test_padding(sides):
    rng   = random_of(1)
    image = rng.integers(0, 256, (3, 4, 8), np.uint8)
    top, bottom, left, right = sides
    sizes, shape = lib.padding_sizes_t(*sides), lib.nn_image_params_t(3, 4, 8)
    plan  = lib.nn_pad_plan_t()
    value = 0x80FF0102
    whole = np.tile(np.array([2, 1, 255, 128], np.uint8),
                    (3 + top + bottom, 4 + left + right, 2))
    whole[top:top + 3, left:left + 4] = image

    lib.pad_prepare(plan, sizes, shape, 8)
    first, second = np.zeros(whole.shape, np.uint8), np.zeros(whole.shape, np.uint8)
    lib.pad_run(first, image, plan, value)
    lib.pad_ref(second, image, sizes, shape, 8, value - (1 << 32))

    assert (plan.mid_loop_count, plan.mid_copy_bytes) == (3, 32)
    np.testing.assert_array_equal(first, whole)
    np.testing.assert_array_equal(second, whole)


def test_pixels_of_three_bytes():
    count, image = np.zeros(1, np.uint32), random_of(2).integers(-128, 128, (5, 7, 3), np.int8)
    lib.pad_3_to_4_prepare(count, 5, 7)
    for name in ("pad_3_to_4_run", "pad_3_to_4_ref"):
        wide = np.zeros((5, 7, 4), np.int8)
        lib.function(name)(wide, image, count[0], 0x1F9)
        np.testing.assert_array_equal(wide[..., :3], image)
        assert (wide[..., 3] == -7).all()


@pytest.mark.parametrize(("name", "unit"), [
    ("vpu_memmove_word_aligned", 1), ("vpu_memcpy", 1), ("vpu_memcpy_int", 1),
    ("vpu_memcpy_ext", 1), ("vpu_memcpy_vector_int", 32), ("vpu_memcpy_vector_ext", 128)])
def test_copies(name, unit):
    source, target = random_of(3).integers(0, 256, 600, np.uint8), np.full(600, 9, np.uint8)
    lib.function(name)(target, source, 3)
    np.testing.assert_array_equal(target[:3 * unit], source[:3 * unit])
    assert (target[3 * unit:] == 9).all()


@pytest.mark.parametrize(("name", "words"), [("vpu_memset_32", 1), ("vpu_memset_vector", 8)])
def test_fills(name, words):
    target = np.zeros(40, np.int32)
    lib.function(name)(target, -2, 4)
    assert target.tolist() == [-2] * 4 * words + [0] * (40 - 4 * words)


def naive_mean(values, in_zero, out_zero, scale, low, high):
    total = trunc(float(F32(-in_zero) * F32(len(values)))) + sum(values)
    value = F32(F32(total) * F32(scale)) + F32(out_zero)
    return away(float(clamp(value, F32(low), F32(high))))


def test_means():
    rng = random_of(4)
    for scale in (0.013, 1 / 9, 0.5 / 9, 7.0):
        x = rng.integers(-128, 128, (3, 9, 5), np.int8)
        out = np.zeros((3, 5), np.int8)
        lib.mean_int8(x, out, 3, 9, 5, -3.0, 4.0, scale)
        assert out.tolist() == [[naive_mean(x[i, :, k].tolist(), -3, 4, scale, -128, 127)
                                 for k in range(5)] for i in range(3)]
        words, out = rng.integers(-32768, 32768, (3, 9, 5), np.int16), np.zeros((3, 5), np.int16)
        lib.mean_int16(words, out, 3, 9, 5, scale)
        assert out.tolist() == [[naive_mean(words[i, :, k].tolist(), 0, 0, scale, -32768, 32767)
                                 for k in range(5)] for i in range(3)]


def test_means_at_the_ends_of_float32_and_of_32_bits():
    largest, x = float(np.finfo(F32).max), np.array([[[1, 0, -1]]], np.int8)
    out = np.zeros((1, 3), np.int8)
    lib.mean_int8(x, out, 1, 1, 3, 0.0, 0.0, largest)
    assert out.tolist() == [[127, 0, -128]]

    words = np.concatenate([np.full((1 << 16) + 2, 32767, np.int16), np.ones(1, np.int16)])
    out   = np.zeros(1, np.int16)
    lib.mean_int16(words, out, 1, words.size, 1, 2.0**-17)
    assert out.tolist() == [1 << 14]
    with pytest.raises(ValueError, match="not be up to 2147483648"):
        lib.mean_int16(np.append(words, np.int16(1)), out, 1, words.size + 1, 1, 1.0)


def naive_shares(x, table, inverse):
    return [clamp(away(float(F32(table[value + 128]) * inverse)) - 128, -128, 127) for value in x]


@pytest.mark.parametrize(("zero", "scale"), [(-128, 0.05), (3, 0.01), (127, 0.5)])
def test_softmax(zero, scale):
    x     = random_of(5).integers(-128, 128, 50, np.int8)
    table = np.zeros(256, F32)
    lib.softmax_generate_exp_lut(zero, scale, table)
    assert table.tolist() == [float(F32(exp(float(F32(place - zero) * F32(scale)))))
                              for place in range(256)]

    sums, total = np.zeros(5, F32), [F32(0)] * 2
    for part in range(2):
        lib.softmax_exp_sum(sums[part:], x, table, 25 * part, 25)
        for value in x[25 * part:][:25].tolist():
            total[part] = total[part] + table[value + 128]
    assert sums.tolist() == [*map(float, total), 0, 0, 0]
    inverse = np.zeros(1, F32)
    lib.softmax_calculate_inv_sum(inverse, sums)
    assert inverse[0] == F32(1) / (total[0] + total[1]) * F32(256)

    out = np.zeros(50, np.int8)
    for part in range(2):
        lib.softmax_exp_div(out, x, table, inverse[0], 25 * part, 25)
    assert out.tolist() == naive_shares(x.tolist(), table, inverse[0])
    whole = F32(0)
    for value in x.tolist():
        whole = whole + table[value + 128]
    single = np.zeros(50, np.int8)
    lib.softmax_single(single, x, table, 50)
    assert single.tolist() == naive_shares(x.tolist(), table, F32(1) / whole * F32(256))

    reference = np.zeros(50, np.int8)
    lib.softmax_ref(reference, x, zero, scale, 50)
    most   = (F32(int(x.max())) - F32(zero)) * F32(scale)
    values = [F32(exp(float((F32(value) - F32(zero)) * F32(scale) - most)))
              for value in x.tolist()]
    whole  = F32(0)
    for value in values:
        whole = whole + value
    assert reference.tolist() == [trunc(float(value / whole * F32(256) - F32(128.5)))
                                  for value in values]


@pytest.mark.parametrize(("name", "arguments", "message"), [
    ("mul_elementwise", (np.zeros(4, np.int8),) * 2 + (4, None, np.zeros(4, np.int8)),
     "params must be of nn_mul_params_t, not NoneType"),
    ("mul_elementwise", (np.zeros(4, np.int8),) * 2 + (
        4, lib.nn_mul_params_t(128), np.zeros(4, np.int8)),
     r"zeros\[0\] must be between -128 and 127, not 128"),
    ("mul_boggle", (lib.nn_mul_params_t(), 1, 1, 0, 0, 0, 0),
     "outputScale must be a finite number above 0, not 0"),
    ("mul_boggle", (lib.nn_mul_params_t(), 1, "x", 1, 0, 0, 0),
     "in2Scale must be a number, not str"),
    ("mul_boggle", (lib.nn_mul_params_t(), 1, 1, 1, 0, 0, 128),
     "outputZeroPoint must be between -128 and 127, not 128"),
    ("pad_prepare", (lib.nn_pad_plan_t(), lib.padding_sizes_t(), lib.nn_image_params_t(), 6),
     "bytes_per_pixel must be a multiple of 4, not 6"),
    ("vpu_memcpy", (np.zeros(3, np.int8), np.zeros(4, np.int8), 4), "dst must have 4 bytes, not 3"),
    ("softmax_single", (np.zeros(1, np.int8), np.zeros(1, np.int8), np.zeros(255, F32), 1),
     "lut must have 256 elements, not 255"),
    ("softmax_single", (np.zeros(1, np.int8), np.zeros(1, np.int8), np.zeros(256), 1),
     "lut must be a numpy array of float32, not float64"),
    ("softmax_generate_exp_lut", (0, 1, np.zeros(512, F32)[::2]),
     r"lut must be contiguous, not with strides \(8,\)"),
    ("softmax_ref", (np.zeros(1, np.int8), np.zeros(1, np.int8), 0, float("nan"), 1),
     "scale must be a finite float32, not nan"),
    ("mean_int16", (np.full(1 << 17, 32767, np.int16), np.zeros(1, np.int16), 1, 1 << 17, 1, 1.0),
     "Sums must have 32 bits, not be up to 4294836224")])
def test_refusals(name, arguments, message):
    with pytest.raises(ValueError, match=rf"^{name}: {message}$"):
        lib.function(name)(*arguments)


@pytest.mark.parametrize("count", [0, 5, 32, 75])
def test_vectors_again_and_again(count):
    source, target = random_of(4).integers(0, 256, 32, np.uint8), np.full(80, 9, np.uint8)
    lib.vpu_memset_256(target, source, count)
    assert target.tolist() == [*(source.tolist() * 3)[:count], *[9] * (80 - count)]


@pytest.mark.parametrize("name", ["pad_1_to_4_run", "pad_1_to_4_ref"])
def test_pixels_of_one_byte(name):
    image, wide = random_of(5).integers(-128, 128, 12, np.int8), np.full(52, 9, np.int8)
    lib.function(name)(wide, image, 3, 0x030201FF)
    for pixel, value in zip(wide[:48].reshape(12, 4).tolist(), image.tolist(), strict=True):
        assert pixel == [value, 1, 2, 3]
    assert (wide[48:] == 9).all()
