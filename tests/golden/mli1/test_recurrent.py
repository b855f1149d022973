# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells against plain loops over Python ints."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.cells import NaiveCell
from tests.support.naive.mli1 import random_tensor
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import (
    Act,
    BasicRnnCell,
    LstmCell,
    RnnMode,
    Tensor,
    basic_rnn_cell,
    lstm_cell,
)
from xymac.hdl.isa import ROUNDINGS, RoundMode

TYPES = {"fx8": (np.int8, np.int8), "fx16": (np.int16, np.int16), "fx8w16d": (np.int16, np.int8)}


def assert_matches_loops(layer, x):
    result, naive = run(layer, x), NaiveCell(layer, x)

    if isinstance(layer, LstmCell):
        outputs, cell = naive.lstm()
        assert result.cell.data.tolist() == cell
        assert result.cell.data.dtype == x.data.dtype
        assert result.cell.frac_bits == layer.cell.frac_bits
    else:
        outputs = naive.basic()
        assert result.cell is None
    expected = outputs if layer.mode is RnnMode.BATCH_TO_BATCH else outputs[-1]
    assert result.output.shape == layer.output_shape(x.shape)
    assert result.output.data.ravel().tolist() == np.array(expected).ravel().tolist()
    assert result.output.data.dtype == x.data.dtype
    assert result.output.frac_bits == layer.out_frac_bits
    assert result.overflow is naive.overflow


@st.composite
def cells(draw, kind):
    """A legal cell and its input: any type, mode, activation, shape and format."""
    data, constants = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    mode, act = draw(st.sampled_from(RnnMode)), draw(st.sampled_from(Act))
    unit      = 7 if data is np.int8 else 15
    shape     = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple))
    inputs    = int(np.prod(shape if mode is RnnMode.ONE_TO_ONE else shape[1:]))
    outputs   = draw(st.integers(1, 3))
    stack     = (4,) if kind is LstmCell else draw(st.sampled_from([(), (), (1,), (3,)]))
    if kind is BasicRnnCell and mode is not RnnMode.ONE_TO_ONE:
        stack = ()
    small  = st.integers(0, 16) | st.integers(0, 45)
    x_frac, w_frac, c_frac = draw(small), draw(small), draw(small)
    h_frac = draw(small) if act is Act.NONE or mode is RnnMode.ONE_TO_ONE else unit
    out_frac = h_frac if act is Act.NONE else unit
    if kind is BasicRnnCell and act is Act.NONE and mode is RnnMode.ONE_TO_ONE:
        out_frac = draw(small)
    bias_frac = x_frac + w_frac - draw(st.integers(0, min(31, x_frac + w_frac)))
    rng = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    top = draw(st.sampled_from([2, 20, 1000, 1 << 15]))

    def make(shape, dtype, frac_bits):
        return random_tensor(rng, shape, dtype, frac_bits, top)

    states = [make((outputs,), data, h_frac)]
    if kind is LstmCell:
        states.append(make((outputs,), data, c_frac))
    layer = kind(make((*stack, outputs, inputs + outputs), constants, w_frac),
                 make((*stack, outputs), constants, bias_frac), *states, out_frac, mode, act,
                 draw(st.sampled_from(ROUNDINGS)))
    return layer, make(shape, data, x_frac)


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(500))
@given(cells(BasicRnnCell))
def test_basic_rnn_cell_matches_loops(call):
    assert_matches_loops(*call)


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(500))
@given(cells(LstmCell))
def test_lstm_cell_matches_loops(call):
    assert_matches_loops(*call)


def tensor(*shape, dtype=np.int8, frac_bits=7, value=1):
    return Tensor(np.full(shape, value, dtype), frac_bits)


def wide(*shape, frac_bits=15, value=1):
    return tensor(*shape, dtype=np.int16, frac_bits=frac_bits, value=value)


@pytest.mark.parametrize(("types", "expected"), [((8, 8), 1), ((16, 8), 1), ((16, 16), 0)])
def test_only_narrow_accumulators_round_between_input_and_state(types, expected):
    """The sum of the input is 3/4 of the last bit of the sum that the state is added to."""
    data, constants = ({8: np.int8, 16: np.int16}[bits] for bits in types)
    layer = BasicRnnCell(tensor(1, 2, dtype=constants, frac_bits=0),
                         tensor(1, dtype=constants, frac_bits=0, value=0),
                         tensor(1, dtype=data, frac_bits=0, value=0), 0)
    x = tensor(1, dtype=data, frac_bits=2, value=3)

    assert run(layer, x).output.data.tolist() == [expected]
    assert_matches_loops(layer, x)


@pytest.mark.parametrize("shift", [24, 25, 38, 39, 40, 41, 63, 64, 200])
@pytest.mark.parametrize("value", [-2, -1, 0, 1, 2])
def test_wide_left_shift_to_the_state(shift, value):
    layer = BasicRnnCell(wide(1, 2, frac_bits=0), wide(1, frac_bits=0, value=0),
                         wide(1, frac_bits=shift), 0)

    assert_matches_loops(layer, wide(1, frac_bits=0, value=value))


@pytest.mark.parametrize("source", ["input", "state"])
@pytest.mark.parametrize("extra", [0, 1])
def test_overflow_at_the_edge(source, extra):
    """The bias saturates at 2**31 - 1; one more from the input or the state is too much."""
    layer = BasicRnnCell(tensor(1, 2, frac_bits=20), tensor(1, frac_bits=0, value=127),
                         wide(1, frac_bits=5, value=extra if source == "state" else 0), 0)
    x = wide(1, frac_bits=5, value=extra if source == "input" else 0)

    assert run(layer, x).overflow is bool(extra)
    assert_matches_loops(layer, x)


def test_cell_state_beyond_32_bits_sets_overflow():
    """A cell with more than 15 fractional bits can saturate the first product at 32 bits."""
    big   = wide(4, 1, 2, frac_bits=0, value=32767)
    layer = LstmCell(big, wide(4, 1, frac_bits=0), wide(1), wide(1, frac_bits=40, value=32767), 15)
    x     = wide(1, frac_bits=0, value=100)

    assert run(layer, x).overflow is True
    assert_matches_loops(layer, x)


def test_new_state_is_rounded_once():
    """399.5 and 1.5 add up before they are rounded."""
    bias   = Tensor(np.array([[0], [100], [0], [0]], np.int16), 12)
    result = lstm_cell(wide(1, value=0), wide(4, 1, 2, value=0), bias, wide(1, value=0),
                       wide(1, value=3), out_frac_bits=15)

    assert result.cell.data.tolist() == [401]


def test_functions_equal_layers():
    rng = random_of(3)
    x, h, c, w, b = (random_tensor(rng, shape, np.int8, 7)
                     for shape in [(5, 2, 3), (4,), (4,), (4, 4, 10), (4, 4)])
    options = {"out_frac_bits": 7, "mode": RnnMode.BATCH_TO_BATCH, "act": Act.TANH,
               "rounding": RoundMode.UP}

    assert lstm_cell(x, w, b, h, c, **options) == run(LstmCell(w, b, h, c, **options), x)
    w, b = Tensor(w.data[0], 7), Tensor(b.data[0], 7)
    assert basic_rnn_cell(x, w, b, h, **options) == run(BasicRnnCell(w, b, h, **options), x)


X     = tensor(3, 2)
BASIC = BasicRnnCell(tensor(4, 10), tensor(4), tensor(4), 7)
BATCH = replace(BASIC, weights=tensor(4, 6), mode=RnnMode.BATCH_TO_BATCH)
LSTM  = LstmCell(tensor(4, 4, 10), tensor(4, 4), tensor(4), tensor(4), 7)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (BASIC, tensor(3, 3), r"^Weights have 10 columns, input and previous output have 9 and 4 elem"),
    (BATCH, tensor(3, 3), r"^Weights have 6 columns, input and previous output have 3 and 4 elem"),
    (BATCH, tensor(), r"^Input of mode BATCH_TO_BATCH must have at least 1 dimension, not 0$"),
    (replace(BATCH, weights=tensor(1, 4, 6)), X,
     r"^Weights of mode BATCH_TO_BATCH must have 2 dimensions, not 3$"),
    (replace(BASIC, weights=tensor(10)), X, r"^Previous output must have shape \(0,\), one value "),
    (replace(BASIC, weights=tensor(1, 1, 4, 10)), X,
     r"^Weights must have 2 or 3 dimensions, not 4$"),
    (replace(BASIC, bias=tensor(3)), X, r"^Bias must have shape \(4,\), one value per output"),
    (replace(LSTM, bias=tensor(4)), X, r"^Bias must have shape \(4, 4\), one value per output, "),
    (replace(BASIC, bias=tensor(4, frac_bits=15)), X,
     r"^Bias must have at most 14 fractional bits, those of input and weights together, not 15$"),
    (replace(BASIC, h=tensor(4, 1)), X, r"^Previous output must have shape \(4,\), one value a "),
    (replace(BASIC, h=wide(4)), X, r"^Previous output has 16 bits, input has 8$"),
    (replace(BASIC, h=tensor(0)), X, r"^Previous output must not be empty, but has shape \(0,\)$"),
    (replace(LSTM, cell=tensor(3)), X, r"^Cell must have shape \(4,\), one value a row of the "),
    (replace(LSTM, cell=wide(4)), X, r"^Cell has 16 bits, input has 8$"),
    (replace(LSTM, weights=tensor(3, 4, 10)), X, r"^Weights must hold 4 matrices, not 3$"),
    (replace(LSTM, weights=tensor(4, 10)), X, r"^Weights must have 3 dimensions, not 2$"),
    (replace(BASIC, weights=wide(4, 10)), X, r" bits, not \(8, 16, 8\)$"),
    (replace(BASIC, act=Act.TANH, out_frac_bits=6), X, r"^out_frac_bits must be 7 with act TANH, "),
    (replace(LSTM, out_frac_bits=6), X, r"^out_frac_bits must be 7 with act NONE, not 6$"),
    (replace(BASIC, out_frac_bits=256), X, r"^out_frac_bits must be between 0 and 255, not 256$"),
])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (BASIC, X.data, r"^Input must be a Tensor, not ndarray$"),
    (replace(BASIC, h=None), X, r"^Previous output must be a Tensor, not NoneType$"),
    (replace(LSTM, cell=None), X, r"^Cell must be a Tensor, not NoneType$"),
    (replace(BASIC, mode=0), X, r"^mode must be a RnnMode, not int$"),
    (replace(LSTM, act="tanh"), X, r"^act must be an Act, not str$"),
    (replace(LSTM, rounding=None), X, r"^rounding must be a RoundMode, not NoneType$"),
    (replace(BASIC, out_frac_bits=None), X, r"^out_frac_bits must be an int, not NoneType$"),
])
def test_type_refusals(layer, x, message):
    with pytest.raises(TypeError, match=message):
        run(layer, x)
