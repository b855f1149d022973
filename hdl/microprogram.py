"""The microprogram of the compact core: what ``isa`` says of programs, in microinstructions."""

from .cells import HELD, PAGE, TRACE, Y
from .config import BANKS, TINY
from .isa import (
    ACC_BITS,
    COUNTERS,
    FLOOR_BITS,
    IDENTITY,
    SHIFT_MAX,
    SHIFT_MIN,
    TABLES,
    TRACE_STRIDE,
    VERSION,
    AccumulatorRange,
    Adjust,
    AguMode,
    Count,
    Flag,
    Move,
    Op,
    Reduce,
    Register,
    Scale,
    State,
    Status,
    bias_rows,
)
from .microcode import Assembler, Condition, Source, Special
from .tables import FIRST

__all__ = ["CODE", "CONSTANTS", "TABLE_ROM"]

ALWAYS, ZERO, NONZERO = Condition.ALWAYS, Condition.ZERO, Condition.NONZERO
NEGATIVE, POSITIVE    = Condition.NEGATIVE, Condition.POSITIVE
AT_LEAST, AT_MOST     = Condition.POSITIVE_OR_ZERO, Condition.NEGATIVE_OR_ZERO

_AGUS       = ("x", "y", "z")  # the members 0 to 2 of the groups below
_OUTER      = tuple(f".outer{level}" for level in range(3))
_BASES      = tuple(f".base{level}" for level in range(3))
_TAPS       = tuple(f".tap{level}" for level in range(3))
_TRIPLES    = (".mode", ".order", ".low", ".high", ".last", *_OUTER, *_BASES, *_TAPS,
               ".row", ".column", ".relative", ".span")
_ROW_CELLS  = BANKS * TINY.ways
_RECORD     = bias_rows(TINY.ways)  # rows
_ENTRY      = _RECORD * _ROW_CELLS  # cells of a held entry
_X_CELLS    = TINY.x_rows * _ROW_CELLS
_Y_CELLS    = TINY.y_rows * _ROW_CELLS
_EXTREME    = 1 << 47  # beyond every product
_HALF       = 16       # bits of a cell
_PLACES     = 1664     # in the tables, behind the last entry: what leads there for each table


def _table_rom():
    """All entries, then for each table what leads from an element to its place, and the places of
    the first and of the last entry but one."""
    entries = [value for samples in TABLES.values() for value in samples.values]
    rom = entries + [0] * (_PLACES - len(entries))
    for table, first in FIRST.items():
        samples = TABLES.get(table)
        rom += [first + samples.offset, first, first + len(samples.values) - 2, 0] \
            if samples else [0] * 4
    return rom


def _page(register, half=0):
    """Cell of a register."""
    return PAGE + register.value // 2 + half


def _why(status, field=0):
    """The lower half of ``Register.STATUS`` of a fault."""
    return State.FAULT.value | status.value << 4 | field << 8


class _Microprogram(Assembler):
    """The assembler, and the parts of the microprogram in the order in which they lie."""

    def __init__(self):
        super().__init__(_TRIPLES)
        self._count = 0
        self._boot()
        self._commands()
        self._load()
        self._check()
        self._prepare()
        self._prepare_output()
        self._loops()
        self._taps()
        self._output()
        self._finish()
        self._look_up()
        self._map()
        self._records()
        self._end_of_pass()
        self._invert()
        self._watch()
        self._stop()

    def _new(self, name):
        """A label of this use alone."""
        self._count += 1
        return f"{name} {self._count}"

    def unless(self, condition):
        """Context that skips what it holds if the condition holds."""
        return _Skip(self, condition)

    def _limit(self, value, low, high):
        """Clip a register."""
        self._at_most(value, high)
        self._at_least(value, low)

    def _at_most(self, value, high):
        self.compare(value, high)
        with self.unless(AT_MOST):
            self.move(value, high)

    def _at_least(self, value, low):
        self.compare(value, low)
        with self.unless(AT_LEAST):
            self.move(value, low)

    def _each(self, count, lane="lane"):
        """Context of a loop over members of groups; ``LANE`` is 0 behind it."""
        return _Each(self, count, lane)

    def _wrap(self, value, bits):
        """The lowest bits of a register, signed."""
        self.and_(value, value, (1 << bits) - 1)
        self.xor(value, value, 1 << bits - 1)
        self.sub(value, value, 1 << bits - 1)

    def and_(self, d, a, b):
        getattr(self, "and")(d, a, b)

    def or_(self, d, a, b):
        getattr(self, "or")(d, a, b)

    # A program

    def _boot(self):
        """Registers as after reset: constants, and nothing."""
        self.set(Special.LANE, 0)
        self.move("at", PAGE)
        self.label("boot")
        self.store("at", 0, 0)
        self.add("at", "at", 1)
        self.compare("at", PAGE + Register.HOST.value // 2 + 2)
        self.branch(NEGATIVE, "boot")
        for register, word in (
                (Register.IDENTITY, IDENTITY), (Register.VERSION, VERSION),
                (Register.GEOMETRY, TINY.ways | TINY.passes << 8),
                (Register.DEPTH, TINY.x_rows | TINY.y_rows << 16)):
            for half in range(2):
                if word >> _HALF * half:
                    self.store(_page(register, half), 0, word >> _HALF * half & 0xFFFF)
        self.move("state", State.IDLE.value)
        self.set(Special.STATE, "state")
        self.set(Special.READY, 1)

    def _commands(self):
        """Wait for a start or a clear; a start is ignored in FAULT."""
        self.label("idle")
        self.branch(Condition.START, "start")
        self.branch(Condition.CLEAR, "clear")
        self.go("idle")

        self.label("start")
        self.compare("state", State.FAULT.value)
        self.branch(NONZERO, "begin")
        self.branch(Condition.CLEAR, "clear")
        self.go("answer")

        self.label("clear")
        self.compare("state", State.FAULT.value)
        with self.unless(NONZERO):
            self.store(_page(Register.STATUS), 1, 0)
        self.store(_page(Register.STATUS), 0, 0)
        self.store_again(_page(Register.FLAGS), 0)
        self.move("state", State.IDLE.value)
        self.set(Special.STATE, "state")
        self.label("answer")
        self.set(Special.ANSWER, 0)
        self.go("idle")

        self.label("begin")
        for name in ("flags", "issued", "maximum", "minimum", "places", "total", "iteration",
                     "move1", "move2"):
            self.move(name, 0)
        self.move("inverse", (1 << 15) - 1)
        self.set(Special.CYCLES, 0)
        self.move("at", _page(Register.CYCLES))
        self.call("publish")
        self.store(_page(Register.FLAGS), 0, 0)
        self.store(_page(Register.STATUS), 1, 0)
        self.store(_page(Register.STATUS), 0, State.BUSY.value)
        self.load(_page(Register.FIRST), 0)
        self.and_("index", 63, Source.CELL)
        self.set(Special.STATE, State.BUSY.value)
        self.set(Special.ANSWER, 0)

    def _load(self):
        """Fields of the pass that are used more than once."""
        self.label("next pass")
        self.move("why", _why(Status.END))
        self.compare("index", TINY.passes)
        self.branch(AT_LEAST, "fault")
        self.set(Special.PASS, "index")
        self.field("op", "op")
        for loop in range(3):
            self.field(f"outer{loop}", f"outer.{loop}")
            self.field(f"taps{loop}", f"taps.{loop}")
        for name in ("beats", "bias", "shift", "rounding", "reduce", "inverted", "hold", "resume",
                     "scale", "zero", "table", "x_width", "y_width", "z_width", "z_memory"):
            self.field(name, name)
        for axis in ("rows", "cols"):
            for part in ("pad", "step", "size"):
                self.field(f"{axis} {part}", f"{axis}.{part}")
        for end, name in enumerate(("low", "high")):
            self.field(name, f"clip.{end}")
        for member, agu in enumerate(_AGUS):
            path = "z" if agu == "z" else f"{agu}.agu"
            for group, name in ((".mode", "mode"), (".order", "order"), (".base0", "start"),
                                (".low", "low"), (".high", "high")):
                self.field(f"{group}+{member}", f"{path}.{name}")
            for level in range(3):
                self.field(f"{_OUTER[level]}+{member}", f"{path}.outer.{level}")
                if agu != "z":
                    self.field(f"{_TAPS[level]}+{member}", f"{agu}.taps.{level}")
            if agu != "z":
                self.field(f".last+{member}", f"{agu}.last")
        self.move(".last+2", ".high+2")

    def _check(self):
        """Refuse what never starts, the first offence in the order of ``Checker``."""
        self.move("why", _why(Status.OPCODE))
        self.test("op")
        self.branch(ZERO, "fault")
        self.compare("op", Op.MIN.value)
        self.branch(POSITIVE, "fault")
        self.move("why", _why(Status.COUNT))
        for name in ("outer0", "outer1", "outer2", "taps0", "taps1", "taps2", "beats"):
            self.test(name)
            self.branch(ZERO, "fault")
            if name != "beats":
                self.add("why", "why", 1 << 8)
        self.compare("beats", BANKS)
        self.branch(POSITIVE, "fault")
        with self.unless(ZERO):  # BANKS are always right
            self.test("hold")
            self.branch(NONZERO, "fault")
        self.move("why", _why(Status.SHIFT))
        self.compare("shift", SHIFT_MIN)
        self.branch(NEGATIVE, "fault")
        self.compare("shift", SHIFT_MAX)
        self.branch(POSITIVE, "fault")
        self.move("why", _why(Status.WINDOW, Count.X.value))
        for member, (width, units) in enumerate((
                ("x_width", _X_CELLS), ("y_width", TINY.y_rows), ("z_width", _X_CELLS))):
            self.move("t", units)
            if width == "z_width":
                self.test("z_memory")
                with self.unless(ZERO):
                    self.move("t", _Y_CELLS)
            self.test(width)
            with self.unless(NONZERO):
                self.add("t", "t", "t")
            self.sub("t", "t", f".low+{member}")
            self.compare(f".high+{member}", "t")
            self.branch(AT_LEAST, "fault")
            self.add("why", "why", 1 << 8)

    def _prepare(self):
        """What does not change while the pass runs: operands."""
        for member, agu in enumerate(_AGUS):
            self.field("t", "z.move" if agu == "z" else f"{agu}.agu.move")
            base = f".base0+{member}"
            self.compare("t", Move.FIRST.value)
            with self.unless(NONZERO):
                self.add(base, base, "move1")
            self.compare("t", Move.SECOND.value)
            with self.unless(NONZERO):
                self.add(base, base, "move2")
            for level in _BASES[1:]:
                self.move(f"{level}+{member}", base)
            if agu != "z":
                self.sub("t", "taps2", 1)
                self.multiply("t", f".tap2+{member}")
                self.move(f".span+{member}", Source.PRODUCT)
        for special, value in (
                (Special.X_WIDE, "x_width"), (Special.Y_WIDE, "y_width"),
                (Special.Z_WIDE, "z_width"), (Special.Z_MEMORY, "z_memory"),
                (Special.KIND, "op"), (Special.X_STRIDE, ".tap2+0"), (Special.Y_STRIDE, ".tap2+1"),
                (Special.ROUNDING, "rounding")):
            self.set(special, value)
        for special, name in ((Special.X_LANES, "x_shape"), (Special.X_ZERO, "x_zero")):
            self.field("t", name)
            self.set(special, "t")
        self.set(Special.BEATS, "beats", -1)
        self.or_("plain", ".mode+0", ".mode+1")  # 0 if both are linear
        self.field("floor", "floor")
        self.test("floor")
        with self.unless(ZERO):
            self.sub("t", ACC_BITS - FLOOR_BITS, "floor")
            self.shift(-1 << ACC_BITS, "t")
            self.move("floor", Source.SHIFTED)
        # Rows of the records of an outermost index
        self.field("t", "addend")
        self.add("t", "t", 1)
        self.test("scale")
        with self.unless(ZERO):
            self.add("t", "t", 1)
        self.multiply("t", _RECORD)
        self.move("records", Source.PRODUCT)
        self.field("record row", "bias_row")
        self.field("t", "entry")
        self.multiply("t", _ENTRY)
        self.add("held", HELD, Source.PRODUCT)
        for member in range(BANKS):
            self.move(f".bias+{member}", 0)
            self.move(f".addend+{member}", 0)

    def _prepare_output(self):
        """What does not change while the pass runs: results."""
        self.field("range", "acc_range")
        self.move("range limit", 1 << 31)
        self.compare("range", AccumulatorRange.BITS40.value)
        with self.unless(NONZERO):
            self.move("range limit", 1 << ACC_BITS - 1)
        self.add("range twice", "range limit", "range limit")
        # What limits sums before they are held or scaled: of 32 bits, of 16, symmetric or not
        self.move("limit high", (1 << 31) - 1)
        self.compare("scale", Scale.BITS32.value)
        with self.unless(AT_MOST):
            self.move("limit high", 32767)
        self.sub("limit low", -1, "limit high")
        self.compare("scale", Scale.SYMMETRIC16.value)
        with self.unless(NONZERO):
            self.add("limit low", "limit low", 1)
        self.test("scale")
        with self.unless(NONZERO):
            self.compare("range", AccumulatorRange.SYMMETRIC32.value)
            with self.unless(NONZERO):
                self.add("limit low", "limit low", 1)

        # Scalars: whether halves are taken, the anchor, and what they do to the shifts
        self.sub("wide", "maximum", "minimum")
        self.move("t", 128)
        self.test("x_width")
        with self.unless(ZERO):
            self.move("t", 1 << 15)
        self.sub("t", "wide", "t")
        self.move("wide", 0)
        self.test("t")
        with self.unless(AT_MOST):
            self.move("wide", 1)
        self.move("anchor", 0)
        self.field("halve", "anchored")
        self.test("halve")
        with self.unless(ZERO):
            self.sub("t", -1, "wide")
            self.and_("anchor", "maximum", "t")
            self.move("halve", "wide")
        self.field("t", "adjust")
        self.field("table shift", "table_shift")
        self.compare("t", Adjust.SHIFT.value)
        with self.unless(NONZERO):
            self.sub("shift", "shift", "wide")
        self.compare("t", Adjust.PLACES.value)
        with self.unless(NONZERO):
            self.add("shift", "shift", "places")
        self._limit("shift", SHIFT_MIN, SHIFT_MAX)
        self.compare("t", Adjust.TABLE.value)
        with self.unless(NONZERO):
            self.sub("table shift", "table shift", "wide")
            self._at_least("table shift", 0)

        self.sub("t", ACC_BITS, "table shift")
        self.shift(1 << ACC_BITS, "t")
        self.add("fraction", -1, Source.SHIFTED)
        self.field("table rounding", "table_rounding")
        self.add("t", "table", "table")
        self.add("t", "t", "t")
        self.add("t", "t", _PLACES)
        for number, name in enumerate(("table offset", "table first", "table last")):
            self.set(Special.PLACE, "t", number)
            self.move(name, Source.ENTRY)

        self.field("t", "fresh")
        for kind, scalar, least in ((Reduce.MAX, "maximum", -1 << 15),
                                    (Reduce.MIN, "minimum", (1 << 15) - 1),
                                    (Reduce.SUM, "total", 0)):
            self.compare("reduce", kind.value)
            with self.unless(NONZERO):
                self.move("folded", scalar)
                self.test("t")
                with self.unless(ZERO):
                    self.move("folded", least)
        self.field("drop", "drop")
        self.test("inverted")
        with self.unless(ZERO):
            self.move("inverted", "inverse")

    # A pass

    def _loops(self):
        """The three output loops."""
        self.move("overflow", 0)
        self.move("a left", "outer0")
        self.label("loop a")
        self.move("due", 1)  # the records
        self.move("b left", "outer1")
        self.sub("top", 0, "rows pad")
        self.label("loop b")
        self._border("top", "rows size", "taps0", "first i", "count i")
        self.move("c left", "outer2")
        self.sub("left", 0, "cols pad")
        self.label("loop c")
        self._border("left", "cols size", "taps1", "first j", "count j")
        self._notice()
        self.move("why", _why(Status.EMPTY))
        for name in ("count i", "count j"):
            self.test(name)
            self.branch(AT_MOST, "fault")
        self.test("due")
        with self.unless(ZERO):
            self.call("begin sums")
            self.move("due", 0)
        for member in range(BANKS):
            self.move(f".sum+{member}", f".bias+{member}")
        self.go("taps")

        self.label("next output")
        self.sub("c left", "c left", 1)
        self.branch(ZERO, "next b")
        self.add("left", "left", "cols step")
        self._advance(2)
        self.go("loop c")
        self.label("next b")
        self.sub("b left", "b left", 1)
        self.branch(ZERO, "next a")
        self.add("top", "top", "rows step")
        self._advance(1)
        self.go("loop b")
        self.label("next a")
        self.sub("a left", "a left", 1)
        self.branch(ZERO, "end of pass")
        self.add("held", "held", _ENTRY)
        self._advance(0)
        self.go("loop a")

    def _border(self, origin, size, taps, first, count):
        """First tap inside of the border, and how many are."""
        self.sub(first, 0, origin)
        with self.unless(AT_LEAST):
            self.move(first, 0)
        self.sub(count, size, origin)
        self.compare(count, taps)
        with self.unless(AT_MOST):
            self.move(count, taps)
        self.sub(count, count, first)

    def _advance(self, level):
        """Step an outer loop of all three: modulo the window, if so."""
        with self._each(3):
            base, plain = _BASES[level], self._new("plain")
            self.add(base, base, _OUTER[level])
            self.compare(".mode", AguMode.MODULO.value)
            self.branch(NONZERO, plain)
            self.move("at", base)
            self.call("wrap")
            self.move(base, "at")
            self.label(plain)
            for lower in _BASES[level + 1:]:
                self.move(lower, base)

    def _taps(self):
        """The three tap loops; a run of the innermost one at once if no step of it can fault."""
        self.label("taps")
        for member in range(2):
            for group, first, source in ((".tap0", "first i", ".base2"), (".tap1", "first j", ".row")):
                self.multiply(first, f"{group}+{member}")
                self.add(f".row+{member}", f"{source}+{member}", Source.PRODUCT)
        self.move("i left", "count i")
        self.label("loop i")
        for member in range(2):
            self.move(f".column+{member}", f".row+{member}")
        self.move("j left", "count j")
        self.label("loop j")
        self._notice()
        for member in range(2):
            self.move(f".relative+{member}", f".column+{member}")
        self._last_run("run")
        self.go("step by step")

        self.label("run")
        self.test("plain")
        self.branch(NONZERO, "step by step")
        self.move("t", 0)  # negative if anything is outside
        for member in range(2):
            relative, last = f".relative+{member}", f".last+{member}"
            self.or_("t", "t", relative)
            self.sub("at", last, relative)
            self.or_("t", "t", "at")
            self.sub("at", "at", f".span+{member}")
            self.or_("t", "t", "at")
            self.add("at", relative, f".span+{member}")
            self.or_("t", "t", "at")
        self.branch(NEGATIVE, "step by step")
        self.set(Special.X, ".low+0", ".relative+0")
        self.set(Special.Y, ".low+1", ".relative+1")
        self.set(Special.COUNT, "taps2")
        self.run(".sum")
        self.add("issued", "issued", "taps2")

        self.label("next j")
        for member in range(2):
            self.add(f".column+{member}", f".column+{member}", f".tap1+{member}")
        self.sub("j left", "j left", 1)
        self.branch(POSITIVE, "loop j")
        for member in range(2):
            self.add(f".row+{member}", f".row+{member}", f".tap0+{member}")
        self.sub("i left", "i left", 1)
        self.branch(POSITIVE, "loop i")
        self.go("output")

        self.label("step by step")
        self.move("k left", "taps2")
        self.label("loop k")
        self._last_run("step")
        self.compare("k left", 1)
        self.branch(NONZERO, "step")
        self.compare("count i", 1)
        self.branch(NONZERO, "floor")
        self.compare("count j", 1)
        self.branch(NONZERO, "floor")
        self.compare("taps2", 1)
        self.branch(ZERO, "step")  # a single step: nothing is before it
        self.label("floor")
        for member in range(BANKS):
            self.and_(f".sum+{member}", f".sum+{member}", "floor")
        self.label("step")
        for member, (special, status) in enumerate(((Special.X, Status.X_ACCESS),
                                                    (Special.Y, Status.Y_ACCESS))):
            self.move("why", _why(status))
            self.set(Special.LANE, member)
            self.call("map")
            self.set(special, "at")
        self.set(Special.LANE, 0)
        self.set(Special.COUNT, 1)
        self.run(".sum")
        self.add("issued", "issued", 1)
        for member in range(2):
            self.add(f".relative+{member}", f".relative+{member}", f".tap2+{member}")
        self.sub("k left", "k left", 1)
        self.branch(POSITIVE, "loop k")
        self.go("next j")

    def _last_run(self, label):
        """Go there unless the last step, before which sums are floored, is of this run."""
        self.test("floor")
        self.branch(ZERO, label)
        self.compare("i left", 1)
        self.branch(NONZERO, label)
        self.compare("j left", 1)
        self.branch(NONZERO, label)

    def _output(self):
        """Finish, write and fold the sums."""
        self.label("output")
        self.move("beat", 0)
        self.move(".relative+2", ".base2+2")
        self.move("why", _why(Status.Z_ACCESS))
        self.label("loop beat")
        self.set(Special.LANE, "beat")
        self.call("finish")
        self.set(Special.LANE, 2)
        self.call("map")
        self.add(".relative", ".relative", 1)
        self.set(Special.LANE, 0)
        self.add("beat", "beat", 1)
        self.test("hold")
        self.branch(NONZERO, "beat done")
        self.store_element("at", 0, "v")
        self.test("reduce")
        self.branch(ZERO, "beat done")
        self.test("z_width")
        with self.unless(NONZERO):
            self._wrap("v", 8)
        self.test("drop")
        self.branch(ZERO, "fold")
        for name in ("a left", "b left", "c left"):
            self.compare(name, 1)
            self.branch(NONZERO, "fold")
        self.compare("beat", "beats")
        self.branch(ZERO, "beat done")
        self.label("fold")
        self.compare("reduce", Reduce.MIN.value)
        self.branch(NEGATIVE, "fold maximum")
        self.branch(ZERO, "fold minimum")
        self.add("folded", "folded", "v")
        self.go("beat done")
        self.label("fold maximum")
        self.compare("v", "folded")
        self.branch(POSITIVE, "fold extreme")
        self.go("beat done")
        self.label("fold minimum")
        self.compare("v", "folded")
        self.branch(AT_LEAST, "beat done")
        self.label("fold extreme")
        self.move("folded", "v")
        self.label("beat done")
        self.compare("beat", "beats")
        self.branch(NEGATIVE, "loop beat")
        self.go("next output")

    def _finish(self):
        """The sum of a lane as element ``v``, or held."""
        self.label("finish")
        self.move("v", ".sum")
        self.add("t", "v", "range limit")
        self.branch(NEGATIVE, "outside")
        self.compare("t", "range twice")
        self.branch(NEGATIVE, "inside")
        self.label("outside")
        self.move("overflow", 1)
        self.label("inside")
        self.test("inverted")
        with self.unless(ZERO):
            self.move("v", "inverted")
            self.ret()
        self._wrap("v", ACC_BITS)
        self.test("scale")
        self.branch(ZERO, "shift it")
        self.shift("v", ".pre")
        self.round("v", 0, Source.SHIFTED)
        self._limit("v", "limit low", "limit high")
        self.multiply("v", ".multiplier")
        self.add("v", ".addend", Source.PRODUCT)
        self.shift("v", ".post")
        self.round("v", 0, Source.SHIFTED)
        self.go("clip it")

        self.label("shift it")
        self.sub("v", "v", "anchor")
        self.test("halve")
        with self.unless(ZERO):
            self.shift("v", 1)
            self.move("v", Source.SHIFTED)
        self.test("shift")
        self.branch(NEGATIVE, "shift left")
        self.shift("v", "shift")
        self.round("v", 0, Source.SHIFTED)
        self.go("shifted")
        self.label("shift left")
        self.move("t", "shift")
        self.label("double")
        self.add("v", "v", "v")
        self.add("t", "t", 1)
        self.branch(NEGATIVE, "double")
        self.label("shifted")
        self.test("hold")
        self.branch(NONZERO, "hold it")

        self.label("clip it")
        self._limit("v", "low", "high")
        self.add("v", "v", "zero")
        self.test("table")
        self.branch(NONZERO, "look up")
        self.ret()

        self.label("hold it")
        self.compare("range", AccumulatorRange.BITS40.value)
        self.branch(ZERO, "hold all")
        self._limit("v", "limit low", "limit high")
        self.go("keep")
        self.label("hold all")
        self.move("t", "v")
        self._wrap("v", ACC_BITS)
        self.compare("t", "v")
        with self.unless(ZERO):
            self.move("overflow", 1)
        self.label("keep")
        self.add("at", "held", "beat")
        for row in range(_RECORD):
            self.shift("v", _HALF * (_RECORD - 1 - row))
            self.store("at", _ROW_CELLS * row, Source.SHIFTED)
        self.ret()

    def _look_up(self):
        """The entry for ``v``, less its part of the way to the next."""
        self.label("look up")
        self.shift("v", "table shift")
        self.add("at", "table offset", Source.SHIFTED)
        self._limit("at", "table first", "table last")
        self.set(Special.PLACE, "at")
        self.move("t", Source.ENTRY)
        self.set(Special.PLACE, "at", 1)
        self.sub("at", "t", Source.ENTRY)
        self.and_("v", "v", "fraction")
        self.multiply("at", "v")
        self.move("v", Source.PRODUCT)
        self.set(Special.ROUNDING, "table rounding")
        self.shift("v", "table shift")
        self.round("v", 0, Source.SHIFTED)
        self.sub("v", "t", "v")
        self.test("z_width")
        with self.unless(NONZERO):
            self.shift("v", 8)
            self.round("v", 0, Source.SHIFTED)
            self._at_most("v", 127)
        self.set(Special.ROUNDING, "rounding")
        self.ret()

    def _map(self):
        """The address ``at`` of ``.relative`` of ``LANE``; faults with ``why``."""
        self.label("map")
        self.move("at", ".relative")
        self.compare(".mode", AguMode.MODULO.value)
        with self.unless(NONZERO):
            self.call("wrap")
        self.test("at")
        self.branch(NEGATIVE, "fault")
        self.compare("at", ".high")
        self.branch(POSITIVE, "fault")
        self.compare(".mode", AguMode.BIT_REVERSED.value)
        with self.unless(NONZERO):
            self.reverse("at", "at", 0)
            self.sub("t", 16, ".order")
            self.shift("at", "t")
            self.move("at", Source.SHIFTED)
        self.compare("at", ".last")
        self.branch(POSITIVE, "fault")
        self.add("at", "at", ".low")
        self.ret()

        self.label("wrap")
        self.test("at")
        with self.unless(AT_LEAST):
            self.add("at", "at", ".high")
            self.add("at", "at", 1)
            self.ret()
        self.compare("at", ".high")
        with self.unless(AT_MOST):
            self.sub("at", "at", ".high")
            self.sub("at", "at", 1)
        self.ret()

    def _records(self):
        """What the sums of an outermost index begin with, and the parameters of a scale."""
        self.label("begin sums")
        self.move("record", "held")
        self.test("resume")
        self.branch(NONZERO, "bias")
        self.test("bias")
        self.branch(ZERO, "extremes")
        self.move("why", _why(Status.Y_ACCESS))
        self.add("t", "record row", "records")
        self.compare("t", TINY.y_rows)
        self.branch(POSITIVE, "fault")
        self.multiply("record row", _ROW_CELLS)
        self.add("record", Y, Source.PRODUCT)
        self.move("record row", "t")
        self.test("scale")
        self.branch(ZERO, "bias")
        with self._each(BANKS):
            self.call("read")
            self.shift("v", 32)
            self.and_(".pre", 31, Source.SHIFTED)
            self.shift("v", 37)
            self.and_(".post", 63, Source.SHIFTED)
            self._wrap("v", 32)
            self.move(".multiplier", "v")
        self.compare("records", 2 * _RECORD)
        self.branch(AT_MOST, "bias")
        with self._each(BANKS):
            self.call("read")
            self._wrap("v", 32)
            self.move(".addend", "v")
        self.label("bias")
        with self._each(BANKS):
            self.call("read")
            self.move(".bias", "v")
        self.label("extremes")
        for op, worst in ((Op.MAX, -_EXTREME), (Op.MIN, _EXTREME)):
            self.compare("op", op.value)
            with self.unless(NONZERO):
                for member in range(BANKS):
                    self.move(f".bias+{member}", worst)
        self.ret()

        # 48 bits of a lane; after the last lane the next record follows
        self.label("read")
        self.load("record", 0)
        self.move("v", Source.CELL)
        for row in range(1, _RECORD):
            self.multiply("v", 1 << _HALF)
            self.load("record", _ROW_CELLS * row)
            self.and_("t", (1 << _HALF) - 1, Source.CELL)
            self.add("v", "t", Source.PRODUCT)
        self.add("record", "record", 1)
        self.compare("lane", BANKS - 1)
        with self.unless(NONZERO):
            self.add("record", "record", _ROW_CELLS * (_RECORD - 1))
        self.ret()

    # The end of a pass

    def _end_of_pass(self):
        """Scalars, flags, trace; then where the program goes on."""
        self.label("end of pass")
        self._notice()
        for kind, scalar in ((Reduce.MAX, "maximum"), (Reduce.MIN, "minimum"),
                             (Reduce.SUM, "total")):
            self.compare("reduce", kind.value)
            with self.unless(NONZERO):
                self.move(scalar, "folded")
                if kind is Reduce.SUM:
                    self.call("invert")
        self.multiply("index", 2 * TRACE_STRIDE)
        self.add("at", TRACE, Source.PRODUCT)
        self.test("iteration")
        with self.unless(ZERO):
            self.load("at", 2 * TRACE_STRIDE - 1)
            self.move("t", Source.CELL)
            with self.unless(AT_LEAST):
                self.move("overflow", 1)
        self.call("publish")
        self.store("at", 0, "cycles")
        self.shift("cycles", _HALF)
        self.move("t", Source.SHIFTED)
        self.test("overflow")
        with self.unless(ZERO):
            self.or_("flags", "flags", Flag.OVERFLOW.value)
            self.or_("t", "t", 1 << 15)
        self.store("at", 1, "t")
        self.store(_page(Register.FLAGS), 0, "flags")
        self.move("at", _page(Register.CYCLES))
        self.call("publish")

        self.field("t", "repeat")
        self.test("t")
        self.branch(ZERO, "no loop")
        self.compare("iteration", "t")
        self.branch(AT_LEAST, "leave loop")
        self.move("why", _why(Status.END))
        self.field("t", "back")
        self.compare("t", "index")
        self.branch(POSITIVE, "fault")
        self.sub("index", "index", "t")
        self.add("iteration", "iteration", 1)
        for number, name in enumerate(("move1", "move2")):
            self.field("t", f"advance.{number}")
            self.add(name, name, "t")
        self.go("next pass")
        self.label("leave loop")
        for name in ("iteration", "move1", "move2"):
            self.move(name, 0)
        self.label("no loop")
        self.move("why", State.DONE.value)
        self.field("t", "last")
        self.test("t")
        self.branch(NONZERO, "fault")
        self.add("index", "index", 1)
        self.go("next pass")

        # The counters from cell ``at`` on; ``at`` is behind them then
        self.label("publish")
        self.move("cycles", Source.CYCLES)
        self.sub("drained", "cycles", "issued")
        for counter in COUNTERS:
            name = {"cycles": "cycles", "issued": "issued", "drain": "drained"}.get(counter)
            if name is not None:
                self.store("at", 0, name)
                self.shift(name, _HALF)
                self.store("at", 1, Source.SHIFTED)
            else:
                self.store("at", 0, 0)
                self.store_again("at", 1)
            self.add("at", "at", 2)
        self.ret()

    def _invert(self):
        """``places`` and ``inverse`` of the sum."""
        self.label("invert")
        self.and_("v", "total", (1 << 32) - 1)
        self.branch(ZERO, "no sum")
        self.compare("v", (1 << 31) - 1)
        with self.unless(AT_MOST):
            self.label("no sum")
            self.move("v", 1)
        self.move("places", 30)
        self.label("normalise")
        self.compare("v", 1 << 30)
        self.branch(AT_LEAST, "normalised")
        self.add("v", "v", "v")
        self.sub("places", "places", 1)
        self.go("normalise")
        self.label("normalised")
        self.set(Special.ROUNDING, "table rounding")
        self.shift("v", 16)
        self.round("v", 0, Source.SHIFTED)
        self._at_most("v", 32767)
        self.multiply("v", 1 << 15)
        self.move("v", Source.PRODUCT)
        self.move("t", 1 << 29)  # what is left to divide
        self.move("inverse", 0)
        self.move("lane", 16)
        self.label("divide")
        self.add("inverse", "inverse", "inverse")
        self.compare("t", "v")
        with self.unless(NEGATIVE):
            self.sub("t", "t", "v")
            self.add("inverse", "inverse", 1)
        self.shift("v", 1)
        self.move("v", Source.SHIFTED)
        self.sub("lane", "lane", 1)
        self.branch(POSITIVE, "divide")
        self._at_most("inverse", 32767)
        self.ret()

    def _notice(self):
        """See to a cell that the host has written."""
        label = self._new("unseen")
        self.branch(Condition.WROTE, f"{label} look")
        self._looks = getattr(self, "_looks", [])
        self._looks.append(label)
        self.label(label)

    def _watch(self):
        """Flag a write into a window of this pass; rows are compared."""
        for label in self._looks:
            self.label(f"{label} look")
            self.call("watch")
            self.go(label)
        self.label("watch")
        self.move("t", Source.HOST)
        self.compare("t", 1 << 15)
        self.branch(AT_LEAST, "hit")  # the program
        self.and_("written", "t", Y)  # the memory
        self.and_("at", "t", Y - 1)
        self.shift("at", 2)
        self.move("at", Source.SHIFTED)  # the row
        for member, (agu, row_units) in enumerate(zip(_AGUS, (2, 0, 2), strict=True)):
            beside = self._new("beside")
            if agu == "z":
                self.multiply("z_memory", Y)
                self.compare("written", Source.PRODUCT)
            else:
                self.compare("written", Y if agu == "y" else 0)
            self.branch(NONZERO, beside)
            self.move("t", row_units + 1)
            self.test(f"{agu}_width")
            with self.unless(ZERO):
                self.move("t", row_units)
            self.shift(f".low+{member}", "t")
            self.compare("at", Source.SHIFTED)
            self.branch(NEGATIVE, beside)
            self.add("v", f".low+{member}", f".high+{member}")
            self.shift("v", "t")
            self.compare("at", Source.SHIFTED)
            self.branch(AT_MOST, "hit")
            self.label(beside)
        self.test("bias")
        self.branch(ZERO, "noticed")
        self.test("written")
        self.branch(ZERO, "noticed")
        self.field("t", "bias_row")
        self.compare("at", "t")
        self.branch(NEGATIVE, "noticed")
        self.multiply("outer0", "records")
        self.add("t", "t", Source.PRODUCT)
        self.compare("at", "t")
        self.branch(AT_LEAST, "noticed")
        self.label("hit")
        self.or_("flags", "flags", Flag.HOST_HIT.value)
        self.label("noticed")
        self.set(Special.ANSWER, 0)
        self.ret()

    def _stop(self):
        """End the program with ``why``."""
        self.label("fault")
        self.set(Special.LANE, 0)
        self.move("at", _page(Register.CYCLES))
        self.call("publish")
        self.store(_page(Register.FLAGS), 0, "flags")
        self.store(_page(Register.STATUS), 1, "index")
        self.store(_page(Register.STATUS), 0, "why")
        self.and_("state", "why", 3)
        self.set(Special.STATE, "state")
        self.go("idle")


class _Skip:
    """What a with statement holds is skipped if a condition holds."""

    def __init__(self, program, condition):
        self._program, self._label = program, program._new("skip")
        program.branch(condition, self._label)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._program.label(self._label)


class _Each:
    """What a with statement holds is done for members 0 to ``count - 1`` of every group."""

    def __init__(self, program, count, lane):
        self._program, self._count, self._lane = program, count, lane
        self._label = program._new("each")

    def __enter__(self):
        self._program.move(self._lane, 0)
        self._program.label(self._label)
        self._program.set(Special.LANE, self._lane)

    def __exit__(self, *error):
        self._program.add(self._lane, self._lane, 1)
        self._program.compare(self._lane, self._count)
        self._program.branch(NEGATIVE, self._label)
        self._program.set(Special.LANE, 0)


_PROGRAM  = _Microprogram()
CODE      = _PROGRAM.words()
CONSTANTS = _PROGRAM.constants
TABLE_ROM = _table_rom()
