# SPDX-License-Identifier: Apache-2.0
"""Addresses read and written by the outputs of a pass."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    BANKS,
    Count,
    Memory,
    Op,
    Shape,
    Width,
    bias_rows,
    record_rows,
    records,
)

from .address import map_addresses, offsets, step_taps
from .gather import gather_steps
from .slide import blank_columns
from .window import Window

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from xymac.hdl.isa import Pass

    from .machine import Machine

__all__ = ["Read", "indices_of", "meet", "reads_of", "record_reads", "spans_read", "written_by"]

Span = tuple[Memory, int, int]  #: A memory, the first word, and the word after the last.


@dataclass(frozen=True)
class Read:
    """An operand's addresses in some outputs, int64 [outputs, steps].

    ``good`` masks the steps with a read, ``bad`` the steps with a fault. A step reads ``reach``
    addresses.
    """

    name:   str
    window: Window
    at:     np.ndarray
    good:   np.ndarray
    bad:    np.ndarray
    reach:  int

    def bytes_read(self) -> np.ndarray:
        """Byte indices in the window's memory, [good steps, bytes]."""
        return self.window.bytes_of(self.at[self.good], self.reach)


def indices_of(pass_: Pass, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices in the three outer loops for the output numbers ``outputs``; not for a gather."""
    rest, c = np.divmod(outputs, pass_.loop.outer[2])
    a, b    = np.divmod(rest, pass_.loop.outer[1])
    return a, b, c


def reads_of(pass_: Pass, windows: Mapping[Count, Window], outputs: np.ndarray,
             valid: np.ndarray) -> Iterator[Read]:
    """X and Y in the steps ``valid`` of ``outputs``, a mask [outputs, steps].

    A gather's Y is its whole window: weights for every lane.
    """
    operands, op = pass_.operands, pass_.accumulate.op
    if op is Op.GATHER:
        yield from _gathered(pass_, windows, outputs, valid)
        return
    origin, taps = indices_of(pass_, outputs), step_taps(pass_)
    span = pass_.epilogue.beats if operands.x_shape is Shape.LANES else 1
    for name, access, reach in ((Count.X, operands.x, span), (Count.Y, operands.y, 1)):
        at, outside = map_addresses(access, origin, offsets(access.taps, taps), reach)
        read = valid
        if name is Count.X and op is Op.SLIDE:
            read = valid & ~blank_columns(pass_, origin[2])[:, None]
        bad = np.zeros_like(valid) if outside is None else read & outside
        if name is Count.X and op is Op.CROSS:
            at, reach = at // BANKS * BANKS, BANKS
        yield Read(name.name, windows[name], at, read & ~bad, bad, reach)


def _gathered(pass_, windows, outputs, valid):
    steps = outputs[:, None] * valid.shape[1] + np.arange(valid.shape[1])
    _, at, bad = (part.reshape(valid.shape) for part in gather_steps(pass_, steps.ravel()))
    yield Read("X", windows[Count.X], at, valid & ~bad, valid & bad, 1)
    table = windows[Count.Y]
    first = np.full((outputs.size, 1), table.low)
    good  = np.ones(first.shape, bool)
    yield Read("Y", table, first, good, ~good, table.high - table.low + 1)


def record_reads(pass_: Pass, outputs: np.ndarray, machine: Machine) -> Iterator[Read]:
    """Records read before each of ``outputs``; their addresses are rows of Y."""
    count, row = records(pass_), machine.ways * machine.lanes
    if not count or pass_.accumulate.op is Op.GATHER:
        return
    y     = machine.y
    rows  = bias_rows(machine.ways)
    a     = outputs // prod(pass_.loop.outer[1:])
    later = pass_.epilogue.once & (a > 0)  # a bias alone
    first = np.where(later, count - 1 + a, 0 if pass_.epilogue.once else a * count) * rows
    places = np.arange(count * rows)
    at   = pass_.accumulate.bias_row + first[:, None] + places
    read = (outputs % prod(pass_.loop.outer[1:]) == 0)[:, None] & (
        places < np.where(later, 1, count)[:, None] * rows)
    bad  = read & (at >= y.size // row)
    window = Window(Memory.Y, y, row, Width.BITS16, row, 0, y.size // row - 1)
    yield Read("bias", window, at, read & ~bad, bad, 1)


def written_by(pass_: Pass, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Z vector addresses written by ``outputs`` [outputs, beats], and the mask of addresses outside
    the window, None without faults.
    """
    epilogue = pass_.epilogue
    beats    = np.arange(epilogue.beats)
    if pass_.accumulate.op is Op.GATHER:
        groups = epilogue.beats * outputs[:, None] + beats
        return map_addresses(epilogue.z, (0, 0 * outputs, 0 * outputs), groups, 1)
    apart = epilogue.z.outer[0] if pass_.accumulate.op is Op.SPREAD else 1
    return map_addresses(epilogue.z, indices_of(pass_, outputs), apart * beats, 1)


def spans_read(pass_: Pass, windows: Mapping[Count, Window], machine: Machine) -> list[Span]:
    """Words in all rows with operands or records of a pass."""
    spans = [windows[Count.X].span, windows[Count.Y].span]
    if pass_.accumulate.bias_row is not None:
        row   = machine.ways * machine.lanes
        first = pass_.accumulate.bias_row * row
        spans.append((Memory.Y, first, first + record_rows(pass_, machine.ways) * row))
    return spans


def meet(some: Collection[Span], others: Collection[Span]) -> bool:
    """Whether a span of ``some`` and a span of ``others`` share a word."""
    return any(memory is other and first < stop and start < end
               for memory, first, end in some for other, start, stop in others)
