# SPDX-License-Identifier: Apache-2.0
"""Passes for accumulators that saturate after each block: held in lanes, written in two halves.

A pass adds a block to up to ``HELD`` saturated accumulators in every lane. The next passes subtract
``LOW_OFFSET``, write the high halves, and write the low halves as the remainders. Accumulators
beyond the lane entries are a program loop, or passes in sequence. Accumulators that wrap at 32 bits
are held exactly; two passes then shift them left by the 8 extra lane bits, and back.
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

TAKEN  = 3  #: Passes that write finished sums from the lanes,
WRAPS  = 2  #: and passes before them that wrap the sums.
LOOP   = 32  #: Maximum passes of a wrapping-sum loop: every program memory holds them.
_WIDE  = {"y_shape": Shape.LANES, "y_width": Width.BITS16, "acc_range": AccumulatorRange.BITS40}
_WHOLE = (-(1 << 15), (1 << 15) - 1)
#: (axis held in lane entries, axis looped in the program).
_SCHEMES = tuple(product(("cols", "groups"), ("rows", "cols", "blocks")))


@dataclass(frozen=True)
class Step:
    """A block as a pass adds it.

    Parameters
    ----------
    offset : int, X vectors from the first window vector
    cols, groups : int, taps along columns and along vectors
    words : int, Y words for an output vector
    first : int, index at which these words begin
    x_zero : int, zero point subtracted from the elements
    """

    offset: int
    cols:   int
    groups: int
    words:  int
    first:  int
    x_zero: int = 0


@dataclass(frozen=True)
class Places:
    """Addresses for all data read and written by saturating-sum passes.

    Parameters
    ----------
    layout : TensorLayout under the windows
    sums : TensorLayout, the written 32-bit accumulators
    ones : TensorLayout, an all-ones full output vector
    origin : int, vectors from the base of ``layout`` to the first window
    row, col, pitch : X vectors from a window to the next, and from pixel to pixel
    steps : tuple with a Step for each block
    weights : Access to the block words
    bias_row : int, row of the initial accumulator values, or None
    zero, lower : Access to 16-bit words: 0 and ``-LOW_OFFSET``
    fields : dict, shape and width fields for passes adding blocks
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
    """Iteration count and steps per iteration: X vectors, output vectors, Z vectors."""

    count: int = 1
    x:     int = 0
    group: int = 0
    z:     int = 0

    def at(self, index):
        """The three steps times ``index``."""
        return index * self.x, index * self.group, index * self.z


def copies(form, scheme):
    """Number of bias copies for each output vector under a scheme."""
    return 0 if form.begin is None else min(HELD, form.cols) if scheme[0] == "cols" else 1


def choose(form, steps, groups):
    """The scheme with the fewest passes for ``groups`` output vectors."""
    return min((scheme for scheme in _SCHEMES if scheme[0] != scheme[1]),
               key=lambda scheme: _length(form, steps, groups, scheme))


def _length(form, steps, groups, scheme):
    """Pass count under a scheme; infinite if its loop would be too long."""
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
    """Step lists, one per pass repeated at a constant distance; the first Step is alone."""
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
    """Passes writing all accumulators in a scheme; see ``choose``."""
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
    """Passes over the accumulators held at once; ``origin`` has the X, output and Z vector indices.
    """

    places:    Places
    held:      _Loop
    origin:    tuple
    bias_step: int

    def passes(self, steps, loop):
        """Passes adding all blocks and writing the accumulators, as ``loop`` or, with None, once.
        """
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
        """Passes adding blocks; blocks at a constant distance share a pass repeating itself."""
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
        """Passes subtracting ``LOW_OFFSET``, writing the high halves, then the remainders as low
        halves.
        """
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
