"""Host-write monitor: which writes fall into a window of a pass that runs."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.arith import delay
from hdl.config import SLOTS

from .fetch.scan import Rows

__all__ = ["WriteMonitor"]

_ROW = Rows["low"].shape


class WriteMonitor(wiring.Component):
    """Notice a host write that falls into a window of a pass that runs.

    Rows are compared, so a neighbour in the same row counts as a hit; a write to program memory,
    tables or places during a run is one too (``program``). The windows lie in LUT RAM; a write is
    compared with one slot a cycle, of the passes that ran when it came. Latency 7 cycles from a
    write to ``hit`` and a cycle more for each further pass that runs, 2 from ``program``.
    Throughput: ``APART`` cycles after a write, or sooner to the same row, as the host port writes
    both cells of a word; no backpressure. Takes no parameters.

    Members
    -------
    rows : In(Rows), turn : In(4), windows of a pass as ``Scan`` finds them; loading :
        In(``SLOTS``), where the pass goes
    live : In(``SLOTS``), passes that run
    valid, y, row : In, a host write being taken; program : In(1), one to the program or a table of
        a run; flush : In(1), forget writes before
    hit : Out(1)
    """

    APART = SLOTS

    def __init__(self):
        super().__init__({
            "rows": In(Rows), "turn": In(4), "loading": In(SLOTS), "live": In(SLOTS),
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
        turn, found = self.turn, []
        for name, below, turns, read in (
                ("own", turn[1], turn[:2].any(), y), ("z", (), turn[2], ()),
                ("bias", (), turn[3], ())):
            m.submodules[name] = memory = Memory(
                shape=Rows, depth=SLOTS << (name == "own"), init=[],
                attrs={"ram_style": "distributed"})
            reader, writer = memory.read_port(domain="comb"), memory.write_port()
            m.d.comb += [
                writer.addr.eq(Cat(below, _number(self.loading))), writer.data.eq(self.rows),
                writer.en.eq(self.loading.any() & turns), reader.addr.eq(Cat(read, slot))]
            found.append(reader.data)
        return found

    def _inside(self, m, name, window, row, counts):
        """Whether a row lies in a window, two cycles later, if it ``counts``."""
        judged, inside = Signal(3, name=f"judged_{name}"), Signal(name=f"inside_{name}")
        m.d.sync += [judged.eq(Cat(counts, row >= window.low, row <= window.high)),
                     inside.eq(judged.all() & ~self.flush)]
        return inside


def _number(bits):
    """Number of the only bit that is set."""
    return Cat(Cat(bits[at] for at in range(len(bits)) if at >> place & 1).any()
               for place in range(exact_log2(len(bits))))
