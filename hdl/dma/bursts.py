# SPDX-License-Identifier: Apache-2.0
"""Bursts: external byte ranges as bus bursts."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of, check_vendor

from .advance import advance
from .records import ADDRESS, BEATS_MAX, Burst, Span

__all__ = ["Bursts"]


class Bursts(wiring.Component):
    """Cut a byte range into bursts.

    A burst ends on a 16-beat boundary, so none crosses 4 KiB. Latency 2 cycles, throughput 1 burst
    in 2 cycles, honours backpressure.

    Parameters
    ----------
    width : int, bus data bits: 32, 64 or 128; TypeError unless an int, ValueError otherwise
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    i : In(stream of Span)
    o : Out(stream of Burst)
    """

    def __init__(self, *, width, vendor=None):
        self._vendor = check_vendor(vendor)
        self._width = check_one_of("Width", width, WIDTHS)
        super().__init__({"i": In(stream.Signature(Span)), "o": Out(stream.Signature(Burst))})

    def elaborate(self, platform):
        m = Module()
        low, place = exact_log2(self._width // 8), exact_log2(BEATS_MAX)
        beat = Signal(ADDRESS - low, reset_less=True)
        last = Signal(ADDRESS - low, reset_less=True)
        full, ends, settled = (Signal(name=name) for name in ("full", "ends", "settled"))
        taken = self.o.valid & self.o.ready
        m.d.comb += [
            self.o.p.address.eq(Cat(Const(0, low), beat)),
            self.o.p.beats.eq(Mux(ends, last[:place], BEATS_MAX - 1) - beat[:place]),
            self.o.valid.eq(settled), self.i.ready.eq(~full | (taken & ends))]
        # The addresses are compared in a cycle of their own, in which no burst is offered.
        m.d.sync += [ends.eq(beat[place:] == last[place:]), settled.eq(full & ~taken)]
        begins, first = self.i.ready, self.i.p.first[low:]
        pages = advance(m, "count", begins, first[place:], beat[place:], vendor=self._vendor)
        with m.If(taken | begins):
            m.d.sync += beat.eq(Cat(Mux(begins, first[:place], 0), pages))
        with m.If(begins):
            m.d.sync += [full.eq(self.i.valid), last.eq(self.i.p.last[low:])]
        return m
