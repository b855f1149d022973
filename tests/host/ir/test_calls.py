# SPDX-License-Identifier: Apache-2.0
"""Forms of a call of every kind of layer: evaluated, and evaluated in parts."""

import numpy as np
import pytest

from tests.support.layers import CALLS
from xymac import golden
from xymac.host.ir.elementwise import ElementMaps, IndexedMaps
from xymac.host.ir.operation import Operation
from xymac.host.ir.refuse import NoPassesError
from xymac.host.ir.tile import along, cut_evenly
from xymac.host.lower.base import Lowering
from xymac.host.lower.registry import find_lowering

EACH = [pytest.param(layer, inputs, id=f"{wing}-{number}-{type(layer).__name__}")
        for wing, calls in CALLS.items() for number, (layer, *inputs) in enumerate(calls)]


def lowering_of(layer, inputs):
    """The Lowering of a layer; the test skips if it has none, or none for a form."""
    try:
        lowering = find_lowering(layer, inputs, 4)
    except NoPassesError:
        pytest.skip("no passes")
    if not hasattr(lowering.form, "evaluate"):
        pytest.skip("no form to evaluate")
    return lowering


def evaluate(form, output, inputs):
    """Output data of a form for golden Arrays."""
    data = [x.data.astype(np.int8) if x.data.dtype == bool else x.data for x in inputs]
    if isinstance(form, ElementMaps | IndexedMaps):
        made = form.evaluate(output.bits, a=data[0])
    else:
        made = form.evaluate(output.bits, *data)
    return made.reshape(output.shape).astype(output.data.dtype)


@pytest.mark.parametrize(("layer", "inputs"), EACH)
def test_form_equals_layer(layer, inputs):
    lowering = lowering_of(layer, inputs)

    np.testing.assert_array_equal(evaluate(lowering.form, lowering.output, inputs),
                                  golden.run(layer, *inputs).output.data)


@pytest.mark.parametrize(("layer", "inputs"), EACH)
def test_tiles_equal_layer(layer, inputs):
    lowering = lowering_of(layer, inputs)
    made, count = golden.run(layer, *inputs).output.data, 0

    for tile in lowering.cut(2) or ():
        if isinstance(tile.layer, Operation):
            parts = [x.take(slices) for x, slices in zip(inputs, tile.sources, strict=True)
                     if slices is not None]
            part  = tile.layer.run(*parts).output
            np.testing.assert_array_equal(part.data, made[tile.target])
            assert find_lowering(tile.layer, parts, 4).output == tile.layer.output_like(*parts)
            count += 1

    if not count:
        pytest.skip("not tiled by its form")


@pytest.mark.parametrize(("layer", "inputs"), EACH)
def test_parts_of_every_dimension_equal_layer(layer, inputs):
    expected = golden.run(layer, *inputs).output.data
    lowering = lowering_of(layer, inputs)
    if type(lowering).cut is not Lowering.cut or not hasattr(lowering.form, "split"):
        pytest.skip("not tiled by its form")
    for axis, _ in lowering.tile_axes():
        for first, end in cut_evenly(expected.shape[axis], 2) or ():
            form, sources = lowering.form.split(axis, first, end, *(x.shape for x in inputs))
            parts  = [x.take(slices) for x, slices in zip(inputs, sources, strict=True)
                      if slices is not None]
            target = expected[along(expected.shape, axis, first, end)]
            made   = Operation(form, target.shape, lowering.output, len(parts)).run(*parts)
            np.testing.assert_array_equal(made.output.data, target)
