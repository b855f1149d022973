# SPDX-License-Identifier: Apache-2.0
"""Initial accumulators and per-channel parameters, read from Y."""

from xymac.hdl.compact.memory import Y
from xymac.hdl.config import COMPACT
from xymac.hdl.isa import BANKS, Op, Status

from .code import AT_MOST, NONZERO, POSITIVE, ZERO, Source
from .names import EXTREME, HALF, RECORD, ROW_CELLS, why

__all__ = ["records"]


def records(p):
    """Load the initial accumulators and the scale parameters for an outermost loop index."""
    p.label("begin sums")
    p.move("record", "held")
    p.test("resume")
    p.branch(NONZERO, "bias")
    p.test("bias")
    p.branch(ZERO, "extremes")
    p.move("why", why(Status.Y_ACCESS))
    p.add("t", "record row", "records")
    p.compare("t", COMPACT.y_rows)
    p.branch(POSITIVE, "fault")
    p.multiply("record row", ROW_CELLS)
    p.add("record", Y, Source.PRODUCT)
    p.move("record row", "t")
    p.compare("records", RECORD)
    p.branch(ZERO, "bias")
    with p.each(BANKS):
        p.call("read")
        p.shift("v", 32)
        p.and_(".pre", 31, Source.SHIFTED)
        p.shift("v", 37)
        p.and_(".post", 63, Source.SHIFTED)
        p.test("twice")
        with p.unless(ZERO):  # post shifts from 32 on have an addend
            p.shift("v", 12)
            p.and_(".addend", 1 << 30, Source.SHIFTED)
        p.wrap("v", 32)
        p.move(".multiplier", "v")
    p.compare("records", 2 * RECORD)
    p.branch(AT_MOST, "bias")
    with p.each(BANKS):
        p.call("read")
        p.sub("t", (1 << 32) - 1, "twice")
        p.and_("v", "v", "t")
        p.wrap("v", 32)
        p.move(".addend", "v")
    p.label("bias")
    p.move("records", "more records")
    with p.each(BANKS):
        p.call("read")
        p.move(".bias", "v")
    p.label("extremes")
    for op, worst in ((Op.MAX, -EXTREME), (Op.MIN, EXTREME)):
        p.compare("op", op.value)
        with p.unless(NONZERO):
            for member in range(BANKS):
                p.move(f".bias+{member}", worst)
    p.ret()
    _read(p)


def _read(p):
    """Read 48 bits for a lane into ``v``; after the last lane advance to the next parameters."""
    p.label("read")
    p.load("record", 0)
    p.test(0)
    p.move("v", Source.CELL)
    for row in range(1, RECORD):
        p.load("record", ROW_CELLS * row)
        p.multiply("v", 1 << HALF)
        p.and_("t", (1 << HALF) - 1, Source.CELL)
        p.add("v", "t", Source.PRODUCT)
    p.add("record", "record", 1)
    p.compare("lane", BANKS - 1)
    with p.unless(NONZERO):
        p.add("record", "record", ROW_CELLS * (RECORD - 1))
    p.ret()
