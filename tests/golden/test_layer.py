# SPDX-License-Identifier: Apache-2.0
"""The protocol of a layer: all kinds of every wing keep it, and it is all that run asks for."""

from dataclasses import dataclass, replace
from inspect import signature

import numpy as np
import pytest

from tests.support.layers import CALLS
from xymac.golden import Layer, mli1, mli2, run, tflm, xs3
from xymac.golden.array import Array
from xymac.golden.kinds import WorkUnit
from xymac.golden.layer import LayerBase
from xymac.golden.mli1 import Tensor
from xymac.golden.result import Result

WINGS = {"mli1": mli1, "mli2": mli2, "tflm": tflm, "xs3": xs3}
EACH  = [pytest.param(*call, id=f"{wing}-{type(call[0]).__name__}")
         for wing, calls in CALLS.items() for call in ([layer, inputs] for layer, *inputs in calls)]
#: Methods that take one argument an input.
METHODS = ("check", "output_shape", "output_like", "run", "work", "data_type")
X = Tensor(np.array([[1, -2], [3, 4]], np.int8), 4)


def kinds_of(wing):
    """Classes of layers that a wing exports."""
    exported = (getattr(wing, name) for name in wing.__all__)
    return {kind for kind in exported if isinstance(kind, type) and issubclass(kind, LayerBase)}


@pytest.mark.parametrize("name", WINGS)
def test_there_is_a_call_of_every_kind(name):
    assert {type(layer) for layer, *_ in CALLS[name]} == kinds_of(WINGS[name])


@pytest.mark.parametrize(("layer", "inputs"), EACH)
def test_every_kind_has_the_members(layer, inputs):
    assert isinstance(layer, Layer)
    assert isinstance(layer.work_unit, WorkUnit)
    assert layer.inputs in (None, len(inputs))
    for name in METHODS:
        signature(getattr(layer, name)).bind(*inputs)


@pytest.mark.parametrize(("layer", "inputs"), EACH)
def test_output_like_has_the_format_of_the_output(layer, inputs):
    output = run(layer, *inputs).output

    blank = layer.output_like(*inputs)

    assert not blank.data.any()
    assert replace(output, data=np.zeros_like(output.data)) == blank
    assert layer.output_shape(*(x.shape for x in inputs)) == output.shape


@pytest.mark.parametrize(("layer", "inputs"), EACH)
def test_work_is_a_positive_int(layer, inputs):
    work = layer.work(*(x.shape for x in inputs))

    assert isinstance(work, int)
    assert work > 0


@pytest.mark.parametrize(("layer", "inputs", "name"), [
    (*call, name) for calls, index, name in (
        ("mli1", 0, "fx8"), ("mli1", 1, "fx8w16d"), ("mli1", 9, "fx16"),
        ("mli2", 0, "sa8_sa8_sa32"), ("mli2", 1, "fx16"), ("mli2", 10, "sa8"),
        ("tflm", 0, "INT8_INT8_INT32"), ("tflm", 1, "INT16_INT8_INT64"), ("tflm", 4, "INT8"),
        ("xs3", 0, "int8"), ("xs3", 18, "int32"),
            ("xs3", 19, "int16"))
    for call in [(CALLS[calls][index][0], CALLS[calls][index][1:])]])
def test_data_types_are_spelled_like_the_functions(layer, inputs, name):
    assert layer.data_type(*inputs) == name


class Doubled:
    """A layer from elsewhere: it shares no code with golden."""

    inputs     = 1
    work_unit  = WorkUnit.ELEMENTS
    by_element = True

    def check(self, x):
        if x.frac_bits == 0:
            raise ValueError("Input must have a fractional bit")

    def output_shape(self, x_shape):
        return x_shape

    def output_like(self, x):
        return Tensor(np.zeros_like(x.data), x.frac_bits - 1)

    def run(self, x):
        return Result(Tensor(x.data, x.frac_bits - 1), overflow=False)

    def work(self, x_shape):
        return int(np.prod(x_shape))

    def data_type(self, x):
        return f"fx{x.bits}"


def test_a_layer_from_elsewhere_runs():
    assert isinstance(Doubled(), Layer)
    assert run(Doubled(), X).output == Tensor(X.data, 3)


def test_a_layer_from_elsewhere_is_checked():
    with pytest.raises(ValueError, match=r"^Input must have a fractional bit$"):
        run(Doubled(), replace(X, frac_bits=0))
    with pytest.raises(TypeError, match=r"^Inputs of Doubled must be 1, not 2$"):
        run(Doubled(), X, X)


@dataclass(frozen=True)
class Negated(LayerBase):
    """A layer that has check and run only."""

    def check(self, x):
        assert isinstance(x, Array)

    def run(self, x):
        return Result(replace(x, data=-x.data), overflow=False)


def test_defaults_are_those_of_an_element_by_element():
    layer = Negated()

    assert run(layer, X).output == replace(X, data=-X.data)
    assert layer.output_like(X) == replace(X, data=np.zeros_like(X.data))
    assert layer.work(X.shape) == 4
    assert layer.work_unit is WorkUnit.ELEMENTS
    assert not layer.by_element
    assert layer.data_type(X) == "fx8"


@pytest.mark.parametrize(("layer", "message"), [
    (7, r"not int, which has no inputs, work_unit, by_element, check, .*, data_type$"),
    (LayerBase(), r"not LayerBase, which has no check, run$"),
    (Negated, r"not type$")])
def test_what_is_no_layer_is_refused(layer, message):
    with pytest.raises(TypeError, match=r"^Layer must be a layer, " + message):
        run(layer, X)
