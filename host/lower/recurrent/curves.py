# SPDX-License-Identifier: Apache-2.0
"""Sigmoid and hyperbolic tangent on 16-bit elements as passes.

Both functions are odd (the sigmoid around 16384) and round halves away from zero, but a look-up
rounds in a single direction. Each function is therefore a difference of two look-ups: the value for
the argument minus the value for the negated argument. The table is 0 for negative arguments; its
entries are the curve's values minus a half, negated, so that a look-up rounds a magnitude down,
or to nearest with halves up.

With rounding to nearest, the difference is the tangent. With rounding down, it is twice the
sigmoid, and halving rounds again: magnitude ``s`` becomes ``floor((s + 1) / 2)`` for a positive
argument, else ``-s`` becomes ``floor(-s / 2)``. A second table therefore has magnitudes larger by 1
from 0 on: arguments use the second table, negated arguments use the first. The halved difference,
rounded down, is right for both.
"""

from dataclasses import dataclass

from xymac.hdl.isa import ELEMENT_BITS, RoundMode
from xymac.host.ir.fields import container_clip
from xymac.host.ir.recurrent.sequence import GATE
from xymac.host.memory.tables import OwnTable

__all__ = ["Argument", "Curves", "half_fields"]

_MIDDLE     = 1 << 14  #: The sigmoid of 0.
_HALF       = 1 << 15
_SHIFT_MAX  = 18  #: Right shift that clears every argument.
_ARGUMENT_MAX = container_clip(ELEMENT_BITS)[1]
_SIGMOID_SHIFT, _TANGENT_SHIFT = 9, 8  #: Bits between two entries.


@dataclass(frozen=True)
class Curves:
    """Look-ups of both functions; ``sizes`` as in ``SequenceLstm``."""

    sizes: tuple

    def table(self, more=0):
        """OwnTable of negative entries, each further from 0 by ``more``."""
        entries = [-more - size for size in self.sizes]
        return OwnTable((0, *entries, entries[-1]), 1)

    def sigmoid_fields(self, space, sign):
        """Look-up fields for ``sign * GATE`` times an element, which saturates at 16 bits.

        At both ends, the largest element and its successor (the negated smallest element) have the
        same sigmoid.
        """
        return _fields(space, _SIGMOID_SHIFT, RoundMode.FLOOR, GATE * _HALF,
                       self.table(int(sign > 0)))

    def tangent_fields(self, space, limit=_ARGUMENT_MAX):
        """Look-up fields for the tangent of an argument up to ``limit``."""
        return _fields(space, _TANGENT_SHIFT, RoundMode.UP, min(limit, _ARGUMENT_MAX), self.table())

    def find_tangent(self, argument):
        """Look-up result for an argument of at least 0."""
        table = self.table()
        place, part = divmod(argument, 1 << _TANGENT_SHIFT)
        place = min(place + table.offset, len(table.values) - 2)
        here, there = table.values[place:place + 2]
        return here - ((here - there) * part + (1 << _TANGENT_SHIFT - 1) >> _TANGENT_SHIFT)


def _fields(space, shift, rounding, limit, own):
    return {"table": space.table(own), "table_shift": shift, "table_rounding": rounding,
            "rounding": RoundMode.FLOOR, "clip": (-limit, limit)}


@dataclass(frozen=True)
class Argument:
    """Element conversion to an argument: halves are rounded up, but all passes round down.

    Parameters
    ----------
    shift : int, right shift of ``GATE`` times the element, bits
    biases : two ints, added before the shift: for the argument, and for the negated argument
    """

    shift:  int
    biases: tuple

    @classmethod
    def of(cls, factor, places):
        """Argument for the ``argument`` of a ``SequenceLstm``."""
        if factor > GATE:
            return cls(1 - (factor // GATE).bit_length(), (0, 0))
        places = min(places, _SHIFT_MAX)
        half   = 1 << places >> 1
        return cls(places, (half, (1 << places) - 1 - half))

    def limit(self, curves, low, high):
        """Argument limit to replace the element limits ``low`` and ``high``, or None.

        The limit holds for arguments and negated arguments. None if it would change an element
        limit's tangent.
        """
        ends = [sign * end * GATE + bias for sign, end, bias
                in zip((1, -1), (high, low), self.biases, strict=True)]
        ends = [end >> self.shift if self.shift > 0 else end << -self.shift for end in ends]
        first, last = (curves.find_tangent(min(end, _ARGUMENT_MAX)) for end in ends)
        return max(ends) if first == last else None


def half_fields(sign=1):
    """Fields for the pass from the difference to ``sign`` times the sigmoid."""
    low, high = container_clip(16)
    middle    = sign * _MIDDLE
    return {"shift": 1, "rounding": RoundMode.FLOOR if sign > 0 else RoundMode.UP,
            "clip": (max(low - middle, low), min(high - middle, high)), "zero": middle}
