# SPDX-License-Identifier: Apache-2.0
"""Host-write monitor: detect writes into the windows of running passes."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.config import SLOTS
from xymac.hdl.core.fetch.scan import Rows

__all__ = ["WriteMonitor", "Wrote"]

_ROW = Rows["low"].shape
#: An accepted host write: its memory and its row.
Wrote = data.StructLayout({"valid": 1, "y": 1, "row": _ROW})


class WriteMonitor(wiring.Component):
    """Detect a host write into a window of a running pass.

    The comparison is by row, so a write to a neighbour in the same row counts as a hit. A write to
    program memory, tables or table locations during a run is a hit, too (``program``). Windows lie
    in LUT RAM; each write is compared with 1 slot per cycle, for all passes that ran at its
    arrival.
    Latency 7 cycles from a write to ``hit``, plus a cycle for each further running pass; 2 cycles
    from ``program``. Throughput 1 write in ``APART`` cycles; a write to the same row may follow
    sooner, as the host port writes both 16-bit words of a request. No backpressure. Takes no
    parameters.

    Members
    -------
    rows : In(Rows), turn : In(4), windows of a pass, from ``Scan``
    loading : In(``SLOTS``), the slot that stores the windows
    live : In(``SLOTS``), running passes
    valid, y, row : In, an accepted host write
    program : In(1), a write to the program or a table during a run
    flush : In(1), discard earlier writes
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
        asked = Signal(SLOTS)  # passes that ran at the host write
        waits = Signal(SLOTS)  # passes still to be compared
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
        """Windows of a slot: X, or Y if ``y``; Z; and bias."""
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
        """Whether ``row`` lies in ``window`` and ``counts`` is set, two cycles later."""
        judged, inside = Signal(3, name=f"judged_{name}"), Signal(name=f"inside_{name}")
        m.d.sync += [judged.eq(Cat(counts, row >= window.low, row <= window.high)),
                     inside.eq(judged.all() & ~self.flush)]
        return inside


def _number(bits):
    """Index of the only set bit."""
    return Cat(Cat(bits[at] for at in range(len(bits)) if at >> place & 1).any()
               for place in range(exact_log2(len(bits))))
