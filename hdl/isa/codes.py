# SPDX-License-Identifier: Apache-2.0
"""Pass enumerations: operation, memory access, rounding and limits."""

from dataclasses import dataclass

from amaranth.lib import enum

__all__ = ["OPERATIONS", "ROUNDINGS", "AccumulatorRange", "Adjust", "AguMode", "Memory", "Move",
           "Op", "Operation", "Reduce", "RoundMode", "Scale", "Shape", "Table", "Width"]


class Op(enum.Enum, shape=4):
    """A pass's operation on its operands.

    ``GATHER`` and ``SPREAD`` reorder elements, ``CROSS`` exchanges elements between lanes,
    ``SHARE`` divides by an earlier pass's sum, ``SLIDE`` reuses columns from earlier steps; see
    ``xymac.hdl.isa.passes``.
    """

    NONE = 0  #: Illegal; the content of cleared program memory.
    MAC  = 1  #: Multiply and accumulate.
    MAX  = 2  #: Keep the largest product (a lane's sum of products) of all steps; no bias.
    MIN  = 3  #: Keep the smallest product; no bias.
    GATHER = 4  #: Every step belongs to a single lane.
    SPREAD = 5  #: Multiply and accumulate; a stride separates the beats of an output.
    CROSS  = 6  #: Multiply and accumulate; each bank of lanes reads its own X vector.
    SHARE  = 7  #: Multiply and accumulate; every accumulator is multiplied by ``inverse``.
    SLIDE  = 8  #: Multiply and accumulate; MAC ``w`` uses the element from ``w`` columns earlier.


class Shape(enum.Enum, shape=1):
    """Elements at an X or Y address, and the address unit.

    X ``VECTOR``: a vector of ``ways`` elements, one per MAC, for every lane. X ``LANES``: ``lanes``
    elements from a vector onward, one per lane; the address still counts vectors.
    Y ``VECTOR``: ``ways * lanes`` elements, one per multiplier. Y ``LANES``: ``lanes`` elements,
    one per lane. With Y ``LANES`` a lane forms a single product, on MAC ``address % ways``. With X
    ``LANES`` and Y ``VECTOR`` a lane multiplies its element by each of its ``ways`` weights.
    """

    VECTOR = 0
    LANES  = 1


class Width(enum.Enum, shape=1):
    """Element width. 8-bit index ``i`` is byte ``i % 2`` of 16-bit index ``i // 2``.

    X and Z: index ``address // 4`` in bank ``address % 4``, where the address counts vectors.
    Y ``VECTOR``: the index is the address. Y ``LANES``: index ``address // ways`` in the column of
    MAC ``address % ways``.
    """

    BITS8  = 0
    BITS16 = 1


class Memory(enum.Enum, shape=1):
    """Output memory. Vector ``v`` of Y is bank ``v % 4`` of ``LANES`` address ``v // 4``."""

    X = 0
    Y = 1


class RoundMode(enum.Enum, shape=2):
    """Right shift rounding."""

    CONVERGENT = 0  #: Halves round to the nearest even value.
    UP         = 1  #: Halves round towards plus infinity.
    FLOOR      = 2  #: Every value rounds towards minus infinity.
    TWICE      = 3  #: As ``UP``; the addends of a scaled pass take the accumulator's sign.


#: Modes that every pass can use.
ROUNDINGS = (RoundMode.CONVERGENT, RoundMode.UP, RoundMode.FLOOR)


class Table(enum.Enum, shape=4):
    """Lookup table for the output stage: a table in ``TABLES``, or a host-written table."""

    NONE      = 0
    SIGM      = 1
    TANH      = 2
    EXP       = 3
    SIGM_FINE = 4  #: Fine tables, as in MLI 2.0, have twice as many samples as the MLI 1.x tables.
    TANH_FINE = 5
    EXP_FINE  = 6
    ROOT      = 7  #: ``1 / sqrt(x)``.
    OWN0      = 8  #: Host-written tables start here; they have no place until the host writes it.
    OWN1      = 9
    OWN2      = 10
    OWN3      = 11
    OWN4      = 12
    OWN5      = 13
    OWN6      = 14
    OWN7      = 15


class AccumulatorRange(enum.Enum, shape=2):
    """Accumulator range; a final exact sum outside it sets the overflow flag.

    The range also limits saved accumulators; ``SYMMETRIC32`` differs from ``BITS32`` only there.
    """

    BITS32      = 0
    BITS40      = 1
    SYMMETRIC32 = 2  #: Saved accumulators saturate to plus and minus 2**31 - 1.


class Scale(enum.Enum, shape=2):
    """Per-channel scale: off, or on with the given accumulator limit before the scale."""

    NONE        = 0
    BITS32      = 1
    BITS16      = 2
    SYMMETRIC16 = 3  #: Plus and minus 32767.


class AguMode(enum.Enum, shape=2):
    """Mapping from a relative address to an address, relative to the window's ``low``.

    With ``n = high - low + 1`` and relative address ``r``:

    ``LINEAR``: ``r``; a fault unless ``0 <= r < n``.
    ``MODULO``: outer loops advance modulo ``n`` (each stride within ``-n .. n``), tap loops start
    there and wrap once; a fault if adding or subtracting ``n`` once does not reach the window.
    ``BIT_REVERSED``: the low ``log2(n)`` bits of ``r`` in reverse order, ``n`` a power of two;
    a fault unless ``0 <= r < n``. X ``LANES`` with several beats excludes this mode.
    """

    LINEAR       = 0
    MODULO       = 1
    BIT_REVERSED = 2


class Move(enum.Enum, shape=2):
    """Offset that a program loop adds to an access base in every iteration."""

    NONE   = 0
    FIRST  = 1  #: ``advance[0]``, summed over the iterations so far.
    SECOND = 2  #: ``advance[1]``, summed over the iterations so far.


class Reduce(enum.Enum, shape=3):
    """Reduce the written elements into a scalar or the heap.

    ``RANK`` and ``POP`` need a ``MAC`` with 1 beat; ``RANGE`` folds the X elements read by the
    steps. See ``xymac.hdl.isa.passes``.
    """

    NONE = 0
    MAX  = 1
    MIN  = 2
    SUM  = 3
    RANK = 4  #: Push every element onto the heap.
    POP  = 5  #: Remove the heap's root for every written vector.
    RANGE = 6  #: Maximum and minimum of the X elements.


class Adjust(enum.Enum, shape=2):
    """Scalar that adjusts a shift in the pass."""

    NONE   = 0
    SHIFT  = 1  #: ``shift - wide_range``.
    TABLE  = 2  #: ``table_shift - wide_range``; ``table_shift`` is at least 1.
    PLACES = 3  #: ``shift + places``.


for _code in (Op, Shape, Width, Memory, RoundMode, Table, AccumulatorRange, Scale, AguMode, Move,
              Reduce, Adjust):
    _code.__hash__ = object.__hash__  # A member is unique; the hash of its name takes longer.


@dataclass(frozen=True)
class Operation:
    """Op or Reduce properties, for capabilities, refusals and documents.

    Parameters
    ----------
    effect : str, verb and object as in "keeps the largest product"
    feature : str or None, name in ``config.FEATURES`` of the required logic
    micro : bool, whether a microprogram has the operation too
    holds : bool, whether a pass with the operation may save its accumulators
    """

    effect:  str
    feature: str | None = None
    micro:   bool = False
    holds:   bool = False


#: Every Op and Reduce; ``Op.NONE`` is no operation.
OPERATIONS = {
    Op.MAC:    Operation("adds products", micro=True, holds=True),
    Op.MAX:    Operation("keeps the largest product", "comparison", micro=True, holds=True),
    Op.MIN:    Operation("keeps the smallest product", "comparison", micro=True, holds=True),
    Op.GATHER: Operation("reorders single elements"),
    Op.SPREAD: Operation("adds products and separates the beats of an output"),
    Op.CROSS:  Operation("adds products, each bank of lanes with its own X vector", holds=True),
    Op.SHARE:  Operation("adds products and multiplies the sum by the inverse of another sum"),
    Op.SLIDE:  Operation("adds products and reuses earlier columns of X", "window"),
    Reduce.NONE:  Operation("leaves the scalars as they are", micro=True),
    Reduce.MAX:   Operation("finds the largest written element", micro=True),
    Reduce.MIN:   Operation("finds the smallest written element", micro=True),
    Reduce.SUM:   Operation("adds the written elements and inverts the sum", micro=True),
    Reduce.RANK:  Operation("pushes every written element onto the heap", "heap"),
    Reduce.POP:   Operation("removes the root of the heap", "heap"),
    Reduce.RANGE: Operation("finds both extremes of the X elements", "extremes"),
}
