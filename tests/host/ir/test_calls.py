# SPDX-License-Identifier: Apache-2.0
"""Forms of a call of every kind of layer: evaluated whole and in parts, against golden."""

import numpy as np
import pytest

from tests.support.layers import CALLS
from xymac import golden
from xymac.host.errors import Refusal
from xymac.host.ir.elementwise import ElementMaps, IndexedMaps
from xymac.host.ir.operation import Operation
from xymac.host.ir.tile import along
from xymac.host.lower.base import Lowering
from xymac.host.lower.registry import find_lowering

#: Calls whose form is evaluated, and those of them with parts, at least.
EVALUATED = {"mli1": 20, "mli2": 25, "xs3": 18, "tflm": 80}
SPLIT     = {"mli1": 8, "mli2": 6, "xs3": 6, "tflm": 52}


def lowered(wing):
    """Layer, inputs and Lowering of each call whose form can be evaluated."""
    for layer, *inputs in CALLS[wing]:
        try:
            lowering = find_lowering(layer, inputs, 4)
        except Refusal:
            continue
        if hasattr(lowering.form, "evaluate"):
            yield layer, inputs, lowering


def evaluate(form, output, inputs):
    """Output data of a form for golden Arrays."""
    data = [x.data.astype(np.int8) if x.data.dtype == bool else x.data for x in inputs]
    if isinstance(form, ElementMaps | IndexedMaps):
        made = form.evaluate(output.bits, a=data[0])
    else:
        made = form.evaluate(output.bits, *data)
    return made.reshape(output.shape).astype(output.data.dtype)


def parts_of(lowering):
    """Form, input slices and output slices of two parts along each dimension that tiles divide."""
    shape = lowering.output.shape
    for axis, unit in lowering.tile_axes():
        for first, end in lowering.tile_ranges(axis, 2, unit) or ():
            yield (*lowering.form.split(axis, first, end, *(x.shape for x in lowering.inputs)),
                   along(shape, axis, first, end))


@pytest.mark.parametrize("wing", CALLS)
def test_forms_equal_layers(wing):
    count = 0
    for layer, inputs, lowering in lowered(wing):
        np.testing.assert_array_equal(evaluate(lowering.form, lowering.output, inputs),
                                      golden.run(layer, *inputs).output.data, str(layer))
        count += 1

    assert count >= EVALUATED[wing]


@pytest.mark.parametrize("wing", CALLS)
def test_parts_of_forms_equal_layers(wing):
    count = 0
    for layer, inputs, lowering in lowered(wing):
        if type(lowering).cut is not Lowering.cut or not hasattr(lowering.form, "split"):
            continue
        expected = golden.run(layer, *inputs).output.data
        parts = list(parts_of(lowering))
        for form, sources, target in parts:
            taken = [x.take(slices) for x, slices in zip(inputs, sources, strict=True)
                     if slices is not None]
            part  = Operation.part(form, lowering.output, target, len(taken))
            np.testing.assert_array_equal(part.run(*taken).output.data, expected[target],
                                          str(layer))
            assert find_lowering(part, taken, 4).output.shape == expected[target].shape
        count += bool(parts)

    assert count >= SPLIT[wing]
