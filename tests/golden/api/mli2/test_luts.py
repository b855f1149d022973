# SPDX-License-Identifier: Apache-2.0
"""Tables of a caller in the functions of MLI 2.0: any entries are used, a missing one is told."""

from copy import deepcopy

import numpy as np
import pytest

from tests.support.broken import GRU, L2, LSTM, SIGM, SOFTMAX, call_of, refuses
from tests.support.calls.mli2 import CHECKED
from tests.support.mli2.own_tables import CONTENTS, own_table
from tests.support.naive.lut import naive_values
from tests.support.seed import random_of
from xymac.golden.api.mli2.configs import mli_lut
from xymac.golden.api.mli2.functions import Mli
from xymac.golden.mli2 import Build
from xymac.golden.mli2.lut import SIGMOID

LIBRARY  = CHECKED[Build.UP_FULL]
RELEASED = Mli(build=Build.UP_FULL, debug="DBG_MODE_RELEASE")


@pytest.mark.parametrize("content", CONTENTS)
def test_any_entries_are_used(content):
    table = own_table(random_of(81), SIGMOID, content)
    args  = call_of(SIGM)
    args["lut"].data.mem.pi16[:] = table.values
    args["in_"].data.mem.pi16[:2] = -32768, 32767  # with 9 bits beyond both ends of the table
    args["in_"].el_params.fx.frac_bits = 9
    x, frac_bits = args["in_"].data.mem.pi16.tolist(), args["in_"].el_params.fx.frac_bits

    assert LIBRARY.function(SIGM)(**args).name == "MLI_STATUS_OK"

    count = int(np.prod(args["in_"].shape[:args["in_"].rank]))
    assert args["out"].data.mem.pi16[:count].tolist() == [
        naive_values(table, value, frac_bits, Build.UP_FULL) for value in x[:count]]


@pytest.mark.parametrize(("function", "argument"), [
    (SOFTMAX, "lut"), (L2, "lut"), (LSTM, "tanh_lut"), (LSTM, "sigm_lut"), (GRU, "tanh_lut"),
    (GRU, "sigm_lut")])
def test_every_kernel_uses_its_table(function, argument):
    results = []
    for scale in (1, 3):
        args = deepcopy(call_of(function))
        args[argument].data.mem.pi16[:] //= scale
        assert LIBRARY.function(function)(**args).name == "MLI_STATUS_OK"
        results.append(args["out"].data.mem.memory.tobytes())
    assert results[0] != results[1] or function == SOFTMAX  # shares of a sum may stay the same


@pytest.mark.parametrize(("function", "argument"), [
    (SIGM, "lut"), (SOFTMAX, "lut"), (L2, "lut"), (LSTM, "tanh_lut"), (LSTM, "sigm_lut"),
    (GRU, "tanh_lut"), (GRU, "sigm_lut")])
@pytest.mark.parametrize(("value", "words"), [
    (None, "found NoneType, no mli_lut"), (mli_lut(), "found no memory to point to"),
    (mli_lut(np.zeros(0, np.int16)), "found length 0, not ")])
def test_missing_and_empty_tables(function, argument, value, words):
    """In the modes that examine; the others raise the same sentence, and write nothing."""
    args = call_of(function)
    args[argument] = deepcopy(value)
    refuses(function, args, "BAD_FUNC_CFG", words)
    released = call_of(function)
    released[argument] = deepcopy(value)
    with pytest.raises(ValueError, match=words):
        RELEASED.function(function)(**released)
