"""Registers: what the host reads and writes about a program."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.isa import COUNTERS, IDENTITY, VERSION, Dialect, Flag, Register, State, Status
from hdl.limits import check_passes, check_rows, check_ways

__all__ = ["Registers"]


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
    address : In(8), word : Out(32), known : Out(1), write : In(4) byte strobes, data : In(32), of
        one access
    state, status, field, pass_ : In, from the sequencer; counters : In; flags : In(Flag)
    start, clear, stop, irq : Out(1); first : Out(pass number)
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
            "address": In(8), "word": Out(32), "known": Out(1), "write": In(4), "data": In(32),
            "state": In(State), "status": In(Status), "field": In(4), "pass_": In(number),
            "counters": In(data.ArrayLayout(32, len(COUNTERS))), "flags": In(Flag),
            "start": Out(1), "clear": Out(1), "stop": Out(1), "irq": Out(1), "first": Out(number)})

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
        hit = {register: Mux(self.address == register, self.write, 0)
               for register in (Register.CONTROL, Register.IRQ_MASK, Register.FIRST)}
        control = hit[Register.CONTROL][0]
        idle = (self.state == State.IDLE) | (self.state == State.DONE)
        m.d.sync += [
            self.start.eq(control & self.data[0] & idle),
            self.clear.eq(control & self.data[1] & (self.state != State.BUSY)),
            self.stop.eq(control & self.data[2] & (self.state == State.BUSY)),
        ]
        m.d.comb += self.irq.eq(mask & ((self.state == State.DONE) | (self.state == State.FAULT)))
        with m.If(hit[Register.IRQ_MASK][0]):
            m.d.sync += mask.eq(self.data[0])
        for byte in range(-(-len(self.first) // 8)):
            with m.If(hit[Register.FIRST][byte]):
                m.d.sync += self.first.word_select(byte, 8).eq(self.data.word_select(byte, 8))
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
