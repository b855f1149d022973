# SPDX-License-Identifier: Apache-2.0
"""Table of all outputs: positions, values, and case quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.kit.facts import facts_of
from xymac.host.kit.floats.curves import arguments_of
from xymac.host.kit.groups import spread
from xymac.host.kit.operands import operands_of

from .axes import IMAGES, axes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["OutputTable", "case_numbers", "table_of", "table_of_rows"]

_EDGE = "in windows over the {} edge of the image"
_ELEMENTWISE = ("requantise", "relu", "sigmoid", "tanh", "softmax", "add", "sub", "mul")
_WRONG, _RIGHT = 20_000, 80_000  #: Maximum numbers of wrong and right outputs.


@dataclass(frozen=True, eq=False)
class OutputTable:
    """A table with a row per output.

    Parameters
    ----------
    wrong : bool array, whether the output differs
    weight : array, number of outputs represented by the row
    case, order, flat, size : int arrays: case number, number among all outputs, index in the
        result, size of the result
    value : int array, expected output
    places : {axis: (index, size)}, int arrays; -1 for results without the axis
    quantities : {name: object array}, case quantities as ints or words; None where missing
    inputs : {name: int array}, input of each output of an elementwise operation
    arguments : {name: array}, of each output of a curve: "value" of its input as a real number,
        "step" between two entries of the library's table, 0 without one, and "zero", the entry at 0
    sides : {words: bool array}, whether an output lies at a place that its operation has: windows
        over a side of the image, padding, parts of the result
    """

    wrong:      np.ndarray
    weight:     np.ndarray
    case:       np.ndarray
    order:      np.ndarray
    flat:       np.ndarray
    size:       np.ndarray
    value:      np.ndarray
    places:     dict
    quantities: dict
    inputs:     dict
    arguments:  dict
    sides:      dict

    @property
    def right(self) -> float:
        """Number of right outputs."""
        return float(self.weight[~self.wrong].sum())


def case_numbers(case: Case) -> dict[str, Any]:
    """Quantities of a Case, ints and words, that may separate wrong from right cases, a dict."""
    facts = facts_of(case)
    shape = case.shape
    if case.operation != "network":
        facts |= {f"output {name}": size for name, size in zip(
            axes_of(case, shape), shape, strict=True) if name in ("row", "column")}
    if "kernel_height" in facts:
        facts["kernel elements"] = facts["kernel_height"] * facts["kernel_width"]
        facts["largest stride"]  = max(facts["stride_height"], facts["stride_width"])
    facts["elements"] = facts.pop("elements", None)  # last: channels explain more simply
    if case.operation == "slice":
        facts["step"] = int(operands_of(case)["step"].max())
    return {name: value for name, value in facts.items() if isinstance(value, int | str)}


def table_of(cases: Sequence[Case], expected: Sequence[np.ndarray],
             results: Sequence[np.ndarray]) -> OutputTable:
    """The OutputTable of all cases, with evenly spread outputs if there are many."""
    total = sum(want.size for want in expected)
    masks = [(want != got).reshape(-1) for want, got in zip(expected, results, strict=True)]
    found = sum(int(mask.sum()) for mask in masks)
    rows = []
    for number, mask in enumerate(masks):
        for is_wrong, most, count in ((True, _WRONG, found), (False, _RIGHT, total - found)):
            every  = np.flatnonzero(mask == is_wrong)
            places = spread(every, max(-(-most * len(every) // max(count, 1)), 1))
            if len(places):
                rows.append((number, places, is_wrong, len(every) / len(places)))
    return table_of_rows(cases, expected, rows)


def table_of_rows(cases: Sequence[Case], expected: Sequence[np.ndarray],
                  outputs: Sequence[tuple[int, np.ndarray, bool, float]]) -> OutputTable:
    """The OutputTable of some outputs: (case number, flat indices, whether they differ, weight of
    each), at least one.
    """
    starts = np.cumsum([0, *(want.size for want in expected)])
    rows   = [_rows(cases[number], number, expected[number], places, is_wrong, weight,
                    starts[number]) for number, places, is_wrong, weight in outputs]
    joined = {name: np.concatenate([row[name] for row in rows]) for name in (
        "wrong", "weight", "case", "order", "flat", "size", "value")}
    axes = list(dict.fromkeys(name for row in rows for name in row["places"]))
    places = {axis: tuple(np.concatenate([
        row["places"].get(axis, (np.full(len(row["flat"]), -1),) * 2)[part] for row in rows])
        for part in (0, 1)) for axis in axes}
    facts  = [case_numbers(case) for case in cases]
    names  = list(dict.fromkeys(name for each in facts for name in each))
    quantities = {name: np.array([each.get(name) for each in facts], object)[joined["case"]]
                  for name in names}
    inputs, arguments, sides = (
        {name: np.concatenate([row[kind][name] for row in rows])
         for name in rows[0][kind] if all(name in row[kind] for row in rows)}
        for kind in ("inputs", "arguments", "sides"))
    return OutputTable(**joined, places=places, quantities=quantities, inputs=inputs,
                       arguments=arguments, sides=sides)


def _rows(case, number, want, flat, is_wrong, weight, start):
    """Rows for the outputs ``flat`` of a case, either all right or all wrong."""
    count = len(flat)
    index = np.unravel_index(flat, want.shape)
    axes  = axes_of(case, want.shape)
    places = {axis: (part, np.full(count, size)) for axis, part, size in zip(
        axes, index, want.shape, strict=True)}
    if case.operation == "depthwise_conv2d":
        inputs   = case_numbers(case)["channels"]
        multiple = max(want.shape[axes.index("channel")] // inputs, 1)
        places["input channel"] = places["channel"][0] // multiple, np.full(count, inputs)
    return {"wrong": np.full(count, is_wrong), "weight": np.full(count, weight),
            "case": np.full(count, number), "order": start + flat, "flat": flat,
            "size": np.full(count, want.size),
            "value": want.reshape(-1)[flat].astype(np.int64), "places": places,
            "inputs": _inputs(case, want.shape, flat), "arguments": _arguments(case, flat),
            "sides": _sides(case, places) or _pieces(case, want.shape, flat)}


def _inputs(case, shape, flat):
    """{name: input of each output}; empty for operations with other inputs."""
    if case.operation not in _ELEMENTWISE:
        return {}
    arrays = [np.asarray(getattr(x, "data", x)) for x in case.inputs]
    if any(array.shape != shape for array in arrays):
        return {}
    names = ("sum",) if case.operation == "requantise" else (
        ("input",) if len(arrays) == 1 else ("first input", "second input"))
    held = {name: array.reshape(-1)[flat].astype(np.int64)
            for name, array in zip(names, arrays, strict=True)}
    if case.operation == "softmax":
        below = arrays[0].max(axis=-1, keepdims=True) - arrays[0].astype(np.int64)
        held["largest input less the input"] = below.reshape(-1)[flat]
    return held


def _arguments(case, flat):
    """Columns as in ``OutputTable.arguments``; empty for operations that are no curves."""
    held = arguments_of(case)
    if held is None:
        return {}
    values, step, zero = held
    return {"value": values.reshape(-1)[flat], "step": np.full(len(flat), step),
            "zero": np.full(len(flat), zero)}


def _sides(case, places):
    """{side: whether the window of each output reaches over it}; empty without windows."""
    if case.operation not in IMAGES:
        return {}
    operands = operands_of(case)
    x, pad = case.inputs[0], operands["pad"]
    names  = axes_of(case, x.shape)
    start  = operands.get("start", (-pad[0], -pad[2]))
    sides  = {}
    for axis, (name, ends) in enumerate((("row", ("top", "bottom")),
                                         ("column", ("left", "right")))):
        first = places[name][0] * operands["stride"][axis] + start[axis]
        span  = (operands["kernel"][axis] - 1) * operands.get("dilation", (1, 1))[axis]
        sides |= {_EDGE.format(ends[0]): first < 0,
                  _EDGE.format(ends[1]): first + span >= x.shape[names.index(name)]}
    inside = ~np.any(list(sides.values()), axis=0)
    return sides | {"in windows over an edge of the image": ~inside,
                    "in windows inside of the image": inside}


def _pieces(case, shape, flat):
    """{words: whether an output comes from padding, or from an input}."""
    operands = operands_of(case)
    index    = np.unravel_index(flat, shape)
    if case.operation == "concatenate":
        sizes  = [x.shape[operands["axis"]] for x in case.inputs]
        number = np.searchsorted(np.cumsum(sizes), index[operands["axis"]], side="right")
        return {"in elements of the first input": number == 0,
                "off the elements of the first input": number > 0,
                "in elements of the last input": number == len(sizes) - 1,
                "in elements of the second input": number == 1}
    if case.operation != "pad":
        return {}
    before, behind = (np.stack([place < first for place, first in zip(
        places, operands[name], strict=True)]) for name, places in (
            ("before", index), ("behind", [size - 1 - place for place, size in zip(
                index, shape, strict=True)])))
    return {"in padding": (before | behind).any(axis=0), "in padding before": before.any(axis=0),
            "in padding behind": behind.any(axis=0),
            "in padding before the last dimension": before[-1],
            "in padding behind the last dimension": behind[-1],
            "in padding before the first dimension": before[0],
            "in padding behind the first dimension": behind[0],
            "off the padding": ~(before | behind).any(axis=0)}
