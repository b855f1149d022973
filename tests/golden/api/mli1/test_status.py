# SPDX-License-Identifier: Apache-2.0
"""Status codes of every condition that a call of the MLI functions can break."""

from dataclasses import is_dataclass
from itertools import product

import numpy as np
import pytest

from tests.support.calls.broken_mli1 import (
    ALL,
    BAD_TENSOR,
    CASES,
    break_,
    broken,
    over,
    random,
)
from tests.support.calls.mli1 import arguments, buffer, params
from tests.support.seed import random_of
from xymac.golden.api.mli1.conditions import CONDITIONS
from xymac.golden.api.mli1.configs import mli_rnn_mode, mli_status
from xymac.golden.api.mli1.functions import Mli
from xymac.golden.api.mli1.names import parse
from xymac.golden.api.mli1.types import mli_tensor
from xymac.golden.api.rules import Scope

CHECKED  = Mli(debug="DBG_MODE_RET_CODES")
ASSERTED = Mli(debug="DBG_MODE_ASSERT")
RELEASED = Mli()

IDS = [f"{name.removeprefix('mli_')}-{path}-{index}" for index, (name, path, *_)
       in enumerate(CASES)]


def documented(name):
    """Keyword for the conditions of the documents, where a function has it."""
    return {option: True for option in parse(name).options}


@pytest.mark.parametrize(("name", "path", "value", "status"), CASES, ids=IDS)
def test_broken_condition_gives_its_status(name, path, value, status):
    args = broken(name, path, value)
    data = args["out"].data.copy() if isinstance(args["out"], mli_tensor) and isinstance(
        args["out"].data, np.ndarray) else None

    assert CHECKED.function(name)(**args, **documented(name)) is status
    if data is not None:
        np.testing.assert_array_equal(args["out"].data, data)


@pytest.mark.parametrize(("name", "path", "value", "status"), CASES, ids=IDS)
def test_release_mode_computes_or_explains(name, path, value, status):
    try:
        outcome = RELEASED.function(name)(**broken(name, path, value)).name
    except ValueError as error:
        outcome = str(error)

    assert outcome == "MLI_STATUS_OK" or outcome.startswith(f"{name}: ")


def leaves(value, path=""):
    """Paths of all fields of the arguments, a dict, down to what is no structure."""
    for key, item in (value if isinstance(value, dict) else vars(value)).items():
        yield f"{path}{key}"
        if is_dataclass(item):
            yield from leaves(item, f"{path}{key}.")


@pytest.mark.parametrize("junk", [None, "text", -1, 1.5, 2 ** 40, (), object(), np.int8(3), True],
                         ids=lambda junk: type(junk).__name__)
@pytest.mark.parametrize("name", ALL)
def test_junk_never_escapes(name, junk):
    for path in leaves(arguments(name, random_of(5))):
        args = arguments(name, random_of(5))
        break_(args, path, lambda args: junk)
        assert isinstance(CHECKED.function(name)(**args), mli_status), path
        args = arguments(name, random_of(5))
        break_(args, path, lambda args: junk)
        try:
            outcome = RELEASED.function(name)(**args).name
        except ValueError as error:
            outcome = str(error)
        assert outcome == "MLI_STATUS_OK" or outcome.startswith(f"{name}: "), path


def test_every_condition_has_a_case():
    seen = set()
    for (name, path, value, _), scope in product(CASES, Scope):
        call = RELEASED.bind(parse(name), broken(name, path, value) | documented(name))
        _, text = RELEASED.violation(call, scope) or (None, "")
        seen.add((parse(name).primitive, text.split("; found")[0]))

    every = {(primitive, condition.text) for primitive, conditions in CONDITIONS.items()
             for condition in conditions}
    assert every - seen == set()


@pytest.mark.parametrize("name", ["lstm_cell", "basic_rnn_cell"])
@pytest.mark.parametrize("act", [0, 1])
def test_the_library_examines_no_fractional_bits_of_prev_out(name, act):
    """The documents exclude the call, the library computes it in every mode."""
    name, args = f"mli_krn_{name}_fx16", {}
    for documents in (False, True):
        args = arguments(name, random_of(6))
        args["cfg"].mode, args["cfg"].act = mli_rnn_mode.RNN_BATCH_TO_BATCH, act
        args["prev_out"].el_params.fx.frac_bits = 9
        args["out"].el_params.fx.frac_bits = 11
        status = CHECKED.function(name)(**args, documented=documents)
        assert status.name == ("MLI_STATUS_INCOMPATEBLE_TENSORS" if documents else "MLI_STATUS_OK")
        if not documents:
            kept = 9 if "lstm" in name else 11
            assert args["out"].el_params.fx.frac_bits == (15 if act else kept)
    with pytest.raises(ValueError, match="must have the fractional bits of"):
        RELEASED.function(name)(**args, documented=True)


def test_release_mode_counts_elements():
    """Shapes that differ in dimensions of size 1, and formats that differ, are no obstacle."""
    first, second = random(1, 6), random(6)
    second.el_params.fx.frac_bits = first.el_params.fx.frac_bits + 1
    args = {"in1": first, "in2": second, "out": buffer()}
    assert CHECKED.mli_krn_eltwise_add_fx16(**args) is mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS

    assert RELEASED.mli_krn_eltwise_add_fx16(**args) is mli_status.MLI_STATUS_OK
    total = first.data.reshape(-1).astype(int) + second.data
    np.testing.assert_array_equal(args["out"].data.reshape(-1).view(np.int16)[:6],
                                  np.clip(total, -32768, 32767))
    assert (args["out"].shape, args["out"].el_params.fx.frac_bits) == (
        (1, 6), first.el_params.fx.frac_bits)


def test_recurrent_cells_need_no_intermediate_tensor_but_for_the_last():
    args = arguments("mli_krn_basic_rnn_cell_fx16", random_of(2))
    args["cfg"].mode, args["cfg"].ir_tsr = mli_rnn_mode.RNN_BATCH_TO_BATCH, None

    assert CHECKED.mli_krn_basic_rnn_cell_fx16(**args) is mli_status.MLI_STATUS_OK
    args["out"] = over("prev_out")(args)
    args["in_"].shape = (1, 2, 5)
    assert CHECKED.mli_krn_basic_rnn_cell_fx16(**args) is BAD_TENSOR


@pytest.mark.parametrize(("narrow", "status"), [(True, mli_status.MLI_STATUS_OK),
                                                (False, BAD_TENSOR)])
def test_conversion_in_place_must_not_widen(narrow, status):
    dtypes = (np.int16, np.int8) if narrow else (np.int8, np.int16)
    memory = np.zeros(60, dtypes[0])
    in_    = mli_tensor(memory, shape=(20,), rank=1, el_params=params(3))
    out    = mli_tensor(memory, el_type=int(not narrow), el_params=params(3))

    assert CHECKED.mli_hlp_convert_tensor(in_, out) is status


def test_buffers_may_share_memory_that_is_not_used():
    memory = np.zeros(400, np.int8)
    in_, out = mli_tensor(memory, shape=(2, 50), rank=2), mli_tensor(memory[100:])
    args = arguments("mli_krn_permute_fx8", random_of(3)) | {"in_": in_, "out": out}
    args["cfg"].perm_dim = (1, 0)

    assert CHECKED.mli_krn_permute_fx8(**args) is mli_status.MLI_STATUS_OK


def test_violations_say_what_was_found():
    args = arguments("mli_krn_fully_connected_fx16", random_of(4)) | {
        "weights": random(7, 89), "out": buffer()}

    with pytest.raises(AssertionError, match=r"mli_krn_fully_connected_fx16: Weights must have one "
                       r"column an input element; found \(89, 90\) \(MLI_STATUS_SHAPE_MISMATCH\)"):
        ASSERTED.mli_krn_fully_connected_fx16(**args)


@pytest.mark.parametrize(("field", "found"), [
    ("k4x3", "Columns of the window must be as in the function's name; found 3, not 4"),
    ("str2", "stride_height must be as in the function's name; found 1, not 2"),
    ("nopad", r"Padding must be as in the function's name; found \(0, 0, 0, 1\)")])
def test_broken_promises_say_what_was_found(field, found):
    args = arguments("mli_krn_conv2d_chw_fx16", random_of(5), kernel=(3, 3), stride=(1, 1),
                     pad=(0, 0, 0, 1))

    with pytest.raises(AssertionError, match=f"_{field}: {found} "):
        ASSERTED.function(f"mli_krn_conv2d_chw_fx16_{field}")(**args)


@pytest.mark.parametrize("name", ["mli_krn_conv2d_chw_fx16", "mli_krn_fully_connected_fx16"])
def test_most_fractional_bits_of_a_bias(name):
    """As many as input and weights have together, and no more."""
    args  = arguments(name, random_of(1))
    total = sum(args[each].el_params.fx.frac_bits for each in ("in_", "weights"))
    for more, status in enumerate((mli_status.MLI_STATUS_OK,
                                   mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS)):
        args["bias"].el_params = params(total + more)
        assert getattr(CHECKED, name)(*args.values()) is status
