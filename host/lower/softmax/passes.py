# SPDX-License-Identifier: Apache-2.0
"""Softmax as passes: input range, exponentials, their sum, and each exponential's quotient by the
sum.

Maximum, minimum and sum are core scalars (see ``hdl.isa``), as are the values derived from them.
Only these scalars depend on the data, so the program is the same for all data.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.config import WAYS
from xymac.hdl.isa import BANKS, Access, Adjust, Memory, Op, Reduce, Scale, Shape, Width
from xymac.host.ir.normalise import SoftmaxForm
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import cover, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.packing import pack_records

from .slices import count_slices, first_run, refuse_runs, repeat_for_runs, run_layout

__all__ = ["SoftmaxLowering"]

_RANGES = 4  #: Range limit: for more ranges, moving them together first is faster.


@dataclass(frozen=True)
class _GroupRange:
    """Groups with padding at the end only: the first group, the group count, padding elements."""

    first:  int
    groups: int
    drop:   int


class SoftmaxLowering(Lowering):
    """A softmax over a full tensor or along a dimension."""

    forms = (SoftmaxForm,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._form   = self.form
        self._slices = count_slices(self._form.axis, x)
        self.fixed   = None if self._form.axis < 0 else (self._form.axis,)
        self.tables  = self._form.tables

    def source_layouts(self, preferred):
        """As it comes: a single run has no padding inside. A run for each of several sums."""
        return (run_layout(self._form.axis, self.inputs[0], self.ways),)

    def refuses(self, sources):
        """Elements of a sum that form neither their own run nor, for a single sum, at most
        ``_RANGES`` padding-free ranges.
        """
        [source], axis = sources, self._form.axis
        if self._slices > 1 and (source.inner != 1 or source.order[-1] != axis):
            return refuse_runs(axis, source)
        if self._slices == 1 and len(_group_ranges(source)) > _RANGES:
            return refuse_layout(f"Padding splits the elements of a sum into more than {_RANGES} "
                                 f"ranges")
        return None

    def target_layout(self, sources):
        """The output takes the input layout; exponentials wider than the output follow it as
        scratch.
        """
        target = sources[0].like(self.output)
        return with_room(target, [self._wide(target)]) if self._is_wider else target

    def can_overwrite(self, sources, target):
        """Every pass reads a group no later than it writes it; extremes go to Y."""
        return not self._is_wider

    def constants(self, sources):
        """An all-zeros word and an all-ones word, requantisation parameters, and a free row for the
        range extremes, later for the sum's reciprocal.
        """
        words, lanes = lane_words(np.array([0, 1], np.int8), self.ways, room=1), BANKS * self.ways
        if not self._form.records:
            return words
        return replace(words, bias=pack_records([np.full(lanes, record)
                                                 for record in self._form.records], self.ways))

    def passes(self, sources, target, constants):
        """The passes over the elements of the first sum, repeated for every further sum."""
        [source], work = sources, target
        if self._is_wider:
            [work] = place_behind(target, [self._wide(target)])
        if self._slices == 1:
            return _one_sum(self._form, source, work, target, constants, self.can)
        one = [first_run(layout) for layout in (source, work, target)]
        return repeat_for_runs(_one_sum(self._form, *one, constants, self.can),
                               self._slices, source.pitch, one)

    @property
    def _is_wider(self):
        return self._form.bits != self.output.bits

    def _wide(self, target):
        return replace(target, bits=self._form.bits, behind=0)


def _one_sum(form, source, work, target, constants, can):
    """Passes over the elements of a single sum; ``work`` is the exponential layout.

    ``can`` returns whether the core has an Op or a Reduce. Without ``Op.SHARE`` the passes multiply
    by a reciprocal in Y.
    """
    ways   = source.ways
    one    = constants.word(1, 8, ways)
    ranges = _group_ranges(source)
    inverse = _inverse_row(constants, ways)
    extreme = elementwise(source.bits, 16, x=source.access(), y=one, z=inverse, z_memory=Memory.Y)
    passes  = _find_range(form, extreme, constants.word(0, 8, ways), ranges,
                          both=ways == max(WAYS) and can(Reduce.RANGE))
    passes += _powers(form, source, work, constants, ranges)
    share = elementwise(
        work.bits, target.bits, x=work.access(), z=target.access(), y=one, op=Op.SHARE,
        adjust=Adjust.PLACES, **form.share)
    if not can(Op.SHARE):
        passes.append(replace(extreme, x_shape=Shape.VECTOR, inverted=True))
        share = replace(share, op=Op.MAC, y=_word(inverse, ways), y_width=Width.BITS16)
    return passes + [pass_ for pass_, _ in _sweep_ranges(ranges, share)]


def _find_range(form, extreme, zero, ranges, *, both):
    """Passes reducing the input to its maximum and minimum.

    If the core finds ``both`` in a single step, the lane-by-lane reduction over full outputs finds
    both.
    """
    whole, rest = _split_ranges(extreme, ranges)
    if form.halves and both:
        read, whole = _reduce(whole, Reduce.RANGE, op=Op.MAX), []
    else:
        read = []
    passes = read + _reduce(whole + rest, Reduce.MAX, op=Op.MAX, fresh=not read)
    if form.halves:
        return passes + _reduce(whole + rest, Reduce.MIN, op=Op.MIN, fresh=not read)
    # From 0 on no range exceeds half of a container.
    return [*passes, replace(extreme, y=zero, beats=1, reduce=Reduce.MIN)]


def _powers(form, source, work, constants, ranges):
    """Passes computing the exponentials; the last pass also reduces them to their sum."""
    passes, x = [], source
    for number, fields in enumerate(form.powers):
        scaled = fields.get("scale", Scale.NONE) is not Scale.NONE
        parts  = _sweep_ranges(ranges, elementwise(
            x.bits, work.bits, x=x.access(), y=constants.word(1, 8, source.ways), z=work.access(),
            anchored=number == 0, bias_row=constants.y_row if scaled else None, **fields))
        passes += _reduce(parts, Reduce.SUM) if fields is form.powers[-1] else [
            pass_ for pass_, _ in parts]
        x = work
    return passes


def _group_ranges(layout):
    """Vector ranges of a layout: a single range if no padding separates its elements."""
    groups = [-(-part // layout.ways) for part in layout.parts]
    drops  = [-part % layout.ways for part in layout.parts]
    runs   = layout.groups // layout.pitch
    if not any(drops) or runs == len(groups) == 1:
        return [_GroupRange(0, layout.groups, drops[-1])]
    starts = [layout.pitch * run + sum(groups[:part]) for run in range(runs)
              for part in range(len(groups))]
    return [_GroupRange(start, *rest) for start, *rest
            in zip(starts, groups * runs, drops * runs, strict=True)]


def _sweep_ranges(ranges, pass_):
    """``pass_`` over all ranges: list of (pass, padding element count in its last vector).

    The short last part of a range comes first, so a longer pass follows it and does not precede it.
    Each X and Z window covers only the vectors its pass reads and writes, so no pass waits for
    another.
    """
    result = []
    for span in ranges:
        x, z = (replace(access, base=access.base + span.first)
                for access in (pass_.operands.x, pass_.epilogue.z))
        parts = [replace(part, x=_narrow(part.operands.x, part),
                         z=_narrow(part.epilogue.z, part)) for part
                 in sweep(replace(pass_, x=x, z=z), span.groups, (BANKS, 0, BANKS))]
        result += [(parts[-1], span.drop)] + [(part, 0) for part in parts[:-1]]
    return result


def _narrow(access, pass_):
    """``access`` with all output vectors as its window."""
    last = sum((count - 1) * stride for count, stride
               in zip(pass_.loop.outer, access.outer, strict=True))
    return replace(access, low=access.base, high=access.base + last + pass_.epilogue.beats - 1)


def _reduce(parts, kind, *, fresh=True, **fields):
    """Passes reducing their outputs, or inputs, to a scalar; the first pass starts it if
    ``fresh``.
    """
    return [replace(pass_, reduce=kind, fresh=fresh and index == 0, drop=drop, **fields)
            for index, (pass_, drop) in enumerate(parts)]


def _split_ranges(pass_, ranges):
    """Two lists of (pass, padding elements) that reduce to an extreme like ``pass_``.

    Passes of the first list reduce lane by lane into a single output. Passes of the second list
    reduce the remaining vectors.
    """
    lanes, others = [], []
    for span in ranges:
        whole = (span.groups - bool(span.drop)) // BANKS
        rest  = span.groups - whole * BANKS if span.drop or not whole else 0
        base  = replace(pass_, x=replace(pass_.operands.x, base=pass_.operands.x.base + span.first))
        if whole:
            counts, strides = cover(whole * BANKS if span.drop else span.groups)
            lanes.append((replace(base, taps=counts, x=replace(base.operands.x, taps=strides)), 0))
        if rest:
            left = replace(base.operands.x, base=base.operands.x.base + whole * BANKS)
            others.append((replace(base, x=left, beats=rest), span.drop))
    return lanes, others


def _inverse_row(constants, ways):
    """Access by vectors to the first word of the free constant row, as 16-bit Y elements."""
    base = constants.room_row * BANKS * ways
    return Access(base=base, low=base, high=base + BANKS - 1)


def _word(groups, ways):
    """Access to the same word by lanes."""
    base = groups.base // BANKS
    return Access(base=base, low=base, high=base)
