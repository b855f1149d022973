# SPDX-License-Identifier: Apache-2.0
"""Layers of TensorFlow Lite that keep a state as passes, called again and again."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.sizes import between, each_core, each_size
from tests.support.tflite.kept import (
    assert_calls,
    input_of,
    random_lstm,
    random_svdf,
    reversed_input,
)
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.states import STATES
from xymac.golden import run
from xymac.golden.tflm.tensor import Quantisation
from xymac.hdl.config import BASE, COMPACT, SMALL, TINY
from xymac.hdl.isa import Scale
from xymac.host.errors import Refusal
from xymac.host.frontend.tflm.recurrent import SIZES
from xymac.host.lower.recurrent.curves import Argument, Curves
from xymac.host.plan.plan import Plan

KINDS = pytest.mark.parametrize(("dtype", "peak"), [
    (np.int8, 127), (np.int16, 127), (np.int16, 32767)])
#: Batches, inputs, units, rank, memory.
SHAPES = [(1, 5, 6, 2, 4), (3, 3, 21, 1, 1), (2, 9, 17, 3, 3)]


#: Batches, steps, inputs, units.
SEQUENCES = [(1, 4, 5, 6), (3, 2, 3, 17), (2, 3, 9, 21), (1, 7, 28, 20)]
CELL_SCALES = [2.0 ** -11, 0.75, 2.0 ** -15, 2.0 ** -20, 2.0 ** -14, 3.0]


def scaled(layer, name, scale):
    """The layer with another scale of its state or of its output."""
    if name == "out":
        return replace(layer, out=replace(layer.out, scales=(scale,)))
    kind = Quantisation((scale,), layer.state.quantisation.zero_points)
    return replace(layer, state=replace(layer.state, quantisation=kind))


@each_size
@pytest.mark.parametrize("name", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_models(name, config):
    for key in range(10):
        model = STATES[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@KINDS
@pytest.mark.parametrize("shape", SHAPES)
@each_core
def test_filters(config, shape, dtype, peak):
    for key in range(2):
        layer = random_svdf(key, *shape, dtype=dtype, peak=peak)
        x     = input_of(key, *shape[:2])
        assert_calls(config, layer, x, reversed_input(x), x)


@pytest.mark.parametrize("units", [70, between(129), between(16), between(15)])
def test_more_units_than_sums_that_lanes_hold(units):
    layer = random_svdf(3, 2, 4, units, dtype=np.int16, peak=32767)
    assert_calls(TINY, layer, input_of(3, 2, 4), input_of(3, 2, 4))


@pytest.mark.parametrize("scale", [2.0 ** -18, 2.0 ** -24, 2.0 ** -30])
@pytest.mark.parametrize(("name", "dtype"), [("state", np.int8), ("out", np.int16)])
def test_factors_that_shift_sums_out_of_32_bits(name, dtype, scale):
    layer = scaled(random_svdf(4, 2, 9, 21, dtype=dtype, peak=np.iinfo(dtype).max), name, scale)
    x     = input_of(4, 2, 9)
    factors = layer.factors(x)
    assert factors[name == "out"][1] > 4
    assert_calls(SMALL, layer, x, reversed_input(x))


def test_a_state_that_wraps_when_its_zero_point_is_added():
    layer = scaled(random_svdf(1, units=9), "state", 2.0 ** -12)
    layer = replace(layer, state=replace(layer.state,
                                         quantisation=Quantisation((2.0 ** -12,), (127,))))
    assert_calls(BASE, layer, input_of(1, 1, 5), input_of(1, 1, 5))


def test_states_of_other_shapes_are_refused():
    x    = input_of(1, 1, 5)
    plan = Plan(TINY, [random_svdf(1)], x)
    other = random_svdf(1, memory=5)
    with pytest.raises(ValueError, match=r"^States must have shapes and types \[\[\(\(1, 48\), "
                                         r"'int8'\)\]\], not \[\[\(\(1, 60\), 'int8'\)\]\]$"):
        plan.run(None, x, states=((other.state,),))


def sequence_of(key, shape, *, time_major):
    """A random recurrent layer and an input of so many batches and steps."""
    batch, steps, inputs, units = shape
    order = (steps, batch) if time_major else (batch, steps)
    return (random_lstm(key, batch, inputs, units, time_major=time_major,
                        scale=float(np.float32(CELL_SCALES[key % len(CELL_SCALES)])),
                        cell_clip=[0.0, 3.0, 0.001][key % 3]), input_of(key, *order, inputs))


@each_size
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("shape", SEQUENCES)
def test_sequences(config, shape, time_major):
    for key in range(4):
        layer, x = sequence_of(key, shape, time_major=time_major)
        assert_calls(config, layer, x, reversed_input(x))


@pytest.mark.parametrize("scale", [2.0 ** power for power in (-30, -17, -13, -12, -10, -1, 3)]
                         + [0.0007, 0.3])
@pytest.mark.parametrize("clip", [0.0, 0.4])
def test_scales_of_the_cell(scale, clip):
    layer = random_lstm(5, units=9, scale=float(np.float32(scale)), cell_clip=clip)
    assert_calls(SMALL, layer, input_of(5, 1, 6, 5), input_of(5, 1, 6, 5))


def test_limits_of_the_cell_whose_tangents_are_looked_up_on_their_own():
    assert Argument.of(3, 1).limit(Curves(SIZES), -37, 37) is None
    layer = random_lstm(6, units=9, scale=2.0 ** -13, cell_clip=37 / 2 ** 13)
    assert_calls(SMALL, layer, input_of(6, 1, 6, 5), input_of(6, 1, 6, 5))


def test_gates_of_one_factor_read_it_once():
    layer, x = sequence_of(1, (1, 3, 5, 6), time_major=False)
    alike    = replace(layer, weights_in=layer.weights_in[:1] * 4)
    once     = [sum(pass_.epilogue.once for pass_ in Plan(SMALL, [each], x).program)
                for each in (layer, alike)]
    assert once == [0, 1]
    assert_calls(SMALL, alike, x)


@pytest.mark.parametrize(("batch", "times", "ahead"), [(2, 1, 1), (2, 9, 0), (1, 3, 1), (1, 15, 0)])
def test_sums_with_all_frames_are_made_before_the_steps_if_there_is_room(batch, times, ahead):
    layer, x = sequence_of(1, (batch, 3, 5, 6), time_major=False)
    x        = replace(x, data=np.tile(x.data, (1, times, 1)))
    plan     = Plan(TINY, [layer], x)
    end      = next(index for index, pass_ in enumerate(plan.program) if pass_.control.repeat)
    begin    = plan.program[:end - plan.program[end].control.back]
    # Others load the memory, and of one batch the state as if it were an output.
    loads    = 1 + (batch == 1)
    assert sum(pass_.epilogue.scale is not Scale.NONE for pass_ in begin) == loads + ahead
    assert_calls(TINY, layer, x, reversed_input(x))


def test_a_sequence_is_one_loop():
    layer, x = sequence_of(1, (2, 3, 5, 6), time_major=True)
    longer   = replace(x, data=np.tile(x.data, (9, 1, 1)))
    assert len(Plan(SMALL, [layer], x).program) == len(Plan(SMALL, [layer], longer).program)
    assert_calls(SMALL, layer, longer)


def test_a_call_takes_the_frames_of_any_length():
    layer, x = sequence_of(2, (1, 1, 5, 6), time_major=False)
    assert_calls(BASE, layer, x, reversed_input(x), x)


@pytest.mark.parametrize("scale", [2.0 ** 10, between(2.0 ** 14), 2.0 ** 20])
@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
def test_gates_whose_factors_shift_sums_out_of_32_bits(config, scale):
    layer, x = sequence_of(0, (2, 3, 5, 6), time_major=False)
    x        = replace(x, quantisation=Quantisation((scale,), (3,)))
    state    = replace(layer.state, quantisation=Quantisation((scale,), (-5,)))
    assert layer.factors(x, 0)[0][1] > 10
    assert_calls(config, layer, x, reversed_input(x))
    assert_calls(config, replace(layer, state=state), x, reversed_input(x))


def test_biases_that_sums_overflow_with():
    layer, x = sequence_of(0, (1, 2, 5, 6), time_major=False)
    biases   = tuple(replace(bias, data=bias.data + (2 ** 31 - 1001)) for bias in layer.biases)
    layer    = replace(layer, biases=biases)
    assert run(layer, x).overflow
    assert_calls(SMALL, layer, x)


def test_refused_scales():
    layer, x = sequence_of(0, (1, 2, 5, 6), time_major=False)
    cell     = replace(layer.cell, quantisation=Quantisation((2.0 ** -33,), (0,)))
    with pytest.raises(Refusal, match=r"^Sums must stay within \d+ for every input, not "):
        Plan(SMALL, [replace(layer, cell=cell)], x)


def test_cores_without_tables_are_refused():
    layer, x = sequence_of(0, (1, 2, 5, 6), time_major=False)
    with pytest.raises(Refusal, match=r"^There are no passes for UnidirectionalSequence"):
        Plan(COMPACT, [layer], x)
