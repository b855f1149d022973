"""Every documented function by its name, against the layer that it stands for."""

import logging
from pathlib import Path

import numpy as np
import pytest

import golden
from golden import Result, Tensor, mli, run
from golden.mli import Mli, debug_mode, function
from golden.mli_names import HELPERS, PRIMITIVES, Spec, parse
from golden.mli_types import mli_rnn_mode, mli_rnn_out_activation, mli_status, mli_tensor
from hdl.isa import RoundMode
from tests.mli_calls import IMAGE, arguments, buffer, expected, params, plain, tensor

NAMES   = [line for line in (Path(__file__).parent / "mli_names.txt").read_text().splitlines()
           if not line.startswith("#")]
NUMBERS = {"mli_hlp_count_elem_num": 30, "mli_hlp_tensor_element_size": 2}
OK      = mli_status.MLI_STATUS_OK
CHECKED = Mli(debug="DBG_MODE_RET_CODES")


def assert_holds(out, result):
    """Memory and fields of ``out`` are what ``result`` says."""
    data  = result.output.data
    bytes_ = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    np.testing.assert_array_equal(out.data.reshape(-1).view(np.uint8)[:bytes_.size], bytes_)
    assert (tuple(out.shape), out.rank) == (data.shape, data.ndim)
    assert out.el_type == {1: 0, 2: 1}[data.itemsize]
    assert out.el_params.fx.frac_bits == result.output.frac_bits


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NUMBERS
                                  and name != "mli_hlp_point_to_subtensor"])
def test_documented_name_runs_its_layer(name):
    kernel = {"kernel": (3, 3), "stride": (1, 1)} if "k3x3" in name else {}
    args   = arguments(name, np.random.default_rng(1), **kernel)
    result = expected(name, args)

    assert getattr(mli, name)(*args.values()) is OK
    assert_holds(args["out"], result)
    if result.cell is not None:
        assert plain(args["cell"]) == result.cell

    args = arguments(name, np.random.default_rng(1), **kernel)
    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


def test_all_names_are_there():
    assert len(NAMES) == len(set(NAMES)) == 74
    assert {parse(name).primitive for name in NAMES} == {
        *PRIMITIVES, *HELPERS}


def test_nothing_is_written_behind_the_output():
    args = arguments("mli_krn_relu_fx16", np.random.default_rng(2))

    mli.mli_krn_relu_fx16(*args.values())

    assert set(args["out"].data[2 * np.prod(IMAGE):]) == {77}


@pytest.mark.parametrize("mode", mli_rnn_mode)
@pytest.mark.parametrize("act", mli_rnn_out_activation)
@pytest.mark.parametrize("kind", ["lstm_cell", "basic_rnn_cell"])
def test_recurrent_cells_fill_the_output(kind, mode, act):
    args = arguments(f"mli_krn_{kind}_fx16", np.random.default_rng(3))
    args["cfg"].mode, args["cfg"].act = mode, act
    args["out"].el_params = params(15)
    if mode == mli_rnn_mode.RNN_ONE_TO_ONE:
        args["in_"].shape, args["in_"].rank = (2, 5), 2

    assert CHECKED.function(f"mli_krn_{kind}_fx16")(**args) is OK

    batch = mode == mli_rnn_mode.RNN_BATCH_TO_BATCH
    assert args["out"].shape == ((3, 6) if batch else (6,))
    assert args["out"].el_params.fx.frac_bits == 15


def test_stacked_weights_give_a_stacked_output():
    rng  = np.random.default_rng(4)
    args = arguments("mli_krn_basic_rnn_cell_fx16", rng) | {
        "in_": tensor(rng, (10,), 4, np.int16), "weights": tensor(rng, (2, 6, 16), 6, np.int16),
        "bias": tensor(rng, (2, 6), 7, np.int16)}
    args["cfg"].mode, args["cfg"].ir_tsr = mli_rnn_mode.RNN_ONE_TO_ONE, None

    assert CHECKED.mli_krn_basic_rnn_cell_fx16(*args.values()) is OK
    assert args["out"].shape == (2, 6)


@pytest.mark.parametrize("scalar", [mli_tensor(-9, el_type=1, el_params=params(4)),
                                    mli_tensor(np.array([-9], np.int16), el_params=params(4))])
@pytest.mark.parametrize("swap", [False, True])
def test_eltwise_broadcasts_a_scalar(scalar, swap):
    args  = arguments("mli_krn_eltwise_sub_fx16", np.random.default_rng(5))
    image = args["in1"]
    in1, in2 = (scalar, image) if swap else (image, scalar)

    assert CHECKED.mli_krn_eltwise_sub_fx16(in1, in2, args["out"]) is OK

    exact = image.data.astype(int) + 9
    assert_holds(args["out"], Result(
        Tensor(np.clip(-exact if swap else exact, -32768, 32767).astype(np.int16), 4), False))


def test_leaky_relu_takes_a_value_as_slope():
    args = arguments("mli_krn_leaky_relu_fx8", np.random.default_rng(6))
    args["slope_coeff"] = mli_tensor(16, el_type=0, el_params=params(6))
    args["in_"].data[:] = -64

    assert CHECKED.mli_krn_leaky_relu_fx8(*args.values()) is OK
    assert set(args["out"].data[:np.prod(IMAGE)]) == {-16}


@pytest.mark.parametrize("wide", [False, True])
def test_convert_tensor_takes_the_type_of_the_output(wide):
    args = arguments("mli_hlp_convert_tensor", np.random.default_rng(7))
    args["out"].el_type = int(wide)

    assert CHECKED.mli_hlp_convert_tensor(**args) is OK
    assert_holds(args["out"], run(golden.ConvertTensor(16 if wide else 8, 5), plain(args["in_"])))


def test_point_to_subtensor_shares_memory():
    args = arguments("mli_hlp_point_to_subtensor", np.random.default_rng(8))

    assert CHECKED.mli_hlp_point_to_subtensor(**args) is OK

    out, source = args["out"], args["in_"].data
    np.testing.assert_array_equal(out.data, source[1, 2:5])
    assert np.shares_memory(out.data, source)
    assert (out.shape, out.rank, out.capacity) == ((3, 6), 2, 36)
    assert (out.el_type, out.el_params.fx.frac_bits) == (1, 4)


def test_helpers_return_numbers():
    x = mli_tensor(np.zeros((3, 5, 6), np.int16))

    assert [mli.mli_hlp_count_elem_num(x, dim) for dim in range(-1, 5)] == [0, 90, 30, 6, 1, 0]
    assert mli.mli_hlp_count_elem_num(None, 0) == 0
    assert mli.mli_hlp_count_elem_num(mli_tensor(shape=(1,) * 5), 0) == 0
    sizes = [mli.mli_hlp_tensor_element_size(mli_tensor(el_type=kind)) for kind in range(5)]
    assert sizes == [1, 2, 1, 4, 0]
    assert mli.mli_hlp_tensor_element_size(None) == 0


def test_memory_may_have_any_shape_and_type():
    args   = arguments("mli_krn_conv2d_chw_fx16", np.random.default_rng(9))
    result = expected("mli_krn_conv2d_chw_fx16", args)
    args["in_"].data = np.append(args["in_"].data.reshape(-1), np.int16(3)).view(np.int8)

    assert CHECKED.mli_krn_conv2d_chw_fx16(*args.values()) is OK
    assert_holds(args["out"], result)


def test_output_may_have_described_the_input():
    args = arguments("mli_krn_sigm_fx8", np.random.default_rng(10))
    args["out"].el_params = args["in_"].el_params

    mli.mli_krn_sigm_fx8(*args.values())

    assert (args["in_"].el_params.fx.frac_bits, args["out"].el_params.fx.frac_bits) == (4, 7)


@pytest.mark.parametrize("name", ["mli_krn_relu_fx8", "mli_krn_leaky_relu_fx16", "mli_krn_tanh_fx8",
                                  "mli_krn_sigm_fx16", "mli_krn_softmax_fx8"])
def test_transforms_run_in_place(name):
    args   = arguments(name, np.random.default_rng(11))
    result = expected(name, args)
    args["out"].data, args["out"].capacity = args["in_"].data, args["in_"].capacity

    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


@pytest.mark.parametrize("operand", ["in1", "in2"])
@pytest.mark.parametrize("op", ["add", "sub", "min", "max", "mul"])
def test_eltwise_runs_in_place(op, operand):
    name   = f"mli_krn_eltwise_{op}_fx16"
    args   = arguments(name, np.random.default_rng(12))
    result = expected(name, args)
    args["out"].data, args["out"].capacity = args[operand].data, args[operand].capacity

    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


@pytest.mark.parametrize("name", ["mli_krn_lstm_cell_fx16", "mli_krn_basic_rnn_cell_fx16"])
def test_cells_may_write_over_the_previous_output(name):
    args   = arguments(name, np.random.default_rng(13))
    result = expected(name, args)
    args["out"].data, args["out"].capacity = args["prev_out"].data, 12

    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


def test_functions_run_where_they_are_told_to():
    seen = []

    def evaluate(layer, *inputs):
        seen.append((layer, inputs))
        return run(layer, *inputs)

    device = Mli(evaluate=evaluate, rounding=RoundMode.UP)
    args   = arguments("mli_krn_avepool_hwc_fx8", np.random.default_rng(14))

    assert device.mli_krn_avepool_hwc_fx8(*args.values()) is OK
    (layer, (x,)), = seen
    assert layer.rounding is RoundMode.UP
    assert x == plain(args["in_"])


# Names


def random_spec(rng):
    """Fields of a specialisation, and the window that they allow."""
    kernel = tuple(int(size) for size in rng.integers(1, 4, 2))
    stride = tuple(int(step) for step in rng.integers(1, 3, 2))
    padding, channels = rng.choice(["", "nopad", "krnpad"]), int(rng.integers(1, 5))
    pad = (0, 0, 0, 0)
    if padding == "krnpad":
        pad = tuple(side for size in kernel for side in ((size - 1) // 2, size // 2))
    width, height = rng.choice([f"{kernel[1]}", "n"]), rng.choice([f"{kernel[0]}", "n"])
    steps  = [f"strh{stride[0]}", f"strw{stride[1]}"]
    fields = ["" if width == height == "n" else f"k{width}x{height}", padding,
              rng.choice([f"ch{channels}", ""]),
              f"str{stride[0]}" if stride[0] == stride[1] else steps[0], "" if
              stride[0] == stride[1] else rng.choice([steps[1], ""])]
    fields = [field for field in rng.permutation(fields) if field]
    return fields, {"kernel": kernel, "stride": stride, "pad": pad, "channels": channels}


@pytest.mark.parametrize("seed", range(60))
def test_random_specialisations_run(seed):
    rng  = np.random.default_rng(seed)
    base = rng.choice([f"mli_krn_{kind}_{layout}_{data_type}" for kind, layout, data_type in (
        ("conv2d", "chw", "fx16"), ("conv2d", "hwc", "fx8"), ("depthwise_conv2d", "chw", "fx8w16d"),
        ("maxpool", "chw", "fx8"), ("maxpool", "hwc", "fx16"), ("avepool", "chw", "fx16"))])
    fields, window = random_spec(rng)
    name   = "_".join([base, *fields])
    args   = arguments(name, rng, **window)
    result = expected(name, args)

    assert CHECKED.function(name)(**args) is OK, name
    assert_holds(args["out"], result)


@pytest.mark.parametrize(("field", "window"), [
    ("k2x3", {"kernel": (2, 3)}), ("k3x2", {"kernel": (3, 3)}),
    ("k1xn", {"kernel": (1, 2), "pad": (0,) * 4}), ("knx1", {"kernel": (2, 1), "pad": (0,) * 4}),
    ("nopad", {"pad": (0, 0, 0, 1)}), ("krnpad", {"pad": (0,) * 4}),
    ("krnpad", {"pad": (1, 1, 1, 0), "kernel": (3, 2)}), ("ch4", {"channels": 5}),
    ("str1", {"stride": (1, 2)}), ("strh1", {"stride": (2, 1)}), ("strw2", {"stride": (2, 1)}),
    ("strh2_strw1", {"stride": (1, 2)})])
@pytest.mark.parametrize("base", ["mli_krn_conv2d_chw_fx16", "mli_krn_depthwise_conv2d_chw_fx8",
                                  "mli_krn_maxpool_hwc_fx8", "mli_krn_avepool_chw_fx16"])
def test_broken_promises_of_a_name(base, field, window):
    args = arguments(base, np.random.default_rng(15), **window)
    name = f"{base}_{field}"
    if (field, base) == ("k2x3", "mli_krn_conv2d_chw_fx16"):
        assert parse(name).spec == Spec(kernel_width=2, kernel_height=3)

    assert CHECKED.function(base)(**args) is OK
    assert CHECKED.function(name)(**args) is mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH


def test_same_padding_depends_on_stride_too():
    args = arguments("mli_krn_maxpool_chw_fx16", np.random.default_rng(16), kernel=(3, 3),
                     stride=(2, 2), pad=(1, 1, 0, 1))

    assert CHECKED.mli_krn_maxpool_chw_fx16_k3x3_krnpad(*args.values()) is OK


@pytest.mark.parametrize(("name", "reason"), [
    ("mli_krn_conv3d_chw_fx16", "it must be mli_krn_"), ("mli_hlp_free", "it must be mli_krn_"),
    ("mli_krn_conv2d_chw_fx32", "it must be mli_krn_"),
    ("mli_krn_conv2d_fx16", "layout of conv2d must be chw or hwc, not none"),
    ("mli_krn_relu_chw_fx16", "layout of relu must be none, not chw"),
    ("mli_krn_maxpool_chw_fx8w16d", "data type of maxpool must be one of fx8, fx16, not fx8w16d"),
    ("mli_krn_relu_fx", "data type of relu must be one of fx8, fx16, not fx"),
    ("mli_krn_fully_connected_fx16_k3x3", "fully_connected has no specialisation"),
    ("mli_krn_conv2d_chw_fx16_knxn", "one dimension of its kernel must be a number"),
    ("mli_krn_conv2d_chw_fx16_k0x3", "_k0x3 is no part of a specialisation"),
    ("mli_krn_conv2d_chw_fx16_k3", "_k3 is no part of a specialisation"),
    ("mli_krn_conv2d_chw_fx16_k1x1_k2x2", "its kernel must be spelled once"),
    ("mli_krn_conv2d_chw_fx16_nopad_krnpad", "its padding must be spelled once"),
    ("mli_krn_conv2d_chw_fx16_str1_strh1", "_str must not stand beside"),
    ("mli_krn_conv2d_chw_fx16_k1x1_generic", "_generic must stand alone"),
    ("mli_krn_relu_chw_sa8", "relu has no layout")])
def test_names_that_cannot_be_spelled(name, reason):
    for look_up in (function, lambda text: getattr(mli, text), CHECKED.function):
        with pytest.raises(AttributeError, match=f"{name} is not a function of MLI .*{reason}"):
            look_up(name)


@pytest.mark.parametrize("name", [
    "mli_krn_conv2d_nhwc_sa8_sa8_sa32", "mli_krn_depthwise_conv2d_hwcn_sa8_sa8_sa32",
    "mli_krn_fully_connected_sa8_sa8_sa32", "mli_krn_maxpool_hwc_sa8", "mli_krn_relu_sa8",
    "mli_krn_depthwise_conv2d_hwc_fx16", "mli_krn_depthwise_conv2d_hwc_fx16_k3x3"])
def test_functions_that_are_not_there_say_so(name):
    call = function(name)

    assert call(*[None] * len(call.name.arguments)) is mli_status.MLI_STATUS_NOT_SUPPORTED


def test_module_offers_constants_and_structures():
    assert mli.MLI_STATUS_SPEC_PARAM_MISMATCH is mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH
    assert (mli.MLI_EL_FX_16, mli.RNN_ACT_SIGM, mli.MLI_RELU_6) == (1, 2, 3)
    assert (mli.MLI_MAX_RANK, mli.MLI_CONCAT_MAX_TENSORS) == (4, 8)
    assert mli.mli_avepool_cfg is mli.mli_pool_cfg
    for place in (mli, CHECKED):
        with pytest.raises(AttributeError, match="has no attribute nothing"):
            _ = place.nothing


# Debug modes

BROKEN = {"1.0": {0: "ValueError", 1: "status", 3: "log assert"},
          "1.1": {0: "ValueError", 1: "status", 2: "assert", 3: "log assert", 4: "log assert"}}


@pytest.mark.parametrize(("version", "mode", "behaviour"), [
    (version, mode, behaviour) for version, modes in BROKEN.items()
    for mode, behaviour in modes.items()])
def test_debug_modes_react_as_documented(version, mode, behaviour, caplog):
    args = arguments("mli_krn_relu_fx16", np.random.default_rng(17))
    args["in_"].data = None
    kind = {"ValueError": ValueError, "status": None}.get(behaviour, AssertionError)

    with debug_mode(version, mode), caplog.at_level(logging.INFO):
        if kind is None:
            assert mli.mli_krn_relu_fx16(**args) is mli_status.MLI_STATUS_BAD_TENSOR
        else:
            with pytest.raises(kind, match="mli_krn_relu_fx16: in must be a valid tensor; fou"):
                mli.mli_krn_relu_fx16(**args)

    assert [record.levelname for record in caplog.records] == ["ERROR"] * ("log" in behaviour)


@pytest.mark.parametrize(("version", "mode"), [("1.0", 2), ("1.0", 4), ("1.1", 5),
                                               ("1.0", "DBG_MODE_DEBUG")])
def test_unknown_debug_modes_are_refused(version, mode):
    with pytest.raises(ValueError, match=rf"mode of MLI {version} must be one of 0 DBG_MODE_REL"):
        debug_mode(version, mode)


def test_unknown_version_is_refused():
    with pytest.raises(ValueError, match=r"version must be 1\.0 or 1\.1, not '2\.0'"):
        Mli(version="2.0")


def test_debug_mode_lasts_until_the_context_ends():
    args = arguments("mli_krn_relu_fx16", np.random.default_rng(18)) | {"out": None}
    outer = debug_mode("1.1", "DBG_MODE_RET_CODES")
    with debug_mode("1.0", 3), pytest.raises(AssertionError):
        mli.mli_krn_relu_fx16(**args)

    assert mli.mli_krn_relu_fx16(**args) is mli_status.MLI_STATUS_BAD_TENSOR
    outer.__exit__()
    with pytest.raises(ValueError, match="out must be a tensor with memory"):
        mli.mli_krn_relu_fx16(**args)


def test_full_mode_looks_at_sums(caplog):
    args = arguments("mli_krn_fully_connected_fx16", np.random.default_rng(19))
    for name in ("in_", "weights"):
        args[name] = mli_tensor(np.full((1, 600) if name == "weights" else 600, -32768, np.int16))
    args["bias"] = mli_tensor(np.zeros(1, np.int16))

    assert Mli(debug=4).mli_krn_fully_connected_fx16(**args) is OK
    assert "A sum left the range of the accumulator" in caplog.text


def test_release_mode_adds_what_differs_in_format():
    args = arguments("mli_krn_eltwise_add_fx16", np.random.default_rng(20))
    args["in2"].el_params = params(9)

    assert mli.mli_krn_eltwise_add_fx16(**args) is OK
    assert args["out"].el_params.fx.frac_bits == 4


def test_wrong_number_of_arguments_is_a_type_error():
    with pytest.raises(TypeError, match="missing a required argument: 'out'"):
        mli.mli_krn_sigm_fx8(buffer())
