"""One lane of the array: its slice of Y, a dot product, a 40-bit accumulator."""

from functools import reduce
from operator import or_

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay, sign_uniform
from hdl.isa import ACC_BITS, BIAS_BITS, FLOOR_BITS, FLOOR_MAX, HELD
from hdl.limits import check_lane, check_rows, check_vendor, check_ways
from hdl.multiply import Multiply

from .hold import Held, HeldStep
from .xmem import Write, cell_memory

__all__ = ["MAIN_ROWS", "Command", "Lane"]

_NARROW   = 32    # bits that held sums saturate to
MAIN_ROWS = 2048  #: Rows of Y in the deep block RAMs; the rest lies in a second memory


def Command(ways):
    """Layout of what a lane does in a cycle; handed from lane to lane, a register each.

    ``way`` selects the multipliers (all of them for Y ``VECTOR``), ``lane`` the lane that answers a
    host read. ``extreme`` keeps the largest or the ``smallest`` product instead of the sum. With
    ``resume`` the sum begins with ``entry``; ``held`` is done, in any cycle, with the sum that was
    finished when it is a ``LOAD``. The lane's element of X is kept at ``place``; by lanes the ways
    after the first have those that are kept at ``before``.
    """
    before = {"before": data.ArrayLayout(unsigned(4), ways - 1)} if ways > 1 else {}
    return data.StructLayout({
        "row": unsigned(12), "byte": 1, "wide": 1, "way": unsigned(ways), "x_lanes": 1,
        "step": 1, "first": 1, "last": 1, "biased": 1, "extreme": 1, "smallest": 1, "bias": 1,
        "host": 1, "lane": unsigned(4),
        "resume": 1, "entry": range(HELD), "held": HeldStep,
        "place": 4, **before})


class Lane(wiring.Component):
    """Read weights, multiply ``ways`` operands, accumulate; one step a cycle.

    The accumulator is 40 bits; the 8 bits above them count how often it wrapped, so that the drain
    can tell a sum that left 40 bits: |sum| < 2**47 since the bias is below 2**47 in magnitude and
    an output has fewer than 2**16 steps of ``ways`` products of at most 2**30. Nothing here
    saturates or rounds. ``command`` goes on to the next lane a cycle later; ``x`` comes ``X_LAG``
    cycles after its command. Latency ``latency`` cycles from a command to its ``done``,
    throughput 1 step a cycle, no backpressure.

    Parameters
    ----------
    ways : int, products of a step: 1, 2 or 4
    rows : int, rows of its slice of Y, ``ways`` cells each, 2 .. 4096
    lane : int, its number, 0 .. ``BANKS * ways - 1``: bank by bank, column by column
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    TypeError for what is no int, ValueError outside.

    Members
    -------
    command : In(Command), next_command : Out(Command)
    x : In(``ways`` of signed(16)), the group for its bank; next_x : Out of the same, for the next
        lane of the bank. By lanes that of its column is this lane's element
    floor : In(``FLOOR_MAX``), bit ``k`` if ``floor`` of the pass is above ``k``; stands while sums
        are made
    write, next_write : In, Out(Write); data : In(16), next_data : Out(16)
    acc : Out(signed(48)), done : Out(1), the sum is finished and stands this cycle
    found : In(16), next_found : Out(16), the chain that carries a host read's answer
    """

    X_LAG = 2

    def __init__(self, *, ways, rows, lane, vendor=None):
        self._ways, self._rows = check_ways(ways), check_rows("Y", rows)
        self._lane, self._vendor = check_lane(lane, ways), check_vendor(vendor)
        self.latency = 1 + 5 + Multiply.LATENCY + exact_log2(ways)
        group = data.ArrayLayout(signed(16), ways)
        super().__init__({
            "command": In(Command(ways)), "next_command": Out(Command(ways)),
            "x": In(group), "next_x": Out(group), "floor": In(FLOOR_MAX),
            "write": In(Write(ways)), "next_write": Out(Write(ways)),
            "data": In(16), "next_data": Out(16),
            "acc": Out(signed(BIAS_BITS)), "done": Out(1),
            "found": In(16), "next_found": Out(16)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [self.next_command.eq(self.command), self.next_x.eq(self.x),
                     self.next_write.eq(self.write), self.next_data.eq(self.data)]
        command = self.next_command
        ways    = self._ways
        raw     = self._memory(m)            # two cycles after command
        then    = delay(m, command, 2, name="then")

        # The operands, a register before the multipliers'.
        weights = [Signal(signed(16), name=f"weight{way}") for way in range(ways)]
        others  = [Signal(signed(16), name=f"other{way}") for way in range(ways)]
        owns    = self._keep(m, then)
        for way in range(ways):
            cell   = raw.word_select(way, 16)
            narrow = Mux(then.byte, cell[8:], cell[:8]).as_signed()
            m.d.sync += [
                weights[way].eq(Mux(then.wide, cell.as_signed(), narrow)),
                others[way].eq(Mux(then.way[way],
                                   Mux(then.x_lanes, owns[way], self.next_x[way]), 0)),
            ]
        at_operands = delay(m, then, 1, name="at_operands")
        self._answer(m, weights, at_operands,
                     delay(m, then.host & (then.lane == self._lane), 1, name="mine"))
        self._accumulate(m, weights, others, at_operands)
        return m

    def _memory(self, m):
        """The lane's columns of Y; returns the registered word of ``ways`` cells."""
        width   = 16 * self._ways
        command = self.next_command
        write   = self.next_write
        here    = write.y & write.bank[self._lane // self._ways] \
            & write.column[self._lane % self._ways]
        enable  = Cat(*(Mux(here & write.way[way], write.bytes, 0) for way in range(self._ways)))
        raws    = []
        main    = min(self._rows, MAIN_ROWS)
        for name, start, depth in (("y_main", 0, main), ("y_tail", main, self._rows - main)):
            if not depth:
                continue
            m.submodules[f"{name}_{self._lane}"] = memory = cell_memory(width=width, depth=depth)
            reader = memory.read_port()
            writer = memory.write_port(granularity=8)
            chosen = write.row[11] == bool(start)
            raw    = Signal(width, name=f"raw_{name}")
            m.d.comb += [
                reader.addr.eq(command.row), reader.en.eq(1),
                writer.addr.eq(write.row),
                writer.data.eq(self.next_data.replicate(self._ways)),
                writer.en.eq(Mux(chosen, enable, 0)),
            ]
            m.d.sync += raw.eq(reader.data)
            raws.append(raw)
        if len(raws) == 1:
            return raws[0]
        tail = delay(m, command.row[11], 2, name="tail")
        return Mux(tail, raws[1], raws[0])

    def _keep(self, m, then):
        """Keep the lane's element of every cycle; returns those of each way, by lanes."""
        mine  = self._lane % self._ways
        place = delay(m, self.next_command.place, self.X_LAG - 1, name="place")
        owns  = [self.next_x[mine]]
        for way in range(1, self._ways):
            m.submodules[f"kept_{way}"] = memory = Memory(shape=signed(16), depth=16, init=[])
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [writer.addr.eq(place), writer.data.eq(self.x[mine]), writer.en.eq(1),
                         reader.addr.eq(then.before[way - 1])]
            owns.append(reader.data)
        return owns

    def _answer(self, m, weights, command, mine):
        """Put the cell that the host reads on the chain, if it is ``mine``; it names one way."""
        chosen = reduce(or_, (weights[way] & command.way[way].replicate(16)
                              for way in range(self._ways)))
        m.d.sync += self.next_found.eq(Mux(mine, chosen, self.found))

    def _accumulate(self, m, weights, others, command):
        """Multiply, add up pair by pair, accumulate; shift bias rows in from the bottom.

        Of two equal rivals either may stay.
        """
        bias = Signal(signed(BIAS_BITS))
        with m.If(command.bias):
            m.d.sync += bias.eq(Cat(*weights, bias))
        terms = []
        for way in range(self._ways):
            m.submodules[f"multiply_{way}"] = unit = Multiply(vendor=self._vendor)
            m.d.comb += [unit.a.eq(others[way]), unit.b.eq(weights[way])]
            terms.append(unit.o)
        while len(terms) > 1:
            sums = []
            for left, right in zip(terms[::2], terms[1::2], strict=True):
                total = Signal(signed(len(left) + 1), name=f"sum{len(left)}_{len(sums)}")
                m.d.sync += total.eq(left + right)
                sums.append(total)
            terms = sums
        coming, term = terms[0], delay(m, terms[0], 1, name="term")
        flags = Cat(command.first & command.biased, ~command.first & command.extreme,
                    command.smallest, command.step, ~command.first & ~command.extreme,
                    command.step & command.last)
        kept = self._hold(m, command)
        # The bias stands no longer than BANKS cycles after its first step; nor must this delay be.
        ahead  = delay(m, flags, self.latency - 6, name="flags")
        seeded = ahead[0]
        going_low = Signal(FLOOR_MAX)  # as ``going_on``, for the bits that the last step floors
        m.d.sync += going_low.eq(ahead[4].replicate(FLOOR_MAX)
                                 & ~(ahead[5].replicate(FLOOR_MAX) & self.floor))
        rival, smallest, step, going_on, last = delay(m, ahead[1:], 1, name="flags_now")
        # What comes is compared, a cycle ahead, with both values that it may meet; a rival is no
        # wider than a term.
        held = self.acc[:len(coming)].as_signed()
        seed = Signal(BIAS_BITS)
        above_held, above_term, take, taken = (Signal(name=name) for name in (
            "above_held", "above_term", "take", "taken"))
        stays = rival & (Mux(taken, above_term, above_held) == smallest)
        m.d.comb += take.eq(step & ~stays)
        m.d.sync += [seed.eq((bias & seeded.replicate(BIAS_BITS)) | kept), taken.eq(take),
                     above_held.eq((held - coming)[-1]), above_term.eq((term - coming)[-1])]
        going  = Cat(going_low[0].replicate(FLOOR_BITS + 1), going_low[1:])
        before = (self.acc & Cat(going, going_on.replicate(BIAS_BITS - len(going)))) | seed
        with m.If(take):
            m.d.sync += self.acc.eq(before.as_signed() + term)
        m.d.sync += self.done.eq(last)

    def _hold(self, m, command):
        """Take sums to their entries, a step of ``Held`` a cycle.

        Returns what the next sum resumes, a cycle before the accumulator takes it, or 0.
        """
        read = delay(m, Cat(command.first & command.resume, command.entry), self.latency - 6,
                     name="read")
        ahead = delay(m, command.held, self.latency - 6, name="ahead")
        todo  = delay(m, ahead, 1, name="todo")
        # What to do is known a cycle ahead, a register for each: they have an end in every bit.
        now = {op: Signal(name=f"now_{op.name}") for op in Held}
        m.d.sync += [bit.eq(ahead.op == op) for op, bit in now.items()]
        narrow = todo.narrow
        m.submodules.held = memory = Memory(shape=signed(ACC_BITS), depth=HELD, init=[])
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        work, half, below, beyond = Signal(signed(BIAS_BITS)), Signal(), Signal(), Signal()
        limit = Mux(work[-1], Mux(todo.even, 1 - (1 << _NARROW - 1), -(1 << _NARROW - 1)),
                    (1 << _NARROW - 1) - 1)
        lowest = work[_NARROW - 1] & ~work[:_NARROW - 1].any()  # if 32 bits are enough
        m.d.comb += [reader.addr.eq(read[1:]), writer.addr.eq(todo.entry),
                     writer.data.eq(Mux(beyond, limit, work)),  # narrow ones fit, others wrap
                     writer.en.eq(now[Held.STORE])]
        with m.If(now[Held.LOAD]):
            m.d.sync += [work.eq(self.acc[:ACC_BITS].as_signed()), half.eq(0), below.eq(0)]
        with m.If(now[Held.RIGHT]):
            m.d.sync += [work.eq(work >> 1), half.eq(work[0]), below.eq(below | half)]
        # What is beyond 32 bits anyway may stay as it is.
        with m.If(now[Held.LEFT] & (~narrow | (work[-1] == work[-2]))):
            m.d.sync += work.eq(work << 1)
        with m.If(now[Held.UP] | now[Held.EVEN]):
            m.d.sync += work.eq(work + (half & (now[Held.UP] | below | work[0])))
        with m.If(now[Held.LIMIT]):
            m.d.sync += beyond.eq(narrow & (~sign_uniform(work, _NARROW) | (todo.even & lowest)))
        return Mux(read[0], reader.data, 0)
