# SPDX-License-Identifier: Apache-2.0
"""Memory locations that a pass reads and writes, and whether two passes can be swapped."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, AguMode, Memory, Move, Op, Shape, Width, record_rows

if TYPE_CHECKING:
    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Access, Pass

__all__ = ["Footprint", "location_index", "memory_shape", "operands_of", "vectors_of"]

_EXACT = 4096  #: Largest number of listed addresses; a larger access counts with its whole window.


@dataclass(frozen=True)
class Footprint:
    """Memory locations that a pass reads and writes.

    Parameters
    ----------
    reads, writes : dict by Memory, bool arrays of ``memory_shape``; an unused Memory may be
        missing. The arrays may mark too much: a modulo, bit-reversed, moving or large access
        counts with its whole window
    """

    reads:  dict[Memory, np.ndarray]
    writes: dict[Memory, np.ndarray]

    @classmethod
    def of(cls, pass_: Pass, config: CoreConfig) -> Footprint:
        """The Footprint of a pass on a core with ``config``."""
        return cls(_reads_of(pass_, config), _writes_of(pass_, config))

    def meets(self, other: Footprint) -> bool:
        """Whether the passes' order matters: one writes a location that the other accesses."""
        return any(
            memory in writes and bool((mapped & writes[memory]).any())
            for maps, writes in ((self.reads, other.writes), (self.writes, other.reads),
                                 (self.writes, other.writes))
            for memory, mapped in maps.items())


def _reads_of(pass_, config):
    """Operand and record locations, dict by Memory."""
    reads = {}
    for memory, access, unit, span in operands_of(pass_, config.ways):
        crosses = pass_.accumulate.op is Op.CROSS and memory is Memory.X
        _mark(reads, memory, config, access, unit, (*pass_.loop.outer, *pass_.loop.taps),
              (*access.outer, *access.taps), BANKS if crosses else span, aligned=crosses,
              whole=pass_.accumulate.op is Op.GATHER)
    if pass_.accumulate.bias_row is not None:
        first = pass_.accumulate.bias_row
        end   = first + record_rows(pass_, config.ways)
        _map_of(reads, Memory.Y, config)[first:end] = True
    return reads


def _writes_of(pass_, config):
    """Result locations, dict by Memory."""
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


def memory_shape(memory: Memory, config: CoreConfig) -> tuple[int, int, int]:
    """(rows, bytes per word, banks) of X; (rows, 1, 1) of Y, where a location is a whole row."""
    return (config.x_rows, 2, BANKS) if memory is Memory.X else (config.y_rows, 1, 1)


def _map_of(marked, memory, config):
    """The memory's bool array in the dict ``marked``; all False if it was missing."""
    if memory not in marked:
        marked[memory] = np.zeros(memory_shape(memory, config), bool)
    return marked[memory]


def _mark(marked, memory, config, access, unit, counts, strides, span, *, aligned=False,
          whole=False):
    """Mark the locations of an access in the dict ``marked``.

    ``counts`` and ``strides`` are its loops, ``span`` the addresses per step, ``unit`` the
    addresses per row. ``aligned`` rounds addresses down to a multiple of ``span``;
    ``whole`` marks the whole window.
    """
    mapped = _map_of(marked, memory, config)
    if (whole or access.mode is not AguMode.LINEAR or access.move is not Move.NONE
            or prod(counts) * span > _EXACT):
        mapped[max(access.low, 0) // unit:access.high // unit + 1] = True
        return
    addresses = np.array([access.base])
    for count, stride in zip(counts, strides, strict=True):
        if count > 1 and stride:
            addresses = np.unique(addresses[:, None] + stride * np.arange(count))
    if aligned:
        addresses = addresses // span * span
    addresses = np.unique(addresses[:, None] + np.arange(span))
    inside    = addresses[(access.low <= addresses) & (addresses <= access.high)]
    mapped[location_index(mapped, inside, unit)] = True


def location_index(mapped: np.ndarray, vectors: np.ndarray,
                   unit: int) -> tuple[np.ndarray, slice | np.ndarray, np.ndarray]:
    """Index of ``vectors``, int addresses [n], into an array in the form of ``memory_shape``.

    A memory row has ``unit`` addresses.
    """
    byte = slice(None) if unit == BANKS or mapped.shape[1] == 1 else vectors // BANKS % 2
    return vectors // unit, byte, vectors % mapped.shape[2]


def vectors_of(memory: Memory, width: Width, ways: int) -> int:
    """Number of vectors per memory row."""
    return BANKS * (ways if memory is Memory.Y else 1) * (2 if width is Width.BITS8 else 1)


def operands_of(pass_: Pass, ways: int) -> tuple[tuple[Memory, Access, int, int], ...]:
    """(memory, access, addresses per row, addresses per step) for the X and for the Y operand."""
    operands = pass_.operands
    elements = ways if pass_.accumulate.op is Op.GATHER else 1
    x_unit   = BANKS * elements * CELL_BITS // _bits(operands.x_width)
    y_cells  = ways if operands.y_shape is Shape.LANES else 1
    y_unit   = y_cells * CELL_BITS // _bits(operands.y_width)
    span     = pass_.epilogue.beats if operands.x_shape is Shape.LANES else 1
    return ((Memory.X, operands.x, x_unit, span), (Memory.Y, operands.y, y_unit, 1))


def _bits(width):
    return 8 if width is Width.BITS8 else 16
