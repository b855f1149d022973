# SPDX-License-Identifier: Apache-2.0
"""Curves, maxima and cells that are slightly different: the report says how."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.support.seed import SEED
from xymac import golden
from xymac.golden.mli1 import RnnMode
from xymac.golden.mli1 import lut as mli1
from xymac.golden.mli2 import lut as mli2
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.floats.curves import CURVES, exact_curve, nearest
from xymac.host.kit.operands import operands_of
from xymac.host.kit.stimuli.generate import generate


def _curve(case, values):
    x = case.inputs[0]
    return golden.run(case.layer, replace(x, data=values.astype(x.data.dtype))).output.data


def _upper(case):
    """A table of 256 entries for 16 bits."""
    return _curve(case, case.inputs[0].data & -256)


def _linear(case):
    """Straight lines between every 16th entry."""
    data  = case.inputs[0].data.astype(int)
    low   = data // 16 * 16
    first, last = (_curve(case, np.minimum(each, 127)).astype(int) for each in (low, low + 16))
    return first + (last - first) * (data - low) // 16


def _entry(table, case):
    """A library's table without its interpolation: the entry below the argument."""
    x     = case.inputs[0]
    frac  = operands_of(case)["x_frac_bits"]
    index = (x.data.astype(int) << table.frac_bits >> frac) + table.offset
    return np.array(table.values, np.int16)[np.clip(index, 0, len(table.values) - 1)]


def _nearest(table, case):
    """The entry nearest to the argument, the upper of two equally near."""
    x     = case.inputs[0]
    frac  = operands_of(case)["x_frac_bits"]
    index = ((x.data.astype(int) << table.frac_bits + 1 >> frac) + 1 >> 1) + table.offset
    return np.array(table.values, np.int16)[np.clip(index, 0, len(table.values) - 1)]


def _never_negative(case):
    return np.maximum(case.expected(), 0)


def _swapped(case):
    """The second and the third gate exchanged."""
    layer = case.layer
    order = [0, 2, 1, 3]
    return golden.run(replace(layer, **{name: replace(getattr(layer, name), data=getattr(
        layer, name).data[order]) for name in ("weights", "bias")}), *case.inputs).output.data


def _empty(case):
    layer = case.layer
    return golden.run(replace(layer, h=replace(layer.h, data=layer.h.data * 0), cell=replace(
        layer.cell, data=layer.cell.data * 0)), *case.inputs).output.data


def _cut_cell(change, case):
    """The cell state in fewer bits, as it is loaded and from step to step."""
    def cut(cell):
        return replace(cell, data=change(cell.data.astype(int)).astype(cell.data.dtype))

    layer, x = replace(case.layer, cell=cut(case.layer.cell)), case.inputs[0]
    if layer.mode is RnnMode.ONE_TO_ONE:
        return golden.run(layer, x).output.data
    is_last = layer.mode is RnnMode.BATCH_TO_LAST
    layer, steps = replace(layer, mode=RnnMode.BATCH_TO_BATCH), []
    for row in x.data:
        result = golden.run(layer, replace(x, data=row[np.newaxis]))
        steps.append(result.output.data[0])
        layer = replace(layer, h=replace(layer.h, data=steps[-1].reshape(layer.h.shape)),
                        cell=cut(result.cell))
    return np.array(steps[-1:] if is_last else steps).reshape(case.shape)


def _over_padding(case):
    """Windows with elements of 0 around the image."""
    x, layer = case.inputs[0].data, case.layer
    top, bottom, left, right = layer.pad
    around = ((top, bottom), (left, right))
    sides  = ((0, 0), *around) if layer.layout.name == "CHW" else (*around, (0, 0))
    wide   = replace(case.inputs[0], data=np.pad(x, sides))
    return golden.run(replace(layer, pad=(0, 0, 0, 0)), wide).output.data


@pytest.mark.parametrize(("kind", "device", "sentence"), [
    (("tanh", "mli-1", "fx16"), _upper, "the curve comes from a table of 256 entries"),
    (("tanh", "mli-1", "fx16"), partial(_entry, mli1.TANH),
     "the curve comes from entries 1/16 apart, without interpolation"),
    (("sigmoid", "mli-1", "fx16"), partial(_nearest, mli1.SIGMOID),
     "the curve comes from the nearest of entries 1/8 apart"),
    (("tanh", "mli-2", "fx16"), partial(_entry, mli2.TANH),
     "the curve comes from entries 1/32 apart, without interpolation"),
    (("sigmoid", "tflm", "int8"), _linear,
     "the curve is interpolated linearly between 16 entries, without rounding"),
    (("max_pool", "mli-1", "fx8"), _over_padding, "padding counts as 0 in the maximum"),
    (("max_pool", "tflm", "int8"), _never_negative, "the maximum starts at 0"),
    (("lstm", "mli-1", "fx8"), _swapped, "gates 1 and 2 are exchanged"),
    (("lstm", "mli-1", "fx16"), _empty, "the layer starts from a state of 0"),
    (("lstm", "mli-1", "fx16"), partial(_cut_cell, lambda cell: np.clip(cell, -128, 127)),
     "the cell state saturates at 8 bits from step to step and at the start"),
    (("lstm", "mli-1", "fx16"), partial(_cut_cell, lambda cell: cell & -256),
     "the lowest 8 bits of the cell state are cut from step to step and at the start")])
def test_what_the_layer_is_instead_is_said(kind, device, sentence):
    cases = list(generate(Supports(*kind), 60, SEED.value).cases)

    verdict = explain(cases, [device(case) for case in cases])

    assert sentence in verdict.sentence
    assert "there are no rules" not in verdict.sentence


def test_noise_is_no_variant():
    cases   = list(generate(Supports("tanh", "mli-1", "fx8"), 20, SEED.value).cases)
    rng     = np.random.default_rng(3)
    results = [case.expected() ^ rng.integers(0, 2, case.shape).astype(np.int8) for case in cases]

    assert "curve" not in explain(cases, results).sentence


def _rounded(case):
    """In float64, rounded to the nearest."""
    return nearest(exact_curve(case), case.dtype)


def _short(case):
    """In float64, with an error before the rounding as of short floats."""
    return nearest(exact_curve(case) + 0.003, case.dtype)


@pytest.mark.parametrize(("dialect", "kind"), [
    ("tflm", "int8"), ("tflm", "int16"), ("mli-1", "fx8"), ("mli-1", "fx16"), ("mli-2", "sa8"),
    ("mli-2", "fx8"), ("mli-2", "fx16")])
@pytest.mark.parametrize("operation", CURVES)
def test_a_curve_in_floating_point_is_found_and_named(operation, dialect, kind):
    if (operation, dialect, kind) == ("softmax", "mli-2", "fx8"):  # not in the library
        return
    cases = list(generate(Supports(operation, dialect, kind), 100, SEED.value).cases)

    wrong   = [not np.array_equal(_rounded(case), case.expected()) for case in cases]
    verdict = explain(cases, [_rounded(case) for case in cases])

    assert sum(wrong) > 2
    assert "exact ones, as of floating point, rounded to the nearest" in verdict.sentence


@pytest.mark.parametrize("operation", CURVES)
def test_floats_of_few_digits_are_named_too(operation):
    cases = list(generate(Supports(operation, "tflm"), 100, SEED.value).cases)

    verdict = explain(cases, [_short(case) for case in cases])

    assert "rounded to the nearest with an error of up to 1/256 of a step" in verdict.sentence
