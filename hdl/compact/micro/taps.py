# SPDX-License-Identifier: Apache-2.0
"""Tap loops of an output, and address mapping."""

from xymac.hdl.isa import BANKS, AguMode, Status

from .code import AT_LEAST, AT_MOST, NEGATIVE, NONZERO, POSITIVE, ZERO, Source, Special
from .names import why
from .watch import notice

__all__ = ["map_address", "taps"]


def taps(p):
    """Run the three tap loops; a single ``RUN`` covers an innermost loop that cannot fault."""
    p.label("taps")
    for member in range(2):
        for group, first, source in ((".tap0", "first i", ".base2"), (".tap1", "first j", ".row")):
            p.multiply(first, f"{group}+{member}")
            p.add(f".row+{member}", f"{source}+{member}", Source.PRODUCT)
    p.move("i left", "count i")
    p.label("loop i")
    for member in range(2):
        p.move(f".column+{member}", f".row+{member}")
    p.move("j left", "count j")
    p.label("loop j")
    notice(p)
    for member in range(2):
        p.move(f".relative+{member}", f".column+{member}")
    _last_run(p, "run")
    p.go("step by step")

    p.label("run")
    p.test("plain")
    p.branch(NONZERO, "step by step")
    p.move("t", 0)  # negative if any address is outside its window
    for member in range(2):
        relative, last = f".relative+{member}", f".last+{member}"
        p.or_("t", "t", relative)
        p.sub("at", last, relative)
        p.or_("t", "t", "at")
        p.sub("at", "at", f".span+{member}")
        p.or_("t", "t", "at")
        p.add("at", relative, f".span+{member}")
        p.or_("t", "t", "at")
    p.branch(NEGATIVE, "step by step")
    p.set(Special.X, ".low+0", ".relative+0")
    p.set(Special.Y, ".low+1", ".relative+1")
    p.set(Special.COUNT, "taps2")
    p.run(".sum")
    p.add("issued", "issued", "taps2")

    p.label("next j")
    for member in range(2):
        p.add(f".column+{member}", f".column+{member}", f".tap1+{member}")
    p.sub("j left", "j left", 1)
    p.branch(POSITIVE, "loop j")
    for member in range(2):
        p.add(f".row+{member}", f".row+{member}", f".tap0+{member}")
    p.sub("i left", "i left", 1)
    p.branch(POSITIVE, "loop i")
    p.go("output")
    _steps(p)


def _steps(p):
    """Run the innermost loop step by step: a step may fault, or must follow the floor."""
    p.label("step by step")
    p.move("k left", "taps2")
    p.label("loop k")
    _last_run(p, "step")
    p.compare("k left", 1)
    p.branch(NONZERO, "step")
    p.compare("count i", 1)
    p.branch(NONZERO, "floor")
    p.compare("count j", 1)
    p.branch(NONZERO, "floor")
    p.compare("taps2", 1)
    p.branch(ZERO, "step")  # a single step: no step precedes it
    p.label("floor")
    for member in range(BANKS):
        p.and_(f".sum+{member}", f".sum+{member}", "floor")
    p.label("step")
    for member, (special, status) in enumerate(((Special.X, Status.X_ACCESS),
                                                (Special.Y, Status.Y_ACCESS))):
        p.move("why", why(status))
        p.set(Special.LANE, member)
        p.call("map")
        p.set(special, "at")
    p.set(Special.LANE, 0)
    p.set(Special.COUNT, 1)
    p.run(".sum")
    p.add("issued", "issued", 1)
    for member in range(2):
        p.add(f".relative+{member}", f".relative+{member}", f".tap2+{member}")
    p.sub("k left", "k left", 1)
    p.branch(POSITIVE, "loop k")
    p.go("next j")


def _last_run(p, label):
    """Branch to ``label`` unless this run has the last step, which follows the floor."""
    p.test("floor")
    p.branch(ZERO, label)
    p.compare("i left", 1)
    p.branch(NONZERO, label)
    p.compare("j left", 1)
    p.branch(NONZERO, label)


def map_address(p):
    """Map ``.relative`` of ``LANE`` to address ``at``; an illegal address faults with ``why``."""
    p.label("map")
    p.move("at", ".relative")
    p.compare(".mode", AguMode.MODULO.value)
    with p.unless(NONZERO):
        p.call("wrap")
    p.test("at")
    p.branch(NEGATIVE, "fault")
    p.compare("at", ".high")
    p.branch(POSITIVE, "fault")
    p.compare(".mode", AguMode.BIT_REVERSED.value)
    with p.unless(NONZERO):
        p.reverse("at", "at", 0)
        p.sub("t", 16, ".order")
        p.shift("at", "t")
        p.move("at", Source.SHIFTED)
    p.compare("at", ".last")
    p.branch(POSITIVE, "fault")
    p.add("at", "at", ".low")
    p.ret()

    p.label("wrap")
    p.test("at")
    with p.unless(AT_LEAST):
        p.add("at", "at", ".high")
        p.add("at", "at", 1)
        p.ret()
    p.compare("at", ".high")
    with p.unless(AT_MOST):
        p.sub("at", "at", ".high")
        p.sub("at", "at", 1)
    p.ret()
