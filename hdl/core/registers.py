"""Registers: what the host reads and writes about a program, and the watch over its writes."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.config import SLOTS
from hdl.isa import (
    BANKS,
    COUNTERS,
    IDENTITY,
    VERSION,
    Dialect,
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
from hdl.limits import check_passes, check_rows, check_ways

__all__ = ["Registers", "Watch"]

_ROW      = unsigned(12)  # of X or Y
_LAST_ROW = (1 << 12) - 1
#: Rows of one memory that a pass reads or writes.
_Window   = data.StructLayout({"low": _ROW, "high": _ROW, "y": 1, "used": 1})


class Registers(wiring.Component):
    """The register map of ``isa.Register``; pulses come a cycle late.

    ``word`` and ``known`` follow ``address`` by ``LATENCY`` cycles. Latency of a read so many
    cycles, of a write 1; throughput 1 access a cycle, no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    passes : int, of the program memory, a power of two from 2 to 256

    TypeError for what is no int, ValueError otherwise.

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
            Register.GEOMETRY: check_ways(ways) | check_passes(passes) << 8,
            Register.DEPTH: check_rows("X", x_rows) | check_rows("Y", y_rows) << 16,
            Register.DIALECTS: sum(dialect.value for dialect in Dialect)}
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

    Rows are compared, so a neighbour in the same row counts as a hit; a write to program memory
    during a run is one too (``program``). Latency 5 cycles from a write to ``hit``, 3 from
    ``program``; throughput 1 write a cycle, no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4; TypeError for what is no int, ValueError
        otherwise

    Members
    -------
    coming : In(Encoded), the pass that is loaded; loading : In(``SLOTS``), where: it is whole when
        that falls, and stands ``SETTLE`` cycles longer
    live : In(``SLOTS``), passes that run
    valid, y, row : In, a host write being taken; program : In(1), one to the program of a run
    hit : Out(1)
    """

    SETTLE = 4

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "live": In(SLOTS),
            "valid": In(1), "y": In(1), "row": In(_ROW), "program": In(1),
            "hit": Out(1)})

    def elaborate(self, platform):
        m = Module()
        row, in_x, in_y = Signal(_ROW), Signal(), Signal()
        m.d.sync += [row.eq(self.row), in_x.eq(self.valid & ~self.y), in_y.eq(self.valid & self.y)]
        hits    = [delay(m, self.program, 2, name="program")]
        windows = self._windows(m)
        loading = delay(m, self.loading, self.SETTLE, name="loading")
        for index in range(SLOTS):
            # A copy for every slot, or the row would have too many ends.
            of_slot = {name: Signal.like(value, name=f"{name}{index}")
                       for name, value in (("row", row), ("in_x", in_x), ("in_y", in_y))}
            m.d.sync += [copy.eq(Mux(self.live[index], value, 0)) for copy, value
                         in zip(of_slot.values(), (row, in_x, in_y), strict=True)]
            for name, window in windows.items():
                kept = Signal(_Window, name=f"{name}{index}", reset_less=True)
                inside, judged = Signal(name=f"inside_{name}{index}"), Signal(3)
                with m.If(loading[index]):
                    m.d.sync += kept.eq(window)
                m.d.sync += [inside.eq(judged.all()),
                             judged.eq(Cat(kept.used & Mux(kept.y, of_slot["in_y"],
                                                           of_slot["in_x"]),
                                           of_slot["row"] >= kept.low,
                                           of_slot["row"] <= kept.high))]
                hits.append(inside)
        m.d.sync += self.hit.eq(Cat(*hits).any())
        return m

    def _windows(self, m):
        """The windows of the pass that comes, by name, ``SETTLE`` cycles later.

        Only a bias can begin or end beyond the memory.
        """
        pass_, ways = self.coming, exact_log2(self._ways)
        groups = exact_log2(BANKS)
        windows = {name: Signal(_Window, name=name) for name in ("x", "y", "z", "bias")}

        def settle(name, agu, wide, shift_zero, shift_one, choice, in_y):
            """Find the rows of the window of one access."""
            end, window = Signal(18), windows[name]
            m.d.sync += end.eq(agu.low + agu.high)
            narrow = ~wide.as_value()
            m.d.sync += [bound.eq(Mux(choice, value >> shift_one, value >> shift_zero) >> narrow)
                         for bound, value in ((window.low, agu.low), (window.high, end))]
            m.d.comb += [window.used.eq(1), window.y.eq(in_y)]

        z_y = pass_.z_memory == Memory.Y
        settle("x", pass_.x.agu, pass_.x_width, groups, groups, 0, 0)
        settle("y", pass_.y.agu, pass_.y_width, 0, ways, pass_.y_shape == Shape.LANES, 1)
        settle("z", pass_.z, pass_.z_width, groups, groups + ways, z_y, z_y)
        count, end, one, bias = Signal(20), Signal(20), Signal(18), windows["bias"]
        more = [Mux(bit, one, 0) for bit in (pass_.scale != Scale.NONE, pass_.addend)]
        m.d.sync += [one.eq(pass_.outer[0] * bias_rows(self._ways)),
                     count.eq(one + more[0] + more[1]), end.eq(pass_.bias_row + count - 1),
                     bias.high.eq(Mux(end > _LAST_ROW, _LAST_ROW, end))]
        m.d.comb += [bias.low.eq(pass_.bias_row), bias.y.eq(1),
                     bias.used.eq(pass_.bias & (pass_.bias_row <= _LAST_ROW))]
        return windows
