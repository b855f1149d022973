# SPDX-License-Identifier: Apache-2.0
"""Debug modes of the MLI functions."""

import logging

import numpy as np
import pytest

from tests.support.calls.mli1 import arguments, buffer, params
from tests.support.seed import random_of
from xymac.golden.api.mli1 import functions as mli
from xymac.golden.api.mli1.configs import mli_status
from xymac.golden.api.mli1.functions import Mli, debug_mode
from xymac.golden.api.mli1.types import mli_tensor

OK = mli_status.MLI_STATUS_OK

BROKEN = {"1.0": {0: "ValueError", 1: "status", 3: "log assert"},
          "1.1": {0: "ValueError", 1: "status", 2: "assert", 3: "log assert", 4: "log assert"}}


@pytest.mark.parametrize(("version", "mode", "behaviour"), [
    (version, mode, behaviour) for version, modes in BROKEN.items()
    for mode, behaviour in modes.items()])
def test_debug_modes_react_as_documented(version, mode, behaviour, caplog):
    args = arguments("mli_krn_relu_fx16", random_of(17))
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
    args = arguments("mli_krn_relu_fx16", random_of(18)) | {"out": None}
    outer = debug_mode("1.1", "DBG_MODE_RET_CODES")
    with debug_mode("1.0", 3), pytest.raises(AssertionError):
        mli.mli_krn_relu_fx16(**args)

    assert mli.mli_krn_relu_fx16(**args) is mli_status.MLI_STATUS_BAD_TENSOR
    outer.__exit__()
    with pytest.raises(ValueError, match="out must be a tensor with memory"):
        mli.mli_krn_relu_fx16(**args)


def test_full_mode_looks_at_sums(caplog):
    args = arguments("mli_krn_fully_connected_fx16", random_of(19))
    for name in ("in_", "weights"):
        args[name] = mli_tensor(np.full((1, 600) if name == "weights" else 600, -32768, np.int16))
    args["bias"] = mli_tensor(np.zeros(1, np.int16))

    assert Mli(debug=4).mli_krn_fully_connected_fx16(**args) is OK
    assert "A sum left the range of the accumulator" in caplog.text


def test_release_mode_adds_what_differs_in_format():
    args = arguments("mli_krn_eltwise_add_fx16", random_of(20))
    args["in2"].el_params = params(9)

    assert mli.mli_krn_eltwise_add_fx16(**args) is OK
    assert args["out"].el_params.fx.frac_bits == 4


def test_wrong_number_of_arguments_is_a_type_error():
    with pytest.raises(TypeError, match="missing a required argument: 'out'"):
        mli.mli_krn_sigm_fx8(buffer())
