# SPDX-License-Identifier: Apache-2.0
"""A lane of the array: its slice of Y, a dot product and a 40-bit accumulator."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.carry import GatedAdd
from xymac.hdl.isa import ACC_BITS, BIAS_BITS, FLOOR_BITS, FLOOR_MAX, HELD
from xymac.hdl.limits import check_lane, check_one_of, check_rows, check_vendor, check_ways
from xymac.hdl.multiply import Multiply

from .weight import Weight
from .xmem import Write, word_memory

__all__ = ["Command", "Lane", "main_rows"]

_MAIN_ROWS = 2048  # rows in the first memory of Y, in byte-wide block RAMs
_TAIL_ROWS = 1024  # rows in the second memory; beyond, a single memory needs no more block RAMs


def main_rows(rows):
    """Rows in the first memory of Y, for ``rows`` in total."""
    return rows if rows > _MAIN_ROWS + _TAIL_ROWS else min(rows, _MAIN_ROWS)


def Command(ways):
    """Layout of the lane command for a step; lanes pass it on with a register each.

    Every part arrives when the lane needs it, ``Lane.lag`` cycles after ``fetch``:

    - ``fetch``: the row of Y.
    - ``operands``: ``wide`` selects 16-bit weights, else ``byte`` the upper 8-bit weight. ``way``
      masks the active MACs; the others add 0. Every MAC after the first writes its element of X at
      index ``place`` (with ``x_lanes`` the lane's own element), and multiplies the element at
      ``before``. ``bias`` shifts a bias row in.
    - ``seeds``: the accumulator starts from the bias (``biased``) or from a saved ``entry``
      (``resume``).
    - ``sums``: ``step`` enables the accumulator; ``last`` marks its final value. A ``rival``
      replaces it only if larger, or smaller with ``smallest``. Otherwise ``going`` masks the old
      value: the lowest bit covers the low ``FLOOR_BITS + 1`` bits, the highest bit all bits above
      the others.
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
    """Read weights, multiply ``ways`` operands, accumulate; 1 step per cycle.

    The accumulator has 40 bits; 8 bits above them count its wraps, so that the drain detects a
    value outside 40 bits: |sum| < 2**47, because the bias is below 2**47 in magnitude and an output
    has fewer than 2**16 steps with ``ways`` products, each at most 2**30. A lane neither saturates
    nor rounds. ``command`` moves on to the next lane a cycle later; ``x`` arrives ``X_LAG`` cycles
    after ``fetch``.
    Latency ``latency`` cycles from ``fetch`` to ``acc``, throughput 1 step per cycle, no
    backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4
    rows : int, rows in its slice of Y, ``ways`` words each, 2 .. 4096
    lane : int, its number, 0 .. ``BANKS * ways - 1``: ``bank * ways + column``
    window : int, 0 omits the memory of earlier elements: every MAC then uses the newest element
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    TypeError unless an int, ValueError out of range.

    Members
    -------
    command : In(Command), next_command : Out(Command)
    x : In(``ways`` signed(16)), the X vector for its bank; with ``x_lanes`` the lane uses the
        element of its column
    next_x : Out(``ways`` signed(16)), for the next lane in the bank
    write, next_write : In, Out(Write); data : In(16), next_data : Out(16)
    acc : Out(signed(48)); done : Out(1), ``acc`` is final in the next cycle
    save : In(1), write ``saved`` (signed(40)) to ``entry``
    low : Out(16), low bits of the dot product, a cycle before ``acc`` includes it

    Attributes
    ----------
    lag : dict, cycles by command part
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
        # Operand registers in front of the multipliers. An unused MAC has the weight 0.
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
        """The lane's slice of Y; returns the registered read word from each memory."""
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
        """Store the element of each MAC but the first in every cycle; returns all operands."""
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
        """Multiply and add up in a tree; returns the dot product."""
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
        """Shift bias rows in from the bottom; returns the initial accumulator value, or 0.

        The bias stays valid for at most BANKS cycles after its first step.
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
        """Add ``term`` to the accumulator, or to ``seed``; equal rivals may replace each other."""
        sums  = self.next_command.sums
        less  = Signal(signed(len(term) + 1))  # MAX and MIN keep ``acc`` as narrow as a term
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
