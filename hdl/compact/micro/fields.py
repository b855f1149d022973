# SPDX-License-Identifier: Apache-2.0
"""Pass fields as registers, and refusal of invalid passes."""

from xymac.hdl.config import COMPACT
from xymac.hdl.isa import BANKS, SHIFT_MAX, SHIFT_MIN, Count, Op, Status

from .code import AT_LEAST, NEGATIVE, NONZERO, POSITIVE, ZERO, Special
from .names import AGUS, OUTER, TAPS, X_CELLS, Y_CELLS, why

__all__ = ["check", "load"]


def load(p):
    """Load the pass fields used more than once."""
    p.label("next pass")
    p.move("why", why(Status.END))
    p.compare("index", COMPACT.passes)
    p.branch(AT_LEAST, "fault")
    p.set(Special.PASS, "index")
    for name in ("bias", "shift", "rounding", "reduce", "inverted", "hold", "resume",
                 "scale", "zero", "table", "x_width", "y_width", "z_width", "z_memory"):
        p.field(name, name)
    for axis in ("rows", "cols"):
        for part in ("pad", "step", "size"):
            p.field(f"{axis} {part}", f"{axis}.{part}")
    for end, name in enumerate(("low", "high")):
        p.field(name, f"clip.{end}")
    _load_accesses(p)


def _load_accesses(p):
    """Load the fields of X, Y and Z into group members."""
    for member, agu in enumerate(AGUS):
        path = "z" if agu == "z" else f"{agu}.agu"
        for group, name in ((".mode", "mode"), (".order", "order"), (".base0", "start"),
                            (".low", "low"), (".high", "high")):
            p.field(f"{group}+{member}", f"{path}.{name}")
        p.field(f".row+{member}", f"{path}.move")  # until ``prepare``
        for level in range(3):
            p.field(f"{OUTER[level]}+{member}", f"{path}.outer.{level}")
            if agu != "z":
                p.field(f"{TAPS[level]}+{member}", f"{agu}.taps.{level}")
        if agu != "z":
            p.field(f".last+{member}", f"{agu}.last")
    p.move(".last+2", ".high+2")


def check(p):
    """Refuse an invalid pass; report the first offence in the order of ``Checker``."""
    p.move("why", why(Status.OPCODE))
    p.field("t", "own", "ranks")  # this core supports neither
    p.branch(NONZERO, "fault")
    p.field("op", "op")
    p.branch(ZERO, "fault")
    p.compare("op", Op.MIN.value)
    p.branch(POSITIVE, "fault")
    p.move("why", why(Status.COUNT))
    for name in ("outer.0", "outer.1", "outer.2", "taps.0", "taps.1", "taps.2", "beats"):
        p.field(name.replace(".", ""), name)
        p.branch(ZERO, "fault")
        if name != "beats":
            p.add("why", "why", 1 << 8)
    p.compare("beats", BANKS)
    p.branch(POSITIVE, "fault")
    with p.unless(ZERO):  # BANKS beats are always legal
        p.test("hold")
        p.branch(NONZERO, "fault")
    p.move("why", why(Status.SHIFT))
    p.compare("shift", SHIFT_MIN)
    p.branch(NEGATIVE, "fault")
    p.compare("shift", SHIFT_MAX)
    p.branch(POSITIVE, "fault")
    p.move("why", why(Status.WINDOW, Count.X.value))
    for member, (width, units) in enumerate((
            ("x_width", X_CELLS), ("y_width", COMPACT.y_rows), ("z_width", X_CELLS))):
        p.move("t", units)
        if width == "z_width":
            p.test("z_memory")
            with p.unless(ZERO):
                p.move("t", Y_CELLS)
        p.test(width)
        with p.unless(NONZERO):
            p.add("t", "t", "t")
        p.sub("t", "t", f".low+{member}")
        p.compare(f".high+{member}", "t")
        p.branch(AT_LEAST, "fault")
        p.add("why", "why", 1 << 8)
