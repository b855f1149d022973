# SPDX-License-Identifier: Apache-2.0
"""Passes of sums that saturate after each block: held in the lanes, taken from there in halves.

A pass adds one block to up to ``HELD`` sums of every lane and holds them, saturated. Then the
sums are lowered by ``LOW_OFFSET``, their high halves are written, and what is left without these.
What does not fit the entries of the lanes is a loop of the program, or passes one after another.
Sums that wrap at 32 bits are held exactly, and then moved to the left by the 8 bits that lanes have
more, and back.
"""

from dataclasses import dataclass, replace
from itertools import product

from xymac.hdl.isa import (
    ACC_BITS,
    BACK_MAX,
    BANKS,
    HELD,
    Access,
    AccumulatorRange,
    Move,
    Pass,
    RoundMode,
    Shape,
    Width,
    bias_rows,
)
from xymac.host.lower.groups import strides
from xymac.host.memory.layout import TensorLayout

__all__ = ["Places", "Step", "choose", "copies", "sum_passes"]

TAKEN  = 3  #: Passes that take finished sums from the lanes,
WRAPS  = 2  #: and those that wrap them before.
LOOP   = 32  #: Passes of a loop of sums that wrap: as many as every program memory holds.
_WIDE  = {"y_shape": Shape.LANES, "y_width": Width.BITS16, "acc_range": AccumulatorRange.BITS40}
_WHOLE = (-(1 << 15), (1 << 15) - 1)
#: What the entries of the lanes hold, and what is a loop of the program.
_SCHEMES = tuple(product(("cols", "groups"), ("rows", "cols", "blocks")))


@dataclass(frozen=True)
class Step:
    """A block as a pass adds it: groups of X from that of the window, taps of columns and groups,
    words of Y for a group of outputs, and the first of them; what is taken off the elements."""

    offset: int
    cols:   int
    groups: int
    words:  int
    first:  int
    x_zero: int = 0


@dataclass(frozen=True)
class Places:
    """Where everything lies that the passes of saturating sums read and write.

    Parameters
    ----------
    layout : TensorLayout that the windows walk over
    sums : TensorLayout of what is written, of 32 bits
    ones : TensorLayout of a whole output of ones
    origin : int, groups from the base of ``layout`` to the first window
    row, col, pitch : groups of X from one window to the next, and from pixel to pixel
    steps : tuple of Step, one a block
    weights : Access to the words of the blocks
    bias_row : int, of what sums begin with, or None
    zero, lower : Access to words of 16 bits: 0 and ``-LOW_OFFSET``
    fields : dict of the fields of passes that add blocks: shapes and widths
    wraps : bool, sums wrap at 32 bits
    """

    layout:   TensorLayout
    sums:     TensorLayout
    ones:     TensorLayout
    origin:   int
    row:      int
    col:      int
    pitch:    int
    steps:    tuple
    weights:  Access
    bias_row: int | None
    zero:     Access
    lower:    Access
    fields:   dict
    wraps:    bool = False


@dataclass(frozen=True)
class _Loop:
    """How often something runs, and its steps: groups of X, groups of outputs, groups of Z."""

    count: int = 1
    x:     int = 0
    group: int = 0
    z:     int = 0

    def at(self, index):
        """The steps to ``index``."""
        return index * self.x, index * self.group, index * self.z


def copies(form, scheme):
    """How often the biases of a group of outputs are repeated in that scheme."""
    return 0 if form.begin is None else min(HELD, form.cols) if scheme[0] == "cols" else 1


def choose(form, steps, groups):
    """The scheme that takes the fewest passes for so many groups of outputs."""
    return min((scheme for scheme in _SCHEMES if scheme[0] != scheme[1]),
               key=lambda scheme: _length(form, steps, groups, scheme))


def _length(form, steps, groups, scheme):
    """Passes that a scheme takes, infinite if a loop would be too long."""
    held, looped = scheme
    total, taken = 0, TAKEN + WRAPS * form.wraps
    most = LOOP if form.wraps else BACK_MAX + 1
    for part in form.row_ranges:
        counts = {"groups": groups, "cols": form.cols, "rows": part.count}
        blocks = len(part.order)
        if looped == "blocks":
            blocks = len(_runs([steps[index] for index in part.order]))
        elif counts.pop(looped) > 1 and blocks + taken > most:
            return float("inf")
        parts = -(-counts.pop(held) // HELD)
        for count in counts.values():
            parts *= count
        total += parts * (blocks + taken)
    return total


def _runs(steps):
    """Steps that one pass can repeat: lists of them, all at the same distance; the first alone."""
    runs = [[steps[0]]]
    for step in steps[1:]:
        run = runs[-1]
        if len(runs) > 1 and _follows(run, step):
            run.append(step)
        else:
            runs.append([step])
    return runs


def _follows(run, step):
    before = run[-1]
    alike  = replace(step, offset=before.offset, first=before.first) == before
    return alike and (len(run) == 1 or _distance(before, step) == _distance(run[0], run[1]))


def _distance(before, step):
    return step.offset - before.offset, step.first - before.first


def sum_passes(form, places, groups, scheme, ways):
    """Passes that write all sums in a scheme; see ``choose``."""
    held, looped = scheme
    sums, passes = places.sums, []
    for part in form.row_ranges:
        axes = {"groups": _Loop(groups, BANKS * form.lanes, 1, BANKS),
                "cols": _Loop(form.cols, places.col, 0, sums.pitch),
                "rows": _Loop(part.count, places.row, 0, sums.pitch * form.cols)}
        steps = [places.steps[index] for index in part.order]
        start = axes["rows"].at(part.first)
        inner = axes.pop(held)
        loop  = axes.pop(looped, None)
        for first in range(0, inner.count, HELD):
            held_sums = replace(inner, count=min(HELD, inner.count - first))
            for indices in product(*(range(axis.count) for axis in axes.values())):
                moves = [start, inner.at(first),
                         *(axis.at(index) for axis, index in zip(axes.values(), indices,
                                                                 strict=True))]
                body = _Body(places, held_sums, [sum(move) for move in zip(*moves, strict=True)],
                             copies(form, scheme) * bias_rows(ways))
                passes += body.passes(steps, loop)
    return passes


@dataclass(frozen=True)
class _Body:
    """Passes over the sums that the lanes hold at once, from ``origin`` on: X, group, Z."""

    places:    Places
    held:      _Loop
    origin:    tuple
    bias_step: int

    def passes(self, steps, loop):
        """Passes that add all blocks and take the sums, ``loop`` of them or with None once."""
        if loop is None:
            return [*self._repeat(steps), *self._take(Move.NONE)]
        moving = loop.count > 1
        passes = [self._block(step, resume=index > 0) for index, step in enumerate(steps)]
        if not moving:
            return [*passes, *self._take(Move.NONE)]
        passes = [replace(pass_, x=replace(pass_.operands.x, move=Move.FIRST)) for pass_ in passes]
        passes += self._take(Move.SECOND)
        passes[-1] = replace(passes[-1], repeat=loop.count - 1, back=len(passes) - 1,
                             advance=(loop.x, loop.z))
        return passes

    def _repeat(self, steps):
        """Passes that add blocks, those at the same distance as one that repeats itself."""
        for index, run in enumerate(_runs(steps)):
            pass_ = self._block(run[0], resume=index > 0)
            if len(run) > 1:
                pass_ = replace(pass_, x=replace(pass_.operands.x, move=Move.FIRST),
                                y=replace(pass_.operands.y, move=Move.SECOND), repeat=len(run) - 1,
                                advance=_distance(run[0], run[1]))
            yield pass_

    def _block(self, step, resume):
        places, (x, group, _) = self.places, self.origin
        outer, taps = (self.held.count, 1, 1), (1, step.cols, step.groups)
        weights = places.weights
        return Pass(
            outer=outer, taps=taps, hold=True, resume=resume, rounding=RoundMode.FLOOR,
            acc_range=(AccumulatorRange.BITS40 if places.wraps
                       else AccumulatorRange.SYMMETRIC32),
            bias_row=(None if resume or places.bias_row is None
                      else places.bias_row + group * self.bias_step),
            z=places.ones.access(),
            x=places.layout.access(strides(outer, self.held.x, 0, 0),
                                  strides(taps, 0, places.pitch, 1),
                                  places.origin + x + step.offset),
            y=replace(weights, base=weights.base + step.first + group * step.words,
                      outer=strides(outer, self.held.group * step.words, 0, 0),
                      taps=strides(taps, 0, step.groups, 1)),
            x_zero=step.x_zero, **places.fields)

    def _take(self, move):
        """Passes that lower the sums, write their high halves, and what these leave."""
        places, outer = self.places, (self.held.count, 1, 1)
        step   = strides(outer, self.held.z, 0, 0)
        high, low = (replace(half.access(step, offset=self.origin[2]), move=move)
                     for half in places.sums.words32)
        common = {"outer": outer, "resume": True, "x_width": Width.BITS16, **_WIDE}
        ones   = places.ones.access()
        if places.wraps:
            for shift in (32 - ACC_BITS, ACC_BITS - 32):
                yield Pass(x=ones, y=places.zero, z=ones, hold=True, shift=shift,
                           rounding=RoundMode.FLOOR, **common)
        yield Pass(x=ones, y=places.lower, z=ones, hold=True, rounding=RoundMode.FLOOR, **common)
        yield Pass(x=ones, y=places.zero, z=high, shift=16, rounding=RoundMode.UP,
                   z_width=Width.BITS16, clip=_WHOLE, **common)
        yield Pass(x=high, y=places.lower, z=low, taps=(1, 2, 1), x_shape=Shape.LANES,
                   z_width=Width.BITS16, clip=_WHOLE, **common)
