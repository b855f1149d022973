# SPDX-License-Identifier: Apache-2.0
"""Functions of lib_nn on tensors of int16 against loops over single numbers, as its C has them."""

from fractions import Fraction
from math import floor, log2

import numpy as np
import pytest

from tests.support.naive.xs3 import rsh, sat
from tests.support.seed import random_of
from xymac.golden.api.xs3 import functions as lib
from xymac.hdl.config import TINY
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice

F32   = np.float32
ENDS  = np.array([-32768, -32767, -1, 0, 1, 32766, 32767], np.int16)
PAIRS = tuple(grid.reshape(-1) for grid in np.meshgrid(ENDS, ENDS))


def clip(value):
    return max(-32768, min(value, 32767))


def noise(seed, count):
    return random_of(seed).integers(-32768, 32768, count).astype(np.int16)


def away(value):
    """Nearest integer, halves away from zero, in exact arithmetic."""
    size = floor(abs(Fraction(value)) + Fraction(1, 2))
    return size if value > 0 else -size


def operands(seed):
    """Two int16 tensors with all pairs of ends, of a length that no vector divides."""
    return [np.concatenate([pair, noise((seed, place), 37)]) for place, pair in enumerate(PAIRS)]


def called(function, count, *inputs, blob, kind=np.int16):
    """Output of a function with one element behind it that must stay, here and on a device."""
    outputs = []
    with MachineDevice(TINY) as device:
        for library in (lib.LibNn(), on_device(device, lib.LibNn)):
            outputs.append(np.full(count + 1, 77, kind))
            library.function(function.name)(outputs[-1], *inputs, count, blob)
    assert outputs[0].tolist() == outputs[1].tolist()
    assert outputs[0][count] == 77
    return outputs[0][:count]


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_sums(seed, same):
    a, b = operands(seed)
    blob = np.resize(noise((seed, 2), 1), 32) if same else noise((seed, 3), 32)
    if seed == 0:
        blob[:] = -32768
    wanted = [clip(rsh(x * blob[i % 16].item() + y * blob[i % 16 + 16].item(), 14))
              for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True))]
    assert called(lib.add_int16_tensor, a.size, a, b, blob=blob).tolist() == wanted


@pytest.mark.parametrize("shift", [1, 2, 15, 27, 31, 32])
@pytest.mark.parametrize("scale", [-32768, -3, 16384, 32767])
def test_products(scale, shift):
    a, b   = operands(shift)
    blob   = np.array([scale, shift], np.int16)
    wanted = [clip(rsh(x * y * scale, shift)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert called(lib.multiply_int16_tensor, a.size, a, b, blob=blob).tolist() == wanted


@pytest.mark.parametrize("seed", range(4))
def test_other_scales(seed):
    x, blob = operands(seed)[0], noise((seed, 1), 16)
    blob[:3] = -32768, 32767, 0
    wanted   = [clip(rsh((value << 16) + 2 * value * blob[i % 16].item(), 16))
                for i, value in enumerate(x.tolist())]
    assert called(lib.requantize_int16_tensor, x.size, x, blob=blob).tolist() == wanted


def test_factors_of_sums_and_products_and_other_scales():
    for seed in range(50):
        a, b, out = (F32(2.0 ** power) for power in random_of(seed).uniform(-12, 0, 3))
        sums, product, other = np.zeros(32, np.int16), np.zeros(2, np.int16), np.zeros(16, np.int16)

        ratios = [F32(each / out) for each in (a, -b)]
        wanted = [away(float(ratio) * 2 ** 14) for ratio in ratios]
        fits   = all(-32768 <= value <= 32767 for value in wanted)
        assert lib.add_int16_tensor_blob(sums, a, -b, out, None) == fits
        assert sums.tolist() == (16 * wanted[:1] + 16 * wanted[1:] if fits else [0] * 32)

        ratio = float(F32(F32(a * b) / out))
        shift = floor(log2(F32(32768) / F32(ratio)))
        assert lib.multiply_int16_tensor_blob(product, a, b, out, None) == 1
        assert product.tolist() == [int(ratio * 2 ** shift), shift]
        assert 16384 <= product[0]

        factor = away(float(F32(F32(a / out) - F32(1))) * 2 ** 15)
        fits   = factor <= 32767
        assert lib.requantize_int16_tensor_blob(other, a, out, None) == fits
        assert other.tolist() == [factor * fits] * 16


@pytest.mark.parametrize(("call", "text"), [
    (lambda blob, text: lib.add_int16_tensor_blob(blob, 2, -0.5, 1, text),
     "Add FAIL! Input1 scaler is 2, input2 scaler is -0.5, and output scaler is 1"),
    (lambda blob, text: lib.multiply_int16_tensor_blob(blob, 0.5, 0.25, 1, text),
     "Mul FAIL! Input1 scaler is 0.5, input2 scaler is 0.25, and output scaler is 1"),
    (lambda blob, text: lib.requantize_int16_tensor_blob(blob, 2, 1, text),
     "Requantize FAIL! Input scaler is 2 and output scaler is 1"),
    (lambda blob, text: lib.dequantize_int16_tensor_blob(blob, 3e38, text),
     "Dequantize FAIL! Input scaler is 3e+38")])
def test_scales_without_factors(call, text):
    message, blob = np.zeros(128, np.uint8), np.zeros(32, np.int16)
    assert call(blob, message) == 0
    assert bytes(message).rstrip(b"\0").decode() == text


@pytest.mark.parametrize("scale", [0.00004051757812, 1.0, 3e-7])
def test_floats_and_back(scale):
    blob = np.zeros(1, F32)
    assert lib.quantize_int16_tensor_blob(blob, scale) == 1
    assert blob[0] == F32(1) / F32(F32(scale) * F32(2 ** 23))
    halves = (np.arange(-40, 41) / 2).astype(F32) * F32(scale)
    x = np.concatenate([halves, F32([3e38, -3e38, np.inf, -np.inf, 0.0])])
    wanted = []
    for value in (x * blob[0]).tolist():
        wanted.append(clip(floor(Fraction(value) * 2 ** 23 + Fraction(1, 2)))
                      if abs(value) < 1e9 else 32767 if value > 0 else -32768)
    assert called(lib.quantize_int16_tensor, x.size, x, blob=blob).tolist() == wanted

    back = np.zeros(2, F32)
    assert lib.dequantize_int16_tensor_blob(back, scale, None) == 1
    assert back.tolist() == [float(F32(scale) * F32(2 ** 22)), -(2 + 1 / 128)]
    y = np.concatenate([ENDS, noise(5, 50)])
    wanted = [float(F32(float(back[0]) * value / 2 ** 22)) for value in y.tolist()]
    for memory in (back, back.view(np.uint8)):
        assert called(lib.dequantize_int16_tensor, y.size, y, blob=memory,
                      kind=F32).tolist() == wanted


def test_wider_elements_and_curves():
    x, wide = np.arange(-128, 128, dtype=np.int8), np.zeros(256, np.int16)
    lib.expand_8_to_16(wide, x, 256)
    assert wide.tolist() == x.tolist()

    coeffs = random_of(6).integers(0, 256, (128, 8)).astype(np.uint8)
    inputs, outputs = np.concatenate([ENDS, noise(7, 999)]), np.zeros(1006, np.int16)
    lib.quadratic_interpolation_128(outputs, inputs, coeffs, inputs.size)
    for value, result in zip(inputs.tolist(), outputs.tolist(), strict=True):
        row   = bytes(coeffs[(value + 32768) // 512])
        place = (value + 32768) % 512 - 256
        c, a, b = (int.from_bytes(row[start:end], "little", signed=True)
                   for start, end in ((0, 4), (4, 5), (6, 8)))
        assert result == clip((c + 256 * b * place + a * place ** 2) >> 16)


def test_sums_of_windows_of_int16_and_their_outputs():
    rng    = random_of(8)
    image  = rng.integers(-999, 999, (4, 5, 32)).astype(np.int16)
    kernel = rng.integers(-999, 999, (32, 2, 3, 32)).astype(np.int16)
    params = lib.mat_mul_direct_params_t(2 * 16 * 6 * 32, 1, 2, 1, 0, 2 * 2 * 32)
    packed = np.concatenate([kernel[first:first + 16][::-1].reshape(16, 12, 16).swapaxes(0, 1)
                             .reshape(-1) for first in (0, 16)])
    factors, biases = rng.uniform(-2, 2, 20).astype(F32), rng.integers(-1 << 31, 1 << 31, 20)
    biases  = biases.astype(np.int32)
    mul_add = np.zeros(64, np.int32)
    lib.output_transform_fn_int16_kernel_transform(None, factors, biases, None, mul_add, 32, 20)
    for channel in range(20):
        start = channel // 16 * 32
        add, mul, row = (getattr(lib, name)[channel % 16] for name in (
            "ot_int16_add_index_used_for_output", "ot_int16_mul_index_used_for_output",
            "aggr_ot_int16_input_channel_used_for_output"))
        assert mul_add[start + add] == biases[channel]
        assert mul_add[start + mul] == away(float(factors[channel]) * 2 ** 30)
        assert row == 15 - channel % 16

    for group, count in ((0, 16), (1, 4)):
        ring, y = lib.VPURingBuffer(), np.full(17, 77, np.int16)
        lib.mat_mul_direct_int16(params, ring, image, group, packed)
        sums = (kernel[16 * group:][:16].astype(int) * image[:2, :3]).sum((1, 2, 3)).tolist()
        assert ((ring.vD.astype(int) << 16) + ring.vR.view(np.uint16)).tolist() == sums

        wanted = [clip(rsh(sat(value + biases[16 * group + lane].item(), 32)
                           * away(float(factors[16 * group + lane]) * 2 ** 30), 30))
                  for lane, value in enumerate(sums[:count])]
        memory = np.concatenate([ring.vR, ring.vD])
        for accumulators in (ring, memory):
            behind = lib.output_transform_fn_int16(lib.otfn_int16_params_t(20), y, accumulators,
                                                   group, mul_add)
            assert y.tolist() == wanted + [77] * (17 - count)
            assert behind.size == 17 - count


def test_sums_channel_by_channel_of_int16():
    rng    = random_of(9)
    image  = rng.integers(-32768, 32768, (5, 6, 16)).astype(np.int16)
    kernel = rng.integers(-300, 300, (2, 3, 32)).astype(np.int16)
    params = lib.mat_mul_dw_direct_params_t(2 * 3 * 32, 1, 2, 32, 6 * 32 - 3 * 32)
    packed = np.concatenate([kernel[..., :16].reshape(-1), kernel[..., 16:].reshape(-1)])
    for group in (0, 1):
        ring = lib.VPURingBuffer()
        lib.mat_mul_dw_direct_int16(params, ring, image, group, packed)
        sums = (image[:2, :3].astype(int) * kernel[..., 16 * group:][..., :16]).sum((0, 1))
        assert ((ring.vD.astype(int) << 16) + ring.vR.view(np.uint16)).tolist() == sums.tolist()


def test_outputs_of_large_accumulators_saturate():
    mul_add = np.repeat(np.array([2 ** 31 - 1, 1 << 30] * 2, np.int32), 8)
    for high, wanted in ((32767, 32767), (-32768, -1)):
        y = np.zeros(16, np.int16)
        ring = lib.VPURingBuffer(vD=np.full(16, high, np.int16))
        lib.output_transform_fn_int16(lib.otfn_int16_params_t(), y, ring, 0, mul_add)
        assert y.tolist() == [wanted] * 16


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 31, 64, 200])
def test_signs(count, jobs):
    parts = [lib.nn_bsign_8_job_t() for _ in range(jobs)]
    zeros = np.zeros(32, np.int8)
    x     = random_of(count).integers(-128, 128, count).astype(np.int8)
    y     = np.full(-(-count // 32) + 1, 0xAAAAAAAA, np.uint32)

    lib.bsign_8_prepare(parts, zeros, count, -5, jobs)
    for job in parts:
        lib.bsign_8(y, x, zeros, job)

    assert zeros.tolist() == [-5] * 32
    assert sum(job.length for job in parts) == count
    words = [sum((value < -5) << place for place, value in enumerate(x[first:first + 32].tolist()))
             for first in range(0, count, 32)]
    assert y.tolist() == [*words, 0xAAAAAAAA]


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("count", [0, 5, 16, 50])
def test_sums_of_int8_with_vectors_of_parameters(count, same):
    rng    = random_of((count, same))
    params = lib.nn_add_vectors_t(*(rng.integers(low, high, 16).astype(np.int16) for low, high in (
        (-32768, 32768), (-32768, 32768), (12, 18), (-20, 20), (-32768, 32768))))
    if same:
        for name, values in vars(params).items():
            setattr(params, name, np.resize(values[:1], 16))
    a, b = (rng.integers(-128, 128, 60).astype(np.int8) for _ in range(2))
    wanted = np.full(60, 99, np.int8)
    for place in range(count):
        k    = place % 16
        bias = (params.bias_hi[k].item() << 16) + (params.bias_lo[k].item() & 0xFFFF)
        total = (bias + a[place + 7].item() * params.m1[k].item()
                 + b[place + 7].item() * params.m2[k].item())
        wanted[place + 7] = max(-128, min(rsh(total, params.shift[k].item()), 127))
    with MachineDevice(TINY) as device:
        for library in (lib.LibNn(), on_device(device, lib.LibNn)):
            y = np.full(60, 99, np.int8)
            library.add_elementwise(y, a, b, params, 7, count)
            np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: lib.multiply_int16_tensor(ENDS.copy(), ENDS, ENDS, 7, np.array([5, 33], np.int16)),
     "multiply_int16_tensor: shift must be between 1 and 32, not 33"),
    (lambda: lib.quantize_int16_tensor(np.zeros(2, np.int16), F32([0, np.nan]), 2, F32([1])),
     "quantize_int16_tensor: Scaled elements must be numbers, but element 1 is nan"),
    (lambda: lib.multiply_int16_tensor_blob(np.zeros(2, np.int16), 1e-30, 1e-30, 1, None),
     "multiply_int16_tensor_blob: Ratio of scales must be a finite number above 0, not 0"),
    (lambda: lib.output_transform_fn_int16_kernel_transform(
        None, F32([2]), np.zeros(1, np.int32), None, np.zeros(32, np.int32), 1, 1),
     ("output_transform_fn_int16_kernel_transform: channel_multipliers_in must lie from -2 to less "
      "than 2")),
    (lambda: lib.bsign_8_prepare([], np.zeros(32, np.int8), 5, 0, 1),
     "bsign_8_prepare: jobs must have 1 structures, not 0"),
    (lambda: lib.add_int16_tensor(ENDS.copy(), ENDS, ENDS, 7, np.zeros(31, np.int16)),
     "add_int16_tensor: blob must have 64 bytes, not 62")])
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call()
