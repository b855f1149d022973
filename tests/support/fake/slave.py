# SPDX-License-Identifier: Apache-2.0
"""A slave of AXI4-Lite with a few words, which breaks a rule where it is asked to."""

from amaranth import Module, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["Rule", "Slave"]


class Rule(enum.Enum, shape=3):
    """Bits 8 to 10 of an address: what the slave does with it."""

    NONE    = 0
    REFUSES = 1
    SILENT  = 2
    EARLY   = 3  #: It answers before it takes the request.
    BACK    = 4  #: It takes an answer back that has to wait.
    CHANGES = 5  #: It changes an answer that has to wait.
    OTHER   = 6  #: It answers on the channel of the other kind.


class Slave(wiring.Component):
    """Eight words. Which rule it breaks is in the address, see ``Rule``."""

    s_axi_awvalid: In(1)
    s_axi_awready: Out(1)
    s_axi_awaddr:  In(22)
    s_axi_awprot:  In(3)
    s_axi_wvalid:  In(1)
    s_axi_wready:  Out(1)
    s_axi_wdata:   In(32)
    s_axi_wstrb:   In(4)
    s_axi_bvalid:  Out(1)
    s_axi_bready:  In(1)
    s_axi_bresp:   Out(2)
    s_axi_arvalid: In(1)
    s_axi_arready: Out(1)
    s_axi_araddr:  In(22)
    s_axi_arprot:  In(3)
    s_axi_rvalid:  Out(1)
    s_axi_rready:  In(1)
    s_axi_rdata:   Out(32)
    s_axi_rresp:   Out(2)
    irq:           Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = Memory(shape=32, depth=8, init=[])
        reader, writer = words.read_port(domain="comb"), words.write_port(granularity=8)
        aw, w, ar, back = Signal(), Signal(), Signal(), Signal()
        address, data, strobes, noise = Signal(22), Signal(32), Signal(4), Signal(32)
        rule = address[8:11]
        early = self.s_axi_arvalid & ~ar & (self.s_axi_araddr[8:11] == Rule.EARLY)
        answers = (rule != Rule.SILENT) & ~((rule == Rule.BACK) & back)
        written, read = aw & w & answers, ar & answers
        m.d.comb += [
            self.s_axi_awready.eq(~aw & ~ar), self.s_axi_wready.eq(~w),
            self.s_axi_arready.eq(~ar & ~aw & ~early),
            self.s_axi_bvalid.eq((written & (rule != Rule.OTHER)) | (read & (rule == Rule.OTHER))),
            self.s_axi_rvalid.eq((read & (rule != Rule.OTHER)) | early),
            self.s_axi_bresp.eq((rule == Rule.REFUSES) << 1),
            self.s_axi_rresp.eq((rule == Rule.REFUSES) << 1),
            reader.addr.eq(address[2:]), writer.addr.eq(address[2:]), writer.data.eq(data),
            self.s_axi_rdata.eq(reader.data ^ noise),
            writer.en.eq(strobes & (aw & w).replicate(4))]
        with m.If(rule == Rule.CHANGES):
            m.d.sync += noise.eq(noise + ar)
        m.d.sync += back.eq(self.s_axi_rvalid & ~self.s_axi_rready)
        with m.If(self.s_axi_awvalid & self.s_axi_awready):
            m.d.sync += [aw.eq(1), address.eq(self.s_axi_awaddr)]
        with m.If(self.s_axi_wvalid & self.s_axi_wready):
            m.d.sync += [w.eq(1), data.eq(self.s_axi_wdata), strobes.eq(self.s_axi_wstrb)]
        with m.If(self.s_axi_arvalid & self.s_axi_arready):
            m.d.sync += [ar.eq(1), address.eq(self.s_axi_araddr)]
        with m.If(self.s_axi_bvalid & self.s_axi_bready):
            m.d.sync += [aw.eq(0), w.eq(0)]
        with m.If(self.s_axi_rvalid & self.s_axi_rready):
            m.d.sync += [ar.eq(0), noise.eq(0)]
        return m
