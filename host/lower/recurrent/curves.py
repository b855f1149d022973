# SPDX-License-Identifier: Apache-2.0
"""Sigmoid and hyperbolic tangent of TensorFlow Lite's int16 elements as passes.

Both are odd, the sigmoid around 16384, and round halves away from zero; a look-up rounds them one
way. So each is a difference: what a table, which is 0 below 0, has for the argument, less what it
has for the argument times -1. The table has the sizes of the library's less a half, times -1, so
that a look-up rounds a size down, or to the nearest, halves up. With the latter the difference is
the tangent. With the former it is twice the sigmoid, which is rounded once more when it is halved:
a size ``s`` of an argument above 0 to ``floor((s + 1) / 2)``, else ``-s`` to ``floor(-s / 2)``. So
a second table has 1 more from 0 on: arguments look up sizes there, and -1 times arguments in the
first table, and half of the difference, rounded down, is right for both.
"""

from dataclasses import dataclass

from xymac.golden.parameters.tflm.function_tables import SIGMOIDS
from xymac.hdl.isa import ELEMENT_BITS, RoundMode
from xymac.host.ir.fields import container_clip
from xymac.host.memory.tables import OwnTable

__all__ = ["GATE", "Argument", "half_fields", "sigmoid_fields", "tangent_fields"]

GATE = 3  #: What the argument of a gate, Q3.12, counts in the library's table.

_MIDDLE     = 1 << 14  #: The sigmoid of 0.
_HALF       = 1 << 15
_SHIFT_MAX  = 18  #: Right shift that leaves nothing of any argument.
_SIZES      = [half - _HALF for half in SIGMOIDS]
_TABLE      = OwnTable((0, *(-size for size in _SIZES), -_SIZES[-1]), 1)
_MORE       = OwnTable((0, *(-1 - size for size in _SIZES), -1 - _SIZES[-1]), 1)
_ARGUMENT_MAX = container_clip(ELEMENT_BITS)[1]
_SIGMOID_SHIFT, _TANGENT_SHIFT = 9, 8  #: Bits between two entries.


def _fields(space, shift, rounding, limit, own=_TABLE):
    return {"table": space.table(own), "table_shift": shift, "table_rounding": rounding,
            "rounding": RoundMode.FLOOR, "clip": (-limit, limit)}


def sigmoid_fields(space, sign):
    """Fields of the look-up of ``GATE`` times an element of 16 bits, or with ``sign`` -1 of -1
    times that; what is beyond 16 bits counts as the largest one, or the smallest.

    At both ends the largest element and one more, which is the smallest one times -1, have the same
    sigmoid.
    """
    return _fields(space, _SIGMOID_SHIFT, RoundMode.FLOOR, GATE * _HALF,
                   _MORE if sign > 0 else _TABLE)


def tangent_fields(space, limit=_ARGUMENT_MAX):
    """The same for the tangent of an argument up to ``limit``."""
    return _fields(space, _TANGENT_SHIFT, RoundMode.UP, min(limit, _ARGUMENT_MAX))


@dataclass(frozen=True)
class Argument:
    """How an element becomes an argument: the library rounds halves up, all passes round down.

    Parameters
    ----------
    shift : int, to the right, of ``GATE`` times the element
    biases : two ints, what is added before; behind it for -1 times the argument
    """

    shift:  int
    biases: tuple

    @classmethod
    def of(cls, factor, places):
        """As ``cell_table_argument`` says it."""
        if factor > GATE:
            return cls(1 - (factor // GATE).bit_length(), (0, 0))
        places = min(places, _SHIFT_MAX)
        half   = 1 << places >> 1
        return cls(places, (half, (1 << places) - 1 - half))

    def limit(self, low, high):
        """What arguments of elements, and -1 times those, can be limited to in place of elements
        from ``low`` to ``high``; None if one of these has another tangent then."""
        ends = [sign * end * GATE + bias for sign, end, bias
                in zip((1, -1), (high, low), self.biases, strict=True)]
        ends = [end >> self.shift if self.shift > 0 else end << -self.shift for end in ends]
        first, last = (_find_tangent(min(end, _ARGUMENT_MAX)) for end in ends)
        return max(ends) if first == last else None


def _find_tangent(argument):
    """What the look-up of an argument, at least 0, finds."""
    place, part = divmod(argument, 1 << _TANGENT_SHIFT)
    place = min(place + _TABLE.offset, len(_TABLE.values) - 2)
    here, there = _TABLE.values[place:place + 2]
    return here - ((here - there) * part + (1 << _TANGENT_SHIFT - 1) >> _TANGENT_SHIFT)


def half_fields(sign=1):
    """Fields of the pass that makes the sigmoid of the difference, or ``sign`` times it."""
    low, high = container_clip(16)
    middle    = sign * _MIDDLE
    return {"shift": 1, "rounding": RoundMode.FLOOR if sign > 0 else RoundMode.UP,
            "clip": (max(low - middle, low), min(high - middle, high)), "zero": middle}
