# SPDX-License-Identifier: Apache-2.0
"""Names of the MLI functions: every one that the naming convention spells, and no other."""

import pytest

from tests.support.calls.mli1 import NAMES, arguments, assert_holds, expected
from tests.support.seed import random_of
from xymac.golden.api.grammar import Spec
from xymac.golden.api.mli1 import functions as mli
from xymac.golden.api.mli1.configs import mli_status
from xymac.golden.api.mli1.functions import Mli, function
from xymac.golden.api.mli1.names import HELPERS, PRIMITIVES, parse

OK      = mli_status.MLI_STATUS_OK
CHECKED = Mli(debug="DBG_MODE_RET_CODES")


def test_all_names_are_there():
    assert len(NAMES) == len(set(NAMES)) == 74
    assert {parse(name).primitive for name in NAMES} == {
        *PRIMITIVES, *HELPERS}


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
    rng  = random_of(seed)
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
    args = arguments(base, random_of(15), **window)
    name = f"{base}_{field}"
    if (field, base) == ("k2x3", "mli_krn_conv2d_chw_fx16"):
        assert parse(name).spec == Spec(kernel_width=2, kernel_height=3)

    assert CHECKED.function(base)(**args) is OK
    assert CHECKED.function(name)(**args) is mli_status.MLI_STATUS_SPEC_PARAM_MISMATCH


def test_same_padding_depends_on_stride_too():
    args = arguments("mli_krn_maxpool_chw_fx16", random_of(16), kernel=(3, 3),
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
    "mli_krn_fully_connected_sa8_sa8_sa32", "mli_krn_maxpool_chw_sa8", "mli_krn_relu_sa8",
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
