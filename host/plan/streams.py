# SPDX-License-Identifier: Apache-2.0
"""Stream constants larger than Y, and inputs larger than X: cut passes between the loads.

A layer is lowered as if these data followed the last row in Y or X. Passes are cut between outputs,
and within sums (see ``host.plan.long_sums``), until each pass needs no more rows than are free.
Then consecutive passes are grouped, and each group's rows are written into the free space.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import AguMode, Memory, Move, Op, Reduce

from .long_sums import cut_sums
from .pieces import PassGroup, RowsTogether, StreamedConstants
from .program.unroll import write_out
from .program.waits import scalars_of
from .program.windows import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Pass
    from xymac.host.memory.constants import Constants

    from .pieces import FreeRows

__all__ = ["Streamed", "stream"]


@dataclass(frozen=True)
class Streamed:
    """Passes of a layer, and the data written before them.

    Parameters
    ----------
    passes : list of Pass
    cells : uint16 array, constant words, written from Y's first free row
    inputs : tuple of (first, end), row ranges beyond X's end, written in order from X's first free
        row
    """

    passes: list[Pass]
    cells:  np.ndarray
    inputs: tuple[tuple[int, int], ...]


def stream(passes: Sequence[Pass], values: Constants, rest: FreeRows,
           ways: int) -> list[Streamed] | None:
    """List of Streamed in execution order, or None if passes cannot be cut small enough.

    Parameters
    ----------
    passes : list of Pass, for a single layer
    values : Constants that they read, placed after Y's last row
    rest : FreeRows, the free space
    ways : int, MACs per lane
    """
    source = StreamedConstants(values, ways, rest.behind)
    if values.room or not all(_is_plain(pass_, source) for pass_ in passes):
        return None
    pieces = []
    for body in _bodies(passes):
        parts = _cut(body, source, rest)
        if parts is None:
            return None
        pieces += parts
    held   = any(pass_.accumulate.hold or pass_.accumulate.resume
                 for piece in pieces for pass_ in piece.passes)
    pieces = _interleave(pieces) if held else _gather(pieces, ways)
    return [_place(group, source, rest) for group in _group(pieces, rest)]


def _is_plain(pass_, source):
    """Whether a pass may run in a different program from its predecessor: it reads whole ranges of
    rows, and does not write constants, which later programs would overwrite.
    """
    memory, _, last = rows_of(pass_, source.ways)[1]
    if memory is Memory.Y and last >= source.first and not pass_.accumulate.hold:
        return False
    modes = {pass_.operands.y.mode} | ({pass_.operands.x.mode} if source.inputs(pass_) else set())
    return (pass_.accumulate.op not in (Op.GATHER, Op.SPREAD) and modes == {AguMode.LINEAR}
            and pass_.reduction.reduce is Reduce.NONE and not scalars_of(pass_))


def _bodies(passes):
    """Pass lists: single passes and loop bodies."""
    bodies = []
    for pass_ in passes:
        bodies.append([pass_])
        if pass_.control.repeat:
            first  = len(bodies) - 1 - pass_.control.back
            whole  = [part for body in bodies[first:] for part in body]
            bodies = [*bodies[:len(bodies) - 1 - pass_.control.back], whole]
    return bodies


def _cut(body, source, rest):
    """Pieces, each within the free rows, or None."""
    fixed = not any(access.move is not Move.NONE for pass_ in body for access in (
        pass_.operands.y, *[pass_.operands.x] * (source.inputs(pass_) is not None)))
    if body[-1].control.repeat:
        whole = PassGroup.of(body, source)
        if fixed and rest.holds([whole]):
            return [whole]
        body = write_out(body)
    pieces = []
    for pass_ in body:
        parts = _cut_pass(pass_, source, rest)
        if parts is None:
            return None
        pieces += parts
    return pieces


def _cut_pass(pass_, source, rest):
    """A pass's Pieces, each an outermost index range or a part of a sum; or None."""
    count = pass_.loop.outer[0]
    for parts in range(1, count + 1):
        ends   = [count * part // parts for part in range(parts + 1)]
        pieces = (_take_outer(pass_, first, end, source) for first, end in pairwise(ends))
        fit    = list(takewhile(lambda piece: rest.holds([piece]), pieces))
        if len(fit) == parts:
            return fit
    singles = [_take_outer(pass_, index, index + 1, source) for index in range(count)]
    passes  = []
    for piece in singles:
        [single] = piece.passes
        [spans]  = piece.records or [()]
        sums = cut_sums(single, spans, source, rest)
        if sums is None:
            return None
        passes += sums
    return [PassGroup.of([part], source, spans) for part, spans in passes]


def _take_outer(pass_, first, end, source):
    """The PassGroup with outermost indices ``first`` to ``end``."""
    operands, accumulate = pass_.operands, pass_.accumulate
    moved = {name: replace(access, base=access.base + first * access.outer[0])
             for name, access in (("x", operands.x), ("y", operands.y), ("z", pass_.epilogue.z))}
    part  = replace(pass_, **moved, outer=(end - first, *pass_.loop.outer[1:]),
                    entry=accumulate.entry + first * (accumulate.hold or accumulate.resume))
    if accumulate.bias_row is None:
        return PassGroup.of([part], source)
    spans = source.records(replace(pass_, outer=(end, *pass_.loop.outer[1:])), first)
    return PassGroup.of([part], source, spans)


def _gather(pieces, ways):
    """Pieces sorted by weight rows, in runs without read-after-write hazards."""
    result, run, written = [], [], []
    for piece in pieces:
        reads, writes = zip(*(rows_of(pass_, ways) for pass_ in piece.passes), strict=True)
        if any(read[0] is write[0] and read[1] <= write[2] and write[1] <= read[2]
               for each in reads for read in each for write in written):
            result, run, written = result + _in_order(run), [], []
        run.append(piece)
        written += writes
    return result + _in_order(run)


def _interleave(pieces):
    """Pieces with held accumulators, sorted by input rows: each input is written once.

    Runs where sorting would change the order within a sum stay unchanged.
    """
    result = []
    for holds, run in groupby(pieces, lambda piece: all(pass_.accumulate.hold
                                                        for pass_ in piece.passes)):
        run = list(run)
        result += sorted(run, key=_first_input) if holds and _keeps_order(run) else run
    return result


def _first_input(piece):
    return min(piece.inputs, default=(0, 0))


def _keeps_order(pieces):
    """Whether each accumulator in ``pieces`` starts once and reads its inputs in ascending row
    order.
    """
    last = {}
    for piece in pieces:
        for pass_ in piece.passes:
            sums = pass_.accumulate
            for entry in range(sums.entry, sums.entry + pass_.loop.outer[0]):
                late = last.get(entry, (0, 0)) > _first_input(piece)
                if (entry in last) != sums.resume or late:
                    return False
                last[entry] = _first_input(piece)
    return True


def _in_order(pieces):
    return sorted(pieces, key=lambda piece: min(piece.weights, default=(0, 0)))


def _group(pieces, rest):
    """Lists of consecutive pieces whose data fit the free rows together."""
    groups = [[]]
    for piece in pieces:
        if groups[-1] and not rest.holds([*groups[-1], piece]):
            groups.append([])
        groups[-1].append(piece)
    return groups


def _place(pieces, source, rest):
    """Streamed of some pieces, with reads moved into the free rows."""
    rows, passes = RowsTogether(pieces), []
    for piece in pieces:
        spans = iter(piece.records)
        passes += [rows.move(pass_, source, rest,
                             next(spans) if pass_.accumulate.bias_row is not None else None)
                   for pass_ in piece.passes]
    return Streamed(passes, source.cells(rows.spans or [(source.first, source.first)]).ravel(),
                    tuple(rows.inputs))
