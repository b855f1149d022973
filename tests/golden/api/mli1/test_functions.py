# SPDX-License-Identifier: Apache-2.0
"""Every documented function by its name, against the layer that it stands for."""

from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from tests.support.calls.mli1 import (
    IMAGE,
    NAMES,
    arguments,
    assert_holds,
    expected,
    leaky_arguments,
    params,
    plain,
    tensor,
)
from tests.support.seed import random_of
from xymac.golden import mli1, run
from xymac.golden.api.mli1 import functions as mli
from xymac.golden.api.mli1.configs import (
    mli_concat_cfg,
    mli_rnn_mode,
    mli_rnn_out_activation,
    mli_status,
)
from xymac.golden.api.mli1.functions import Mli
from xymac.golden.api.mli1.types import mli_tensor
from xymac.golden.mli1 import Result, Tensor
from xymac.hdl.config import TINY
from xymac.hdl.isa import RoundMode
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice

OTHERS  = {"mli_hlp_count_elem_num", "mli_hlp_tensor_element_size", "mli_hlp_point_to_subtensor"}
OK      = mli_status.MLI_STATUS_OK
CHECKED = Mli(debug="DBG_MODE_RET_CODES")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OTHERS])
def test_documented_name_runs_its_layer(name):
    kernel = {"kernel": (3, 3), "stride": (1, 1)} if "k3x3" in name else {}
    args   = arguments(name, random_of(1), **kernel)
    result = expected(name, args)

    assert getattr(mli, name)(*args.values()) is OK
    assert_holds(args["out"], result)
    if result.cell is not None:
        assert plain(args["cell"]) == result.cell

    args = arguments(name, random_of(1), **kernel)
    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


@pytest.mark.parametrize("mode", mli_rnn_mode)
@pytest.mark.parametrize("act", mli_rnn_out_activation)
@pytest.mark.parametrize("kind", ["lstm_cell", "basic_rnn_cell"])
def test_recurrent_cells_fill_the_output(kind, mode, act):
    args = arguments(f"mli_krn_{kind}_fx16", random_of(3))
    args["cfg"].mode, args["cfg"].act = mode, act
    args["out"].el_params = params(15)
    if mode == mli_rnn_mode.RNN_ONE_TO_ONE:
        args["in_"].shape, args["in_"].rank = (2, 5), 2

    assert CHECKED.function(f"mli_krn_{kind}_fx16")(**args) is OK

    batch = mode == mli_rnn_mode.RNN_BATCH_TO_BATCH
    assert args["out"].shape == ((3, 6) if batch else (6,))
    assert args["out"].el_params.fx.frac_bits == 15


def test_stacked_weights_give_a_stacked_output():
    rng  = random_of(4)
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
    args  = arguments("mli_krn_eltwise_sub_fx16", random_of(5))
    image = args["in1"]
    in1, in2 = (scalar, image) if swap else (image, scalar)

    assert CHECKED.mli_krn_eltwise_sub_fx16(in1, in2, args["out"]) is OK

    exact = image.data.astype(int) + 9
    assert_holds(args["out"], Result(
        Tensor(np.clip(-exact if swap else exact, -32768, 32767).astype(np.int16), 4), False))


@pytest.mark.parametrize("op", ["add", "sub", "min", "max", "mul"])
@pytest.mark.parametrize("library", [mli, CHECKED])
def test_the_output_of_two_single_elements_has_the_rank_of_the_second(library, op):
    value  = mli_tensor(-9, el_type=1, el_params=params(4))
    others = [mli_tensor(np.full(shape, 20, np.int16), el_params=params(4))
              for shape in ((1,), (1, 1, 1))]
    wanted = {"add": 11, "min": -9, "max": 20, "mul": -11}
    for first, second in [(value, each) for each in others] + [
            (each, value) for each in others] + [others, others[::-1]]:
        out = mli_tensor(np.zeros(1, np.int16), el_params=params(4))

        assert getattr(library, f"mli_krn_eltwise_{op}_fx16")(first, second, out) is OK

        assert (out.rank, tuple(out.shape)[:out.rank]) == (second.rank, tuple(second.shape)[
            :second.rank])
        signs = -29 if first is value else 29 if second is value else 0
        assert out.data.tolist() == [wanted.get(op, signs) if value in (first, second) else {
            "add": 40, "sub": 0, "min": 20, "max": 20, "mul": 25}[op]]


def test_a_concatenation_takes_as_many_tensors_as_the_library_is_built_for():
    parts = [tensor(random_of(each), (2, 3), 4, np.int16) for each in range(12)]
    whole = np.concatenate([part.data.reshape(2, 3) for part in parts])
    for library in (Mli(debug=1, concat_max_tensors=12), Mli(concat_max_tensors=12)):
        out = mli_tensor(np.zeros((24, 3), np.int16), el_params=params(4))
        assert library.mli_krn_concat_fx16(parts, mli_concat_cfg(12, 0), out) is OK
        assert out.data.tolist() == whole.tolist()
    assert CHECKED.mli_krn_concat_fx16(
        parts, mli_concat_cfg(9, 0), out) is mli_status.MLI_STATUS_BAD_FUNC_CFG
    with pytest.raises(ValueError, match=r"at least 1 and at most MLI_CONCAT_MAX_TENSORS; "
                                         r"found \(9, 8\)$"):
        mli.mli_krn_concat_fx16(parts, mli_concat_cfg(9, 0), out)
    for count in (0, 256, 2.0):
        with pytest.raises(ValueError, match=rf"^concat_max_tensors must .*, not {count}"):
            Mli(concat_max_tensors=count)
    assert [Mli(concat_max_tensors=count).concat_max_tensors for count in (1, 255)] == [1, 255]


def test_a_concatenation_reads_a_tensor_twice():
    x = tensor(random_of(1), (2, 3), 4, np.int16)
    for library in (Mli(), CHECKED):
        out = mli_tensor(np.zeros((4, 3), np.int16), el_params=params(4))
        assert library.mli_krn_concat_fx16([x, x], mli_concat_cfg(2, 0), out) is OK
        assert out.data.tolist() == np.tile(x.data.reshape(2, 3), (2, 1)).tolist()
    with pytest.raises(ValueError, match="Memory of tensors must not overlap"):
        mli.mli_krn_concat_fx16([x, x], mli_concat_cfg(2, 0), x)


@pytest.mark.parametrize("name", ["mli_krn_maxpool_hwc_sa8", "mli_krn_avepool_hwc_sa8",
                                  "mli_krn_maxpool_hwc_sa8_generic",
                                  "mli_krn_avepool_hwc_sa8_k3x3_str1"])
def test_pools_of_asymmetric_codes_are_those_of_8_bits(name):
    args = arguments(name.replace("sa8", "fx8"), random_of(7), kernel=(3, 3), stride=(1, 1))
    kind = mli.mli_element_type.MLI_EL_ASYM_I8
    asym = mli.mli_element_params(asym=mli.mli_asym_params(-128, 20000, -1, 14))
    same = {key: replace(value) if isinstance(value, mli_tensor) else value
            for key, value in args.items()}
    same["in_"].el_type, same["in_"].el_params = kind, asym
    same["out"] = mli_tensor(args["out"].data.copy())
    with MachineDevice(TINY) as device:
        for library in (mli, CHECKED, on_device(device)):
            assert getattr(library, name.replace("sa8", "fx8"))(*args.values()) is OK
            assert getattr(library, name)(*same.values()) is OK
            assert same["out"].data.tolist() == args["out"].data.tolist()
            assert (same["out"].el_type, same["out"].el_params) == (kind, asym)
            assert (same["out"].rank, same["out"].shape) == (args["out"].rank, args["out"].shape)
    assert CHECKED.function(name)(**same | {
        "in_": args["in_"]}) is mli_status.MLI_STATUS_TYPE_MISMATCH
    assert Mli(version="1.0").function(name)(*same.values()) is mli_status.MLI_STATUS_NOT_SUPPORTED


def test_leaky_relu_takes_a_value_as_slope():
    args = arguments("mli_krn_leaky_relu_fx8", random_of(6))
    args["slope_coeff"] = mli_tensor(16, el_type=0, el_params=params(6))
    args["in_"].data[:] = -64

    assert CHECKED.mli_krn_leaky_relu_fx8(*args.values()) is OK
    assert set(args["out"].data[:np.prod(IMAGE)]) == {-16}


@pytest.mark.parametrize("library", [mli, CHECKED])
@pytest.mark.parametrize(("kind", "slope", "frac_bits", "by_library", "documented"), [
    ("fx16", 8192, 15, [-100, 0, 25], [-25, 0, 100]),
    ("fx16", -8192, 15, [-100, 0, -25], [25, 0, 100]),
    ("fx16", 4096, 14, [-25, 0, 100], [-25, 0, 100]),
    ("fx8", 127, 15, [-100, 0, 0], [0, 0, 100]),
    ("fx8", 64, 8, [-25, 0, 100], [-25, 0, 100])])
def test_leaky_relu_by_the_library_and_as_documented(
        library, kind, slope, frac_bits, by_library, documented):
    args = leaky_arguments(kind, slope, frac_bits)
    leaky_relu = getattr(library, f"mli_krn_leaky_relu_{kind}")

    for options, values in (({}, by_library), ({"documented": False}, by_library),
                            ({"documented": True}, documented)):
        assert leaky_relu(*args, **options) is OK
        assert args[-1].data.tolist() == values


def test_the_option_of_leaky_relu_is_a_bool_by_keyword():
    args = leaky_arguments("fx16", 8192, 15)

    assert str(signature(mli.mli_krn_leaky_relu_fx16)) == (
        "(in_, slope_coeff, out, *, documented=False)")
    assert str(signature(mli.mli_krn_relu_fx16)) == "(in_, cfg, out)"
    with pytest.raises(TypeError, match="too many positional arguments"):
        mli.mli_krn_leaky_relu_fx16(*args, True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'documented'"):
        mli.mli_krn_tanh_fx16(args[0], args[2], documented=True)
    with pytest.raises(ValueError, match=r"documented must be a bool, not int$"):
        mli.mli_krn_leaky_relu_fx16(*args, documented=1)
    assert (CHECKED.mli_krn_leaky_relu_fx16(*args, documented=1)
            is mli_status.MLI_STATUS_NOT_SUPPORTED)


@pytest.mark.parametrize("wide", [False, True])
def test_convert_tensor_takes_the_type_of_the_output(wide):
    args = arguments("mli_hlp_convert_tensor", random_of(7))
    args["out"].el_type = int(wide)

    assert CHECKED.mli_hlp_convert_tensor(**args) is OK
    assert_holds(args["out"], run(mli1.ConvertTensor(16 if wide else 8, 5), plain(args["in_"])))


def test_point_to_subtensor_shares_memory():
    args = arguments("mli_hlp_point_to_subtensor", random_of(8))

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


def test_functions_run_where_they_are_told_to():
    seen = []

    def evaluate(layer, *inputs):
        seen.append((layer, inputs))
        return run(layer, *inputs)

    device = Mli(evaluate=evaluate, rounding=RoundMode.UP)
    args   = arguments("mli_krn_avepool_hwc_fx8", random_of(14))

    assert device.mli_krn_avepool_hwc_fx8(*args.values()) is OK
    (layer, (x,)), = seen
    assert layer.rounding is RoundMode.UP
    assert x == plain(args["in_"])
