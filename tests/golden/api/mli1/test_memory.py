# SPDX-License-Identifier: Apache-2.0
"""Memory of operands: of any shape and type, shared, and not written beyond them."""

import numpy as np
import pytest

from tests.support.calls.mli1 import IMAGE, arguments, assert_holds, expected
from tests.support.seed import random_of
from xymac.golden.api.mli1 import functions as mli
from xymac.golden.api.mli1.configs import mli_status
from xymac.golden.api.mli1.functions import Mli

OK      = mli_status.MLI_STATUS_OK
CHECKED = Mli(debug="DBG_MODE_RET_CODES")


def test_nothing_is_written_behind_the_output():
    args = arguments("mli_krn_relu_fx16", random_of(2))

    mli.mli_krn_relu_fx16(*args.values())

    assert set(args["out"].data[2 * np.prod(IMAGE):]) == {77}


def test_memory_may_have_any_shape_and_type():
    args   = arguments("mli_krn_conv2d_chw_fx16", random_of(9))
    result = expected("mli_krn_conv2d_chw_fx16", args)
    args["in_"].data = np.append(args["in_"].data.reshape(-1), np.int16(3)).view(np.int8)

    assert CHECKED.mli_krn_conv2d_chw_fx16(*args.values()) is OK
    assert_holds(args["out"], result)


def test_output_may_have_described_the_input():
    args = arguments("mli_krn_sigm_fx8", random_of(10))
    args["out"].el_params = args["in_"].el_params

    mli.mli_krn_sigm_fx8(*args.values())

    assert (args["in_"].el_params.fx.frac_bits, args["out"].el_params.fx.frac_bits) == (4, 7)


@pytest.mark.parametrize("name", ["mli_krn_relu_fx8", "mli_krn_leaky_relu_fx16", "mli_krn_tanh_fx8",
                                  "mli_krn_sigm_fx16", "mli_krn_softmax_fx8"])
def test_transforms_run_in_place(name):
    args   = arguments(name, random_of(11))
    result = expected(name, args)
    args["out"].data, args["out"].capacity = args["in_"].data, args["in_"].capacity

    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


@pytest.mark.parametrize("operand", ["in1", "in2"])
@pytest.mark.parametrize("op", ["add", "sub", "min", "max", "mul"])
def test_eltwise_runs_in_place(op, operand):
    name   = f"mli_krn_eltwise_{op}_fx16"
    args   = arguments(name, random_of(12))
    result = expected(name, args)
    args["out"].data, args["out"].capacity = args[operand].data, args[operand].capacity

    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


@pytest.mark.parametrize("name", ["mli_krn_lstm_cell_fx16", "mli_krn_basic_rnn_cell_fx16"])
def test_cells_may_write_over_the_previous_output(name):
    args   = arguments(name, random_of(13))
    result = expected(name, args)
    args["out"].data, args["out"].capacity = args["prev_out"].data, 12

    assert CHECKED.function(name)(**args) is OK
    assert_holds(args["out"], result)


def test_cell_keeps_its_fields():
    args = arguments("mli_krn_lstm_cell_fx16", random_of(21))
    args["cell"].shape = (6, 8, 9, 10)
    before = dict(vars(args["cell"]))

    assert CHECKED.mli_krn_lstm_cell_fx16(**args) is OK
    assert all(value is before[key] for key, value in vars(args["cell"]).items())
