# SPDX-License-Identifier: Apache-2.0
"""The functions of lib_nn by their names: parts of outputs, layouts, and memory in place."""

import numpy as np
import pytest

from tests.support.calls.lib_nn import ring_of
from tests.support.calls.xs3 import make_int8
from tests.support.seed import random_of
from xymac.golden.api.xs3 import functions as lib


def bso_of(rng, channels):
    """A BSO whose outputs differ, as the library lays it out; padding that would be refused."""
    bso = np.full((-(-channels // 16), 7, 16), 0xFFFF, np.uint16)
    lib.nn_standard_BSO_layout(
        bso, rng.integers(-50000, 50000, channels, np.int32),
        *(rng.integers(low, high, channels).astype(np.int16) for low, high in (
            (6, 8), (100, 300), (1, 9), (-99, 99), (12, 14))), None, channels)
    return bso


def whole_and_parts(name, image_x, image_y, call, parts, dtype=np.int8):
    """Output of one call, and that of several calls that each compute a part."""
    whole, pieces = (np.full(image_y, 99, dtype) for _ in range(2))
    call(lib.function(name), whole)
    for part in parts:
        call(lib.function(f"{name}_ext"), pieces, *part)
    np.testing.assert_array_equal(whole, pieces, f"{name} {image_x}")
    assert len(np.unique(whole)) > 40


def jobs(image, rows, columns, channels, flags=0):
    """Parts of an image, cut at one row, one column and one channel."""
    for row, height in ((0, rows), (rows, image[0] - rows)):
        for column, width in ((0, columns), (columns, image[1] - columns)):
            for channel, depth in ((0, channels), (channels, image[2] - channels)):
                yield lib.nn_window_op_job_params_t(
                    lib.nn_image_vect_t(row, column, channel),
                    lib.nn_image_vect_t(height, width, depth)), flags


WINDOW = lib.nn_window_params_t(lib.nn_window_shape_t(3, 2), lib.nn_window_start_t(-1, -1),
                                lib.nn_window_step_t(2, 1))
INSIDE = lib.nn_window_params_t(lib.nn_window_shape_t(3, 2), lib.nn_window_start_t(0, 1),
                                lib.nn_window_step_t(2, 1))


def shape_of_weights(name, inputs, outputs):
    return {"conv2d_deep": (outputs, 3, 2, inputs), "conv2d_depthwise": (3, 2, outputs),
            "conv2d_shallowin": (outputs, 3, 32 // inputs, inputs)}[name]


@pytest.mark.parametrize(("name", "inputs"), [("conv2d_deep", 36), ("conv2d_shallowin", 8),
                                              ("conv2d_depthwise", 40)])
@pytest.mark.parametrize("sliced", [False, True])
def test_parts_of_a_convolution_make_the_whole(name, inputs, sliced):
    rng = random_of(1)
    x, y = (7, 6, inputs), (4, 5, 40)
    image, weights = (make_int8(rng, shape, False)
                      for shape in (x, shape_of_weights(name, inputs, 40)))
    if name == "conv2d_shallowin":
        weights[:, :, 2:] = 0
    bso = bso_of(rng, 40)

    def call(function, out, job=None, flags=0):
        k, blocks = weights, bso
        if flags:
            first, count = job.start.channels, job.size.channels
            blocks = bso[first // 16:]
            k = (weights[..., first:first + count] if name == "conv2d_depthwise"
                 else weights[first:first + count])
        more = () if job is None else (job, flags)
        function(out, image, np.ascontiguousarray(k), blocks, 7, lib.nn_image_params_t(*x),
                 lib.nn_image_params_t(*y), WINDOW, *more)

    whole_and_parts(name, x, y, call, jobs(y, 1, 2, 16, int(sliced)))


@pytest.mark.parametrize("name", ["maxpool2d", "avgpool2d"])
def test_parts_of_a_pool_make_the_whole(name):
    x, y  = (7, 6, 40), (3, 4, 40)
    image = make_int8(random_of(2), x, False)

    def call(function, out, *more):
        function(out, image, lib.nn_image_params_t(*x), lib.nn_image_params_t(*y), INSIDE, *more)

    whole_and_parts(name, x, y, call, jobs(y, 1, 2, 12))


@pytest.mark.parametrize("sliced", [False, True])
def test_parts_of_a_product_with_pixels_make_the_whole(sliced):
    rng = random_of(3)
    x, y = (3, 5, 12), (3, 5, 24)
    image, weights = make_int8(rng, x, False), make_int8(rng, (24, 12), False)
    bso = bso_of(rng, 24)

    def call(function, out, job=None, flags=0):
        first = job.start.channels if flags else 0
        function(out, image, weights[first:], bso[first // 16:],
                 lib.nn_image_params_t(*x), lib.nn_image_params_t(*y),
                 *(() if job is None else (job, flags)))

    parts = [(lib.nn_conv2d_1x1_job_params_t(
        lib.nn_image_vect_t(row, column, channel), lib.nn_conv2d_1x1_size_t(pixels, depth)),
        int(sliced)) for row, column, pixels in ((0, 0, 4), (0, 4, 7), (2, 1, 4))
        for channel, depth in ((0, 16), (16, 8))]
    whole_and_parts("conv2d_1x1", x, y, call, parts)


def test_parts_of_vectors_make_the_whole():
    rng   = random_of(4)
    x     = rng.integers(-128, 128, (5, 7, 24), np.int8)
    table = rng.integers(0, 256, 256, np.uint8)
    whole, parts = np.zeros((2, 24), np.int8)
    size = lib.nn_image_params_t(5, 7, 24)

    lib.avgpool2d_global(whole, x, 5, 77, 10, size)
    for start, count in ((0, 8), (8, 0), (8, 16)):
        lib.avgpool2d_global_ext(parts, x, 5, 77, 10, size, start, count, 0)
    np.testing.assert_array_equal(whole, parts)

    bytes_ = x.reshape(-1).view(np.uint8)
    whole, parts = np.zeros((2, 840), np.uint8)
    lib.lookup8(whole, bytes_, table, 0, 840)
    for start, count in ((3, 400), (403, 437), (0, 3)):
        lib.lookup8(parts, bytes_, table, start, count)
    np.testing.assert_array_equal(whole, parts)
    np.testing.assert_array_equal(whole, table[bytes_])

    weights = rng.integers(-128, 128, (40, 60), np.int8)
    bso     = bso_of(rng, 40)
    for bits, dtype in ((8, np.int8), (16, np.int16)):
        dense = lib.function(f"fully_connected_{bits}")
        whole, parts = np.zeros((2, 40), dtype)
        dense(whole, weights, x, bso, 60, 0, 40)
        for start, count in ((16, 16), (0, 16), (32, 8)):
            dense(parts, weights, x, bso, 60, start, count)
        np.testing.assert_array_equal(whole, parts)


def test_groups_of_an_output_transform_are_written_one_after_the_other():
    rng  = random_of(5)
    acc  = rng.integers(-1 << 20, 1 << 20, 24, np.int32)
    mult = rng.integers(-1 << 15, 1 << 15, 24).astype(np.int16)
    bias = rng.integers(-1 << 12, 1 << 12, 24).astype(np.int16)
    packed = np.concatenate([mult[:16], bias[:16], mult[16:], bias[16:]])
    params = lib.otfn_int8_params_t(24, 6, 1)
    out, single = np.full(26, 55, np.int8), np.full(24, 55, np.int8)
    rest = out
    for group in range(2):
        part = np.zeros(16, np.int32)
        part[:len(acc[16 * group:16 * group + 16])] = acc[16 * group:16 * group + 16]
        rest = lib.otfn_int8(params, rest, ring_of(part), group, packed)
    for channel in range(24):
        value = np.zeros(16, np.int32)
        value[0] = acc[channel]
        lib.otfn_int8(lib.otfn_int8_params_t(1, 6, 1), single[channel:], ring_of(value), 0,
                      np.array([mult[channel], bias[channel]]))

    assert rest.size == 2
    np.testing.assert_array_equal(out, [*single, 55, 55])


def test_output_over_input_is_as_if_they_were_apart():
    rng   = random_of(8)
    x     = rng.integers(0, 256, 100, np.uint8)
    table = rng.integers(0, 256, 256, np.uint8)
    apart = np.zeros(100, np.uint8)
    lib.lookup8(apart, x, table, 0, 100)
    lib.lookup8(x, x, table, 0, 100)
    np.testing.assert_array_equal(x, apart)

    words = rng.integers(-1 << 15, 1 << 15, 64).astype(np.int16)
    apart = np.zeros(64, np.int8)
    lib.requantize_16_to_8(apart, words, 0, 64)
    lib.requantize_16_to_8(words, words, 0, 64)
    np.testing.assert_array_equal(words.view(np.int8)[:64], apart)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 20, 32])
def test_a_bso_is_laid_out(count):
    rng = random_of(6)
    bias = rng.integers(-1 << 31, 1 << 31, count, np.int32)
    rows = rng.integers(-1 << 15, 1 << 15, (5, count)).astype(np.int16)
    bso  = np.full((-(-count // 16), 7, 16), 0x5A5A, np.uint16)

    lib.nn_standard_BSO_layout(bso, bias, *rows, None, count)

    for channel in range(count):
        high, low, *rest = bso[channel // 16, :, channel % 16].view(np.int16).tolist()
        assert (high << 16) + (low & 0xFFFF) == bias[channel]
        assert rest == rows[:, channel].tolist()
    rest = bso.transpose(0, 2, 1).reshape(-1, 7)[count:]
    assert (rest == 0x5A5A).all()


@pytest.mark.parametrize("call", [
    lambda y, x: lib.argmax_16(y, x, 0), lambda y, x: lib.argmax_16(y, x, -3),
    lambda y, x: lib.lookup8(y, x, x, 4, 0), lambda y, x: lib.requantize_16_to_8(y, x, 0, 0),
    lambda y, x: lib.fully_connected_8(y, x, x, x, 4, 0, 0),
    lambda y, x: lib.fc_deepin_shallowout_16(x, x, x, y, 0, 32, x, x)])
def test_no_elements_leave_the_output_as_it_was(call):
    y, x = np.full(8, 7, np.int32), np.zeros(8, np.uint8)

    assert call(y, x) is None
    assert (y == 7).all()
