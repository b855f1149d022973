# SPDX-License-Identifier: Apache-2.0
"""Places in memory that a pass reads and writes, and whether two passes may change places."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, AguMode, Memory, Move, Op, Shape, Width, record_rows

if TYPE_CHECKING:
    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Access, Pass

__all__ = ["Footprint", "operands_of", "place_of", "places_in", "vectors_of"]

_EXACT = 4096  #: Most addresses to list; an access with more has its whole window.


@dataclass(frozen=True)
class Footprint:
    """Places that a pass reads and writes.

    Parameters
    ----------
    reads, writes : dict by Memory, bool arrays in the shape of ``places_in``; a Memory without
        places may be missing. A superset: an access with a mode, a move or many addresses has its
        whole window
    """

    reads:  dict[Memory, np.ndarray]
    writes: dict[Memory, np.ndarray]

    @classmethod
    def of(cls, pass_: Pass, config: CoreConfig) -> Footprint:
        """The Footprint of a pass on a core."""
        return cls(_reads_of(pass_, config), _writes_of(pass_, config))

    def meets(self, other: Footprint) -> bool:
        """Whether the order of both passes matters: one writes what the other reads or writes."""
        return any(
            memory in writes and bool((places & writes[memory]).any())
            for places_of, writes in ((self.reads, other.writes), (self.writes, other.reads),
                                      (self.writes, other.writes))
            for memory, places in places_of.items())


def _reads_of(pass_, config):
    """Places of operands and records, dict by Memory."""
    reads = {}
    for memory, access, unit, span in operands_of(pass_, config.ways):
        crosses = pass_.accumulate.op is Op.CROSS and memory is Memory.X
        _mark(reads, memory, config, access, unit, (*pass_.loop.outer, *pass_.loop.taps),
              (*access.outer, *access.taps), BANKS if crosses else span, aligned=crosses,
              whole=pass_.accumulate.op is Op.GATHER)
    if pass_.accumulate.bias_row is not None:
        first = pass_.accumulate.bias_row
        end   = first + record_rows(pass_, config.ways)
        _places(reads, Memory.Y, config)[first:end] = True
    return reads


def _writes_of(pass_, config):
    """Places of results, dict by Memory."""
    writes, epilogue = {}, pass_.epilogue
    if pass_.accumulate.hold:
        return writes
    spreads, z, memory = pass_.accumulate.op is Op.SPREAD, epilogue.z, epilogue.z_memory
    first, *others = z.outer
    _mark(writes, memory, config, z, vectors_of(memory, epilogue.z_width, config.ways),
          (*pass_.loop.outer, epilogue.beats),
          (0, *others, first) if spreads else (first, *others, 1), 1,
          whole=pass_.accumulate.op is Op.GATHER)
    return writes


def places_in(memory: Memory, config: CoreConfig) -> tuple[int, int, int]:
    """Shape of all places of a memory: rows, bytes of a word, banks; Y counts rows alone."""
    return (config.x_rows, 2, BANKS) if memory is Memory.X else (config.y_rows, 1, 1)


def _places(marked, memory, config):
    """The bool array of a memory in the dict ``marked``, made if it is missing."""
    if memory not in marked:
        marked[memory] = np.zeros(places_in(memory, config), bool)
    return marked[memory]


def _mark(marked, memory, config, access, unit, counts, strides, span, *, aligned=False,
          whole=False):
    """Mark the places of ``span`` addresses from each sum of ``counts`` indices by their strides.

    ``unit`` is the number of addresses in a row, ``aligned`` rounds addresses down to the span.
    """
    places = _places(marked, memory, config)
    if (whole or access.mode is not AguMode.LINEAR or access.move is not Move.NONE
            or prod(counts) * span > _EXACT):
        places[max(access.low, 0) // unit:access.high // unit + 1] = True
        return
    addresses = np.array([access.base])
    for count, stride in zip(counts, strides, strict=True):
        if count > 1 and stride:
            addresses = np.unique(addresses[:, None] + stride * np.arange(count))
    if aligned:
        addresses = addresses // span * span
    addresses = np.unique(addresses[:, None] + np.arange(span))
    inside    = addresses[(access.low <= addresses) & (addresses <= access.high)]
    places[place_of(places, inside, unit)] = True


def place_of(places: np.ndarray, vectors: np.ndarray,
             unit: int) -> tuple[np.ndarray, slice | np.ndarray, np.ndarray]:
    """Index of vectors, or of addresses of Y, into an array of places; a row has ``unit``."""
    byte = slice(None) if unit == BANKS or places.shape[1] == 1 else vectors // BANKS % 2
    return vectors // unit, byte, vectors % places.shape[2]


def vectors_of(memory: Memory, width: Width, ways: int) -> int:
    """Vectors per memory row."""
    return BANKS * (ways if memory is Memory.Y else 1) * (2 if width is Width.BITS8 else 1)


def operands_of(pass_: Pass, ways: int) -> tuple[tuple[Memory, Access, int, int], ...]:
    """X and Y reads: ((memory, access, addresses per row, addresses per step), ...)."""
    operands = pass_.operands
    elements = ways if pass_.accumulate.op is Op.GATHER else 1
    x_unit   = BANKS * elements * CELL_BITS // _bits(operands.x_width)
    y_cells  = ways if operands.y_shape is Shape.LANES else 1
    y_unit   = y_cells * CELL_BITS // _bits(operands.y_width)
    span     = pass_.epilogue.beats if operands.x_shape is Shape.LANES else 1
    return ((Memory.X, operands.x, x_unit, span), (Memory.Y, operands.y, y_unit, 1))


def _bits(width):
    return 8 if width is Width.BITS8 else 16
