# SPDX-License-Identifier: Apache-2.0
"""Host-write monitor: finds host writes into a window during a run."""

from xymac.hdl.compact.memory import Y
from xymac.hdl.isa import Flag

from .code import AT_LEAST, AT_MOST, NEGATIVE, NONZERO, ZERO, Condition, Source, Special
from .names import AGUS

__all__ = ["notice", "watch"]


def notice(p):
    """Handle a pending host write."""
    with p.unless(Condition.QUIET):
        p.call("watch")


def watch(p):
    """Flag a host write into a window of this pass, by comparing rows."""
    p.label("watch")
    p.move("t", Source.HOST)
    p.compare("t", 1 << 15)
    p.branch(AT_LEAST, "hit")  # the program
    p.and_("written", "t", Y)  # the memory
    p.and_("at", "t", Y - 1)
    p.shift("at", 2)
    p.move("at", Source.SHIFTED)  # the row
    for member, (agu, row_units) in enumerate(zip(AGUS, (2, 0, 2), strict=True)):
        beside = p.new("beside")
        if agu == "z":
            p.multiply("z_memory", Y)
            p.compare("written", Source.PRODUCT)
        else:
            p.compare("written", Y if agu == "y" else 0)
        p.branch(NONZERO, beside)
        p.move("t", row_units + 1)
        p.test(f"{agu}_width")
        with p.unless(ZERO):
            p.move("t", row_units)
        p.shift(f".low+{member}", "t")
        p.compare("at", Source.SHIFTED)
        p.branch(NEGATIVE, beside)
        p.add("v", f".low+{member}", f".high+{member}")
        p.shift("v", "t")
        p.compare("at", Source.SHIFTED)
        p.branch(AT_MOST, "hit")
        p.label(beside)
    p.test("bias")
    p.branch(ZERO, "noticed")
    p.test("written")
    p.branch(ZERO, "noticed")
    p.field("t", "bias_row")
    p.compare("at", "t")
    p.branch(NEGATIVE, "noticed")
    p.compare("at", "last record")
    p.branch(AT_LEAST, "noticed")
    p.label("hit")
    p.or_("flags", "flags", Flag.HOST_HIT.value)
    p.label("noticed")
    p.set(Special.ANSWER, 0)
    p.ret()
