# SPDX-License-Identifier: Apache-2.0
"""Passes with the rows they read from constants and inputs larger than memory.

Constants are addressed after Y's last row, inputs after X's last row; see ``host.plan.streams``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from xymac.hdl.isa import CELL_BITS, Shape, Width, bias_rows, record_rows, records

from .program.windows import row_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Pass
    from xymac.host.memory.constants import Constants

__all__ = ["FreeRows", "PassGroup", "RowsTogether", "StreamedConstants"]


@dataclass(frozen=True)
class FreeRows:
    """Free space for a layer's passes.

    Parameters
    ----------
    y, x : (first row, row count), free for constants and for inputs
    sums : int, first X row for accumulator words; see ``xymac.host.plan.long_sums``
    behind : int, X row count
    """

    y:      tuple[int, int]
    x:      tuple[int, int]
    sums:   int
    behind: int

    def holds(self, pieces: Sequence[PassGroup]) -> bool:
        """Whether the pieces' input data and constants fit together."""
        rows = RowsTogether(pieces)
        return rows.count <= self.y[1] and _count(rows.inputs) <= self.x[1]


class StreamedConstants:
    """Constants after Y's last row, with appended words.

    Parameters
    ----------
    values : Constants, placed there
    ways : int, MACs per lane
    behind : int, X row count
    """

    def __init__(self, values: Constants, ways: int, behind: int) -> None:
        self.ways, self.first, self.row_cells = ways, values.y_row, values.row_cells
        self.behind = behind
        self._parts, self._rows = [values.cells], values.y_rows

    def add(self, cells: np.ndarray) -> int:
        """Append words, in whole rows; returns their first row."""
        row = self.first + self._rows
        self._parts.append(cells)
        self._rows += cells.size // self.row_cells
        return row

    def cells(self, spans: Sequence[tuple[int, int]]) -> np.ndarray:
        """Words [rows, row_cells] in several row ranges, in order."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        rows = self._parts[0].reshape(-1, self.row_cells)
        return np.concatenate([rows[start - self.first:end - self.first] for start, end in spans])

    def units(self, pass_: Pass) -> int:
        """Y addresses per row, for the pass's width and shape."""
        each = self.ways if pass_.operands.y_shape is Shape.LANES else 1
        return each * CELL_BITS // (8 if pass_.operands.y_width is Width.BITS8 else CELL_BITS)

    def reads(self, pass_: Pass) -> bool:
        """Whether a pass reads weights from here."""
        return pass_.operands.y.low // self.units(pass_) >= self.first

    def weights(self, pass_: Pass) -> tuple[int, int]:
        """A pass's weight rows (first, end)."""
        low, high = _reach(pass_, pass_.operands.y)
        units = self.units(pass_)
        return low // units, high // units + 1

    def inputs(self, pass_: Pass) -> tuple[int, int] | None:
        """Rows (first, end) that a pass reads after X's last row; None if it reads none."""
        operands = pass_.operands
        groups = row_groups(pass_)
        if operands.x.low // groups < self.behind:
            return None
        span = pass_.epilogue.beats if operands.x_shape is Shape.LANES else 1
        low, high = _reach(pass_, operands.x, span)
        return low // groups, high // groups + 1

    def records(self, pass_: Pass, first: int = 0) -> tuple[tuple[int, int], ...]:
        """Rows with a pass's per-channel parameters, from its outermost index ``first``."""
        epilogue = pass_.epilogue
        start, each = cast("int", pass_.accumulate.bias_row), bias_rows(self.ways)
        if not first:
            return ((start, start + record_rows(pass_, self.ways)),)
        full = records(pass_)
        rest = each * (full + (first - 1) * (1 if epilogue.once else full))
        end  = (start + rest, start + record_rows(pass_, self.ways))
        return ((start, start + each * (full - 1)), end) if epilogue.once and full > 1 else (end,)


@dataclass(frozen=True)
class PassGroup:
    """A pass, or an inseparable pass group, with its reads.

    Parameters
    ----------
    passes : tuple of Pass
    weights, inputs : tuple of (first, end), row ranges
    records : tuple of row range tuples, per-channel parameters of each pass with parameters
    """

    passes:  tuple[Pass, ...]
    weights: tuple[tuple[int, int], ...]
    records: tuple[tuple[tuple[int, int], ...], ...]
    inputs:  tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, passes: Sequence[Pass], source: StreamedConstants,
           spans: tuple[tuple[int, int], ...] | None = None) -> PassGroup:
        """PassGroup of some passes with reads from a StreamedConstants.

        ``spans`` are the parameter row ranges, by default the ranges named by the passes.
        """
        inputs = [source.inputs(pass_) for pass_ in passes]
        return cls(tuple(passes),
                   tuple(source.weights(pass_) for pass_ in passes if source.reads(pass_)),
                   tuple(spans or source.records(pass_) for pass_ in passes
                         if pass_.accumulate.bias_row is not None),
                   tuple(rows for rows in inputs if rows))


class RowsTogether:
    """Rows for a common write, with their new positions."""

    def __init__(self, pieces: Sequence[PassGroup] = ()) -> None:
        self.weights = _join([span for piece in pieces for span in piece.weights])
        self.inputs  = _join([span for piece in pieces for span in piece.inputs])
        self.records = list(dict.fromkeys(each for piece in pieces for each in piece.records))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Constant row ranges, in write order."""
        return [span for each in self.records for span in each] + self.weights

    @property
    def count(self) -> int:
        """Constant row count."""
        return _count(self.spans)

    def move(self, pass_: Pass, source: StreamedConstants, rest: FreeRows,
             spans: tuple[tuple[int, int], ...] | None) -> Pass:
        """The pass with its reads moved into the free space."""
        if pass_.accumulate.bias_row is not None:
            before = self.records[:self.records.index(cast("tuple[tuple[int, int], ...]", spans))]
            pass_  = replace(pass_, bias_row=rest.y[0] + sum(map(_count, before)))
        if source.reads(pass_):
            place = rest.y[0] + sum(map(_count, self.records))
            y     = pass_.operands.y
            pass_ = replace(pass_, y=_move(y, source.weights(pass_), self.weights, place,
                                           source.units(pass_)))
        if rows := source.inputs(pass_):
            pass_ = replace(pass_, x=_move(pass_.operands.x, rows, self.inputs, rest.x[0],
                                           row_groups(pass_)))
        return pass_


def _move(access, rows, spans, place, units):
    """An Access to ``rows``, with ``spans`` written in sequence from row ``place``."""
    for start, end in spans:
        if start <= rows[0] and rows[1] <= end:
            break
        place += end - start
    shift = (place - start) * units
    return replace(access, base=access.base + shift, low=rows[0] * units + shift,
                   high=rows[1] * units + shift - 1)


def _reach(pass_, access, span=1):
    """First and last address of a pass's access."""
    steps = [(count - 1) * stride for count, stride in zip(
        (*pass_.loop.outer, *pass_.loop.taps), (*access.outer, *access.taps), strict=True)]
    return (max(access.base + sum(min(step, 0) for step in steps), access.low),
            min(access.base + sum(max(step, 0) for step in steps) + span - 1, access.high))


def _count(spans):
    return sum(end - start for start, end in spans)


def _join(spans):
    """Sorted row ranges, with adjacent and overlapping ranges merged."""
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            start, end = joined[-1][0], max(end, joined.pop()[1])
        joined.append((start, end))
    return joined
