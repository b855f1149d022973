"""Host-write monitor: which writes fall into a window of a pass that runs."""

from functools import reduce
from operator import or_

from amaranth import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay, times
from hdl.config import SLOTS
from hdl.isa import BANKS, Encoded, Op, Scale, Shape, bias_rows
from hdl.isa import Memory as Where
from hdl.limits import check_ways

__all__ = ["Watch", "Windows"]

_ADDRESS  = 18  # bits of the ends of a window
_ROW      = unsigned(12)  # of X or Y
_LAST_ROW = (1 << 12) - 1
#: Rows that a pass reads or writes. ``here`` says of Z that they are those of Y, of a bias that
#: there is one.
_Rows     = data.StructLayout({"low": _ROW, "high": _ROW, "here": 1})


class Watch(wiring.Component):
    """Notice a host write that falls into a window of a pass that runs.

    Rows are compared, so a neighbour in the same row counts as a hit; a write to program memory,
    tables or places during a run is one too (``program``). The windows lie in LUT RAM; a write is
    compared with one slot a cycle, of the passes that ran when it came. Latency 7 cycles from a
    write to ``hit`` and a cycle more for each further pass that runs, 2 from ``program``.
    Throughput: ``APART`` cycles after a write, or sooner to the same row, as the host port writes
    both cells of a word; no backpressure.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4; TypeError for what is no int, ValueError
        otherwise

    Members
    -------
    coming : In(Encoded), the pass that is loaded; loading : In(``SLOTS``), where: it is whole
        ``WHOLE`` cycles before that falls, and stands in two cycles from then on
    live : In(``SLOTS``), passes that run
    valid, y, row : In, a host write being taken; program : In(1), one to the program or a table of
        a run; flush : In(1), forget writes before
    hit : Out(1)
    """

    WHOLE = 4
    APART = SLOTS

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "live": In(SLOTS),
            "valid": In(1), "y": In(1), "row": In(_ROW), "program": In(1), "flush": In(1),
            "hit": Out(1)})

    def elaborate(self, platform):
        m = Module()
        row, last_row, of_slot = (Signal(_ROW, name=name)
                                  for name in ("row_late", "last_row", "row_judged"))
        y, last_y, y_of_slot   = (Signal(name=name) for name in ("y_late", "last_y", "y_judged"))
        asked = Signal(SLOTS)  # passes that ran when the host wrote
        waits = Signal(SLOTS)  # those that are not judged yet
        m.d.sync += [row.eq(self.row), y.eq(self.y),
                     asked.eq(Mux(self.valid & ~self.flush, self.live, 0))]
        with m.If(asked.any()):
            m.d.sync += [last_row.eq(row), last_y.eq(y)]
        first  = Signal(SLOTS)
        slot   = Signal(range(SLOTS))
        judges = Signal()
        m.d.comb += first.eq(waits & -waits)
        m.d.sync += [waits.eq(Mux(self.flush, 0, (waits & ~first) | asked)),
                     slot.eq(_number(first)), of_slot.eq(last_row), y_of_slot.eq(last_y),
                     judges.eq(waits.any() & ~self.flush)]
        own, z, bias = self._kept(m, slot, y_of_slot)
        counts = judges & ~self.flush
        inside = [self._inside(m, name, window, of_slot, counts & here) for name, window, here in (
            ("own", own, 1), ("z", z, z.here == y_of_slot),
            ("bias", bias, bias.here & y_of_slot))]
        program = delay(m, self.program, 1, name="program")
        m.d.sync += self.hit.eq(program | (Cat(inside).any() & ~self.flush))
        return m

    def _kept(self, m, slot, y):
        """Windows of a slot: of X, or of Y if ``y``; of Z; and of the bias."""
        m.submodules.windows = windows = Windows(ways=self._ways)
        m.d.comb += windows.coming.eq(self.coming)
        # The last window is found two cycles after the end of a load.
        loading = delay(m, self.loading, 2 + Windows.LATENCY, name="loading")
        found   = []
        for name, below, turns, read in (
                ("own", windows.turn[1], windows.turn[:2].any(), y), ("z", (), windows.turn[2], ()),
                ("bias", (), windows.turn[3], ())):
            m.submodules[name] = memory = Memory(
                shape=_Rows, depth=SLOTS << (name == "own"), init=[],
                attrs={"ram_style": "distributed"})
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [writer.addr.eq(Cat(below, _number(loading))), writer.data.eq(windows.o),
                         writer.en.eq(loading.any() & turns), reader.addr.eq(Cat(read, slot))]
            found.append(reader.data)
        return found

    def _inside(self, m, name, window, row, counts):
        """Whether a row lies in a window, two cycles later, if it ``counts``."""
        judged, inside = Signal(3, name=f"judged_{name}"), Signal(name=f"inside_{name}")
        m.d.sync += [judged.eq(Cat(counts, row >= window.low, row <= window.high)),
                     inside.eq(judged.all() & ~self.flush)]
        return inside


class Windows(wiring.Component):
    """Find the rows of the windows of a pass, of X, Y, Z and the bias in turn.

    Latency ``LATENCY`` cycles, of the bias two more; throughput one window a cycle, no
    backpressure. Only a bias can begin or end beyond the memory.

    Parameters
    ----------
    ways : int, products a lane forms a cycle: 1, 2 or 4; TypeError for what is no int, ValueError
        otherwise

    Members
    -------
    coming : In(Encoded), a pass
    turn : Out(4), a bit for each of the windows, of the one that is found; o : Out(rows)
    """

    LATENCY = 3

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({"coming": In(Encoded), "turn": Out(4), "o": Out(_Rows)})

    def elaborate(self, platform):
        m = Module()
        pass_ = self.coming
        turn  = Signal(4, init=1)
        m.d.sync += turn.eq(turn.rotate_left(1))
        more = _first(turn, pass_.op == Op.GATHER, pass_.y_shape == Shape.LANES,
                      pass_.z_memory == Where.Y, 0)
        wide = _first(turn, *(width.as_value() for width in (
            pass_.x_width, pass_.y_width, pass_.z_width)), 1)
        low, high  = Signal(_ADDRESS, name="low"), Signal(_ADDRESS + 2, name="high")
        begin, end = Signal(_ADDRESS, name="begin"), Signal(_ADDRESS + 3, name="end")
        here = Signal()
        # By how many places an address is shifted to be a row.
        groups, ways, narrow = (Signal(2, name=name) for name in ("groups", "ways", "narrow"))
        m.d.sync += [
            low.eq(_first(turn, pass_.x.agu.low, pass_.y.agu.low, pass_.z.low, pass_.bias_row)),
            high.eq(_first(turn, pass_.x.agu.high, pass_.y.agu.high, pass_.z.high,
                           self._bias(m))),
            begin.eq(low), end.eq(low + high),
            here.eq(Mux(turn[2], pass_.z_memory == Where.Y, pass_.bias)),
            groups.eq(Cat(turn[0] | turn[2], groups)), ways.eq(Cat(more, ways)),
            narrow.eq(Cat(~wide, narrow))]
        first, last = (self._row(value, groups[1], ways[1], narrow[1]) for value in (begin, end))
        m.d.sync += [self.o.low.eq(first), self.o.high.eq(Mux(last > _LAST_ROW, _LAST_ROW, last)),
                     self.o.here.eq(delay(m, here, 1, name="late") & (first <= _LAST_ROW)),
                     self.turn.eq(delay(m, turn, self.LATENCY - 1, name="turn"))]
        return m

    def _row(self, address, groups, ways, narrow):
        """Row of an address in groups of lanes, of as many as there are ways, of bytes."""
        address = Mux(groups, address >> exact_log2(BANKS), address)
        return Mux(ways, address >> exact_log2(self._ways), address) >> narrow

    def _bias(self, m):
        """Rows of the bias and the parameters behind it less 1; two cycles later."""
        pass_, rows = self.coming, bias_rows(self._ways)
        records = Signal(_ADDRESS)
        count   = Signal(_ADDRESS + 2)
        scaled, added, once = pass_.scale != Scale.NONE, pass_.addend, pass_.once
        # A bias and up to two records of parameters for each outermost index, or a bias for each
        # and the records once.
        some = pass_.outer[0]
        more = Mux(scaled & added & ~once, some << 1, Mux((scaled ^ added) & ~once, some, 0))
        less = Mux(scaled & added & once, 2 * rows - 1, Mux((scaled ^ added) & once, rows - 1, -1))
        m.d.sync += [records.eq(some + more), count.eq(times(records, rows) + less)]
        return count


def _first(turn, *values):
    """The value of the bit that is set."""
    return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(turn, values, strict=True)))


def _number(bits):
    """Number of the only bit that is set."""
    return Cat(Cat(bits[at] for at in range(len(bits)) if at >> place & 1).any()
               for place in range(exact_log2(len(bits))))
