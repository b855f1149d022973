# SPDX-License-Identifier: Apache-2.0
"""Realign: move a byte stream to another alignment, group by group."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import pick
from xymac.hdl.config import WIDTHS
from xymac.hdl.limits import check_one_of

from .records import Chunk, Group

__all__ = ["Realign"]

_BYTE = 8


class Realign(wiring.Component):
    """Fill groups with the beats' bytes.

    A row run starts in a new beat; its rows follow each other without a gap. Latency 1 cycle from a
    beat; throughput 1 group a cycle, less 1 cycle for each run; honours backpressure.

    Parameters
    ----------
    width : int, data bits: 32, 64 or 128; TypeError unless an int, ValueError otherwise

    Members
    -------
    groups : In(stream of Group); i : In(stream of ``width`` bits)
    fill : In(1), zeros in place of beats, stable during a transfer
    o : Out(stream of Chunk)
    """

    def __init__(self, *, width):
        self._bytes = check_one_of("Width", width, WIDTHS) // _BYTE
        super().__init__({
            "groups": In(stream.Signature(Group(width))), "i": In(stream.Signature(width)),
            "fill": In(1), "o": Out(stream.Signature(Chunk(width)))})

    def elaborate(self, platform):
        m = Module()
        group, chunk = self.groups.p, self.o.p
        have, goes = Signal(name="have"), Signal()
        held = Signal(len(self.i.p), name="held", reset_less=True)  # a beat; the next is at ``i``
        m.d.comb += [
            self.o.valid.eq(self.groups.valid & (
                self.fill | (have & (~group.needs | self.i.valid)))),
            goes.eq(self.o.valid & self.o.ready), self.groups.ready.eq(goes),
            chunk.place.eq(group.place), chunk.final.eq(group.final),
            chunk.mask.eq(group.mask), chunk.data.eq(Mux(self.fill, 0, self._turn(held)))]
        self._keep(m, have, held, goes & group.frees, group.ends)
        return m

    def _keep(self, m, have, held, frees, ends):
        """Keep the next beat where the kept beat is used up, unless the next is used up, too."""
        takes = Signal()
        m.d.comb += [takes.eq(Mux(have, frees, self.groups.valid) & ~self.fill),
                     self.i.ready.eq(takes)]
        with m.If(takes):
            m.d.sync += [held.eq(self.i.p), have.eq(self.i.valid & ~(have & ends))]

    def _turn(self, held):
        """The group's bytes: from ``source`` on, at their places."""
        many, group = self._bytes, self.groups.p
        beats = [data.View(data.ArrayLayout(_BYTE, many), value) for value in (held, self.i.p)]
        window = [Mux(at >= group.source, beats[0][at], beats[1][at]) for at in range(many)]
        return Cat(pick([window[(at + by) % many] for by in range(many)], group.turn)
                   for at in range(many))
