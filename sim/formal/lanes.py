# SPDX-License-Identifier: Apache-2.0
"""Lane properties: a step for all operands, and a sum saved and restored."""

from contextlib import contextmanager
from unittest.mock import patch

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.hdl import Assert, Assume, Cover, Fragment
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.core import lane as lane_module
from xymac.hdl.core.hold import Save
from xymac.hdl.core.lane import Lane
from xymac.hdl.isa import ACC_BITS, BANKS, BIAS_BITS, FLOOR_BITS, FLOOR_MAX, HELD, bias_rows

from .property import Bench, Fault, Method, Property, steady

__all__ = ["PROPERTIES", "floored", "kept", "weighed"]

_ROWS = 4
_LANE = 0


# The three functions below are the golden machine's step. They take numbers as well as hardware
# values, so a test compares them with the machine's own code.

def weighed(word, *, wide, upper, choose):
    """The weight in a 16-bit word (signed): the word, or its upper or lower byte."""
    low = ((word & 0xFF) ^ 0x80) - 0x80
    return choose(wide, word, choose(upper, word >> 8, low))


def floored(acc, term, floor, choose):
    """An accumulator, its lowest bits cleared by ``floor``, plus a term."""
    total = acc
    for places in range(1, FLOOR_MAX + 1):
        shift = places + FLOOR_BITS
        total = choose(floor == places, (acc >> shift) << shift, total)
    return total + term


def kept(acc, term, *, smallest, choose):
    """An accumulator or a term, whichever is smaller, or larger."""
    return choose(smallest, choose(term < acc, term, acc), choose(term > acc, term, acc))


class _Products:
    """Multipliers with any product, but 0 for a 0 weight; they keep their factors."""

    def __init__(self, products):
        self._values, self.factors = iter(products), []

    @contextmanager
    def placed(self):
        """Context in which a lane has these multipliers."""
        with patch.object(lane_module, "Multiply", self._make):
            yield

    def _make(self, *, vendor):
        return _Product(next(self._values), self.factors)


class _Product(wiring.Component):
    """A multiplier in ``_Products``."""

    a: In(signed(16))
    b: In(signed(16))
    o: Out(signed(32))

    def __init__(self, product, factors):
        self._product, self._factors = product, factors
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        early = Signal(signed(16), name="early_a"), Signal(signed(16), name="early_b")
        late  = Signal(signed(16), name="late_a"), Signal(signed(16), name="late_b")
        m.d.sync += [early[0].eq(self.a), early[1].eq(self.b), late[0].eq(early[0]),
                     late[1].eq(early[1])]
        m.d.comb += self.o.eq(Mux(late[1] == 0, 0, self._product))
        self._factors.append(late)
        return m


class _Script:
    """Lane commands at given cycles, each part when the lane needs it."""

    def __init__(self, m, lane, cycles):
        self._m, self._lane, self._values = m, lane, {}
        self.time = Signal(range(cycles + 2), name="time")
        m.d.sync += self.time.eq(self.time + (self.time <= cycles))

    def at(self, cycle, **parts):
        """Set a part's fields, as ``sums={"step": 1}``, for the step begun in a cycle."""
        for part, fields in parts.items():
            for field, value in fields.items():
                self._values.setdefault((part, field), []).append((cycle, value))

    def drive(self):
        """Connect the commands."""
        m = self._m
        for (part, field), choices in self._values.items():
            target = self._lane.command[part][field]
            now = Signal(len(target) if hasattr(target, "__len__") else 1, name=f"{part}_{field}")
            for cycle, value in choices:
                with m.If(self.time == cycle):
                    m.d.comb += now.eq(value)
            m.d.comb += target.eq(delay(m, now, self._lane.lag[part], name=f"{part}_{field}"))


def _write(m, lane, time, words):
    """Write Y words, given by row and MAC, 1 a cycle from cycle 0 on; returns their count."""
    for cycle, (row, way, word) in enumerate(words):
        with m.If(time == cycle):
            m.d.comb += [lane.write.y.eq(1), lane.write.row.eq(row), lane.write.way.eq(1 << way),
                         lane.write.bytes.eq(0b11), lane.write.bank.eq(-1),
                         lane.write.column.eq(-1), lane.data.eq(word)]
    return len(words)


def _issue(m, lane, ways, free, y):
    """Write the bias and the words ``y`` into Y, and issue both steps; returns the script and the
    second step's cycle.
    """
    rows   = bias_rows(ways)
    begin  = (rows + 1) * ways + 2
    script = _Script(m, lane, begin + rows + 2 + lane.latency)
    padded = Cat(free["bias"], Const(0, 16 * ways * rows - BIAS_BITS))
    _write(m, lane, script.time, [
        *((row, way, padded.word_select((rows - 1 - row) * ways + way, 16))
          for row in range(rows) for way in range(ways)),
        *((rows, way, y[way]) for way in range(ways))])
    for row in range(rows):
        script.at(begin + row, fetch={"row": row}, operands={"bias": 1, "wide": 1, "way": -1})
    first, second = begin + rows, begin + rows + 1
    script.at(first, seeds={"biased": 1}, sums={"step": 1})
    keeps = ~free["first"] & ~free["rival"]
    script.at(second, fetch={"row": rows}, operands={
        "wide": free["wide"], "byte": free["upper"], "way": free["mask"],
        "x_lanes": free["x_lanes"]}, sums={
        "step": 1, "last": 1, "rival": free["rival"] & ~free["first"],
        "smallest": free["smallest"], "going": Cat(
            *(keeps & ~(free["floor"] > place) for place in range(FLOOR_MAX)), keeps)})
    script.drive()
    return script, second


def _step(ways):
    """Two steps: the first puts a bias into the accumulator, the second is any step."""
    lane  = Lane(ways=ways, rows=_ROWS, lane=_LANE)
    given = {name: Signal(shape, name=name) for name, shape in (
        ("bias", signed(BIAS_BITS)), ("floor", range(FLOOR_MAX + 1)), ("mask", ways),
        ("wide", 1), ("upper", 1), ("x_lanes", 1), ("rival", 1), ("smallest", 1), ("first", 1))}
    xs    = [Signal(signed(16), name=f"x{way}") for way in range(ways)]
    products = [Signal(signed(32), name=f"product{way}") for way in range(ways)]
    words = [Signal(signed(16), name=f"word{way}") for way in range(ways)]

    def build(m):
        fixed = steady(m, *given.values(), *xs, *words, *products)
        free_products = _Products(fixed[-ways:])
        with free_products.placed():
            m.submodules.unit = Fragment.get(lane, None)
        free  = dict(zip(given, fixed, strict=False))
        x, y  = fixed[len(given):len(given) + ways], fixed[len(given) + ways:-ways]
        script, second = _issue(m, lane, ways, free, y)
        m.d.comb += [lane.x[way].eq(x[way]) for way in range(ways)]
        total, begun = 0, script.time == second + lane.latency - 2 - exact_log2(ways)
        for way, (a, b) in enumerate(free_products.factors):
            element = Signal(signed(16), name=f"element{way}")
            weight  = Signal(signed(16), name=f"chosen{way}")
            m.d.comb += [element.eq(Mux(free["x_lanes"], x[_LANE % ways], x[way])), weight.eq(
                Mux(free["mask"][way], weighed(y[way], wide=free["wide"], upper=free["upper"],
                                               choose=Mux), 0))]
            product = Mux(weight == 0, 0, fixed[way - ways])
            total = total + product
            m.d.comb += [Assume((product >= -(1 << 30)) & (product <= 1 << 30)),
                         Assert(~begun | ((a == element) & (b == weight)))]
        term, acc, expected = Signal(signed(34)), free["bias"], Signal(signed(BIAS_BITS))
        m.d.comb += [term.eq(total), expected.eq(Mux(free["first"], term, Mux(
            free["rival"], kept(acc, term, smallest=free["smallest"], choose=Mux),
            floored(acc, term, free["floor"], Mux))))]
        done = script.time == second + lane.latency
        m.d.comb += [
            Assume(~(free["wide"] & free["upper"])),
            # MAX and MIN keep a term; the exact sum of a pass fits the accumulator.
            Assume(~free["rival"] | free["first"] | (
                (acc >= -(ways << 30)) & (acc <= (ways << 30)) & (free["floor"] == 0))),
            Assert(~done | (lane.acc == expected)),
            Cover(done & (free["floor"] == FLOOR_MAX) & ~free["first"] & (term < -7) & (
                acc > 1 << 41)),
            Cover(done & free["rival"] & ~free["first"] & (acc == 5) & (expected != acc))]
    return Bench([*given.values(), *xs, *words, *products], build)


def _restored():
    """A sum goes through the save unit into an entry; a step restores it."""
    lane, save = Lane(ways=1, rows=2, lane=_LANE), Save()
    acc, entry = Signal(signed(ACC_BITS), name="sum"), Signal(range(HELD), name="place")
    other, noise = Signal(range(HELD), name="other"), Signal(signed(ACC_BITS), name="noise")

    def build(m):
        m.submodules.lane, m.submodules.save = lane, save
        total, at, elsewhere, different = steady(m, acc, entry, other, noise)
        begin = Save.LATENCY + 6
        script = _Script(m, lane, begin + lane.latency)
        m.d.comb += [
            # First the sum, then another one into another entry.
            save.i.mark.eq((script.time == 0) | (script.time == BANKS)),
            save.i.amount.eq(16), save.i.up.eq(1), save.acc.eq(
                Mux(script.time <= BANKS, total, different)),
            save.i.entry.eq(Mux(script.time == 0, at, elsewhere)),
            lane.save.eq(save.o.banks[0]), lane.entry.eq(save.o.entry), lane.saved.eq(save.o.sum)]
        script.at(begin, seeds={"resume": 1, "entry": at}, sums={"step": 1, "last": 1})
        script.drive()
        done = script.time == begin + lane.latency
        m.d.comb += [Assume(at != elsewhere), Assert(~done | (lane.acc == total)),
                     Cover(done & (total < -(1 << 38)) & (at == 9))]
    return Bench([acc, entry, other, noise], build)


def _unsigned(original):
    """Fault: a lane restores a sum without its sign."""
    def seed(self, m, weights, shifts):
        short = Signal(BIAS_BITS, name="short")
        m.d.comb += short.eq(original(self, m, weights, shifts)[:ACC_BITS])
        return short
    return seed


def _swapped(original):
    """A lane whose comparison takes the opposite operation."""
    def accumulate(self, m, term, seed):
        original(self, m, -term, seed)
    return accumulate


PROPERTIES = (
    Property("lane: a step", "A step of a lane with 1, 2 and 4 MACs, for all operands, widths and "
             "masks, any accumulator and floor: the factors, and with any products the new "
             "accumulator, of the golden machine's sum, maximum and minimum", _step, 40,
             (Fault("the floor clears a bit less", lane_module, "FLOOR_BITS",
                    lambda original: original - 1),
              Fault("the term has the opposite sign", Lane, "_accumulate", _swapped)),
             Method.GATES, cases=(2, 1, 4)),
    Property("lane: restored sum", "A sum of 40 bits that is saved without a shift, and another "
             "one in another entry: the restored sum is the same", _restored, 24,
             (Fault("the sign is lost", Lane, "_seed", _unsigned),),
             Method.GATES),
)
