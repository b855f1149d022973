# SPDX-License-Identifier: Apache-2.0
"""Values that stay constant while a pass runs."""

from xymac.hdl.compact.memory import HELD_BASE
from xymac.hdl.isa import (
    ACC_BITS,
    BANKS,
    FLOOR_BITS,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Adjust,
    Move,
    Reduce,
    Scale,
)

from .code import AT_MOST, NONZERO, ZERO, Source, Special
from .names import AGUS, BASES, ENTRY, PLACES, RECORD

__all__ = ["prepare", "prepare_output"]


def prepare(p):
    """Compute the constant values of the operands."""
    p.sub("v", "taps2", 1)
    with p.each(len(AGUS)):
        for move, name in ((Move.FIRST, "move1"), (Move.SECOND, "move2")):
            p.compare(".row", move.value)
            with p.unless(NONZERO):
                p.add(BASES[0], BASES[0], name)
        for level in BASES[1:]:
            p.move(level, BASES[0])
        p.multiply("v", ".tap2")  # Z does not use its product
        p.move(".span", Source.PRODUCT)
    for special, value in (
            (Special.X_WIDE, "x_width"), (Special.Y_WIDE, "y_width"),
            (Special.Z_WIDE, "z_width"), (Special.Z_MEMORY, "z_memory"),
            (Special.KIND, "op"), (Special.X_STRIDE, ".tap2+0"), (Special.Y_STRIDE, ".tap2+1"),
            (Special.ROUNDING, "rounding")):
        p.set(special, value)
    for special, name in ((Special.X_LANES, "x_shape"), (Special.X_ZERO, "x_zero")):
        p.field("t", name)
        p.set(special, "t")
    p.set(Special.BEATS, "beats", -1)
    p.or_("plain", ".mode+0", ".mode+1")  # 0 if both are linear
    p.field("floor", "floor")
    with p.unless(ZERO):
        p.sub("t", ACC_BITS - FLOOR_BITS, "floor")
        p.shift(-1 << ACC_BITS, "t")
        p.move("floor", Source.SHIFTED)
    _records(p)
    p.field("t", "entry")
    p.multiply("t", ENTRY)
    p.add("held", HELD_BASE, Source.PRODUCT)
    for member in range(BANKS):
        p.move(f".bias+{member}", 0)
        p.move(f".addend+{member}", 0)


def _records(p):
    """Compute the parameter rows that the outermost loop reads, and the addend correction.

    ``records`` rows belong to its first index, ``more records`` rows to every other index; ``last
    record`` is the row after all of them. ``twice`` masks the accumulator's sign in the rounding
    mode in which ``_scale`` corrects the addend of a negative accumulator.
    """
    p.field("t", "scale", "addend")  # 0 without scale, 1 to 3 with scale, > 4 with an addend
    p.add("t", "t", 7)
    p.shift("t", 2)
    p.multiply(RECORD, Source.SHIFTED)
    p.move("records", Source.PRODUCT)
    p.move("more records", "records")
    p.field("t", "once")
    with p.unless(ZERO):
        p.move("more records", RECORD)
    p.field("record row", "bias_row")
    p.add("last record", "record row", "records")
    p.sub("last record", "last record", "more records")
    p.multiply("more records", "outer0")
    p.add("last record", "last record", Source.PRODUCT)
    p.add("t", "rounding", 1)
    p.multiply("t", 1 << 29)
    p.and_("twice", 1 << 31, Source.PRODUCT)


def prepare_output(p):
    """Compute the constant values of the results."""
    _limits(p)
    _scalars(p)
    _table(p)
    _reduction(p)


def _limits(p):
    """Compute the accumulator range, and the limits before a save or a scale.

    The limits are 32 or 16 bits wide, and symmetric in some modes.
    """
    p.field("range", "acc_range")
    p.move("range limit", 1 << 31)
    p.compare("range", AccumulatorRange.BITS40.value)
    with p.unless(NONZERO):
        p.move("range limit", 1 << ACC_BITS - 1)
    p.add("range twice", "range limit", "range limit")
    p.move("limit high", (1 << 31) - 1)
    p.compare("scale", Scale.BITS32.value)
    with p.unless(AT_MOST):
        p.move("limit high", 32767)
    p.sub("limit low", -1, "limit high")
    p.compare("scale", Scale.SYMMETRIC16.value)
    with p.unless(NONZERO):
        p.add("limit low", "limit low", 1)
    p.test("scale")
    with p.unless(NONZERO):
        p.compare("range", AccumulatorRange.SYMMETRIC32.value)
        with p.unless(NONZERO):
            p.add("limit low", "limit low", 1)


def _scalars(p):
    """Compute ``halve`` and ``anchor`` from the scalars, and adjust both shifts."""
    p.sub("v", "maximum", "minimum")
    p.move("wide", 0)
    p.move("t", 128)
    p.test("x_width")
    with p.unless(ZERO):
        p.move("t", 1 << 15)
    p.compare("v", "t")
    with p.unless(AT_MOST):
        p.move("wide", 1)
    p.move("anchor", 0)
    p.field("halve", "anchored")
    with p.unless(ZERO):
        p.sub("t", -1, "wide")
        p.and_("anchor", "maximum", "t")
        p.move("halve", "wide")
    p.field("t", "adjust")
    p.field("table shift", "table_shift")
    p.compare("t", Adjust.SHIFT.value)
    with p.unless(NONZERO):
        p.sub("shift", "shift", "wide")
    p.compare("t", Adjust.PLACES.value)
    with p.unless(NONZERO):
        p.add("shift", "shift", "places")
    p.limit("shift", SHIFT_MIN, SHIFT_MAX)
    p.compare("t", Adjust.TABLE.value)
    with p.unless(NONZERO):
        p.sub("table shift", "table shift", "wide")
        p.at_least("table shift", 0)


def _table(p):
    """Load the table descriptor; compute the fraction mask and the rounding."""
    p.sub("t", ACC_BITS, "table shift")
    p.shift(1 << ACC_BITS, "t")
    p.add("fraction", -1, Source.SHIFTED)
    p.field("table rounding", "table_rounding")
    p.add("t", "table", "table")
    p.add("t", "t", "t")
    p.add("t", "t", PLACES)
    for number, name in enumerate(("table offset", "table first", "table last")):
        p.set(Special.PLACE, "t", number)
        p.move(name, Source.ENTRY)


def _reduction(p):
    """Initialise the fold; load the inverse if the pass outputs it."""
    p.field("t", "fresh")
    for kind, scalar, least in ((Reduce.MAX, "maximum", -1 << 15),
                                (Reduce.MIN, "minimum", (1 << 15) - 1),
                                (Reduce.SUM, "total", 0)):
        p.compare("reduce", kind.value)
        with p.unless(NONZERO):
            p.move("folded", scalar)
            p.test("t")
            with p.unless(ZERO):
                p.move("folded", least)
    p.field("drop", "drop")
    p.test("inverted")
    with p.unless(ZERO):
        p.move("inverted", "inverse")
