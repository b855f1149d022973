# SPDX-License-Identifier: Apache-2.0
"""A network as the steps of a driver."""

import numpy as np

from xymac.hdl.isa import CELL_BITS, Memory
from xymac.host.device.tables import TableHolder
from xymac.host.errors import InputError
from xymac.host.memory.interleaved import InterleavedLayout
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.windows import WindowLayout
from xymac.host.plan.plan import Plan

from .compiled import ARRAYS, FORMAT, Compiled
from .computed import describe_layer
from .session import Session
from .unsigned import as_signed, is_unsigned

__all__ = ["compile_network"]


class _Recorder(TableHolder):
    """Notes as steps what is written to it as to a Device; ``unsigned`` are numbers of values of
    uint8 that it has less 128."""

    def __init__(self, config, arrays, unsigned=frozenset()):
        self.config, self._arrays, self.steps = config, arrays, []
        self._unsigned = unsigned

    def keep(self, kind, data):
        """Key of an array, which is kept once."""
        key = next((key for key, other in self._arrays.items() if other.dtype == data.dtype
                    and np.array_equal(other, data)), f"{kind}{len(self._arrays)}")
        self._arrays[key] = np.asarray(data).copy()
        return key

    def write_cells(self, memory, start, cells):
        """Note cells."""
        key = self.keep("cells", np.asarray(cells, np.uint16))
        self.steps.append({"do": "cells", "memory": memory.name, "first": start, "array": key})

    def write_table(self, first, entries):
        """Note entries of tables."""
        key = self.keep("table", np.asarray(entries, np.int16))
        self.steps.append({"do": "table", "first": first, "array": key})

    def place_table(self, table, place):
        """Note where a table lies."""
        self.steps.append({"do": "place", "table": table.value, "first": place.first,
                           "entries": place.entries, "offset": place.offset})

    def load_program(self, program):
        """Note a program."""
        words = np.array(program.words, np.uint64)
        self.steps.append({"do": "program", "array": self.keep("program", words)})

    def start(self):
        """Note a run."""
        self.steps.append({"do": "start"})

    def transfer(self, what, value, layout, part=()):
        """Note that a value is written or read."""
        self._transfer(what, value, layout, part, layout.row, layout.rows, _places_of(what, layout))

    def transfer_rows(self, value, layout, part, row, ranges):
        """Note that some rows of a value, ranges (first, end), are written from ``row`` on."""
        places = _places(layout)
        units  = layout.row_cells * CELL_BITS // layout.bits
        moved  = np.full(places.size, -1, np.int32)
        count  = 0
        for first, end in ranges:
            inside = (first <= places // units) & (places // units < end)
            moved[inside] = places[inside] + (count - first) * units
            count += end - first
        self._transfer("write", value, layout, part, row, count, moved)

    def _transfer(self, what, value, layout, part, row, rows, places):
        step = {"do": what, "value": value, "memory": layout.memory.name,
                "first": row * layout.row_cells, "cells": rows * layout.row_cells,
                "places": self.keep("places", places),
                "layout": {"order": list(layout.order), "inner": layout.inner,
                           "parts": list(layout.parts), "ways": layout.ways, "row": row}}
        if isinstance(layout, WindowLayout) and what == "write":
            step |= {"takes": self.keep("takes", layout.taken.ravel().astype(np.int32)),
                     "fill": layout.fill}
        if isinstance(layout, InterleavedLayout):
            step["layout"]["every"] = layout.every
        if value in self._unsigned:
            step["less"] = True
        if part:
            step["part"] = [[each.start, each.stop] for each in part]
        self.steps.append(step)


def _places_of(what, layout):
    """Places of what is written or read: of windows that are read, one of each element."""
    places = _places(layout)
    if what == "write" or not isinstance(layout, WindowLayout):
        return places
    taken, first = np.unique(layout.taken, return_index=True)
    return places[first[taken >= 0]]


def _places(layout):
    """Places of the elements among the cells of ``layout``, in the order of its array; see
    ``xymac.host.network.compiled``."""
    if layout.bits > CELL_BITS:
        raise InputError(f"Values that a driver writes or reads must have 8 or 16 bits, "
                         f"not {layout.bits}")
    dtype = np.dtype(f"int{layout.bits}")
    count = int(np.prod(layout.shape))
    index = np.arange(1, count + 1).reshape(layout.shape)
    held, shift = None, 0
    while count >> shift:
        digits = (index >> shift & 0x7F).astype(dtype)
        cells  = TensorLayout.cells(layout, digits)  # of windows those of all of their elements
        cells  = cells.view(f"uint{layout.bits}").astype(np.int64) << shift
        held   = cells if held is None else held + cells
        shift += 7
    places = np.zeros(count + 1, np.int32)
    places[held] = np.arange(held.size)
    return places[1:]


def compile_network(network, device, *, cells=False):
    """A Compiled of a Network for the size of an open Device, which runs nothing.

    With ``cells`` the new state of a cell of MLI 1.x is an output behind the others. InputError for
    what does not fit the size.
    """
    session, arrays = Session(network, device), {}
    states = [] if session.plan is None else [
        state for each in session.plan.states for state in each]
    unsigned = frozenset(number for number, value in enumerate(network.values)
                         if is_unsigned(value))
    once, always = (_Recorder(device.config, arrays, unsigned) for _ in range(2))
    always.steps += [describe_layer(network, index, arrays) for index in session.core.before]
    values = {*network.outputs, *range(network.held)}
    if session.plan is not None:
        for part in _parts_of(session):
            values |= part.record(network, once, always)
    always.steps += [describe_layer(network, index, arrays) for index in session.core.after]
    always.steps += [{"do": "copy", "value": each.following, "to": number} for number, each
                     in enumerate(network.variables, len(network.inputs))]
    first = len(network.values) + len(states)
    left  = [step for step in getattr(session.plan, "steps", ()) if cells
             and getattr(step, "cell", None)]
    for number, step in enumerate(left, first):
        always.transfer("read", number, step.cell)
    values |= {number for step in always.steps for number in _named(step)
               if number < len(network.values)}
    description = {
        "format": FORMAT, "network": network.name, "size": device.config.name, "arrays": ARRAYS,
        "operators": list(network.operators), "tflite": bool(network.numbers),
        "inputs": [{"name": name, "value": number}
                   for number, name in enumerate(network.input_names)],
        "outputs": [{"name": name, "value": number} for name, number
                    in zip(network.output_names, network.outputs, strict=True)]
        + [{"name": "cell", "value": number} for number, _ in enumerate(left, first)],
        "values": {str(number): _format(network.values[number]) for number in sorted(values)}
        | {str(number): _format(state) for number, state
           in enumerate([*states, *(step.layer.cell for step in left)], len(network.values))},
        "states": _list_held(always, "state", [
            *enumerate((each.first for each in network.variables), len(network.inputs)),
            *enumerate(states, len(network.values))]),
        "constants": _list_held(always, "constant", [
            (number, network.values[number]) for number in range(network.held, network.first)
            if number in values]),
        "load": once.steps, "run": always.steps}
    return Compiled(description, arrays)


def _list_held(recorder, kind, values):
    """Entries of pairs of a number of a value and the golden Array that it is at first."""
    return [{"value": number, "array": recorder.keep(kind, value.data)} for number, value in values]


def _named(step):
    """Numbers of the values that a step takes or makes."""
    return [*(step[key] for key in ("value", "to") if key in step), *step.get("values", ())]


def _format(value):
    """Shape and type of a value, and what its elements stand for."""
    entry = {"shape": list(value.shape), "type": value.data.dtype.name}
    kind  = getattr(value, "quantisation", None)
    if kind is not None:
        entry |= {"scale": kind.scale, "zero_point": kind.zero_point}
    if hasattr(value, "frac_bits"):
        entry |= {"frac_bits": value.frac_bits}
    return entry


class _Part:
    """A plan that runs as a whole: what it takes and makes, by numbers of the network's values.

    Parameters
    ----------
    plan : Plan
    sources : list of (number, slices or an empty tuple)
    targets : list of (index of a step, number, slices or an empty tuple)
    states : list of (number, slices or an empty tuple), of the states of all steps
    alone : bool, there is no other: what can be written once is
    """

    def __init__(self, plan, sources, targets, states, *, alone):
        self._plan, self._sources, self._targets = plan, sources, targets
        self._states, self._alone = states, alone

    def record(self, network, once, always):
        """Note all steps; returns the numbers of the values that the host holds."""
        plan   = self._plan
        single = self._alone and len(plan.loads) == 1
        loaded = single and len(plan.segments) == 1
        plan.load_tables(once)
        if single:
            plan.loads[0].write(once)
        if loaded:
            once.load_program(plan.segments[0])
        streams = self._record_inputs(network, always)
        states  = list(zip(self._states, plan.state_layouts, strict=True))
        for (number, part), layout in states:
            always.transfer("write", number, layout, part)
        for load in plan.loads:
            if not single:
                load.write(always)
            for number, part, layout in streams if load.inputs else ():
                always.transfer_rows(number, layout, part, load.input_row, load.inputs)
            _record_programs(load, always, loaded=loaded)
        for index, number, part in self._targets:
            always.transfer("read", number, plan.steps[index].target, part)
        for (number, part), layout in states:
            always.transfer("read", number, layout, part)
        return {number for number, _ in self._sources} | {number for _, number, _ in self._targets}

    def _record_inputs(self, network, always):
        """Note that inputs are written; returns those that are part by part, with their places."""
        streams, rows = [], always.config.x_rows
        for (number, part), layout in zip(self._sources, self._plan.sources, strict=True):
            if layout.row >= rows and layout.memory is Memory.X:
                streams.append((number, part, layout))
            elif network.held <= number < network.first:
                value = network.values[number]
                data  = (as_signed(value) if is_unsigned(value) else value).data
                data  = data[part] if part else data
                always.write_cells(layout.memory, layout.row * layout.row_cells,
                                   layout.cells(data))
            else:
                always.transfer("write", number, layout, part)
        return streams


def _record_programs(load, always, *, loaded):
    """Note the runs of the programs of a Load, which are ``loaded`` already or not."""
    with load.borrow(always):
        for segment in load.segments:
            if not loaded:
                always.load_program(segment)
            always.start()


def _parts_of(session):
    """The _Parts of the plan of a Session, in order."""
    network, core, plan = session.network, session.core, session.plan
    values = [*core.inputs, *(network.first + index for index in core.layers)]
    count  = len(core.inputs)
    places = iter(range(len(network.values), len(network.values) + sum(map(len, plan.states))))
    states = [[next(places) for _ in each] for each in plan.states]
    if not hasattr(plan, "parts"):
        targets = [(index, values[count + index], ()) for index in sorted(core.outputs)]
        return [_Part(plan, [(number, ()) for number in core.inputs], targets,
                      [(number, ()) for each in states for number in each], alone=True)]
    for part in plan.parts:
        if not isinstance(part.plan, Plan):
            title = core.nodes[part.layers.start].title
            raise InputError(f"{network.name} on size {plan.config.name}: {title} must "
                             f"take programs alone, not what the host computes between them")
    return [_Part(part.plan, [(values[number], slices) for number, slices in part.sources],
                  [(index, values[number], slices) for index, number, slices in part.targets],
                  _with_slices([number for layer in part.layers for number in states[layer]],
                               part.states), alone=False) for part in plan.parts]


def _with_slices(numbers, slices):
    """Pairs of numbers and slices, which are of every number or none."""
    return list(zip(numbers, slices or [()] * len(numbers), strict=True))
