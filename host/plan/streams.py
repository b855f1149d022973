# SPDX-License-Identifier: Apache-2.0
"""Constants of one layer that Y cannot hold at once, and inputs that X cannot: its passes cut where
others have to be there.

A layer is lowered as if they lay behind the last row of Y, or of X. Its passes are cut between
outputs, and within sums (see ``host.plan.long_sums``), until each needs no more rows than are free;
then those of some passes are written together, at rows that there are.
"""

from dataclasses import dataclass, replace
from itertools import groupby, pairwise, takewhile

import numpy as np

from xymac.hdl.isa import AguMode, Move, Op, Reduce

from .long_sums import cut_sums
from .pieces import Piece, RowsTogether, Source
from .program.unroll import write_out
from .program.waits import scalars_of
from .program.windows import rows_of

__all__ = ["Streamed", "stream"]


@dataclass(frozen=True)
class Streamed:
    """Some passes of a layer, and what is written before them.

    Parameters
    ----------
    passes : list of Pass
    cells : of constants, from the first row of Y on that they can have
    inputs : tuple of ranges of rows of X (first, end), behind its last row, one after the other
        from the first row of X on that they can have
    """

    passes: list
    cells:  np.ndarray
    inputs: tuple


def stream(passes, values, rest, ways):
    """What runs one after the other: a list of Streamed, or None where passes cannot be cut so far.

    Parameters
    ----------
    passes : list of Pass of one layer
    values : Constants that they read, placed behind the last row of Y
    rest : Rest
    ways : int
    """
    source = Source(values, ways, rest.behind)
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
    """Whether a pass can run in another program than the one before, by what it reads."""
    modes = {pass_.operands.y.mode} | ({pass_.operands.x.mode} if source.inputs(pass_) else set())
    return (pass_.accumulate.op not in (Op.GATHER, Op.SPREAD) and modes == {AguMode.LINEAR}
            and pass_.reduction.reduce is Reduce.NONE and not scalars_of(pass_))


def _bodies(passes):
    """Passes in lists of one, or of those of a loop."""
    bodies = []
    for pass_ in passes:
        bodies.append([pass_])
        if pass_.control.repeat:
            first  = len(bodies) - 1 - pass_.control.back
            whole  = [part for body in bodies[first:] for part in body]
            bodies = [*bodies[:len(bodies) - 1 - pass_.control.back], whole]
    return bodies


def _cut(body, source, rest):
    """Pieces of passes, each within the rows that are free, or None."""
    fixed = not any(access.move is not Move.NONE for pass_ in body for access in (
        pass_.operands.y, *[pass_.operands.x] * (source.inputs(pass_) is not None)))
    if body[-1].control.repeat:
        whole = Piece.of(body, source)
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
    """Pieces of a pass: of some of its outermost indices, or of a part of a sum; or None."""
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
    return [Piece.of([part], source, spans) for part, spans in passes]


def _take_outer(pass_, first, end, source):
    """The piece of outermost indices ``first`` to ``end``."""
    operands, accumulate = pass_.operands, pass_.accumulate
    moved = {name: replace(access, base=access.base + first * access.outer[0])
             for name, access in (("x", operands.x), ("y", operands.y), ("z", pass_.epilogue.z))}
    part  = replace(pass_, **moved, outer=(end - first, *pass_.loop.outer[1:]),
                    entry=accumulate.entry + first * (accumulate.hold or accumulate.resume))
    if accumulate.bias_row is None:
        return Piece.of([part], source)
    spans = source.records(replace(pass_, outer=(end, *pass_.loop.outer[1:])), first)
    return Piece.of([part], source, spans)


def _gather(pieces, ways):
    """Pieces that read the same weights one after the other, as far as none reads what another one
    of them writes."""
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
    """Pieces that hold sums in the order of the inputs that they read, so that these are written
    once for all of them; where that would change the order within a sum as they are."""
    result = []
    for holds, run in groupby(pieces, lambda piece: all(pass_.accumulate.hold
                                                        for pass_ in piece.passes)):
        run = list(run)
        result += sorted(run, key=_first_input) if holds and _keeps_order(run) else run
    return result


def _first_input(piece):
    return min(piece.inputs, default=(0, 0))


def _keeps_order(pieces):
    """Whether the sums of pieces are begun once, and take their inputs in rising order."""
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
    """Lists of pieces that what they read is written for together."""
    groups = [[]]
    for piece in pieces:
        if groups[-1] and not rest.holds([*groups[-1], piece]):
            groups.append([])
        groups[-1].append(piece)
    return groups


def _place(pieces, source, rest):
    """The passes of pieces with what they read where there is room."""
    rows, passes = RowsTogether(pieces), []
    for piece in pieces:
        spans = iter(piece.records)
        passes += [rows.move(pass_, source, rest,
                             next(spans) if pass_.accumulate.bias_row is not None else None)
                   for pass_ in piece.passes]
    return Streamed(passes, source.cells(rows.spans or [(source.first, source.first)]).ravel(),
                    tuple(rows.inputs))
