# SPDX-License-Identifier: Apache-2.0
"""Windows, ring buffers and outputs of the newer lib_nn against loops over single numbers."""

import numpy as np
import pytest

from tests.support.naive.xs3 import ashr, rsh, sat
from tests.support.seed import random_of
from xymac.golden.api.xs3 import functions as lib
from xymac.golden.xs3 import instructions


def sums_of(ring):
    """Accumulators of a ring buffer."""
    return ((ring.vD.astype(np.int64) << 16) + (ring.vR.view(np.uint16))).tolist()


def bits_of(memory):
    """1 and -1 for the bits of bytes: 0 stands for 1."""
    return 1 - 2 * np.unpackbits(memory.view(np.uint8)).astype(int)


def half_product(x, weights):
    """Half of the product of vectors of bits."""
    return int((bits_of(x) * bits_of(weights)).sum()) // 2


def product(x, weights):
    return int((x.astype(int) * weights.astype(int)).sum())


def generic_weights(kernel):
    """Weights [channels, bytes] as the library lays them out: by group and vector, last first."""
    parts = []
    for first in range(0, len(kernel), 16):
        group = kernel[first:first + 16][::-1]
        parts += [group[:, start:start + 32].reshape(-1)
                  for start in range(0, group.shape[1], 32)]
    return np.concatenate(parts)


@pytest.mark.parametrize("channels", [16, 20, 31, 33])
@pytest.mark.parametrize("count", [1, 4, 32, 40, 96])
def test_sums_of_a_gathered_window(channels, count):
    rng = random_of((channels, count))
    kernel, x = (rng.integers(-128, 128, shape).astype(np.int8)
                 for shape in ((channels, count), (count,)))
    window = np.concatenate([x, np.zeros(32, np.int8)])
    params = lib.mat_mul_generic_params_t(channels, count)
    for group in range(-(-channels // 16)):
        held = min(16, channels - 16 * group)
        ring = lib.VPURingBuffer()

        lib.mat_mul_generic_int8(params, ring, window, group, generic_weights(kernel))

        assert sums_of(ring)[:held] == [product(x, row) for row in kernel[16 * group:][:held]]


def test_sums_of_bits():
    rng = random_of(2)
    kernel, x = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((32, 64), (64,)))
    ring = lib.VPURingBuffer()

    lib.mat_mul_generic_binary(lib.mat_mul_generic_params_t(32, 64), ring, x, 1,
                               generic_weights(kernel))

    assert sums_of(ring) == [half_product(x, row) for row in kernel[16:]]


@pytest.mark.parametrize("name", ["mat_mul_direct_int8", "mat_mul_direct_binary"])
def test_sums_of_a_window_in_an_image(name):
    rng    = random_of(3)
    image  = rng.integers(-128, 128, (5, 6, 64)).astype(np.int8)
    kernel = rng.integers(-128, 128, (32, 2, 3, 64)).astype(np.int8)
    params = lib.mat_mul_direct_params_t(16 * 2 * 3 * 64, 1, 2, 1, 64 * 2 - 64,
                                         6 * 64 - 3 * 64 * 2)
    packed = np.concatenate([generic_weights(kernel[first:first + 16].reshape(16, -1))
                             for first in (0, 16)])
    one    = product if name.endswith("int8") else half_product
    for group in (0, 1):
        ring = lib.VPURingBuffer()

        lib.function(name)(params, ring, image, group, packed)

        window = image[:2, :6:2].reshape(-1)
        assert sums_of(ring) == [one(window, row.reshape(-1)) for row in kernel[16 * group:][:16]]


def test_sums_and_maxima_channel_by_channel():
    rng    = random_of(4)
    image  = rng.integers(-128, 128, (5, 6, 16)).astype(np.int8)
    kernel = rng.integers(-128, 128, (2, 3, 32)).astype(np.int8)
    params = lib.mat_mul_dw_direct_params_t(2 * 3 * 16, 1, 2, 16, 6 * 16 - 3 * 16)
    packed = np.concatenate([kernel[..., :16].reshape(-1), kernel[..., 16:].reshape(-1)])
    window = image[:2, :3].astype(int)
    for group in (0, 1):
        ring = lib.VPURingBuffer()
        lib.mat_mul_dw_direct(params, ring, image, group, packed)
        assert sums_of(ring) == (window * kernel[..., 16 * group:][..., :16]).sum((0, 1)).tolist()

    ring, y = lib.VPURingBuffer(), np.full(16, 99, np.int8)
    lib.maxpool_direct(params, ring, image)
    behind = lib.otfn_int8_maxpool(lib.otfn_int8_channelwise_params_t(28), y, ring, 1, None)
    assert y.tolist() == [*window.max((0, 1)).tolist()[:12], 99, 99, 99, 99]
    assert behind.size == 4


def test_sums_saturate_after_every_vector():
    low  = np.full(32, -128, np.int8)
    ring = lib.VPURingBuffer()
    size = 4200 * 32
    lib.mat_mul_generic_int8(lib.mat_mul_generic_params_t(1, size), ring, np.tile(low, 4200), 0,
                             np.tile(low, 4200))
    assert sums_of(ring)[0] == 2 ** 31 - 1


@pytest.mark.parametrize(("shift", "final"), [(0, 0), (3, 1), (-2, -1)])
def test_outputs_of_16_bit_sums(shift, final):
    rng  = random_of(5)
    sums = rng.integers(-32768, 32768, 16).astype(np.int16)
    rows = rng.integers(-32768, 32768, (3, 4)).astype(np.int16)
    y    = np.zeros(10, np.int8)
    values = np.concatenate([np.zeros(48, np.int16), rows.reshape(-1)])

    behind = lib.otfn_int8_clamped(lib.otfn_int8_clamped_params_t(20, shift, final), y,
                                   lib.VPURingBuffer(sums), 1, values)

    wanted = []
    for value, offset, scale, bias in zip(sums.tolist(), *rows.tolist(), strict=False):
        value = ashr(max(sat(value + offset, 16), 0), shift, 16)
        value = ashr(sat(sat(rsh(value * scale, 14), 16) + bias, 16), final, 16)
        wanted.append(max(-128, min(rsh(value, 8), 127)))
    assert y.tolist() == [*wanted, *[0] * 6]
    assert behind.size == 6


def test_outputs_of_bits():
    rng  = random_of(6)
    sums, limits = rng.integers(-99, 99, 16).astype(np.int16), rng.integers(-99, 99, 32)
    y = np.zeros(3, np.uint8)

    behind = lib.otfn_binary(None, y, lib.VPURingBuffer(sums), 1, limits.astype(np.int16))

    signs = (sums + limits[16:] < 0).tolist()
    assert int.from_bytes(y[:2], "little") == sum(bit << place for place, bit in enumerate(signs))
    assert (y[2], behind.size) == (0, 1)


def test_windows():
    rng   = random_of(7)
    image = rng.integers(-128, 128, (5, 6, 40)).astype(np.int8)
    point = lib.memcpyfn_deref(lib.memcpyfn_deref_params_t(2 * 240, 40), None, image, 1, 3, 8)
    np.testing.assert_array_equal(point, image.reshape(-1)[2 * 240 + 3 * 40 + 8:])

    scratch = np.full(2 * 3 * 8 + 40, 77, np.int8)
    padded  = lib.memcpyfn_imtocol_padded_params_t(
        2, 5, 3, 6, 40 * 2, 2, 240 - 3 * 40 * 2, 1, 8, -3, 240, 40, 1, 1, 2, 3)
    for row, column in ((0, 0), (1, 1), (2, 1)):
        assert lib.memcpyfn_imtocol_padded(padded, scratch, image, row, column, 16) is scratch
        whole = np.pad(image, ((1, 2), (1, 5), (0, 0)), constant_values=-3)
        part  = whole[2 * row:][:2, 3 * column:][:, :6:2, 16:24]
        assert scratch.tolist() == [*part.reshape(-1).tolist(), *[0] * 32, *[77] * 8]

    for size, groups, rewind, mask, channel in (
            (40, 1, 64 - 40 - 32, 0xFF, 0), (32, 0, 32 - 32 - 32, ~0, 0),
            (32, 0, 32 - 32 - 32, ~0, 8)):
        valid = lib.memcpyfn_imtocol_valid_params_t(
            240 * 2, 40 * 3, 1, 2, groups, rewind, 40 - 32 * (groups + 1), 240 - 3 * 40, mask, 0)
        scratch = np.full(6 * size + 40, 77, np.int8)
        lib.memcpyfn_imtocol_valid(valid, scratch, image, 1, 1, channel)
        part = image[2:4, 3:6, channel:channel + size]
        assert scratch.tolist() == [*part.reshape(-1).tolist(), *[0] * 32, *[77] * 8]
        valid.T_dontzero = 1
        scratch = np.full(6 * size, 77, np.int8)
        lib.memcpyfn_imtocol_valid(valid, scratch, image, 1, 1, channel)
        assert scratch.tolist() == part.reshape(-1).tolist()


def test_instructions_on_bits_and_signs():
    rng  = random_of(8)
    acc  = rng.integers(-1 << 20, 1 << 20, 16)
    a, b = (rng.integers(-128, 128, 32).astype(np.int8) for _ in range(2))
    assert instructions.vlmaccr1(acc, a, b).tolist() == [acc[15] + half_product(a, b),
                                                         *acc[:15].tolist()]
    full = np.full(16, 2 ** 31 - 1)
    assert instructions.vlmaccr1(full, a, a)[0] == 2 ** 31 - 1
    assert instructions.vlmaccr1(-full, a, ~a)[0] == -(2 ** 31 - 1)
    for bits in (8, 16, 32):
        values = rng.integers(-100, 100, 256 // bits)
        assert instructions.vpos(values, bits).tolist() == [max(value, 0) for value in values]
        assert instructions.vdepth1(values, bits) == sum(
            (value < 0) << place for place, value in enumerate(values.tolist()))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: lib.mat_mul_generic_int8(lib.mat_mul_generic_params_t(16, 32), lib.VPURingBuffer(),
                                      np.zeros(32, np.int8), 1, np.zeros(512, np.int8)),
     "mat_mul_generic_int8: Channels and bytes of each must be at least 1, not 0 and 32"),
    (lambda: lib.mat_mul_direct_int8(None, None, None, 0, None),
     "mat_mul_direct_int8: params must be of mat_mul_direct_params_t, not NoneType"),
    (lambda: lib.otfn_int8_clamped(lib.otfn_int8_clamped_params_t(16), np.zeros(16, np.int8),
                                   lib.VPURingBuffer(), 1, np.zeros(48, np.int16)),
     "otfn_int8_clamped: output_channel_group must be less than 1, not 1"),
    (lambda: lib.maxpool_direct(lib.mat_mul_dw_direct_params_t(), None, np.zeros(16, np.int8)),
     "maxpool_direct: A must be of VPURingBuffer, not NoneType"),
    (lambda: lib.memcpyfn_deref(lib.memcpyfn_deref_params_t(9, 1), None, np.zeros(16, np.int8), 2,
                                0, 0),
     "memcpyfn_deref: X must have the bytes from 18 on, not 16"),
    (lambda: lib.otfn_binary(None, np.zeros(2, np.int8), lib.VPURingBuffer(), 1,
                             np.zeros(16, np.int16)),
     "otfn_binary: thresholds must have 64 bytes, not 32")])
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call()
