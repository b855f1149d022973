# SPDX-License-Identifier: Apache-2.0
"""Groups: a transfer's rows as aligned groups, before their bytes are there."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of, check_vendor

from .advance import advance
from .records import SIZE, Group, Row

__all__ = ["Groups"]

_BYTE = 8


class Groups(wiring.Component):
    """Cut rows into groups as wide as a beat, each aligned to its target.

    Latency 2 cycles; throughput 1 group a cycle; honours backpressure.

    Parameters
    ----------
    width : int, data bits: 32, 64 or 128; TypeError unless an int, ValueError otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    rows : In(stream of Row)
    last : In(21), bytes per row less 1; store : In(1), from core to outside; stable during a
        transfer
    o : Out(stream of Group)
    """

    def __init__(self, *, width, vendor=None):
        self._vendor = check_vendor(vendor)
        self._bytes = check_one_of("Width", width, WIDTHS) // _BYTE
        super().__init__({"rows": In(stream.Signature(Row(width))), "last": In(SIZE),
                          "store": In(1), "o": Out(stream.Signature(Group(width)))})

    def elaborate(self, platform):
        m = Module()
        many, low = self._bytes, exact_log2(self._bytes)
        busy, ends, final = (Signal(name=name) for name in ("busy", "ends", "final"))
        source, target = Signal(low, name="source"), Signal(low, name="target")
        place = Signal(self.o.p.place.shape(), name="place")
        left = Signal(SIZE - low, name="left")  # groups of the row after this group
        is_last, end = Signal(name="is_last"), Signal(low, name="end")  # the row's last byte
        until, after = Signal(low), Signal(range(2 * many))  # the group's last byte; behind it
        free, needs = Signal(), Signal()
        m.d.comb += [
            free.eq(~self.o.valid | self.o.ready),
            until.eq(Mux(is_last, end, many - 1)), after.eq(source + (until - target)[:low] + 1),
            needs.eq(after > many), self.rows.ready.eq(~busy | (free & is_last))]
        with m.If(free):
            group, run_ends = self.o.p, is_last & ends
            m.d.sync += [
                self.o.valid.eq(busy), group.place.eq(place), group.final.eq(final & is_last),
                group.source.eq(source), group.turn.eq(source - target), group.needs.eq(needs),
                group.frees.eq(after[low] | run_ends), group.ends.eq(needs & run_ends),
                group.mask.eq(Cat((at >= target) & ((until >= at) if at else 1)
                                  for at in range(many))),
                is_last.eq(left == 1), target.eq(0), source.eq(after)]
        row, begins = self.rows.p, self.rows.ready
        core, outer = row.core[:low], row.low
        first = Mux(self.store, outer, core)
        reach = first + self.last[:low]
        lefts = advance(m, "count", begins, self.last[low:], left, more=reach[low], down=1,
                        vendor=self._vendor)
        places = advance(m, "go", begins, row.core >> low, place, vendor=self._vendor)
        with m.If(free | begins):
            m.d.sync += [left.eq(lefts), place.eq(places)]
        with m.If(begins):
            m.d.sync += [busy.eq(self.rows.valid), ends.eq(row.ends), final.eq(row.final),
                         target.eq(first), end.eq(reach),
                         is_last.eq(~self.last[low:].any() & ~reach[low])]
            with m.If(row.starts):
                m.d.sync += source.eq(Mux(self.store, core, outer))
        return m
