"""Layers of TensorFlow Lite that keep a state as passes, called again and again."""

from dataclasses import replace

import numpy as np
import pytest

from golden.tflm.tensor import Quantisation
from hdl.config import BASE, CORES, SMALL, TINY
from host.plan.plan import Plan
from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.sizes import between, each_size
from tests.support.tflite.kept import assert_calls, input_of, random_svdf, reversed_input
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.states import STATES

KINDS = pytest.mark.parametrize(("dtype", "peak"), [
    (np.int8, 127), (np.int16, 127), (np.int16, 32767)])
#: Batches, inputs, units, rank, memory.
SHAPES = [(1, 5, 6, 2, 4), (3, 3, 21, 1, 1), (2, 9, 17, 3, 3)]


def scaled(layer, name, scale):
    """The layer with another scale of its state or of its output."""
    if name == "out":
        return replace(layer, out=replace(layer.out, scales=(scale,)))
    kind = Quantisation((scale,), layer.state.quantisation.zero_points)
    return replace(layer, state=replace(layer.state, quantisation=kind))


@each_size
@pytest.mark.parametrize("name", ["SVDF"])
def test_models(name, config):
    for key in range(10):
        model = STATES[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@KINDS
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("config", CORES.values(), ids=CORES)
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
