"""Sigmoid and hyperbolic tangent of TensorFlow Lite's int16 elements as passes.

Both are odd, the sigmoid around 16384, and round halves away from zero; a look-up rounds them one
way. So each is a difference: what a table, which is 0 below 0, has for the argument, less what it
has for the argument times -1. The table has the sizes of the library's less a half, times -1, so
that a look-up rounds them down, or up from a half on, as the library does: the tangent is that
difference. The sigmoid is half of it, the fraction cut off before, and that rounded once more.
"""

from golden.parameters.tflm.function_tables import SIGMOIDS
from hdl.isa import ELEMENT_BITS, RoundMode
from host.lower.fields.tflm import TWICE, factor_records
from host.lower.sweep import container_clip
from host.memory.tables import OwnTable

__all__ = ["GATE", "SIGMOID_MIDDLE", "argument_shift", "half_fields", "sigmoid_fields",
           "tangent_fields"]

GATE           = 3        #: What the argument of a gate, Q3.12, counts in the library's table.
SIGMOID_MIDDLE = 1 << 14  #: The sigmoid of 0.

_HALF       = 1 << 15
_SHIFT_MAX  = 18  #: Right shift that leaves nothing of any argument.
_SIZES      = [half - _HALF for half in SIGMOIDS]
_TABLE      = OwnTable((0, *(-size for size in _SIZES), -_SIZES[-1]), 1)
_HALVED     = (1 << 31) - 1, -1  #: A factor that rounds a half away from zero.
_SIGMOID_SHIFT, _TANGENT_SHIFT = 9, 8  #: Bits between two entries.


def _fields(space, shift, rounding, limit):
    return {"table": space.table(_TABLE), "table_shift": shift, "table_rounding": rounding,
            "rounding": RoundMode.FLOOR, "clip": (-limit, limit)}


def sigmoid_fields(space):
    """Fields of the look-up of ``GATE`` times an element of 16 bits, or -1 times that; what is
    beyond 16 bits counts as the largest one, or the smallest.

    At both ends the largest element and one more, which is the smallest one times -1, have the same
    sigmoid.
    """
    return _fields(space, _SIGMOID_SHIFT, RoundMode.FLOOR, GATE * _HALF)


def tangent_fields(space):
    """The same for the tangent."""
    return _fields(space, _TANGENT_SHIFT, RoundMode.UP, container_clip(ELEMENT_BITS)[1])


def argument_shift(argument):
    """Weight, right shift and the biases of an argument by ``cell_table_argument`` and of -1 times
    that: all passes round down, the library rounds halves up."""
    factor, places = argument
    if factor > GATE:
        return GATE, -(factor // GATE).bit_length() + 1, (0, 0)
    places = min(places, _SHIFT_MAX)
    half   = 1 << places >> 1
    return GATE, places, (half, (1 << places) - 1 - half)


def half_fields(space):
    """Fields of the pass that makes the sigmoid of the difference."""
    low, high = container_clip(16)
    return TWICE | {"clip": (low + SIGMOID_MIDDLE, high - SIGMOID_MIDDLE), "zero": SIGMOID_MIDDLE,
                    "bias_row": space.records(*map(int, factor_records(*_HALVED)), 0)}
