# SPDX-License-Identifier: Apache-2.0
"""Output stage: accumulators to elements, written to memory and folded into scalars."""

from xymac.hdl.isa import ACC_BITS, AccumulatorRange, Reduce, Status

from .code import AT_LEAST, NEGATIVE, NONZERO, POSITIVE, ZERO, Source, Special
from .names import HALF, RECORD, ROW_CELLS, why

__all__ = ["finish", "look_up", "output"]


def output(p):
    """Finish the accumulators, write the elements and fold them."""
    p.label("output")
    p.move("beat", 0)
    p.move(".relative+2", ".base2+2")
    p.move("why", why(Status.Z_ACCESS))
    p.label("loop beat")
    p.set(Special.LANE, "beat")
    p.call("finish")
    p.set(Special.LANE, 2)
    p.call("map")
    p.add(".relative", ".relative", 1)
    p.set(Special.LANE, 0)
    p.add("beat", "beat", 1)
    p.test("hold")
    p.branch(NONZERO, "beat done")
    p.store_element("at", 0, "v")
    p.test("reduce")
    p.branch(ZERO, "beat done")
    p.test("z_width")
    with p.unless(NONZERO):
        p.wrap("v", 8)
    p.test("drop")
    p.branch(ZERO, "fold")
    for name in ("a left", "b left", "c left"):
        p.compare(name, 1)
        p.branch(NONZERO, "fold")
    p.compare("beat", "beats")
    p.branch(ZERO, "beat done")
    p.label("fold")
    p.compare("reduce", Reduce.MIN.value)
    p.branch(NEGATIVE, "fold maximum")
    p.branch(ZERO, "fold minimum")
    p.add("folded", "folded", "v")
    p.go("beat done")
    p.label("fold maximum")
    p.compare("v", "folded")
    p.branch(POSITIVE, "fold extreme")
    p.go("beat done")
    p.label("fold minimum")
    p.compare("v", "folded")
    p.branch(AT_LEAST, "beat done")
    p.label("fold extreme")
    p.move("folded", "v")
    p.label("beat done")
    p.compare("beat", "beats")
    p.branch(NEGATIVE, "loop beat")
    p.go("next output")


def finish(p):
    """Convert a lane's accumulator into element ``v``, or save it."""
    p.label("finish")
    p.move("v", ".sum")
    p.add("t", "v", "range limit")
    p.branch(NEGATIVE, "outside")
    p.compare("t", "range twice")
    p.branch(NEGATIVE, "inside")
    p.label("outside")
    p.move("overflow", 1)
    p.wrap("v", ACC_BITS)
    p.label("inside")
    p.test("inverted")
    with p.unless(ZERO):
        p.move("v", "inverted")
        p.ret()
    _scale(p)
    _shift(p)
    _clip(p)
    _hold(p)


def _scale(p):
    """Requantise with the lane's per-channel parameters, if the pass scales."""
    p.test("scale")
    p.branch(ZERO, "shift it")
    p.shift("v", ".pre")
    p.round("v", 0, Source.SHIFTED)
    p.limit("v", "limit low", "limit high")
    p.multiply("v", ".multiplier")
    p.and_("t", "v", "twice")
    p.branch(NONZERO, "less")
    p.add("v", ".addend", Source.PRODUCT)
    p.label("added")
    p.shift("v", ".post")
    p.round("v", 0, Source.SHIFTED)
    p.go("clip it")
    p.label("less")  # the addend's bit 31 is its bit 30
    p.add("at", ".addend", ".addend")
    p.and_("t", "t", "at")
    p.sub("t", ".addend", "t")
    p.add("v", "t", Source.PRODUCT)
    p.go("added")


def _shift(p):
    """Shift by the pass's amount, equal in all lanes: right with rounding, or left."""
    p.label("shift it")
    p.sub("v", "v", "anchor")
    p.test("halve")
    with p.unless(ZERO):
        p.shift("v", 1)
        p.move("v", Source.SHIFTED)
    p.test("shift")
    p.branch(NEGATIVE, "shift left")
    p.shift("v", "shift")
    p.round("v", 0, Source.SHIFTED)
    p.go("shifted")
    p.label("shift left")
    p.move("t", "shift")
    p.label("double")
    p.add("v", "v", "v")
    p.add("t", "t", 1)
    p.branch(NEGATIVE, "double")
    p.label("shifted")
    p.test("hold")
    p.branch(NONZERO, "hold it")


def _clip(p):
    """Clip, add the zero point, and go on to the table, if any."""
    p.label("clip it")
    p.limit("v", "low", "high")
    p.add("v", "v", "zero")
    p.test("table")
    p.branch(NONZERO, "look up")
    p.ret()


def _hold(p):
    """Limit the accumulator and save it for another pass."""
    p.label("hold it")
    p.compare("range", AccumulatorRange.BITS40.value)
    p.branch(ZERO, "hold all")
    p.limit("v", "limit low", "limit high")
    p.go("keep")
    p.label("hold all")
    p.move("t", "v")
    p.wrap("v", ACC_BITS)
    p.compare("t", "v")
    with p.unless(ZERO):
        p.move("overflow", 1)
    p.label("keep")
    p.add("at", "held", "beat")
    for row in range(RECORD):
        p.shift("v", HALF * (RECORD - 1 - row))
        p.store("at", ROW_CELLS * row, Source.SHIFTED)
    p.ret()


def look_up(p):
    """Interpolate the table at ``v``: the entry minus a fraction of the drop to the next entry."""
    p.label("look up")
    p.shift("v", "table shift")
    p.add("at", "table offset", Source.SHIFTED)
    p.limit("at", "table first", "table last")
    p.set(Special.PLACE, "at")
    p.move("t", Source.ENTRY)
    p.set(Special.PLACE, "at", 1)
    p.sub("at", "t", Source.ENTRY)
    p.and_("v", "v", "fraction")
    p.multiply("at", "v")
    p.move("v", Source.PRODUCT)
    p.set(Special.ROUNDING, "table rounding")
    p.shift("v", "table shift")
    p.round("v", 0, Source.SHIFTED)
    p.sub("v", "t", "v")
    p.test("z_width")
    with p.unless(NONZERO):
        p.shift("v", 8)
        p.round("v", 0, Source.SHIFTED)
        p.at_most("v", 127)
    p.set(Special.ROUNDING, "rounding")
    p.ret()
