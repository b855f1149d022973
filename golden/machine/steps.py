# SPDX-License-Identifier: Apache-2.0
"""Step arithmetic and step faults in a pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    ACC_BITS,
    FLOOR_BITS,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Adjust,
    Op,
    Reduce,
    Shape,
    Status,
    Table,
    Width,
)

from .heap import Heap
from .rounding import shift_right

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

    from .records import Scaling
    from .tables import TableMemory

__all__ = ["Fault", "Scalars", "combine", "finish", "first_fault", "floor_before", "hold",
           "last_taps", "scalars_made", "scalars_of"]

_LARGEST    = (1 << 63) - 1  # of int64
FLOAT_TERMS = 1 << 22  #: Products of at most 2**30: their float64 sum stays below 2**53, exact.


@dataclass(frozen=True)
class Fault:
    """First fault in program order, after ``output`` outputs and ``beat`` beats were written."""

    status: Status
    field:  int = 0
    output: int = 0
    beat:   int = 0


def combine(pass_: Pass, x: np.ndarray, weights: np.ndarray, words: np.ndarray, x_at: np.ndarray,
            valid: np.ndarray) -> np.ndarray:
    """Sum, maximum or minimum over each output's products: int64 [outputs, lanes].

    ``weights`` is [1 or outputs, steps, ways or 1, lanes]; its first axis is 1 if all outputs share
    the weights. ``x`` begins at a row, because a CROSS pass XORs its addresses with the bank
    number.
    """
    if pass_.accumulate.op is Op.CROSS:
        width = x.shape[1]
        return np.concatenate([_combine(pass_, x, weights[..., bank * width:(bank + 1) * width],
                                        words, x_at ^ bank, valid)
                               for bank in range(pass_.epilogue.beats)], axis=1)
    return _combine(pass_, x, weights, words, x_at, valid)


def _combine(pass_, x, weights, words, x_at, valid):
    """The same where lanes share a group, or each has an element."""
    if pass_.operands.x_shape is Shape.LANES:
        beats = np.minimum(x_at[..., None] + np.arange(pass_.epilogue.beats), len(x) - 1)
        products = x[beats].reshape(*x_at.shape, -1) * weights.sum(2, dtype=np.int64)
        return _over_steps(pass_.accumulate.op, products, valid)
    operands = x[x_at]
    if pass_.operands.y_shape is Shape.LANES:
        way = np.broadcast_to(words % x.shape[1], x_at.shape)
        operands = np.take_along_axis(operands, way[..., None], 2)
    if pass_.accumulate.op in (Op.MAX, Op.MIN):
        products = operands[..., None] * weights.astype(np.int64)
        return _over_steps(pass_.accumulate.op, products.sum(2), valid)
    operands = (operands * valid[..., None]).reshape(len(operands), 1, -1)
    weights  = weights.reshape(len(weights), operands.shape[2], -1)
    exact    = np.float64 if operands.shape[2] <= FLOAT_TERMS else np.int64
    operands, weights = operands.astype(exact), weights.astype(exact)
    if len(weights) == 1:
        return (operands[:, 0] @ weights[0]).astype(np.int64)
    return (operands @ weights)[:, 0].astype(np.int64)


def _over_steps(op, products, valid):
    """Combine [outputs, steps, lanes] over the valid steps."""
    valid = valid[..., None]
    if op not in (Op.MAX, Op.MIN):
        return (products * valid).sum(1)
    if op is Op.MIN:
        return np.where(valid, products, _LARGEST).min(1)
    return np.where(valid, products, ~_LARGEST).max(1)


def last_taps(valid: np.ndarray) -> np.ndarray:
    """Mask [outputs, steps] with each output's last valid step."""
    later = np.cumsum(valid[:, ::-1], axis=1)[:, ::-1]
    return valid & (later == 1)


def floor_before(pass_: Pass, sums: np.ndarray, ends: np.ndarray,
                 several: np.ndarray) -> np.ndarray:
    """Accumulators [outputs, lanes] in which the sum before the last step is rounded down.

    ``ends`` [outputs, lanes] is the last step's part of ``sums``. The low ``accumulate.floor +
    FLOOR_BITS`` bits of the rest become 0 where ``several`` [outputs] is True, for outputs with
    more than one step.
    """
    before = sums - ends
    shift  = np.where(several, pass_.accumulate.floor + FLOOR_BITS, 0)[:, None]
    return (before >> shift << shift) + ends


def first_fault(valid: np.ndarray, no_bias: bool, x_bad: np.ndarray | None,
                y_bad: np.ndarray | None, z_bad: np.ndarray | None) -> Fault | None:
    """First fault among some outputs in program order, or None.

    Masks are [outputs, steps or beats]; a fault mask None has no faults.
    """
    if not no_bias and x_bad is y_bad is z_bad is None and valid.all():
        return None
    x_bad, y_bad = (np.zeros_like(valid) if mask is None else valid & mask
                    for mask in (x_bad, y_bad))
    z_bad = np.zeros((len(valid), 1), bool) if z_bad is None else z_bad
    empty = ~valid.any(1)
    steps = x_bad | y_bad
    bad   = empty | no_bias | steps.any(1) | z_bad.any(1)
    if not bad.any():
        return None
    output = int(bad.argmax())
    if not valid[output].any():
        return Fault(Status.EMPTY, output=output)
    if no_bias:
        return Fault(Status.Y_ACCESS, output=output)
    if steps[output].any():
        step = steps[output].argmax()
        status = Status.X_ACCESS if x_bad[output, step] else Status.Y_ACCESS
        return Fault(status, output=output)
    return Fault(Status.Z_ACCESS, output=output, beat=int(z_bad[output].argmax()))


class Scalars:
    """The core's scalars, as ``xymac.hdl.isa`` describes them."""

    def __init__(self) -> None:
        self._maximum = self._minimum = self.places = 0
        self.inverse = (1 << 15) - 1
        self._total  = 0
        self._heap   = Heap()
        self._ranked = False  # whether maximum and minimum come from the heap

    def fold(self, pass_: Pass, elements: np.ndarray) -> None:
        """Fold all ``elements`` that a finished pass has written, int8 or int16, into its scalar.
        """
        kind, fresh = pass_.reduction.reduce, pass_.reduction.fresh
        elements = elements.astype(np.int64)
        if kind not in (Reduce.NONE, Reduce.SUM, Reduce.RANGE):
            self._ranked = kind in (Reduce.RANK, Reduce.POP)
        if kind is Reduce.RANK:
            self._heap.rank(pass_.accumulate.entry + 1, fresh, elements.tolist())
        elif kind is Reduce.MAX:
            self._maximum = int(elements.max(initial=-32768 if fresh else self._maximum))
        elif kind is Reduce.MIN:
            self._minimum = int(elements.min(initial=32767 if fresh else self._minimum))
        elif kind is Reduce.SUM:
            self._total = int(elements.sum()) + (0 if fresh else self._total)
            self._invert(pass_.epilogue.table_rounding)

    def begin_range(self) -> None:
        """Reset the range over the X elements that a RANGE pass reads."""
        self._maximum, self._minimum = -32768, 32767

    def cover(self, elements: np.ndarray) -> None:
        """Extend the range to X ``elements`` that the steps have read."""
        elements      = elements.astype(np.int64)
        self._ranked  = False
        self._maximum = int(elements.max(initial=self._maximum))
        self._minimum = int(elements.min(initial=self._minimum))

    def pop(self, groups: int) -> None:
        """Pop the heap root once for each of ``groups`` vectors that a finished pass wrote."""
        self._ranked = True
        self._heap.pop(groups)

    @property
    def maximum(self) -> int:
        """The largest element; after a heap pass, 32767 minus the heap root's index."""
        return 32767 - self._heap.place if self._ranked else self._maximum

    @property
    def minimum(self) -> int:
        """The smallest element; for the heap the same as ``maximum``."""
        return self.maximum if self._ranked else self._minimum

    def _invert(self, rounding):
        total = self._total % (1 << 32)
        total = total if 0 < total < 1 << 31 else 1
        self.places  = total.bit_length() - 1
        mantissa     = min(shift_right(total << 30 - self.places, 16, rounding), 32767)
        self.inverse = min((1 << 29) // mantissa, 32767)

    def wide_range(self, width: Width) -> int:
        """Whether the element range exceeds half the type's range, 0 or 1."""
        return int(self.maximum - self.minimum > (128 if width is Width.BITS8 else 32768))

    def adjust(self, pass_: Pass) -> tuple[int, int]:
        """``shift`` and ``table_shift`` as they take effect in a pass."""
        wide  = self.wide_range(pass_.operands.x_width)
        shift = pass_.epilogue.shift + {Adjust.SHIFT: -wide, Adjust.PLACES: self.places}.get(
            pass_.reduction.adjust, 0)
        table = pass_.epilogue.table_shift - wide * (pass_.reduction.adjust is Adjust.TABLE)
        return min(max(shift, SHIFT_MIN), SHIFT_MAX), max(table, 0)


def finish(pass_: Pass, acc: np.ndarray, scalars: Scalars, scaling: Scaling | None,
           tables: TableMemory) -> np.ndarray:
    """Wrap sums to the accumulator, shift or scale, round and clip them; look them up in a
    TableMemory if asked.
    """
    epilogue = pass_.epilogue
    if pass_.reduction.inverted:
        wide = epilogue.z_width is Width.BITS16
        return np.full(acc.shape, scalars.inverse if wide
                       else (scalars.inverse + 128) % 256 - 128)
    acc = _wrap(acc)
    if pass_.reduction.anchored:
        wide = scalars.wide_range(pass_.operands.x_width)
        acc  = acc - (scalars.maximum & ~wide) >> wide
    shift, table_shift = scalars.adjust(pass_)
    if pass_.accumulate.op is Op.SHARE:
        acc = np.clip(acc, -(1 << 31), (1 << 31) - 1) * scalars.inverse
    shifted  = (_shift(acc, shift, epilogue.rounding) if scaling is None
                else scaling.apply(pass_, acc))
    elements = np.minimum(np.maximum(shifted, epilogue.clip[0]), epilogue.clip[1]) + epilogue.zero
    return elements if epilogue.table is Table.NONE else tables.look_up(
        pass_, table_shift, elements)


def hold(pass_: Pass, acc: np.ndarray) -> tuple[np.ndarray, bool]:
    """Accumulators ``acc`` as saved values, and whether any value overflowed the accumulator."""
    value = _shift(_wrap(acc), pass_.epilogue.shift, pass_.epilogue.rounding)
    if pass_.accumulate.acc_range is not AccumulatorRange.BITS40:
        symmetric = pass_.accumulate.acc_range is AccumulatorRange.SYMMETRIC32
        return np.clip(value, -(1 << 31) + symmetric, (1 << 31) - 1), False
    kept = _wrap(value)
    return kept, bool((kept != value).any())


def _wrap(acc):
    half = 1 << ACC_BITS - 1
    return (acc + half & (1 << ACC_BITS) - 1) - half


def _shift(value, shift, rounding):
    return value << -shift if shift <= 0 else shift_right(value, shift, rounding)


def scalars_of(pass_: Pass) -> list[Reduce]:
    """Reductions whose scalars a pass reads."""
    kinds = []
    if pass_.reduction.inverted or pass_.reduction.adjust is Adjust.PLACES:
        kinds.append(Reduce.SUM)
    if pass_.reduction.anchored or pass_.reduction.adjust in (Adjust.SHIFT, Adjust.TABLE):
        kinds += [Reduce.MAX, Reduce.MIN]
    return kinds


def scalars_made(pass_: Pass) -> list[Reduce]:
    """Reductions whose scalars a pass updates; a heap pass updates MAX and MIN."""
    if pass_.reduction.reduce in (Reduce.RANK, Reduce.POP):
        return [Reduce.MAX, Reduce.MIN]
    return [] if pass_.reduction.reduce is Reduce.RANGE else [pass_.reduction.reduce]
