# SPDX-License-Identifier: Apache-2.0
"""Where the initial states of a recurrent cell of MLI 1.x lie among its constants.

The lowering makes constants of them, of 48 bits each. Here they become inputs: where the parts of
each lie is read off the constants of cells whose states are all 0 but for some of -1 or 1.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import CELL_BITS

__all__ = ["STATES", "compile_states"]

#: Names of the states of a layer, in their order.
STATES = {"BasicRnnCell": ("h",), "LstmCell": ("h", "cell")}


def compile_states(layer, compile_layer):
    """A Compiled of a cell, whose inputs are followed by its states.

    Steps ``state`` write the cells of one: of ``elements`` (int64) the number is twice that of an
    element, and 1 more for a cell of its sign; -1 for a zero.

    Parameters
    ----------
    layer : BasicRnnCell or LstmCell
    compile_layer : function of a layer to a Compiled

    RuntimeError if the constants depend on the states in any other way.
    """
    names = STATES[type(layer).__name__]
    blank = replace(layer, **{name: _fill(layer, name, 0) for name in names})
    base  = compile_layer(blank)
    cells = _constants(base)
    steps = {}
    given = [array.copy() for array in cells]
    first = max(map(int, base.description["values"])) + 1
    for number, name in enumerate(names, first):
        elements = _locate(blank, name, compile_layer, cells)
        for index, places in enumerate(elements):
            _patch(given[index], places, getattr(layer, name).data)
            if (places >= 0).any():
                steps.setdefault(index, []).extend(_spans(places, cells[index], number))
    if not all(map(np.array_equal, given, _constants(compile_layer(layer)))):
        raise RuntimeError("The constants of a cell are not its weights and states alone")
    return _extend(base, layer, names, first, steps)


def _fill(layer, name, value):
    state = getattr(layer, name)
    return replace(state, data=np.broadcast_to(value, state.data.shape).astype(state.data.dtype))


def _constants(compiled):
    """Cells of all steps that write some."""
    return [compiled.arrays[step["array"]] for step in _writers(compiled.description)]


def _writers(content):
    return [step for step in (*content["load"], *content["run"]) if step["do"] == "cells"]


def _locate(blank, name, compile_layer, cells):
    """Arrays like ``cells`` of what lies there of a state; see ``compile_states``."""
    def differ(value):
        other = compile_layer(replace(blank, **{name: _fill(blank, name, value)}))
        return [array != cell for array, cell in zip(_constants(other), cells, strict=True)]

    count   = getattr(blank, name).data.size
    numbers = [np.zeros(len(array), np.int64) for array in cells]
    for bit in range(count.bit_length()):
        for number, different in zip(numbers, differ(-(np.arange(1, count + 1) >> bit & 1)),
                                     strict=True):
            number |= different.astype(np.int64) << bit
    return [np.where(number, 2 * (number - 1) + ~low, -1)
            for number, low in zip(numbers, differ(1), strict=True)]


def _patch(cells, places, state):
    """Put a state where ``places`` say."""
    values = state.astype(np.int64)[np.maximum(places, 0) // 2] >> CELL_BITS * (places % 2)
    cells[places >= 0] = (values & (1 << CELL_BITS) - 1).astype(np.uint16)[places >= 0]


def _spans(places, cells, number):
    """Words one after the other that hold parts of a state: (value, first cell, elements)."""
    words = np.unique(np.flatnonzero(places >= 0) // 2)
    if cells.reshape(-1, 2)[words].any():
        raise RuntimeError("A word holds a state and something else")
    for span in np.split(words, np.flatnonzero(np.diff(words) > 1) + 1):
        first, end = 2 * int(span[0]), 2 * int(span[-1]) + 2
        yield number, first, places[first:end]


def _extend(base, layer, names, first, steps):
    """A Compiled with the steps that write states, behind those that write constants."""
    content, arrays = dict(base.description), dict(base.arrays)
    extended, writers = {"load": [], "run": []}, 0
    for key in extended:
        for step in content[key]:
            extended[key].append(step)
            if step["do"] != "cells":
                continue
            for number, cell, elements in steps.get(writers, ()):
                name = f"state{len(arrays)}"
                arrays[name] = elements
                extended["run"].append({
                    "do": "state", "value": number, "memory": step["memory"],
                    "first": step["first"] + cell, "cells": len(elements), "array": name})
            writers += 1
    content |= extended
    content["inputs"] = content["inputs"] + [
        {"name": name, "value": number} for number, name in enumerate(names, first)]
    content["values"] = content["values"] | {
        str(number): {"shape": list(getattr(layer, name).shape),
                      "type": getattr(layer, name).data.dtype.name}
        for number, name in enumerate(names, first)}
    return replace(base, description=content, arrays=arrays)
