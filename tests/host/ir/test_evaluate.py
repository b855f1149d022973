# SPDX-License-Identifier: Apache-2.0
"""Integer operations evaluated on reference calls, against the golden kernels."""

from pathlib import Path

import numpy as np
import pytest

from xymac import golden
from xymac.host.frontend.registry import rules_of
from xymac.host.ir.elementwise import ElementMap, ElementMaps, IndexedMaps
from xymac.host.ir.pool import Pool
from xymac.host.vectors.check import build_layer
from xymac.host.vectors.files import read_arrays, read_cases

VECTORS = Path(__file__).parents[2] / "vectors"
STEP    = 12  #: Of each function every so many cases.
#: How many forms are evaluated of each library, at least.
FORMS   = {"": 50, "mli2": 66, "xs3": 28, "tflm": 55}


def calls(folder):
    """Layers and inputs of every twelfth reference call of each function."""
    seen = {}
    for case in read_cases(VECTORS / folder):
        number = seen[case.function] = seen.get(case.function, -1) + 1
        if number % STEP == 0:
            call = build_layer(case, next(iter(case.expected)), read_arrays(case))
            if call is not None:
                yield case.id, *call


def form_of(layer, *inputs):
    """The form that is lowered: the first one of a layer, or None."""
    made = (make(layer, *inputs) for _, make in rules_of(layer))
    return next((form for form in made if form is not None), None)


def evaluate(form, bits, *inputs):
    """Outputs of a form for Arrays."""
    data = [x.data.astype(np.int8) if x.data.dtype == bool else x.data for x in inputs]
    if isinstance(form, ElementMaps | IndexedMaps):
        return form.evaluate(bits, a=data[0])
    return form.evaluate(bits, *data)


@pytest.mark.parametrize("folder", FORMS)
def test_forms_equal_golden(folder):
    count = 0
    for name, layer, *inputs in calls(folder):
        form = form_of(layer, *inputs)
        if hasattr(form, "evaluate"):
            expected = golden.run(layer, *inputs).output
            made     = evaluate(form, expected.bits, *inputs).reshape(expected.shape)
            np.testing.assert_array_equal(made.astype(expected.data.dtype), expected.data, name)
            count += 1

    assert count >= FORMS[folder]


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_a_pool_are_the_pool(axis):
    count = 0
    for name, layer, x in (call for folder in FORMS for call in calls(folder) if len(call) == 3):
        form = form_of(layer, x)
        if not isinstance(form, Pool) or form.outputs[axis] < 2:
            continue
        whole, place, parts = evaluate(form, x.bits, x), form.order[-3:][axis], []
        for first, end in ((0, 1), (1, form.outputs[axis])):
            part, [taken] = form.split(place, first, end, x.shape)
            parts.append(evaluate(part, x.bits, x.take(taken)))
        np.testing.assert_array_equal(np.concatenate(parts, place), whole, name)
        count += 1

    assert count > 10


def test_parameters_along_a_dimension():
    form = ElementMaps((ElementMap(np.array([[[1, 2]]], np.int8), output={"clip": (-9, 9)}),), 0)

    made = form.evaluate(8, a=np.array([[3, -3, 1], [4, -4, 5]], np.int8))

    assert made.tolist() == [[3, -3, 1], [8, -8, 9]]
