# SPDX-License-Identifier: Apache-2.0
"""Start and end passes and programs."""

from xymac.hdl.compact.memory import PAGE, TRACE
from xymac.hdl.isa import COUNTERS, TRACE_STRIDE, Flag, Reduce, Register, State, Status

from .code import AT_LEAST, AT_MOST, NEGATIVE, NONZERO, POSITIVE, ZERO, Condition, Source, Special
from .names import HALF, PAGE_CELLS, RESET_VALUES, page, why
from .watch import notice

__all__ = ["boot", "commands", "end_of_pass", "invert", "stop"]


def boot(p):
    """Copy the register reset values from the table ROM."""
    p.set(Special.LANE, 0)
    p.move("at", 0)
    p.label("boot")
    p.set(Special.PLACE, "at", RESET_VALUES)
    p.store("at", PAGE, Source.ENTRY)
    p.add("at", "at", 1)
    p.compare("at", PAGE_CELLS)
    p.branch(NEGATIVE, "boot")
    p.move("state", State.IDLE.value)
    p.set(Special.STATE, "state")
    p.set(Special.READY, 1)


def commands(p):
    """Wait for a start or a clear; a start is ignored in FAULT."""
    p.label("idle")
    p.branch(Condition.START, "start")
    p.branch(Condition.CLEAR, "clear")
    p.go("idle")

    p.label("start")
    p.compare("state", State.FAULT.value)
    p.branch(NONZERO, "begin")
    p.branch(Condition.CLEAR, "clear")
    p.go("answer")

    p.label("clear")
    p.compare("state", State.FAULT.value)
    with p.unless(NONZERO):
        p.store(page(Register.STATUS), 1, 0)
    p.store(page(Register.STATUS), 0, 0)
    p.store_again(page(Register.FLAGS), 0)
    p.move("state", State.IDLE.value)
    p.set(Special.STATE, "state")
    p.label("answer")
    p.set(Special.ANSWER, 0)
    p.go("idle")

    p.label("begin")
    for name in ("flags", "issued", "maximum", "minimum", "places", "total", "iteration",
                 "move1", "move2"):
        p.move(name, 0)
    p.move("inverse", (1 << 15) - 1)
    p.set(Special.CYCLES, 0)
    p.move("at", page(Register.CYCLES))
    p.call("publish")
    p.store(page(Register.FLAGS), 0, 0)
    p.store(page(Register.STATUS), 1, 0)
    p.store(page(Register.STATUS), 0, State.BUSY.value)
    p.load(page(Register.FIRST), 0)
    p.set(Special.STATE, State.BUSY.value)
    p.and_("index", 63, Source.CELL)
    p.set(Special.ANSWER, 0)


def end_of_pass(p):
    """Update scalars, trace and flags; then select the next pass."""
    p.label("end of pass")
    notice(p)
    _keep_scalar(p)
    _trace(p)
    _go_on(p)
    _publish(p)


def _keep_scalar(p):
    """Store the pass's reduction result."""
    for kind, scalar in ((Reduce.MAX, "maximum"), (Reduce.MIN, "minimum"),
                         (Reduce.SUM, "total")):
        p.compare("reduce", kind.value)
        with p.unless(NONZERO):
            p.move(scalar, "folded")
            if kind is Reduce.SUM:
                p.call("invert")


def _trace(p):
    """Write the pass's trace record, the flags and the counters."""
    p.multiply("index", 2 * TRACE_STRIDE)
    p.add("at", TRACE, Source.PRODUCT)
    p.load("at", 2 * TRACE_STRIDE - 1)
    p.test("iteration")
    with p.unless(ZERO):
        p.move("t", Source.CELL)
        with p.unless(AT_LEAST):
            p.move("overflow", 1)
    p.call("publish")
    p.store("at", 0, "cycles")
    p.shift("cycles", HALF)
    p.move("t", Source.SHIFTED)
    p.test("overflow")
    with p.unless(ZERO):
        p.or_("flags", "flags", Flag.OVERFLOW.value)
        p.or_("t", "t", 1 << 15)
    p.store("at", 1, "t")
    p.store(page(Register.FLAGS), 0, "flags")
    p.move("at", page(Register.CYCLES))
    p.call("publish")


def _go_on(p):
    """Repeat the loop, go to the next pass, or end the program."""
    p.field("t", "repeat")
    p.branch(ZERO, "no loop")
    p.compare("iteration", "t")
    p.branch(AT_LEAST, "leave loop")
    p.move("why", why(Status.END))
    p.field("t", "back")
    p.compare("t", "index")
    p.branch(POSITIVE, "fault")
    p.sub("index", "index", "t")
    p.add("iteration", "iteration", 1)
    for number, name in enumerate(("move1", "move2")):
        p.field("t", f"advance.{number}")
        p.add(name, name, "t")
    p.go("next pass")
    p.label("leave loop")
    for name in ("iteration", "move1", "move2"):
        p.move(name, 0)
    p.label("no loop")
    p.move("why", State.DONE.value)
    p.field("t", "last")
    p.branch(NONZERO, "fault")
    p.add("index", "index", 1)
    p.go("next pass")


def _publish(p):
    """Write the counters from address ``at`` on; ``at`` then points behind them."""
    p.label("publish")
    p.move("cycles", Source.CYCLES)
    p.sub("drained", "cycles", "issued")
    for counter in COUNTERS:
        name = {"cycles": "cycles", "issued": "issued", "drain": "drained"}.get(counter)
        if name is not None:
            p.store("at", 0, name)
            p.shift(name, HALF)
            p.store("at", 1, Source.SHIFTED)
        else:
            p.store("at", 0, 0)
            p.store_again("at", 1)
        p.add("at", "at", 2)
    p.ret()


def invert(p):
    """Compute ``places`` and ``inverse`` from the total."""
    p.label("invert")
    p.and_("v", "total", (1 << 32) - 1)
    p.branch(ZERO, "no sum")
    p.compare("v", (1 << 31) - 1)
    with p.unless(AT_MOST):
        p.label("no sum")
        p.move("v", 1)
    p.move("places", 30)
    p.label("normalise")
    p.compare("v", 1 << 30)
    p.branch(AT_LEAST, "normalised")
    p.add("v", "v", "v")
    p.sub("places", "places", 1)
    p.go("normalise")
    p.label("normalised")
    p.set(Special.ROUNDING, "table rounding")
    p.shift("v", 16)
    p.round("v", 0, Source.SHIFTED)
    p.at_most("v", 32767)
    p.multiply("v", 1 << 15)
    p.move("v", Source.PRODUCT)
    p.move("t", 1 << 29)  # remainder
    p.move("inverse", 0)
    p.move("lane", 16)
    p.label("divide")
    p.add("inverse", "inverse", "inverse")
    p.compare("t", "v")
    with p.unless(NEGATIVE):
        p.sub("t", "t", "v")
        p.add("inverse", "inverse", 1)
    p.shift("v", 1)
    p.move("v", Source.SHIFTED)
    p.sub("lane", "lane", 1)
    p.branch(POSITIVE, "divide")
    p.at_most("inverse", 32767)
    p.ret()


def stop(p):
    """End the program: stopped by the host, or with status ``why``."""
    p.label("stopped")
    p.move("why", why(Status.STOPPED))
    p.label("fault")
    p.set(Special.LANE, 0)
    p.move("at", page(Register.CYCLES))
    p.call("publish")
    p.store(page(Register.FLAGS), 0, "flags")
    p.store(page(Register.STATUS), 1, "index")
    p.store(page(Register.STATUS), 0, "why")
    p.and_("state", "why", 3)
    p.set(Special.STATE, "state")
    p.go("idle")
