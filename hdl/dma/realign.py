# SPDX-License-Identifier: Apache-2.0
"""Realign: move a byte stream to another alignment, row by row."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import pick
from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of

from .records import SIZE, Chunk, Row

__all__ = ["Realign"]

_BYTE = 8


class Realign(wiring.Component):
    """Cut the beats' bytes into rows, each aligned to its target, in groups as wide as a beat.

    A row run starts in a new beat; its rows follow each other without a gap. Groups carry strobes
    for their row's bytes. Latency 1 cycle from a beat; throughput 1 group a cycle, less 1 cycle for
    each run; honours backpressure.

    Parameters
    ----------
    width : int, data bits: 32, 64 or 128; TypeError unless an int, ValueError otherwise

    Members
    -------
    rows : In(stream of Row); i : In(stream of ``width`` bits)
    last : In(21), bytes per row less 1; store : In(1), from core to outside; fill : In(1), zeros
        in place of beats; stable during a transfer
    o : Out(stream of Chunk)
    """

    def __init__(self, *, width):
        self._bytes = check_one_of("Width", width, WIDTHS) // _BYTE
        super().__init__({
            "rows": In(stream.Signature(Row(width))), "i": In(stream.Signature(width)),
            "last": In(SIZE), "store": In(1), "fill": In(1),
            "o": Out(stream.Signature(Chunk(width)))})

    def elaborate(self, platform):
        m = Module()
        many, low = self._bytes, exact_log2(self._bytes)
        busy, have, ends, final = (Signal(name=name) for name in ("busy", "have", "ends", "final"))
        source, target = Signal(low, name="source"), Signal(low, name="target")
        left = Signal(SIZE - low, name="left")  # groups of the row after this group
        is_last, end = Signal(name="is_last"), Signal(low, name="end")  # the row's last byte
        held = Signal(len(self.i.p), name="held", reset_less=True)
        until, after = Signal(low), Signal(range(2 * many))  # the group's last byte; behind it
        needs, goes = Signal(), Signal()
        m.d.comb += [
            until.eq(Mux(is_last, end, many - 1)), after.eq(source + (until - target)[:low] + 1),
            needs.eq(after > many), goes.eq(self.o.valid & self.o.ready),
            self.o.valid.eq(busy & (self.fill | (have & (~needs | self.i.valid)))),
            self.o.p.final.eq(final & is_last)]
        self._beats(m, busy, have, held, needs, goes, after[low], is_last & ends)
        with m.If(goes):
            m.d.sync += [left.eq(left - 1), is_last.eq(left == 1), target.eq(0), source.eq(after),
                         self.o.p.place.eq(self.o.p.place + 1)]
        row = self.rows.p
        m.d.comb += self.rows.ready.eq(~busy | (goes & is_last))
        with m.If(self.rows.ready):
            core, outer = row.core[:low], row.low
            first = Mux(self.store, outer, core)
            reach = first + self.last[:low]
            m.d.sync += [busy.eq(self.rows.valid), ends.eq(row.ends), final.eq(row.final),
                         target.eq(first), self.o.p.place.eq(row.core >> low), end.eq(reach),
                         left.eq(self.last[low:] + reach[low]),
                         is_last.eq(~self.last[low:].any() & ~reach[low])]
            with m.If(row.starts):
                m.d.sync += source.eq(Mux(self.store, core, outer))
        self._select(m, held, source, target, until)
        return m

    def _beats(self, m, busy, have, held, needs, goes, crosses, ends):
        """Keep a beat; the next beat is at the input.

        ``crosses``: the group uses the kept beat up; ``ends``: it is the last in its run, and the
        next run starts in a new beat.
        """
        takes = Signal()
        empty = goes & (crosses | ends)  # the kept beat is used up
        m.d.comb += [takes.eq(Mux(have, empty, busy) & ~self.fill), self.i.ready.eq(takes)]
        with m.If(takes):
            # With ``needs`` the input is the beat of this group's end, and the next kept one.
            m.d.sync += [held.eq(self.i.p), have.eq(self.i.valid & ~(have & needs & ends))]

    def _select(self, m, held, source, target, until):
        """Rotate the bytes from the source to the target, and mark the row's bytes."""
        many, low = self._bytes, exact_log2(self._bytes)
        beats = [data.View(data.ArrayLayout(_BYTE, many), value) for value in (held, self.i.p)]
        window = [Mux(at >= source, beats[0][at], beats[1][at]) for at in range(many)]
        turn = Signal(low, name="turn")
        m.d.comb += [
            turn.eq(source - target), self.o.p.mask.eq(Cat(
                (at >= target) & ((until >= at) if at else 1) for at in range(many))),
            self.o.p.data.eq(Mux(self.fill, 0, Cat(
                pick([window[(at + by) % many] for by in range(many)], turn)
                for at in range(many))))]
