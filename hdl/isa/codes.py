"""Codes of a pass: what it does, how it reads and writes, how it rounds and limits."""

from amaranth.lib import enum

__all__ = ["ROUNDINGS", "AccumulatorRange", "Adjust", "AguMode", "Memory", "Move", "Op", "Reduce",
           "RoundMode", "Scale", "Shape", "Table", "Width"]


class Op(enum.Enum, shape=4):
    """What a pass does with its operands.

    ``GATHER`` and ``SPREAD`` put elements in another order, ``CROSS`` gives lanes other ones,
    ``SHARE`` divides by the sum of a pass before, ``SLIDE`` keeps columns that lanes have read; see
    ``hdl.isa.passes``.
    """

    NONE = 0  #: Illegal: what cleared program memory holds.
    MAC  = 1  #: Multiply and accumulate.
    MAX  = 2  #: Keep the largest product (sum of products over the ways) of the steps; no bias.
    MIN  = 3  #: Keep the smallest one; no bias.
    GATHER = 4  #: Every step is a lane of its own.
    SPREAD = 5  #: Multiply and accumulate; the beats of an output go apart.
    CROSS  = 6  #: Multiply and accumulate; each bank of lanes has a group of X of its own.
    SHARE  = 7  #: Multiply and accumulate; every sum is multiplied by ``inverse``.
    SLIDE  = 8  #: Multiply and accumulate; each way has the element of a column before.


class Shape(enum.Enum, shape=1):
    """Elements that one address of X or Y stands for, and the unit of the address.

    X ``VECTOR``: a group of ``ways`` elements, one a way, to every lane. X ``LANES``: ``lanes``
    elements from a group onward, one a lane; the address still counts groups.
    Y ``VECTOR``: ``ways * lanes`` elements, one a multiplier. Y ``LANES``: ``lanes`` elements, one
    a lane. With Y ``LANES`` a lane forms one product, way ``address % ways``; with X ``LANES`` and
    Y ``VECTOR`` its element meets each of its ``ways`` weights.
    """

    VECTOR = 0
    LANES  = 1


class Width(enum.Enum, shape=1):
    """Bits of an element. 8-bit index ``i`` is byte ``i % 2`` of 16-bit index ``i // 2``.

    The index is ``group // 4`` (X and Z; the bank is ``group % 4``), the address (Y ``VECTOR``) or
    ``address // ways`` (Y ``LANES``; the way is ``address % ways``).
    """

    BITS8  = 0
    BITS16 = 1


class Memory(enum.Enum, shape=1):
    """Where the output goes. Group ``g`` of Y is bank ``g % 4`` of ``LANES`` address ``g // 4``."""

    X = 0
    Y = 1


class RoundMode(enum.Enum, shape=2):
    """Rounding of a right shift."""

    CONVERGENT = 0  #: Halves go to the nearest even value.
    UP         = 1  #: Halves go towards plus infinity.
    FLOOR      = 2  #: Everything goes towards minus infinity.
    TWICE      = 3  #: As ``UP``, of a scaled pass whose addends have the sign of the sum.


#: Those that every pass can have.
ROUNDINGS = (RoundMode.CONVERGENT, RoundMode.UP, RoundMode.FLOOR)


class Table(enum.Enum, shape=4):
    """What the output stage looks up: see ``TABLES``, or a table that the host has written."""

    NONE      = 0
    SIGM      = 1
    TANH      = 2
    EXP       = 3
    SIGM_FINE = 4  #: Those of MLI 2.0 have two samples where those of 1.x have one.
    TANH_FINE = 5
    EXP_FINE  = 6
    ROOT      = 7  #: ``1 / sqrt(x)``.
    OWN0      = 8  #: From here on those of the host, of which none is placed at first.
    OWN1      = 9
    OWN2      = 10
    OWN3      = 11
    OWN4      = 12
    OWN5      = 13
    OWN6      = 14
    OWN7      = 15


class AccumulatorRange(enum.Enum, shape=2):
    """Range whose leaving sets the overflow flag, judged on the finished exact sum.

    It also limits what lanes hold; only there does ``SYMMETRIC32`` differ from ``BITS32``.
    """

    BITS32      = 0
    BITS40      = 1
    SYMMETRIC32 = 2  #: Held sums saturate to plus and minus 2**31 - 1.


class Scale(enum.Enum, shape=2):
    """Whether every lane scales its sums by parameters of its own, and what limits them before."""

    NONE        = 0
    BITS32      = 1
    BITS16      = 2
    SYMMETRIC16 = 3  #: Plus and minus 32767.


class AguMode(enum.Enum, shape=2):
    """How an address relative to the window's ``low`` becomes an address.

    With ``n = high - low + 1`` and relative address ``r``:

    ``LINEAR``: ``r``, a fault unless ``0 <= r < n``.
    ``MODULO``: outer loops step modulo ``n`` (each stride within ``-n .. n``), the taps move from
    there and wrap once; a fault if the window is not reached by adding or subtracting ``n`` once.
    ``BIT_REVERSED``: the low ``log2(n)`` bits of ``r`` in reverse order, ``n`` a power of two;
    a fault unless ``0 <= r < n``. Not with X ``LANES`` of several beats.
    """

    LINEAR       = 0
    MODULO       = 1
    BIT_REVERSED = 2


class Move(enum.Enum, shape=2):
    """What the base of an access is more by, from one iteration of a loop to the next."""

    NONE   = 0
    FIRST  = 1  #: The sum of ``advance[0]`` so far.
    SECOND = 2  #: The sum of ``advance[1]`` so far.


class Reduce(enum.Enum, shape=3):
    """What the elements of a pass, as they are written, are folded into: a scalar, or the heap.

    ``RANK`` and ``POP`` are of a ``MAC`` with 1 beat, ``RANGE`` takes what steps read; see
    ``hdl.isa.passes``.
    """

    NONE = 0
    MAX  = 1
    MIN  = 2
    SUM  = 3
    RANK = 4  #: The heap takes in every element.
    POP  = 5  #: Every group that is written takes the root off the heap.
    RANGE = 6  #: Maximum and minimum, of the elements of X.


class Adjust(enum.Enum, shape=2):
    """Scalar that takes part in the shifts of a pass."""

    NONE   = 0
    SHIFT  = 1  #: ``shift`` is less by ``wide_range``.
    TABLE  = 2  #: ``table_shift``, at least 1, is less by ``wide_range``.
    PLACES = 3  #: ``shift`` is more by ``places``.
