# SPDX-License-Identifier: Apache-2.0
"""Fetch check properties: no program word leads an access out of a memory."""

from amaranth import Cat, Const, Mux, Signal
from amaranth.hdl import Assert, Cover
from amaranth.utils import exact_log2

from xymac.hdl.core.agu.mapping import AddressMap, map_config
from xymac.hdl.core.fetch.checker import Checker
from xymac.hdl.core.fetch.scan import Scan
from xymac.hdl.core.loops import Records
from xymac.hdl.isa import (
    BANKS,
    AguMode,
    Encoded,
    Memory,
    Op,
    Place,
    Shape,
    Status,
)

from .property import Bench, Fault, Method, Property, steady

__all__ = ["PROPERTIES"]

_FUNCTIONS = (1 << 32) - 1  # a core that lacks no operation accepts most words
_BEGIN     = 1
_JUDGED    = _BEGIN + Checker.AHEAD + Checker.LATENCY
_STEPS     = _JUDGED + 1
assert AddressMap.LATENCY + 1 < _JUDGED


def _row(pass_, operand, address, ways):
    """An address's memory row, and whether the memory is Y: see ``isa.Width`` and ``isa.Memory``.
    """
    bits, banks = exact_log2(ways), exact_log2(BANKS)
    if operand == "y":
        index, in_y = Mux(pass_.y_shape == Shape.LANES, address >> bits, address), Const(1, 1)
    elif operand == "x":
        vector = Mux(pass_.op == Op.GATHER, address >> bits, address)
        index, in_y = vector >> banks, Const(0, 1)
    else:
        in_y  = pass_.z_memory == Memory.Y
        index = Mux(in_y, address >> banks + bits, address >> banks)
    wide = {"x": pass_.x_width, "y": pass_.y_width, "z": pass_.z_width}[operand]
    return Mux(wide.as_value(), index, index >> 1), in_y


def _any_word(case):
    """A pass with any 16 words, the fetch check, and an operand's address map."""
    operand, ways, x_rows, y_rows = case
    checker = Checker(ways=ways, x_rows=x_rows, y_rows=y_rows, functions=_FUNCTIONS)
    mapping = AddressMap(whole=int(operand != "x"))
    words, place = Signal(Encoded), Signal(Place)
    relative, others = Signal.like(mapping.relative), Signal(8)

    def build(m):
        m.submodules.checker, m.submodules.map = checker, mapping
        held, table, given, other = steady(m, words.as_value(), place.as_value(), relative, others)
        pass_ = Signal(Encoded, name="pass_")
        time  = Signal(range(_STEPS + 1))
        m.d.sync += time.eq(Mux(time == _STEPS, time, time + 1))
        access = {"x": pass_.x.agu, "y": pass_.y.agu, "z": pass_.z}[operand]
        last   = {"x": pass_.x.last, "y": pass_.y.agu.high, "z": pass_.z.high}[operand]
        m.d.comb += [
            pass_.eq(held), checker.pass_.eq(pass_), checker.place.eq(table),
            checker.begin.eq(time == _BEGIN), mapping.loading.eq(1),
            mapping.config.eq(map_config(access, last)), mapping.relative.eq(given)]
        goes = (time == _JUDGED) & (checker.status == Status.OK) & ~mapping.o.bad
        first, reach = Signal(20), Signal(20)
        m.d.comb += [first.eq(mapping.o.address), reach.eq(first)]
        if operand == "x":  # lanes read as many vectors as there are beats; banks exchange vectors
            with m.If(pass_.x_shape == Shape.LANES):
                m.d.comb += reach.eq(first + pass_.beats - 1)
            with m.If(pass_.op == Op.CROSS):
                m.d.comb += reach.eq(first ^ other[:2])
        if operand == "y":  # a gather replaces the low bits, by its X address and its lane
            low = exact_log2(BANKS * ways * ways)
            with m.If(pass_.op == Op.GATHER):
                m.d.comb += reach.eq(Cat(other[:low], first[low:]))
        end = access.low + access.high
        row, in_y = _row(pass_, operand, reach, ways)
        m.d.comb += [
            *(Assert(~goes | ((address >= access.low) & (address <= end)))
              for address in (first, reach)),
            Assert(~goes | (row < Mux(in_y, y_rows, x_rows))),
            *(Cover(goes & (access.mode == mode) & (access.high == 63) & (first == access.low + 5))
              for mode in AguMode)]
    return Bench([words, place, relative, others], build)


def _bias_rows(case):
    """An output's parameter rows, for any first row in a pass."""
    bias_rows, y_rows = case
    unit   = Records(y_rows=y_rows, bias_rows=bias_rows)
    inputs = [unit.row, unit.entry, unit.scaled, unit.addend, unit.once, unit.load, unit.step,
              unit.later]

    def build(m):
        m.submodules.unit = unit
        settled, marks = Signal(2), Signal(4)
        now = Cat(unit.scaled, unit.addend, unit.once, unit.later)
        m.d.sync += [marks.eq(now), settled.eq(Mux(
            unit.load | unit.step | (marks != now), 0, Mux(settled == 3, 3, settled + 1)))]
        rows = (1 + unit.count) * bias_rows
        due  = (settled >= 2) & (marks == now)
        m.d.comb += [
            Assert(~due | (unit.bad == (unit.bias_row + rows > y_rows))),
            Cover(due & ~unit.bad & (unit.bias_row + rows == y_rows)),
            Cover(due & unit.bad & (unit.count == 2))]
    return Bench(inputs, build)


_CASES = (("x", 4, 2048, 2560), ("y", 4, 2048, 2560), ("z", 4, 2048, 2560), ("x", 1, 48, 100))
PROPERTIES = (
    *(Property(f"address: any word, {name}", "Any 16 program words that fetch accepts, any table "
               f"place and any relative address, in every mode: an address of {name} that is not "
               "marked lies in its window and in its memory, and so does every other one that its "
               "step reads",
               _any_word, _STEPS, faults, Method.GATES,
               cases=tuple(case for case in _CASES if case[0] == operand))
      for operand, name, faults in (
          ("x", "X", (Fault("a length of a reversed window is not checked", Scan, "_other",
                            lambda original: lambda self, window: Const(0, 1)),
                      Fault("the last address is not checked", Scan, "_behind",
                            lambda original: lambda self, m, *rest: Const(0, 1)),
                      Fault("the window of a cross may be ragged", Checker, "_ragged",
                            lambda original: lambda self, m: Const(0, 2)))),
          ("y", "Y", (Fault("the table of a gather may be ragged", Checker, "_ragged",
                            lambda original: lambda self, m: Const(0, 2)),)),
          ("z", "Z", (Fault("a length of a reversed window is not checked", Scan, "_other",
                            lambda original: lambda self, window: Const(0, 1)),)))),
    Property("address: parameters", "The parameters of an output end within Y, or are marked",
             _bias_rows, 8, (Fault("a row too many is allowed", Records, "__init__",
                                   lambda original: lambda self, *, y_rows, bias_rows: original(
                                       self, y_rows=y_rows + 1, bias_rows=bias_rows)),),
             Method.PDR, cases=((3, 100), (1, 2560))),
)
