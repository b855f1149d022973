# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells with other gates, or whose states are lost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac import golden
from xymac.golden.mli1 import RnnMode
from xymac.golden.mli2 import Direction, RnnOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.case import Case

__all__ = ["changed_cells"]

_STATES = {"h": "output", "state": "output", "cell": "cell state"}
_GATES  = {"lstm": 4, "gru": 3}
_GATED  = ("weights", "weights_in", "weights_out", "bias", "biases")
_BITS   = (8, 4, 12)  #: Cut bits, or widths, of a state.
_CONSTANTS = {"biases": ("bias", "biases"), "weights": ("weights", "weights_in", "weights_out"),
              "input weights": ("weights_in",), "output weights": ("weights_out",)}
_FILTERS   = {"feature weights": ("weights_feature",), "time weights": ("weights_time",)}


def changed_cells(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for the
    operation in ``case``: lstm, gru, rnn or svdf.
    """
    if case.operation in _GATES:
        yield from _gates(_GATES[case.operation])
    constants = {**_CONSTANTS, **_FILTERS} if case.operation == "svdf" else _CONSTANTS
    for name, fields in constants.items():
        for words, change in _CHANGES:
            yield words.format(name), partial(_constant, change, fields)
    yield "the layer starts from a state of 0", partial(_forgotten, tuple(_STATES))
    names = {words: [name for name, each in _STATES.items() if each == words
                     and getattr(case.layer, name, None) is not None]
             for words in dict.fromkeys(_STATES.values())}
    for words, fields in names.items():
        if fields:
            yield f"the layer starts with {words} 0", partial(_forgotten, tuple(fields))
            yield f"the {words} is not kept from step to step", partial(_stepped, tuple(fields))
    for words, fields in names.items():
        for limit, change in _narrow() if fields else ():
            for when, is_loaded in ((" and at the start", True), ("", False)):
                yield (f"{limit.format(words)} from step to step{when}",
                       partial(_narrowed, change, tuple(fields), is_loaded))
    yield "no state is kept from step to step", partial(_stepped, tuple(_STATES))
    yield "the steps are in reversed order", _reversed
    for words, way in (("forwards", Direction.FWD), ("backwards", Direction.BWD)):
        yield f"the direction is ignored, all steps go {words}", lambda case, want, way=way: _run(
            replace(case.layer, direction=way), *case.inputs)
    yield "the limit of the cell state is left out", lambda case, want: _run(
        replace(case.layer, cell_clip=0.0), *case.inputs)


def _narrow():
    """Pairs (words, function of an int64 array): states in fewer bits."""
    for bits in _BITS:
        half = 1 << bits - 1
        yield (f"the lowest {bits} bits of the {{}} are cut",
               lambda data, bits=bits: data >> bits << bits)
        yield (f"the {{}} wraps at {bits} bits",
               lambda data, half=half: (data + half & 2 * half - 1) - half)
        yield (f"the {{}} saturates at {bits} bits",
               lambda data, half=half: np.clip(data, -half, half - 1))


def _gates(count):
    """Pairs as in ``changed_cells``: gates with other constants."""
    for one, two in combinations(range(count), 2):
        order = list(range(count))
        order[one], order[two] = two, one
        yield f"gates {one} and {two} are exchanged", partial(_exchanged, order, _GATED)
        for name, fields in _CONSTANTS.items():
            yield (f"gates {one} and {two} have exchanged {name}",
                   partial(_exchanged, order, fields))
    for name, fields in _CONSTANTS.items():
        for step, side in ((1, "before"), (-1, "behind")):
            order = np.roll(np.arange(count), step).tolist()
            yield f"every gate has the {name} of the gate {side}", partial(
                _exchanged, order, fields)


def _run(layer, *inputs):
    return np.asarray(golden.run(layer, *inputs).output.data)


def _exchanged(order, fields, case, want):
    """The cell's output with its gates' ``fields`` in another ``order``."""
    changes: dict[str, Any] = {}
    for name in fields:
        value = getattr(case.layer, name, None)
        if isinstance(value, tuple):
            changes[name] = tuple(value[gate] for gate in order)
        elif value is not None:
            changes[name] = replace(value, data=value.data[order])
    return _run(replace(case.layer, **changes), *case.inputs)


def _constant(change, fields, case, want):
    """The cell's output with changed constants."""
    changes: dict[str, Any] = {}
    for name in fields:
        value = getattr(case.layer, name, None)
        if isinstance(value, tuple):
            changes[name] = tuple(replace(each, data=change(each.data)) for each in value)
        elif value is not None:
            changes[name] = replace(value, data=change(value.data))
    return _run(replace(case.layer, **changes), *case.inputs) if changes else want


def _reread(data):
    """Matrices with rows and columns exchanged in memory."""
    rows, columns = data.shape[-2:]
    return np.ascontiguousarray(
        np.swapaxes(data.reshape(*data.shape[:-2], columns, rows), -1, -2))


#: Changes of all constants with a name.
_CHANGES = (
    ("the {} count as 0", np.zeros_like),
    ("rows and columns of the {} are exchanged in memory", _reread),
    ("the {} have reversed columns", lambda data: np.ascontiguousarray(data[..., ::-1])),
    ("every output has the {} of the one before", lambda data: np.roll(data, 1, 0)),
    ("every output has the {} of the next one", lambda data: np.roll(data, -1, 0)))


def _forgotten(fields, case, want):
    """The cell's output from states with zeros."""
    held = {name: getattr(case.layer, name, None) for name in fields}
    return _run(replace(case.layer, **{
        name: replace(value, data=np.zeros_like(value.data))
        for name, value in held.items() if value is not None}), *case.inputs)


def _axis(layer):
    """The steps' dimension; None for a single step without a dimension."""
    if hasattr(layer, "time_major"):
        return 0 if layer.time_major else 1
    return None if getattr(layer, "mode", None) is RnnMode.ONE_TO_ONE else 0


def _reversed(case, want):
    axis = _axis(case.layer)
    if axis is None:
        return want
    x = case.inputs[0]
    return _run(case.layer, replace(x, data=np.ascontiguousarray(np.flip(x.data, axis))))


def _stepped(lost, case, want):
    """The output step by step, each with the first states for the fields ``lost``."""
    return _each_step(case, want, case.layer, lambda layer: replace(layer, **{
        name: getattr(case.layer, name) for name in lost if hasattr(layer, name)}))


def _narrowed(change, fields, is_loaded, case, want):
    """The output step by step, with changed states behind every step, and at the start if a device
    holds the loaded state in the same register.
    """
    def held(layer):
        states = {name: getattr(layer, name, None) for name in fields}
        return replace(layer, **{name: replace(state, data=change(state.data.astype(
            np.int64)).astype(state.data.dtype)) for name, state in states.items()
            if state is not None})
    return _each_step(case, want, held(case.layer) if is_loaded else case.layer, held)


def _each_step(case, want, first, held):
    """The output step by step from the layer ``first``; ``held`` changes the layer behind each."""
    x    = case.inputs[0]
    axis = _axis(first)
    if axis is None or case.operation == "svdf":
        return want if first is case.layer else _run(first, *case.inputs)
    layer, outputs = _alone(first), []
    places = range(x.shape[axis])
    is_back = getattr(first, "direction", None) is Direction.BWD
    for place in reversed(places) if is_back else places:
        result = golden.run(layer, replace(x, data=x.data.take([place], axis)))
        outputs.append(np.asarray(result.output.data))
        layer = held(_following(layer, result, axis))
    whole = np.concatenate(outputs, axis)
    return (whole if whole.size == want.size else whole[-1:]).reshape(want.shape)


def _alone(layer):
    """The layer with every step's output, forwards."""
    if hasattr(layer, "mode"):
        return replace(layer, mode=RnnMode.BATCH_TO_BATCH)
    if hasattr(layer, "direction"):
        return replace(layer, direction=Direction.FWD, output=RnnOutput.ALL)
    return layer


def _following(layer, result, axis):
    """The layer with the states after a single step."""
    if hasattr(layer, "following"):
        return layer.following(result)
    data    = np.asarray(result.output.data)[0]
    changes = {"cell": result.cell} if getattr(result, "cell", None) is not None else {}
    if hasattr(layer, "h"):
        return replace(layer, h=replace(layer.h, data=data.reshape(layer.h.shape)), **changes)
    return replace(layer, state=replace(result.output, data=data), **changes)
