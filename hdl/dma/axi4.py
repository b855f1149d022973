# SPDX-License-Identifier: Apache-2.0
"""A core with a DMA behind an AXI4 slave with bursts, which writes X and Y a word a cycle."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.axi4 import AxiBurst, CellWrite, burst_members
from xymac.hdl.core.ports import HostWrites, forward, join
from xymac.hdl.core.trace import Wrote
from xymac.hdl.core.writeback import WideWrite
from xymac.hdl.isa import BANKS
from xymac.hdl.limits import check_config, check_vendor, check_ways

from .bus import bus_members
from .core import DmaCore

__all__ = ["CellCore", "CoreDma4"]


class CellCore(DmaCore):
    """A ``DmaCore`` with a stream of 32-bit host writes into X and Y.

    Array results come first, then the DMA, then ``cells``, then the host port. Throughput 1 write a
    cycle; with a single MAC per lane, whose memories take 16 bits a cycle, 1 write in 2 cycles.

    Members
    -------
    cells : In(stream of CellWrite), words in range
    others as in ``DmaCore``
    """

    def _more_members(self):
        return super()._more_members() | {"cells": In(stream.Signature(CellWrite))}

    def _share_writes(self, m, dma, side):
        m.submodules.share_write = share = ShareWrite(ways=self.config.ways)
        join(m, HostWrites, side.wrote, share.host)
        wiring.connect(m, dma.write, share.dma)
        wiring.connect(m, wiring.flipped(self.cells), share.cells)
        wiring.connect(m, share.o, self.blocks.writeback.wide)
        return share


class ShareWrite(wiring.Component):
    """Write X and Y for the DMA, else for a stream of 32-bit words.

    Latency 0 cycles, throughput 1 write a cycle, a word in 2 cycles with a single MAC per lane;
    honours backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    dma : In(stream of WideWrite), cells : In(stream of CellWrite), o : Out(stream of WideWrite)
    host : In(HostWrites); wrote : Out(Wrote), an accepted write of ``cells``, else of the host
    """

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        wide = stream.Signature(WideWrite(ways))
        super().__init__({"dma": In(wide), "cells": In(stream.Signature(CellWrite)),
                          "o": Out(wide), "host": In(HostWrites), "wrote": Out(Wrote)})

    def elaborate(self, platform):
        m = Module()
        dma, cells, wrote = self.dma, self.cells, self.wrote
        upper, ends = Signal(), Signal()  # the second of two 16-bit writes; a word's last write
        piece = self._piece(m, upper)
        taken = ~dma.valid & self.o.ready
        m.d.comb += [
            ends.eq(upper | ~cells.p.halves.all() if self._ways == 1 else 1),
            cells.ready.eq(taken & ends), dma.ready.eq(self.o.ready),
            self.o.valid.eq(dma.valid | cells.valid),
            self.o.p.eq(Mux(cells.valid & ~dma.valid, piece, dma.p)), wrote.eq(self.host.wrote)]
        with m.If(cells.valid & taken):
            m.d.sync += upper.eq(~ends)
            m.d.comb += [wrote.valid.eq(1), wrote.y.eq(piece.y), wrote.row.eq(piece.row)]
        return m

    def _piece(self, m, upper):
        """The write for the word, or for a half word with a single MAC per lane."""
        ways, cells = self._ways, self.cells.p
        lanes, bits = exact_log2(BANKS * ways), exact_log2(ways)
        half  = Mux(cells.halves == 0b10, 1, upper) if ways == 1 else Const(0, 1)
        cell  = Cat(half, cells.word)
        piece = Signal(WideWrite(ways), name="piece")
        m.d.comb += [
            piece.y.eq(cells.y), piece.bytes.eq(cells.bytes),
            piece.row.eq(Mux(cells.y, cell[lanes + bits:], cell[lanes:])),
            piece.way.eq(1 << cell[lanes:lanes + bits]), piece.bank.eq(1 << cell[bits:lanes])]
        for column in range(ways):
            mine = half if ways == 1 else column % 2
            m.d.comb += [
                piece.data[column].eq(cells.data.word_select(mine, 16)),
                piece.column[column].eq(cells.halves.bit_select(mine, 1) & (
                    cell[1:max(bits, 1)] == column // 2))]
        return piece


class CoreDma4(wiring.Component):
    """A core that fetches command lists: AXI4 slave with bursts, AXI4 master for memory.

    A write burst with whole X or Y words takes a cycle a word, with a single MAC per lane 2 cycles,
    while neither the array nor the DMA writes; see ``CellCore`` and ``AxiBurst``. The rest is as in
    ``CoreDma``.

    Parameters
    ----------
    config : CoreConfig with a ``dma``; TypeError for another type, ValueError without one
    id_bits : int, 1 .. 16, the slave's ID width; TypeError unless an int, ValueError otherwise
    vendor : see ``CoreDma``

    Members
    -------
    s_axi_* : AXI4 slave with 32 data bits; others as in ``CoreDma``
    """

    def __init__(self, config, *, id_bits=4, vendor=None):
        self._core  = CellCore(check_config(config), vendor=check_vendor(vendor))
        self._axi   = AxiBurst(id_bits=id_bits, fast=1, x_bytes=config.x_bytes,
                               y_bytes=config.y_bytes)
        self._slave = burst_members(id_bits)
        self._other = bus_members(config.dma) | {"bus_reset": In(1), "irq": Out(1)}
        super().__init__(self._slave | self._other)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        m.submodules.axi  = axi  = self._axi
        for source, sink in ((axi.request, core.request), (core.response, axi.response),
                             (axi.cells, core.cells)):
            wiring.connect(m, source, sink)
        forward(m, self._slave, self, axi)
        forward(m, self._other, self, core)
        return m
