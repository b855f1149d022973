"""The datapath of the compact core, and what runs its microprogram."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.compact.micro.code import REGISTERS, Op, Source, Special
from hdl.isa import Op as Operation
from hdl.isa import State
from hdl.limits import check_values, check_words

from .alu import WORD, Alu
from .decode import decode, is_any
from .fetch import Fetch
from .memory import PROGRAM, Access, Cells, follow
from .registers import add_registers
from .specials import make_specials, set_specials

__all__ = ["Engine"]

_PASS_BYTES = 128


class Engine(wiring.Component):
    """Run a microprogram, an instruction every two cycles, and the steps of a pass beside it.

    In the first cycle of an instruction its registers are read, in the second it is done; ``SHIFT``
    takes another one for each byte and each bit left, ``FIELD`` some ten. ``RUN`` takes a cycle for
    every cell of X and of Y that its steps read, and a few more: a step of X ``VECTOR`` 1 and one
    for each lane, one of X ``LANES`` 2 for each lane. That is its throughput; latency 2 cycles from
    an instruction to its result. Backpressure of the memory, low ``taken``, holds what comes
    ``later``; what comes ``now`` cannot wait.

    Parameters
    ----------
    code : list of ints, instructions of 32 bits; stopped : int, both see ``Fetch``
    constants : dict, register number of 0 .. 255: its value at first, 64 bits signed
    tables : list of ints, 16 bits signed, what ``Source.ENTRY`` reads, one at least

    TypeError for another kind, ValueError for what does not fit.

    Members
    -------
    now : Out(1), ``access`` must be done in this cycle; later : Out(1), it may wait for ``taken`` :
        In(1); access : Out(Access); found : In(16), ``Cells.LATENCY`` cycles later
    start, clear, wrote, stop : In(1), see ``Fetch``; the last also ends steps
    host : In(16), ``Source.HOST``
    answer : Out(1), a pulse for ``Special.ANSWER``; ready : Out(1), of ``Special.READY``
    state : Out(State)
    """

    def __init__(self, *, code, stopped, constants, tables):
        self._fetch     = Fetch(code, stopped)
        self._constants = check_values("Constants", constants, range(REGISTERS),
                                       -1 << WORD - 1, (1 << WORD - 1) - 1)
        self._tables    = check_words("Tables", tables, -1 << 15, (1 << 15) - 1)
        if not tables:
            raise ValueError("Tables must have an entry at least, not none")
        super().__init__({
            "now": Out(1), "later": Out(1), "taken": In(1), "access": Out(Access), "found": In(16),
            "start": In(1), "clear": In(1), "wrote": In(1), "stop": In(1), "host": In(16),
            "answer": Out(1), "ready": Out(1), "state": Out(State)})

    def elaborate(self, platform):
        m = Module()
        self._special = make_specials()
        self._instruction = self._fetch.word
        self._execute, self._running = Signal(), Signal()
        self._combine, self._combine_lane = Signal(), Signal(2)
        m.submodules.fetch = self._fetch
        m.d.comb += [self.state.eq(self._special[Special.STATE]),
                     self.ready.eq(self._special[Special.READY])]
        self._read_registers(m)
        self._operand(m)
        self._alu(m)
        self._multiplier(m)
        self._steps(m)
        self._sequence(m)
        self._memory(m)
        self._set_specials(m)
        return m

    def _read_registers(self, m):
        """Two registers a cycle; the results are written."""
        self._result, self._write = Signal(signed(WORD)), Signal()
        self._read = Signal()
        lane = self._special[Special.LANE]
        self._sum_lane = Signal(2)
        self._values = add_registers(
            m, self._instruction, self._constants, result=self._result, write=self._write,
            lane_read=Mux(self._running, self._sum_lane, lane),
            lane_written=Mux(self._combine, self._combine_lane, lane),
            read={"a": self._read | self._running, "b": self._read})

    def _operand(self, m):
        """Choose ``b``; what is short is chosen before, while registers are read."""
        kind = self._special[Special.KIND]
        plan = self._plans = decode(m, self._instruction, kind)
        self._product, self._shifted = Signal(signed(WORD)), Signal(signed(WORD))
        self._cell, self._entry = Signal(signed(16)), Signal(signed(16))
        self._cycles = Signal(32)
        short = Signal(signed(33))
        with m.Switch(self._instruction.source):
            with m.Case(Source.CELL):
                m.d.sync += short.eq(self._cell)
            with m.Case(Source.ENTRY):
                m.d.sync += short.eq(self._entry)
            with m.Case(Source.CYCLES):
                m.d.sync += short.eq(self._cycles)
            with m.Default():
                m.d.sync += short.eq(self.host)
        self._other = Signal(signed(WORD))
        m.d.comb += self._other.eq(Mux(
            plan["plain"], Mux(plan["product"], self._product, self._values[1]),
            Mux(plan["short"], short, self._shifted)))

    def _alu(self, m):
        """What is made of two numbers, whether it is kept, and what is remembered of it."""
        a, b, plan = self._values[0], self._other, self._plans
        self._half, self._below = Signal(), Signal()
        m.submodules.alu = alu = Alu()
        self._sum = alu.sum
        m.d.comb += [alu.a.eq(a), alu.b.eq(b), alu.shifted.eq(self._shifted),
                     alu.half.eq(self._half), alu.below.eq(self._below),
                     alu.rounding.eq(self._special[Special.ROUNDING]), self._result.eq(alu.o),
                     *(alu.way[name].eq(plan[name]) for name, _ in alu.way.shape())]
        self._done_field = Signal()
        larger = self._special[Special.KIND] == Operation.MAX
        writes = (self._execute & plan["writes"]) | self._done_field
        m.d.comb += self._write.eq(
            writes | (self._combine & (~plan["extreme"] | (self._sum[-1] == larger))))
        # Judged a cycle late: a branch comes two cycles later.
        self._negative, self._zero = Signal(), Signal()
        last, new = Signal(WORD), Signal()
        m.d.sync += [last.eq(self._result), new.eq(writes)]
        with m.If(new):
            m.d.sync += [self._negative.eq(last[-1]), self._zero.eq(last == 0)]

    def _multiplier(self, m):
        """One product of 32 bits, of registers or of an element of X and one of Y."""
        self._x_element, self._element = Signal(signed(16)), Signal(signed(16))
        runs = self._plans["runs"]
        one  = Mux(runs, self._x_element, self._values[0][:32].as_signed())
        two  = Mux(runs, self._element, self._other[:32].as_signed())
        # In cycles of other instructions the product must stay.
        with m.If(runs | (self._execute & is_any(self._instruction, Op.MULTIPLY))):
            m.d.sync += self._product.eq(one[:32].as_signed() * two[:32].as_signed())

    def _steps(self, m):
        """Read the elements of the steps; sums are taken up, and written, as their products come.

        X is read a cycle ahead of Y at least, so that a sum is read two cycles after it was.
        """
        special = self._special
        self._of_y, self._lane = Signal(), Signal(2)
        lanes, last = special[Special.X_LANES], self._lane == special[Special.BEATS]
        self._asks = Signal()
        m.d.comb += self._asks.eq(self._running & (special[Special.COUNT] != 0))
        with m.If(self._asks & self.taken):
            m.d.sync += self._of_y.eq(~self._of_y | (~lanes & ~last))
            with m.If(self._of_y):
                m.d.sync += self._lane.eq(Mux(last, 0, self._lane + 1))
                with m.If(last):
                    m.d.sync += [
                        special[Special.X].eq(special[Special.X] + special[Special.X_STRIDE]),
                        special[Special.Y].eq(special[Special.Y] + special[Special.Y_STRIDE]),
                        special[Special.COUNT].eq(special[Special.COUNT] - 1)]
        # What is on its way: asked for, being read, there, and as a product.
        asked = Cat(self._asks & self.taken, self._of_y, self._lane)
        stages = follow(m, asked, Cells.LATENCY + 1, name="way")
        there, product = stages[Cells.LATENCY], stages[Cells.LATENCY + 1]
        with m.If(there[0] & ~there[1]):
            m.d.sync += self._x_element.eq(self._element - special[Special.X_ZERO].as_signed())
        m.d.comb += [self._sum_lane.eq(there[2:]), self._combine.eq(product[0] & product[1]),
                     self._combine_lane.eq(product[2:])]
        self._on_way = Cat(stage[0] for stage in stages).any()

    def _sequence(self, m):
        """Fetch, read, execute; the instructions that take longer."""
        word, special, fetch = self._instruction, self._special, self._fetch
        left, self._bytes_left, self._come = Signal(7), Signal(3), Signal(3)
        with m.If(self.stop):
            m.d.sync += special[Special.COUNT].eq(0)
        m.d.comb += [fetch.execute.eq(self._execute), fetch.zero.eq(self._zero),
                     fetch.negative.eq(self._negative), *(getattr(fetch, name).eq(
                         getattr(self, name)) for name in ("start", "clear", "wrote", "stop"))]
        with m.FSM() as fsm:
            with m.State("Begin"):
                m.d.comb += [fetch.begin.eq(1), fetch.go.eq(1)]
                m.next = "Read"
            with m.State("Read"):
                m.d.comb += self._read.eq(1)
                m.next = "Execute"
            with m.State("Execute"):
                m.d.comb += self._execute.eq(1)
                m.next = "Read"
                with m.If(is_any(word, Op.SHIFT)):
                    m.d.sync += [left.eq(self._other[:7]), self._shifted.eq(self._values[0]),
                                 self._half.eq(0), self._below.eq(0)]
                    m.next = "Shift"
                with m.Elif(is_any(word, Op.FIELD)):
                    m.d.sync += [left.eq(word.b[:3]), self._bytes_left.eq(4), self._come.eq(4)]
                    m.next = "Load"
                with m.Elif(is_any(word, Op.RUN)):
                    m.d.sync += [self._of_y.eq(0), self._lane.eq(0)]
                    m.next = "Run"
                with m.Else():
                    m.d.comb += fetch.go.eq(1)
            with m.State("Load"):
                with m.If(self._come == 0):
                    m.next = "Shift"
            with m.State("Shift"):
                with m.If(left == 0):
                    m.next = "Read"
                    m.d.comb += [fetch.go.eq(1), self._done_field.eq(is_any(word, Op.FIELD))]
                with m.Elif(left[3:] != 0):
                    m.d.sync += left.eq(left - 8)
                    self._move(m, 8)
                with m.Else():
                    m.d.sync += left.eq(left - 1)
                    self._move(m, 1)
            with m.State("Run"):
                m.d.comb += self._running.eq(1)
                with m.If((special[Special.COUNT] == 0) & ~self._on_way):
                    m.d.comb += fetch.go.eq(1)
                    m.next = "Read"
        self._loading = fsm.ongoing("Load")
        with m.If(self._bytes_in(m)):
            m.d.sync += [self._shifted.eq(Cat(self._shifted[8:], self._element[:8])),
                         self._come.eq(self._come - 1)]

    def _move(self, m, bits):
        lost = self._shifted[:bits - 1].any() if bits > 1 else 0
        m.d.sync += [self._shifted.eq(self._shifted >> bits),
                     self._half.eq(self._shifted[bits - 1]),
                     self._below.eq(self._below | self._half | lost)]

    def _bytes_in(self, m):
        """Whether a byte of a field is there."""
        ways = follow(m, self._loading & (self._bytes_left != 0) & self.taken, Cells.LATENCY,
                      name="byte_way")
        with m.If(ways[0]):
            m.d.sync += self._bytes_left.eq(self._bytes_left - 1)
        return ways[-1]

    def _memory(self, m):
        """What is accessed: a cell, an element of X, Y or Z, or a byte of the program."""
        word, special = self._instruction, self._special
        loads, store, puts = (self._execute & self._plans[name]
                              for name in ("loads", "stores", "puts"))
        in_y, wide, element = Signal(), Signal(), Signal(16)
        byte = Signal(range(_PASS_BYTES))
        lane = Mux(special[Special.X_LANES], self._lane, 0)
        m.d.comb += [
            self.now.eq(loads | puts | store),
            self.later.eq(self._asks | (self._loading & (self._bytes_left != 0))),
            byte.eq(Cat(word.b, word.source.as_value()[:2])[3:] + (4 - self._bytes_left))]
        with m.If(~self._running):
            m.d.comb += [in_y.eq(special[Special.Z_MEMORY]), wide.eq(special[Special.Z_WIDE]),
                         element.eq(self._sum[:16])]
        with m.Elif(self._of_y):
            m.d.comb += [in_y.eq(1), wide.eq(special[Special.Y_WIDE]),
                         element.eq(Cat(self._lane, special[Special.Y]))]
        with m.Else():
            m.d.comb += [wide.eq(special[Special.X_WIDE]), element.eq(special[Special.X] + lane)]
        cell, upper = Signal(14), Signal()
        m.d.comb += [cell.eq(Mux(wide, element[:14], Cat(element[:2], element[3:15]))),
                     upper.eq(~wide & element[2])]
        data = special[Special.DATA]
        with m.If(self._loading):
            m.d.comb += [self.access.cell.eq(PROGRAM | Cat(byte[1:], special[Special.PASS]))]
        with m.Elif(self._plans["loads"] | self._plans["stores"]):
            m.d.comb += [self.access.cell.eq(self._sum[:15]),
                         self.access.bytes.eq(store.replicate(2)), self.access.data.eq(data)]
        with m.Else():
            m.d.comb += [
                self.access.cell.eq(Cat(cell[:13], cell[13] & in_y, in_y)),
                self.access.bytes.eq(Mux(puts, Mux(wide, 0b11, Cat(~upper, upper)), 0)),
                self.access.data.eq(Mux(wide, data, data[:8].replicate(2)))]
        kind = Cat(self._loading | (self._running & ~wide), Mux(self._loading, byte[0], upper),
                   loads)
        narrow, upper, loaded = follow(m, kind, Cells.LATENCY, name="kind")[-1]
        low = Mux(upper & narrow, self.found[8:], self.found[:8])
        m.d.comb += [self._element.eq(Cat(low, Mux(narrow, low[-1].replicate(8),
                                                   self.found[8:])).as_signed())]
        with m.If(loaded):
            m.d.sync += self._cell.eq(self.found)

    def _set_specials(self, m):
        """Set what ``Op.SET`` names; the tables; the cycles."""
        sets  = self._execute & is_any(self._instruction, Op.SET)
        names = set_specials(m, self._special, self._instruction, sets, self._sum)
        m.submodules.tables = tables = Memory(shape=signed(16), depth=len(self._tables),
                                              init=self._tables, attrs={"ram_style": "block"})
        port = tables.read_port()
        m.d.comb += [port.addr.eq(self._sum), port.en.eq(names[Special.PLACE]),
                     self.answer.eq(names[Special.ANSWER])]
        m.d.comb += self._entry.eq(port.data)
        with m.If(names[Special.CYCLES]):
            m.d.sync += self._cycles.eq(0)
        with m.Elif(self.state == State.BUSY):
            m.d.sync += self._cycles.eq(self._cycles + 1)
