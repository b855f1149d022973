# SPDX-License-Identifier: Apache-2.0
"""Output loops of a pass."""

from xymac.hdl.isa import BANKS, AguMode, Status

from .code import AT_LEAST, AT_MOST, NONZERO, ZERO
from .names import BASES, ENTRY, OUTER, why
from .watch import notice

__all__ = ["loops"]


def loops(p):
    """Run the three output loops."""
    p.move("overflow", 0)
    p.move("a left", "outer0")
    p.label("loop a")
    p.move("due", 1)  # parameters are not loaded yet
    p.move("b left", "outer1")
    p.sub("top", 0, "rows pad")
    p.label("loop b")
    _border(p, "top", "rows size", "taps0", "first i", "count i")
    p.move("c left", "outer2")
    p.sub("left", 0, "cols pad")
    p.label("loop c")
    _border(p, "left", "cols size", "taps1", "first j", "count j")
    notice(p)
    p.move("why", why(Status.EMPTY))
    for name in ("count i", "count j"):
        p.test(name)
        p.branch(AT_MOST, "fault")
    p.test("due")
    with p.unless(ZERO):
        p.call("begin sums")
        p.move("due", 0)
    for member in range(BANKS):
        p.move(f".sum+{member}", f".bias+{member}")
    p.go("taps")

    p.label("next output")
    p.sub("c left", "c left", 1)
    p.branch(ZERO, "next b")
    p.add("left", "left", "cols step")
    _advance(p, 2)
    p.go("loop c")
    p.label("next b")
    p.sub("b left", "b left", 1)
    p.branch(ZERO, "next a")
    p.add("top", "top", "rows step")
    _advance(p, 1)
    p.go("loop b")
    p.label("next a")
    p.sub("a left", "a left", 1)
    p.branch(ZERO, "end of pass")
    p.add("held", "held", ENTRY)
    _advance(p, 0)
    p.go("loop a")


def _border(p, origin, size, taps, first, count):
    """Padding clip: index of the first tap inside the input, and number of such taps."""
    p.sub(first, 0, origin)
    with p.unless(AT_LEAST):
        p.move(first, 0)
    p.sub(count, size, origin)
    p.compare(count, taps)
    with p.unless(AT_MOST):
        p.move(count, taps)
    p.sub(count, count, first)


def _advance(p, level):
    """Advance output loop ``level`` of X, Y and Z, modulo the window in that mode."""
    with p.each(3):
        base, plain = BASES[level], p.new("plain")
        p.add(base, base, OUTER[level])
        p.compare(".mode", AguMode.MODULO.value)
        p.branch(NONZERO, plain)
        p.move("at", base)
        p.call("wrap")
        p.move(base, "at")
        p.label(plain)
        for lower in BASES[level + 1:]:
            p.move(lower, base)
