# SPDX-License-Identifier: Apache-2.0
"""Names of the functions of MLI 2.0, specialisations, debug modes, and ways to call."""

from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from tests.support.calls.mli2 import CHECKED, OK, PATTERN, fx, sa
from tests.support.calls.mli2_built import legal
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.api.mli2 import functions as mli
from xymac.golden.api.mli2.configs import (
    mli_conv2d_cfg,
    mli_fully_connected_cfg,
    mli_pool_cfg,
    mli_prelu_cfg,
    mli_relu_cfg,
    mli_status,
)
from xymac.golden.api.mli2.functions import Mli, debug_mode, function
from xymac.golden.api.mli2.memory import read, to_tensor
from xymac.golden.api.mli2.names import HELPERS, LUTS, MOVES, PRIMITIVES, parse
from xymac.golden.api.mli2.types import mli_tensor
from xymac.golden.mli2 import Affine, Build, Conv2d, FullyConnected, QuantTensor

NAMES = [line for line in (Path(__file__).with_name("names.txt")).read_text().splitlines()
         if not line.startswith("#")]
LIBRARY = CHECKED[Build.UP_FULL]
CELL    = "in_, prev_out, weights_in, weights_out, bias, tanh_lut, sigm_lut"


def test_all_names_are_there():
    assert len(NAMES) == len(set(NAMES)) == 148
    assert {parse(name).primitive for name in NAMES} == {*PRIMITIVES, *HELPERS, *LUTS, *MOVES}
    assert all(parse(name).exists and getattr(mli, name).__name__ == name for name in NAMES)


@pytest.mark.parametrize(("name", "arguments"), [
    ("mli_krn_conv2d_hwcn_fx16", "in_, weights, bias, cfg, out"),
    ("mli_krn_rnn_dense_fx16", "inputs, weights, bias, cfg, out"),
    ("mli_krn_lstm_cell_sa8_sa8_sa32", f"{CELL}, cfg, cell, out"),
    ("mli_krn_gru_cell_fx16", f"{CELL}, cfg, out, *, documented=False"),
    ("mli_krn_l2_normalize_sa8", "in_, epsilon, lut, cfg, out"),
    ("mli_krn_prelu_fx8", "in_, slope_coeff, cfg, out"), ("mli_krn_sigm_sa8", "in_, lut, out"),
    ("mli_krn_softmax_fx16", "in_, lut, cfg, out"), ("mli_krn_tanh_get_lut_size", "")])
def test_arguments_have_the_order_of_the_documents(name, arguments):
    assert str(signature(function(name))) == f"({arguments})"


@pytest.mark.parametrize(("name", "reason"), [
    ("mli_krn_conv2d_chw_fx16", "it must be mli_krn_"), ("mli_hlp_free", "it must be mli_krn_"),
    ("mli_krn_conv2d_hwcn_fx8w16d", "it must be mli_krn_"),
    ("mli_krn_conv2d_hwc_fx16", "layout of conv2d must be hwcn, not hwc"),
    ("mli_krn_maxpool_hwcn_fx16", "layout of maxpool must be hwc, not hwcn"),
    ("mli_krn_conv2d_hwcn_fx8", "data type of conv2d must be one of fx16, fx16_fx8_fx8, sa8_sa8_s"),
    ("mli_krn_softmax_fx8", "data type of softmax must be one of fx16, sa8, not fx8"),
    ("mli_krn_conv2d_hwcn_sa8_sa8_sa32_ext_bias", "data type of conv2d must be one of"),
    ("mli_krn_relu_sa8_k3x3", "relu has no specialisation"),
    ("mli_krn_conv2d_hwcn_fx16_k0x3", "_k0x3 is no part of a specialisation"),
    ("mli_krn_relu_create_lut", "it must be mli_krn_")])
def test_names_that_cannot_be_spelled(name, reason):
    for look_up in (function, lambda text: getattr(mli, text), LIBRARY.function):
        with pytest.raises(AttributeError, match=f"{name} is not a function of MLI .*{reason}"):
            look_up(name)


def image(channels=3, dtype=np.int16):
    rng = random_of(3)
    return mli_tensor(rng.integers(-99, 99, (6, 7, channels), dtype), el_params=fx(7))


def convolution(kernel=(3, 3), **fields):
    """Arguments of a convolution with a kernel, and what it gives."""
    rng     = random_of(4)
    weights = mli_tensor(rng.integers(-99, 99, (*kernel, 3, 4), np.int16), el_params=fx(7))
    bias    = mli_tensor(rng.integers(-99, 99, 4, np.int16), el_params=fx(7))
    args    = (image(), weights, bias, mli_conv2d_cfg(**fields), mli_tensor(
        np.full(999, PATTERN, np.int16), el_params=fx(7)))
    layer   = Conv2d(*map(to_tensor, args[1:3]), to_tensor(args[0]).format, build=Build.UP_FULL,
                     stride=(args[3].stride_height, args[3].stride_width),
                     pad=(args[3].padding_top, args[3].padding_bottom, args[3].padding_left,
                          args[3].padding_right))
    values = golden.run(layer, to_tensor(args[0])).output.data
    args[-1].shape, args[-1].rank = values.shape, 3
    return args, values


@pytest.mark.parametrize(("spec", "fields"), [
    ("k3x3", {}), ("k3x3_nopad", {}), ("nopad_k3xn_ch3", {}), ("str1", {}), ("generic", {}),
    ("k3x3_krnpad", {"padding_top": 1, "padding_bottom": 1, "padding_left": 1,
                     "padding_right": 1}),
    ("strh2_strw1", {"stride_height": 2})])
def test_specialisations_run(spec, fields):
    args, expected = convolution(**fields)

    assert LIBRARY.function(f"mli_krn_conv2d_hwcn_fx16_{spec}")(*args) is OK

    np.testing.assert_array_equal(read(args[-1]), expected)
    assert set(args[-1].data.mem.pi16[expected.size:]) == {PATTERN}


@pytest.mark.parametrize("spec", ["k5x5", "krnpad", "ch4", "str2", "knx2"])
def test_broken_promises_of_a_name(spec):
    args, _ = convolution()
    status  = LIBRARY.function(f"mli_krn_conv2d_hwcn_fx16_{spec}")(*args)
    assert status is mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH


def test_pooling_keeps_what_its_name_promises():
    cfg = mli_pool_cfg(kernel_width=2, kernel_height=2)
    out = mli_tensor(np.zeros((5, 6, 3), np.int16))
    assert LIBRARY.mli_krn_maxpool_hwc_fx16_k2x2(image(), cfg, out) is OK
    assert LIBRARY.mli_krn_maxpool_hwc_fx16_k3x3(image(), cfg, out) is (
        mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH)


@pytest.mark.parametrize("build", list(Build))
def test_extended_bias_is_that_without_the_products_of_the_zero_point(build):
    rng  = random_of(5)
    x    = mli_tensor(rng.integers(-128, 128, 12, np.int8), el_params=sa(-9, 16384, 14))
    w    = mli_tensor(rng.integers(-128, 128, (12, 5), np.int8), el_params=sa(0, 16384, 18))
    bias = mli_tensor(rng.integers(-2 ** 14, 2 ** 14, 5).astype(np.int32),
                      el_params=sa(0, 16384, 18))
    out  = mli_tensor(np.zeros(5, np.int8), el_params=sa(4, 20000, 15))

    assert CHECKED[build].mli_krn_fully_connected_sa8_sa8_sa32_ext_bias(
        x, w, bias, mli_fully_connected_cfg(), out) is OK

    centred = QuantTensor(read(x), to_tensor(x).element, Affine(0, 16384, 14))
    layer   = FullyConnected(to_tensor(w), to_tensor(bias), Affine(4, 20000, 15), build=build)
    np.testing.assert_array_equal(read(out), golden.run(layer, centred).output.data)
    if not build.reduced:
        plain = mli_tensor(read(bias) + np.int32(-9) * read(w).astype(np.int32).sum(
            axis=0, dtype=np.int32), el_params=bias.el_params)
        other = mli_tensor(np.zeros(5, np.int8), el_params=out.el_params)
        assert CHECKED[build].mli_krn_fully_connected_sa8_sa8_sa32(
            x, w, plain, mli_fully_connected_cfg(), other) is OK
        np.testing.assert_array_equal(read(other), read(out))


def test_a_range_of_channels_is_input_and_output_of_one_buffer():
    """Two functions fill the channels of one buffer between and behind others."""
    buffer = np.full((6, 7, 9), PATTERN, np.int16)
    x      = image()
    buffer[..., 2:5] = read(x)
    before = buffer.copy()
    inside, outside = (mli_tensor(buffer[..., part], el_params=fx(7))
                       for part in (slice(2, 5), slice(6, 9)))

    assert LIBRARY.mli_krn_relu_fx16(inside, mli_relu_cfg(1), outside) is OK
    assert LIBRARY.mli_krn_relu_fx16(inside, mli_relu_cfg(2), inside) is OK

    np.testing.assert_array_equal(buffer[..., 6:], np.maximum(before[..., 2:5], 0))
    np.testing.assert_array_equal(buffer[..., 2:5], np.clip(before[..., 2:5], -128, 128))
    buffer[..., 2:5] = buffer[..., 6:] = PATTERN
    assert set(buffer.reshape(-1)) == {PATTERN}
    late = mli_tensor(buffer[..., 3:6], el_params=fx(7))
    assert LIBRARY.mli_krn_relu_fx16(inside, mli_relu_cfg(1), late) is (
        mli_status.MLI_STATUS_BAD_TENSOR)


@pytest.mark.parametrize("many", [False, True])
def test_slopes_may_be_scalars_or_one_a_channel(many):
    x, out = image(), mli_tensor(np.zeros((6, 7, 3), np.int16), el_params=fx(7))
    slopes = (mli_tensor(np.array([[[8, 16, -8]]], np.int16), el_params=fx(4)) if many else
              mli_tensor(8, el_params=fx(4)))

    assert LIBRARY.mli_krn_prelu_fx16(x, slopes, mli_prelu_cfg(2 if many else -1), out) is OK

    factor = np.array([8, 16, -8] if many else [8])
    below  = np.minimum(read(x), 0).astype(int) * factor + 8 >> 4
    np.testing.assert_array_equal(read(out), np.maximum(read(x), 0) + below)
    if not many:
        again = mli_tensor(np.zeros((6, 7, 3), np.int16), el_params=fx(7))
        assert LIBRARY.mli_krn_leaky_relu_fx16(x, slopes, again) is OK
        np.testing.assert_array_equal(read(again), read(out))


@pytest.mark.parametrize("name", ["mli_krn_leaky_relu_fx16", "mli_krn_prelu_fx16"])
@pytest.mark.parametrize(("bits", "below"), [((100, 50, 0), 0), ((100, 100, -100), 0),
                                             ((0, -100, 50), -32768), ((-128, -128, 127), -32768)])
def test_slopes_whose_products_move_further_than_formats_go(name, bits, below):
    """Fractional bits of input and slope less those of the output: from -383 to 382."""
    x, out = (mli_tensor(np.array(data, np.int16), el_params=fx(count))
              for data, count in (([-700, 0, 900], bits[0]), ([5, 5, 5], bits[2])))
    config = [mli_prelu_cfg(-1)] if "prelu" in name else []

    assert LIBRARY.function(name)(x, mli_tensor(9, el_params=fx(bits[1])), *config, out) is OK
    assert read(out).tolist() == [below, 0, 900]


@pytest.mark.parametrize("swap", [False, True])
def test_eltwise_broadcasts_a_value(swap):
    x, out = image(), mli_tensor(np.zeros((6, 7, 3), np.int16), el_params=fx(7))
    pair   = (mli_tensor(-9, el_params=fx(7)), x)[::-1 if swap else 1]

    assert LIBRARY.mli_krn_eltwise_sub_fx16(*pair, out) is OK
    np.testing.assert_array_equal(read(out), read(x) + 9 if swap else -9 - read(x))


@pytest.mark.parametrize(("name", "argument"), [
    ("mli_krn_sigm_sa8", "in_"), ("mli_krn_leaky_relu_sa8", "in_"), ("mli_krn_prelu_fx16", "in_"),
    ("mli_krn_softmax_fx16", "in_"), ("mli_krn_l2_normalize_sa8", "in_"),
    ("mli_krn_eltwise_add_sa8", "in1"), ("mli_krn_eltwise_mul_fx16", "in2"),
    ("mli_krn_lstm_cell_fx16", "prev_out"), ("mli_krn_gru_cell_sa8_sa8_sa32", "prev_out")])
def test_out_may_lie_on_an_input(name, argument):
    apart, args = legal(name), legal(name)
    args["out"].data = args[argument].data

    assert LIBRARY.function(name)(**apart) is LIBRARY.function(name)(**args) is OK
    np.testing.assert_array_equal(read(args["out"]), read(apart["out"]))


@pytest.mark.parametrize(("argument", "name"), [("in_", "in"), ("out", "out")])
@pytest.mark.parametrize(("strides", "wrong"), [
    ((32, 8, 2), None), ((26, 7, 2), None), ((31, 9, 3), r"{} must not overlap; found \(True"),
    ((16, 4, 4), r"{} must not overlap; found \(True"), ((12, 3, 1), "less than the 4 of")])
def test_elements_must_not_overlap(argument, name, strides, wrong):
    """Of 4 x 4 x 4; the library refuses more: a stride below the next dimension times its own."""
    room = {key: mli_tensor(np.zeros(999, np.int16), mem_stride=(0,) * 4, shape=(4, 4, 4, 0),
                            rank=3) for key in ("in_", "out")}
    room[argument].mem_stride = (*strides, 0)
    args = room["in_"], mli_relu_cfg(1), room["out"]

    assert LIBRARY.mli_krn_relu_fx16(*args).name == (
        "MLI_STATUS_BAD_TENSOR" if wrong else "MLI_STATUS_OK")
    if wrong:
        with pytest.raises(AssertionError, match=wrong.format(name)):
            Mli(debug="DBG_MODE_ASSERT").mli_krn_relu_fx16(*args)


def test_permute_takes_the_scales_along():
    args = {"in_": mli_tensor(np.arange(6, dtype=np.int8).reshape(2, 3), el_params=sa(
        (1, 2, 3), (4, 5, 6), (7, 8, 9), 1)), "cfg": mli.mli_permute_cfg((1, 0)),
        "out": mli_tensor(np.zeros((3, 2), np.int8), el_params=sa())}

    assert LIBRARY.mli_krn_permute_sa8(**args) is OK
    assert to_tensor(args["out"]).format == Affine((1, 2, 3), (4, 5, 6), (7, 8, 9), 0)
    assert read(args["out"]).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_gru_as_documented_keeps_its_scale():
    name    = "mli_krn_gru_cell_sa8_sa8_sa32"
    outputs = []
    for documented in (False, True):
        args = legal(name)
        assert LIBRARY.function(name)(**args, documented=documented) is OK
        outputs.append(read(args["out"]).tolist())
    assert outputs[0] != outputs[1]


def test_release_mode_checks_nothing_first_but_stays_in_memory():
    args = legal("mli_krn_relu_fx16")
    assert mli.mli_krn_relu_fx16(**args) is OK
    args["out"].data.capacity = 0
    with pytest.raises(ValueError, match=r"^mli_krn_relu_fx16: out must have room for all byte"):
        mli.mli_krn_relu_fx16(**args)


def test_debug_modes():
    args = legal("mli_krn_relu_fx16") | {"in_": None}
    with debug_mode("DBG_MODE_RET_CODES"):
        assert mli.mli_krn_relu_fx16(**args) is mli_status.MLI_STATUS_BAD_TENSOR
    with debug_mode(2), pytest.raises(AssertionError, match="in must be a valid tensor"):
        mli.mli_krn_relu_fx16(**args)
    with pytest.raises(ValueError, match="in must be a valid tensor; found NoneType"):
        mli.mli_krn_relu_fx16(**args)
    with pytest.raises(ValueError, match=r"mode of MLI 2\.0 must be one of 0 DBG_MODE_RELEASE"):
        debug_mode(5)
    with pytest.raises(TypeError, match=r"build must be a Build, not str"):
        Mli(build="up-full")


def test_functions_run_where_they_are_told_to():
    seen = []

    def evaluate(layer, *inputs):
        seen.append(layer)
        return golden.run(layer, *inputs)

    args, expected = convolution()
    assert Mli(evaluate, Build.CONVERGENT_FULL).mli_krn_conv2d_hwcn_fx16(*args) is OK
    assert seen[0].build is Build.CONVERGENT_FULL
    assert read(args[-1]).shape == expected.shape


def test_module_has_no_other_attributes():
    with pytest.raises(AttributeError, match=r"xymac\.golden\.api\.mli2\.\w+ has no attribute"):
        _ = mli.other
    with pytest.raises(AttributeError, match="Mli has no attribute other"):
        _ = LIBRARY.other
