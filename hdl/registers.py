"""Registers: what the host reads and writes about a program, and the watch over its writes."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from .arith import delay
from .config import BANKS, SLOTS
from .isa import (
    COUNTERS,
    IDENTITY,
    VERSION,
    Encoded,
    Flag,
    Memory,
    Register,
    Scale,
    Shape,
    State,
    Status,
    bias_rows,
)

__all__ = ["Registers", "Watch"]

_ROW      = unsigned(12)  # of X or Y
_LAST_ROW = (1 << 12) - 1


class Registers(wiring.Component):
    """The register map of ``isa.Register``; pulses come a cycle late.

    ``word`` and ``known`` follow ``address`` by ``LATENCY`` cycles.

    Members
    -------
    address : In(8), word : Out(32), known : Out(1), write : In(1), data : In(32), of one access
    state, status, field, pass_ : In, from the sequencer; counters : In; flags : In(Flag)
    start, clear, irq : Out(1); first : Out(pass number)
    """

    LATENCY = 4
    _GROUP  = 4  # registers that one multiplexer chooses from

    def __init__(self, *, ways, x_rows, y_rows, passes):
        self._constants = {
            Register.IDENTITY: IDENTITY, Register.VERSION: VERSION,
            Register.GEOMETRY: ways | passes << 8, Register.DEPTH: x_rows | y_rows << 16}
        number = unsigned(exact_log2(passes) + 1)
        super().__init__({
            "address": In(8), "word": Out(32), "known": Out(1), "write": In(1), "data": In(32),
            "state": In(State), "status": In(Status), "field": In(4), "pass_": In(number),
            "counters": In(data.ArrayLayout(32, len(COUNTERS))), "flags": In(Flag),
            "start": Out(1), "clear": Out(1), "irq": Out(1), "first": Out(number)})

    def elaborate(self, platform):
        m = Module()
        mask = Signal()
        words = {
            **self._constants,
            Register.CONTROL: 0,
            Register.STATUS: Cat(self.state, Const(0, 2), self.status, self.field,
                                 Const(0, 4), self.pass_),
            Register.FLAGS: self.flags, Register.IRQ_MASK: mask, Register.FIRST: self.first,
            **{Register(Register.CYCLES.value + 4 * index): self.counters[index]
               for index in range(len(COUNTERS))},
        }
        self._read(m, words)
        hit = {register: self.write & (self.address == register)
               for register in (Register.CONTROL, Register.IRQ_MASK, Register.FIRST)}
        idle = (self.state == State.IDLE) | (self.state == State.DONE)
        m.d.sync += [
            self.start.eq(hit[Register.CONTROL] & self.data[0] & idle),
            self.clear.eq(hit[Register.CONTROL] & self.data[1] & (self.state != State.BUSY)),
        ]
        m.d.comb += self.irq.eq(mask & ((self.state == State.DONE) | (self.state == State.FAULT)))
        with m.If(hit[Register.IRQ_MASK]):
            m.d.sync += mask.eq(self.data[0])
        with m.If(hit[Register.FIRST]):
            m.d.sync += self.first.eq(self.data)
        return m

    def _read(self, m, words):
        """Choose within every group of registers, then among the groups."""
        address = delay(m, self.address, 1, name="address")
        groups  = {}
        for register, value in words.items():
            here = Signal(name=f"at_{register.name}")
            m.d.sync += here.eq(address == register.value)
            group = groups.setdefault(register.value // (4 * self._GROUP), [])
            group.append((here, Mux(here, Value.cast(value), 0)))
        word, known = Const(0, 32), Const(0)
        for number, members in groups.items():
            chosen, there = Signal(32, name=f"chosen{number}"), Signal(name=f"there{number}")
            m.d.sync += [
                chosen.eq(reduce(or_, (value for _, value in members))),
                there.eq(Cat(here for here, _ in members).any())]
            word, known = word | chosen, known | there
        m.d.sync += [self.word.eq(word), self.known.eq(known)]


class Watch(wiring.Component):
    """Notice a host write that falls into a window of a pass that runs.

    Rows are compared, so a neighbour in the same row counts as a hit. ``hit`` follows the write by
    5 cycles; a write to program memory during a run is one too (``program``).

    Members
    -------
    slots : In(``SLOTS`` Encoded), live : In(``SLOTS``)
    valid, y, row : In, a host write being taken; program : In(1), one to the program of a run
    hit : Out(1)
    """

    def __init__(self, *, ways):
        self._ways = ways
        super().__init__({
            "slots": In(data.ArrayLayout(Encoded, SLOTS)), "live": In(SLOTS),
            "valid": In(1), "y": In(1), "row": In(_ROW), "program": In(1),
            "hit": Out(1)})

    def elaborate(self, platform):
        m = Module()
        row, in_x, in_y = Signal(_ROW), Signal(), Signal()
        m.d.sync += [row.eq(self.row), in_x.eq(self.valid & ~self.y), in_y.eq(self.valid & self.y)]
        hits = [delay(m, self.program, 2, name="program")]
        for index in range(SLOTS):
            # A copy for every slot, or the row would have too many ends.
            of_slot = {name: Signal.like(value, name=f"{name}{index}")
                       for name, value in (("row", row), ("in_x", in_x), ("in_y", in_y))}
            m.d.sync += [copy.eq(Mux(self.live[index], value, 0)) for copy, value
                         in zip(of_slot.values(), (row, in_x, in_y), strict=True)]
            for name, low, high, in_memory in self._windows(m, index, of_slot["in_x"],
                                                            of_slot["in_y"]):
                bounds = Signal(data.ArrayLayout(_ROW, 2), name=f"rows_{name}{index}")
                inside, judged = Signal(name=f"inside_{name}{index}"), Signal(3)
                m.d.sync += [bounds[0].eq(low), bounds[1].eq(high), inside.eq(judged.all()),
                             judged.eq(Cat(in_memory, of_slot["row"] >= bounds[0],
                                           of_slot["row"] <= bounds[1]))]
                hits.append(inside)
        m.d.sync += self.hit.eq(Cat(*hits).any())
        return m

    def _windows(self, m, index, in_x, in_y):
        """Name, first row, last row and memory of each window of a slot.

        Only a bias can begin or end beyond the memory.
        """
        pass_, ways = self.slots[index], exact_log2(self._ways)
        groups = exact_log2(BANKS)

        def rows(agu, wide, shift_zero, shift_one, choice):
            end = Signal(18)
            m.d.sync += end.eq(agu.low + agu.high)  # long before the pass runs
            narrow = ~wide.as_value()
            return [Mux(choice, bound >> shift_one, bound >> shift_zero) >> narrow
                    for bound in (agu.low, end)]

        z_y = pass_.z_memory == Memory.Y
        bias_count, bias_end, one, held = Signal(20), Signal(20), Signal(18), Signal()
        more = [Mux(bit, one, 0) for bit in (pass_.scale != Scale.NONE, pass_.addend)]
        m.d.sync += [one.eq(pass_.outer[0] * bias_rows(self._ways)),
                     bias_count.eq(one + more[0] + more[1]),
                     bias_end.eq(pass_.bias_row + bias_count - 1),
                     held.eq(pass_.bias & (pass_.bias_row <= _LAST_ROW))]
        return [
            ("x", *rows(pass_.x.agu, pass_.x_width, groups, groups, 0), in_x),
            ("y", *rows(pass_.y.agu, pass_.y_width, 0, ways, pass_.y_shape == Shape.LANES), in_y),
            ("z", *rows(pass_.z, pass_.z_width, groups, groups + ways, z_y),
             Mux(z_y, in_y, in_x)),
            ("bias", pass_.bias_row, Mux(bias_end > _LAST_ROW, _LAST_ROW, bias_end), in_y & held),
        ]
