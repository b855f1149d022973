"""One lane of the array: its slice of Y, a dot product, a 40-bit accumulator."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.carry import GatedAdd
from hdl.isa import ACC_BITS, BIAS_BITS, FLOOR_BITS, FLOOR_MAX, HELD
from hdl.limits import check_lane, check_one_of, check_rows, check_vendor, check_ways
from hdl.multiply import Multiply

from .weight import Weight
from .xmem import Write, word_memory

__all__ = ["Command", "Lane", "main_rows"]

_MAIN_ROWS = 2048  # of Y in block RAMs of a byte, the rest in a second memory
_TAIL_ROWS = 1024  # of the second memory; with more, one memory takes no more block RAMs


def main_rows(rows):
    """Rows of the first memory of Y, of ``rows`` in all."""
    return rows if rows > _MAIN_ROWS + _TAIL_ROWS else min(rows, _MAIN_ROWS)


def Command(ways):
    """Layout of what a lane does for a step; handed from lane to lane, a register each.

    Every part comes when the lane needs it, ``Lane.lag`` cycles after the first one:

    - ``fetch``: the row of Y.
    - ``operands``: of 16 bits (``wide``), or the upper ``byte`` of narrow ones; ``way`` are the
      multipliers that have one, the others give 0. Every way after the first keeps its element of
      X at ``place``, by lanes (``x_lanes``) that of the lane, and multiplies the one that it has
      kept at ``before``. A row of the bias is shifted in (``bias``).
    - ``seeds``: the sum begins with the bias (``biased``) or ``resume`` s an ``entry``.
    - ``sums``: a ``step`` is taken; ``last`` marks the finished sum. A ``rival`` replaces the sum
      only if it is larger, or smaller (``smallest``); otherwise the bits ``going`` of the sum stay,
      the lowest one for the ``FLOOR_BITS`` below it too, the highest one for all above it.
    """
    before = {"before": data.ArrayLayout(unsigned(4), ways - 1)} if ways > 1 else {}
    return data.StructLayout({
        "fetch": data.StructLayout({"row": 12}),
        "operands": data.StructLayout({
            "byte": 1, "wide": 1, "way": ways, "x_lanes": 1, "place": 4, **before, "bias": 1}),
        "seeds": data.StructLayout({"biased": 1, "resume": 1, "entry": range(HELD)}),
        "sums": data.StructLayout({
            "step": 1, "last": 1, "rival": 1, "smallest": 1, "going": FLOOR_MAX + 1})})


class Lane(wiring.Component):
    """Read weights, multiply ``ways`` operands, accumulate; one step a cycle.

    The accumulator is 40 bits; the 8 bits above them count how often it wrapped, so that the drain
    can tell a sum that left 40 bits: |sum| < 2**47 since the bias is below 2**47 in magnitude and
    an output has fewer than 2**16 steps of ``ways`` products of at most 2**30. Nothing here
    saturates or rounds. ``command`` goes on to the next lane a cycle later; ``x`` comes ``X_LAG``
    cycles after the first part of its command. Latency ``latency`` cycles from that to ``acc``,
    throughput 1 step a cycle, no backpressure.

    Parameters
    ----------
    ways : int, products of a step: 1, 2 or 4
    rows : int, rows of its slice of Y, ``ways`` cells each, 2 .. 4096
    lane : int, its number, 0 .. ``BANKS * ways - 1``: bank by bank, column by column
    window : int, 0 leaves out the elements of the cycles before: all ways have the newest then
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    TypeError for what is no int, ValueError outside.

    Members
    -------
    command : In(Command), next_command : Out(Command)
    x : In(``ways`` of signed(16)), the group for its bank; next_x : Out of the same, for the next
        lane of the bank. By lanes that of its column is this lane's element
    write, next_write : In, Out(Write); data : In(16), next_data : Out(16)
    acc : Out(signed(48)); done : Out(1), the sum is finished and stands in the next cycle
    save : In(1), ``saved`` (signed(40)) is written to ``entry``
    low : Out(16), the low bits of the products' sum, a cycle before it is part of ``acc``

    Attributes
    ----------
    lag : dict, cycles by part of a Command
    """

    X_LAG = 2

    def __init__(self, *, ways, rows, lane, window=1, vendor=None):
        self._ways, self._rows = check_ways(ways), check_rows("Y", rows)
        self._window = check_one_of("Window", window, (0, 1))
        self._lane, self._vendor = check_lane(lane, ways), check_vendor(vendor)
        self.latency = 1 + 5 + Multiply.LATENCY + exact_log2(ways)
        self.lag = {"fetch": 0, "operands": 2, "seeds": self.latency - 3, "sums": self.latency - 2}
        group = data.ArrayLayout(signed(16), ways)
        super().__init__({
            "command": In(Command(ways)), "next_command": Out(Command(ways)),
            "x": In(group), "next_x": Out(group),
            "write": In(Write(ways)), "next_write": Out(Write(ways)),
            "data": In(16), "next_data": Out(16),
            "acc": Out(signed(BIAS_BITS)), "done": Out(1),
            "save": In(1), "entry": In(range(HELD)), "saved": In(signed(ACC_BITS)),
            "low": Out(16)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [self.next_command.eq(self.command), self.next_x.eq(self.x),
                     self.next_write.eq(self.write), self.next_data.eq(self.data)]
        operands = self.next_command.operands
        raws     = self._memory(m)
        tail     = delay(m, self.next_command.fetch.row[11], 2, name="tail")
        elements = self._keep(m)
        # The operands, a register before the multipliers'. A way without one has the weight 0.
        weights = [Signal(signed(16), name=f"weight{way}", reset_less=True)
                   for way in range(self._ways)]
        others  = [Signal(signed(16), name=f"other{way}", reset_less=True)
                   for way in range(self._ways)]
        for way in range(self._ways):
            m.submodules[f"weight_{way}"] = chosen = Weight(
                words=len(raws), vendor=self._vendor)
            m.d.comb += [chosen.words.eq(Cat(raw.word_select(way, 16) for raw in raws)),
                         chosen.second.eq(tail), chosen.byte.eq(operands.byte),
                         chosen.wide.eq(operands.wide), chosen.gate.eq(operands.way[way])]
            m.d.sync += [weights[way].eq(chosen.o), others[way].eq(elements[way])]
        bias = delay(m, operands.bias, 1, name="is_bias")
        term = self._multiply(m, weights, others)
        m.d.comb += self.low.eq(term)
        self._accumulate(m, term, self._seed(m, weights, bias))
        return m

    def _memory(self, m):
        """The lane's columns of Y; returns every memory's registered word of ``ways`` cells."""
        width  = 16 * self._ways
        row    = self.next_command.fetch.row
        write  = self.next_write
        here   = write.y & write.bank[self._lane // self._ways] \
            & write.column[self._lane % self._ways]
        enable = Cat(*(Mux(here & write.way[way], write.bytes, 0) for way in range(self._ways)))
        main   = main_rows(self._rows)
        raws   = []
        for name, start, depth in (("y_main", 0, main), ("y_tail", main, self._rows - main)):
            if not depth:
                continue
            m.submodules[f"{name}_{self._lane}"] = memory = word_memory(width=width, depth=depth)
            reader = memory.read_port()
            writer = memory.write_port(granularity=8)
            raw    = Signal(width, name=f"raw_{name}", reset_less=True)
            m.d.comb += [
                reader.addr.eq(row), reader.en.eq(1),
                writer.addr.eq(write.row),
                writer.data.eq(self.next_data.replicate(self._ways)),
                writer.en.eq(Mux((main == self._rows) | (write.row[11] == bool(start)),
                                 enable, 0))]
            m.d.sync += raw.eq(reader.data)
            raws.append(raw)
        return raws

    def _keep(self, m):
        """Keep every cycle's element of each way but the first; returns the elements of all."""
        mine     = self._lane % self._ways
        elements = [Mux(self.next_command.operands.x_lanes, self.next_x[mine], element)
                    for element in self.next_x]
        if not self._window:
            return elements
        came, now = self.command.operands, self.next_command.operands
        for way in range(1, self._ways):
            m.submodules[f"kept_{way}"] = memory = Memory(shape=signed(16), depth=16, init=[])
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [writer.addr.eq(came.place), writer.en.eq(1),
                         writer.data.eq(Mux(came.x_lanes, self.x[mine], self.x[way])),
                         reader.addr.eq(now.before[way - 1])]
            elements[way] = reader.data
        return elements

    def _multiply(self, m, weights, others):
        """Multiply, add up pair by pair; returns the sum."""
        terms = []
        for way in range(self._ways):
            m.submodules[f"multiply_{way}"] = unit = Multiply(vendor=self._vendor)
            m.d.comb += [unit.a.eq(others[way]), unit.b.eq(weights[way])]
            terms.append(unit.o)
        while len(terms) > 1:
            sums = []
            for left, right in zip(terms[::2], terms[1::2], strict=True):
                total = Signal(signed(len(left) + 1), name=f"sum{len(left)}_{len(sums)}",
                               reset_less=True)
                m.d.sync += total.eq(left + right)
                sums.append(total)
            terms = sums
        return delay(m, terms[0], 1, name="term")

    def _seed(self, m, weights, shifts):
        """Shift bias rows in from the bottom; returns what the next sum begins with, or 0.

        The bias stands no longer than BANKS cycles after its first step.
        """
        bias, seed = Signal(signed(BIAS_BITS), name="bias"), Signal(BIAS_BITS, name="seed")
        with m.If(shifts):
            m.d.sync += bias.eq(Cat(*weights, bias))
        m.submodules.held = memory = Memory(shape=signed(ACC_BITS), depth=HELD, init=[])
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        begin = self.next_command.seeds
        m.d.comb += [reader.addr.eq(begin.entry), writer.addr.eq(self.entry),
                     writer.data.eq(self.saved), writer.en.eq(self.save)]
        m.d.sync += seed.eq((bias & begin.biased.replicate(BIAS_BITS))
                            | Mux(begin.resume, reader.data, 0))
        return seed

    def _accumulate(self, m, term, seed):
        """Add ``term`` to the sum, or to ``seed``. Of two equal rivals either may stay."""
        sums  = self.next_command.sums
        less  = Signal(signed(len(term) + 1))  # a rival is no wider than a term
        keeps = Signal()
        m.submodules.add = add = GatedAdd(width=BIAS_BITS, vendor=self._vendor)
        m.d.comb += [
            less.eq(self.acc[:len(term)].as_signed() - term),
            keeps.eq(sums.rival & (less[-1] == sums.smallest)),
            add.term.eq(term), add.acc.eq(self.acc), add.seed.eq(seed),
            add.going.eq(Cat(sums.going[0].replicate(FLOOR_BITS + 1), sums.going[1:-1],
                             sums.going[-1].replicate(BIAS_BITS - FLOOR_BITS - FLOOR_MAX)))]
        with m.If(sums.step & ~keeps):
            m.d.sync += self.acc.eq(add.o)
        m.d.comb += self.done.eq(sums.last)
