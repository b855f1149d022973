# SPDX-License-Identifier: Apache-2.0
"""ElementMap sweeps over tensors of equal layout.

Parameters vary along a dimension, or every dimension index has its own maps.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, bias_rows
from xymac.host.ir.elementwise import IndexedMaps
from xymac.host.lower.groups import strides as loop_strides
from xymac.host.lower.scratch import place_behind
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.constants import Constants
from xymac.host.memory.packing import pack_lanes, pack_records, width_of

__all__ = ["are_runs", "is_along", "map_passes", "pack_maps", "scratch_layouts"]


@dataclass(frozen=True)
class _Part:
    """Loops over some TensorLayout vectors; the outermost loop is over parameters.

    Parameters
    ----------
    outer, strides : loop counts, and vectors from an index to the next
    z_strides : the same for the output if it is a part of a larger tensor, else None
    beats : int, vectors per output
    offset : int, vectors before the first vector
    first : int, parameters before the first parameter
    """

    outer:   tuple
    strides: tuple
    beats:   int
    offset:  int = 0
    first:   int = 0
    z_strides: tuple | None = None


def is_along(form, layout):
    """Whether ``layout`` supports the ``form`` parameter dimension.

    Parameters vary along a dimension whose ``layout`` runs are full. With maps for every index, the
    dimension must be a run by itself.
    """
    axis = form.axis
    if axis is None or axis in layout.outer_axes:
        return True
    return not isinstance(form, IndexedMaps) and layout.inner == 1 and layout.order[-1] == axis


def are_runs(form):
    """Whether the ``form`` passes write only runs, so the output can be part of a larger tensor."""
    return form.axis is None and len(form.maps) == 1 and not isinstance(form, IndexedMaps)


def scratch_layouts(form, target):
    """Unplaced TensorLayouts for the ``form`` scratch behind the output ``target``."""
    return [replace(target, bits=bits, row=0, behind=0) for bits in form.scratch]


def _parts(size, axis, layout):
    """TensorLayout parts for an ElementMap with ``size`` parameters."""
    outer, steps, inside = (1, 1), (0, 0), layout.groups
    if layout.gap:
        return _parts_of_runs(layout)
    if size > 1 and axis in layout.outer_axes:
        before = prod(layout.dims[:layout.outer_axes.index(axis)])
        inside = layout.step(axis)
        outer, steps = (size, before), (inside, size * inside)
    elif size > 1:
        pixels = prod(layout.dims)
        full, rest = divmod(layout.pitch, BANKS)
        parts = (_Part((full, 1, pixels), (BANKS, 0, layout.pitch), BANKS),
                 _Part((1, 1, pixels), (0, 0, layout.pitch), rest, full * BANKS, full))
        return [part for part in parts if part.outer[0] and part.beats]
    full, rest = divmod(inside, BANKS)
    parts = (_Part((*outer, full), (*steps, BANKS), BANKS),
             _Part((*outer, 1), (*steps, 0), rest, full * BANKS))
    return [part for part in parts if part.outer[2] and part.beats]


def _parts_of_runs(layout):
    """Parts for an output TensorLayout whose runs have others between them; inputs have none."""
    pixels = prod(layout.dims)
    full, rest = divmod(layout.pitch, BANKS)
    parts = [_Part((1, pixels, count), (0, layout.pitch, BANKS), beats, offset,
                   z_strides=(0, layout.distance, BANKS))
             for count, beats, offset in ((full, BANKS, 0), (1, rest, full * BANKS))]
    return [part for part in parts if part.outer[2] and part.beats]


def _parts_of_index(index, axis, layout):
    """TensorLayout parts at a single index of an outer dimension."""
    inside = layout.step(axis)
    before = prod(layout.dims[:layout.outer_axes.index(axis)])
    full, rest = divmod(inside, BANKS)
    size, start = layout.shape[axis], index * inside
    parts = (_Part((1, before, full), (0, size * inside, BANKS), BANKS, start),
             _Part((1, before, 1), (0, size * inside, 0), rest, start + full * BANKS))
    return [part for part in parts if part.outer[2] and part.beats]


def _spread(values, axis, layout):
    """Parameters [n] for the lanes at every outermost loop index."""
    if len(values) > 1 and axis not in layout.outer_axes:
        return layout.spread(values)
    return np.repeat(values, BANKS * layout.ways)


def _fill(map_, values):
    """Parameters [1] broadcast to [n], if the ElementMap parameters vary."""
    return np.broadcast_to(values, map_.size)


def pack_maps(form, layout):
    """Constants for all maps for TensorLayouts like ``layout``: their weights and their records."""
    weights, records = [], [np.zeros(0, np.uint16)]
    for map_ in form.maps:
        steps = [_spread(_fill(map_, step), form.axis, layout)
                 for step in map_.weights.reshape(map_.steps, -1)]
        weights.append(pack_lanes(np.stack(steps, axis=1), layout.ways))
        if map_.records:
            records.append(pack_records([_spread(_fill(map_, record), form.axis, layout)
                                         for record in map_.records], layout.ways))
    return Constants(np.concatenate(weights), BANKS * layout.ways**2, bias=np.concatenate(records))


def map_passes(form, layouts, constants):
    """Passes for all maps; 32-bit elements are in two 16-bit TensorLayouts.

    Parameters
    ----------
    layouts : dict, placed TensorLayouts ``a``, ``out`` and, if read, ``b``
    constants : Constants, placed in Y
    """
    target, layouts = layouts["out"], dict(layouts)
    for name in [name for name in layouts if layouts[name].bits == 2 * CELL_BITS]:
        layouts[f"{name}_upper"], layouts[f"{name}_lower"] = layouts[name].words32
    for number, layout in enumerate(place_behind(target, scratch_layouts(form, target))):
        layouts[f"s{number}"] = layout
    passes, bias_row, weights_row = [], constants.y_row, constants.weights_row
    for map_, parts in _maps_with_parts(form, target):
        passes += _passes(map_, parts, layouts, bias_row, weights_row - constants.weights_row,
                          constants)
        groups = 1 if map_.size == 1 else _groups(map_.size, form.axis, target)
        lanes  = CELL_BITS // map_.bits * target.ways
        weights_row += -(-groups * map_.steps // lanes)
        bias_row    += groups * len(map_.records) * bias_rows(target.ways)
    return passes


def _maps_with_parts(form, layout):
    """Each ElementMap paired with its TensorLayout parts."""
    if isinstance(form, IndexedMaps):
        for index, each in enumerate(form.forms):
            parts = _parts_of_index(index, form.axis, layout)
            yield from ((map_, parts) for map_ in each.maps)
    else:
        yield from ((map_, _parts(map_.size, form.axis, layout)) for map_ in form.maps)


def _groups(size, axis, layout):
    """Number of outermost loop indices in all parts."""
    return size if axis in layout.outer_axes else -(-layout.pitch // BANKS)


def _passes(map_, parts, layouts, bias_row, row, constants):
    """Passes for an ElementMap over ``parts``; its weights begin ``row`` rows after the first
    weights.
    """
    sources, target = [layouts[name] for name in map_.reads], layouts[map_.writes]
    ways, steps     = target.ways, map_.steps
    count, repeats  = map_.weights.shape[:2]
    distance = sources[1].base - sources[0].base if count > 1 else 0
    taps, x_taps, y_taps = (1, count, repeats), (0, distance, 0), (0, repeats, 1)
    if repeats == 1:
        taps, x_taps, y_taps = (1, 1, count), (0, 0, distance), (0, 0, 1)
    low  = min(source.base for source in sources)
    high = max(source.base + source.groups for source in sources) - 1
    for part in parts:
        x_strides, z_strides = (loop_strides(part.outer, *each)
                                for each in (part.strides, part.z_strides or part.strides))
        word = constants.word(row * CELL_BITS // map_.bits * ways + part.first * steps, map_.bits,
                              ways, part.outer[0] * steps, taps=y_taps,
                              outer=(steps if part.outer[0] > 1 else 0, 0, 0))
        records = len(map_.records) * bias_rows(ways)
        yield replace(
            elementwise(sources[0].bits, target.bits, y=word, y_width=width_of(map_.bits),
                        x=replace(sources[0].access(x_strides, x_taps, part.offset), low=low,
                                  high=high),
                        z=target.access(z_strides, offset=part.offset), **map_.output),
            outer=part.outer, taps=taps, beats=part.beats,
            bias_row=bias_row + part.first * records if records else None)
