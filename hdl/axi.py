# SPDX-License-Identifier: Apache-2.0
"""AXI4-Lite front end: connects the core's request and response streams to a standard bus."""

from amaranth import Module, Mux, Signal
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.core import Compact
from xymac.hdl.core.core import Core
from xymac.hdl.core.ports import forward
from xymac.hdl.request import Request, Response

from .limits import check_config, check_vendor

__all__ = ["AxiLite", "AxiResponse", "CoreAxi", "slave_members"]

_ADDRESS_BITS = Request["address"].width
_DATA_BITS    = Request["data"].width
_PROT_BITS    = 3


class AxiResponse(enum.Enum, shape=2):
    """AXI response codes in use."""

    OKAY   = 0
    SLVERR = 2


def slave_members():
    """Flat AXI4-Lite slave ports by their standard names."""
    channels = {
        "aw": (In,  {"addr": _ADDRESS_BITS, "prot": _PROT_BITS}),
        "w":  (In,  {"data": _DATA_BITS, "strb": _DATA_BITS // 8}),
        "b":  (Out, {"resp": AxiResponse}),
        "ar": (In,  {"addr": _ADDRESS_BITS, "prot": _PROT_BITS}),
        "r":  (Out, {"data": _DATA_BITS, "resp": AxiResponse}),
    }
    members = {}
    for channel, (flow, fields) in channels.items():
        back = Out if flow is In else In
        members[f"s_axi_{channel}valid"] = flow(1)
        members[f"s_axi_{channel}ready"] = back(1)
        for field, shape in fields.items():
            members[f"s_axi_{channel}{field}"] = flow(shape)
    return members


class AxiLite(wiring.Component):
    """Convert AXI4-Lite transfers into requests, and core responses into AXI responses.

    At most 1 write and 1 read are in flight; arbitration alternates, so neither starves. A transfer
    becomes a request only when the register for its response is free: a master that leaves writes
    unanswered blocks neither the core nor its own reads. A write's address and data may arrive in
    any order. A response with ``error`` becomes SLVERR. The lowest two address bits and the
    protection bits are ignored. Latency from address to response: 3 cycles plus the core's latency,
    which must be at least 1 cycle. Throughput 1 read and 1 write in this time, and a request in 2
    cycles. Honours backpressure on all channels. Takes no parameters.

    Members
    -------
    s_axi_* : AXI4-Lite slave with 32 data bits
    request : Out(stream of Request)
    response : In(stream of Response), always ready
    """

    def __init__(self):
        super().__init__(slave_members() | {
            "request": Out(stream.Signature(Request)),
            "response": In(stream.Signature(Response, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        taken    = self.request.valid & self.request.ready
        is_write = Signal()  # kind of the current request, or of the last request
        have_address, write_address = self._hold(m, "aw", ["addr"], taken & is_write)
        have_data, word, mask       = self._hold(m, "w", ["data", "strb"], taken & is_write)
        have_read, read_address     = self._hold(m, "ar", ["addr"], taken & ~is_write)
        writing, reading = self._answer(m, taken, is_write)

        wants_write = have_address & have_data & ~writing
        wants_read  = have_read & ~reading
        m.d.comb += [
            self.request.p.write.eq(is_write),
            self.request.p.address[2:].eq(Mux(is_write, write_address, read_address)[2:]),
            self.request.p.data.eq(Mux(is_write, word, 0)),  # may arrive while a read is valid
            self.request.p.mask.eq(Mux(is_write, mask, 0)),
        ]
        with m.FSM():
            with m.State("Wait-Transfer"):
                with m.If(wants_write | wants_read):
                    m.d.sync += is_write.eq(wants_write & ~(wants_read & is_write))
                    m.next = "Wait-Core"
            with m.State("Wait-Core"):
                m.d.comb += self.request.valid.eq(1)
                with m.If(self.request.ready):
                    m.next = "Wait-Transfer"
        return m

    def _hold(self, m, channel, fields, done):
        """Store a channel's transfer until ``done``; returns its valid signal and its fields."""
        ready = getattr(self, f"s_axi_{channel}ready")
        ports = [getattr(self, f"s_axi_{channel}{field}") for field in fields]
        items = [Signal.like(port, name=f"{channel}{field}")
                 for port, field in zip(ports, fields, strict=True)]
        have  = Signal(name=f"have_{channel}")
        m.d.comb += ready.eq(~have)
        with m.If(ready & getattr(self, f"s_axi_{channel}valid")):
            m.d.sync += have.eq(1)
            m.d.sync += [item.eq(port) for item, port in zip(items, ports, strict=True)]
        with m.If(done):
            m.d.sync += have.eq(0)
        return have, *items

    def _answer(self, m, taken, is_write):
        """Route responses to the waiting channel; returns the write and read busy signals."""
        write_asked = Signal()
        read_asked  = Signal()
        write_first = Signal()  # the next response belongs to the write
        comes       = self.response.valid
        code        = Mux(self.response.p.error, AxiResponse.SLVERR, AxiResponse.OKAY)
        with m.If(self.s_axi_bready):
            m.d.sync += self.s_axi_bvalid.eq(0)
        with m.If(self.s_axi_rready):
            m.d.sync += self.s_axi_rvalid.eq(0)
        with m.If(comes & write_first):
            m.d.sync += [self.s_axi_bvalid.eq(1), self.s_axi_bresp.eq(code), write_asked.eq(0)]
        with m.If(comes & ~write_first):
            m.d.sync += [self.s_axi_rvalid.eq(1), self.s_axi_rresp.eq(code), read_asked.eq(0),
                         self.s_axi_rdata.eq(self.response.p.data)]
        with m.If(comes):
            m.d.sync += write_first.eq(~write_first)
        with m.If(taken):
            other = Mux(is_write, read_asked, write_asked)
            with m.If(is_write):
                m.d.sync += write_asked.eq(1)
            with m.Else():
                m.d.sync += read_asked.eq(1)
            with m.If(~other | comes):  # A response in this cycle belongs to the other channel.
                m.d.sync += write_first.eq(is_write)
        return write_asked | self.s_axi_bvalid, read_asked | self.s_axi_rvalid


class CoreAxi(wiring.Component):
    """A core as an AXI4-Lite slave with a 4 MiB address space.

    Access latency 3 cycles more than in ``HostPort``; throughput 1 access at a time; honours
    backpressure on all channels. Programs run as fast as in ``Core``.

    Parameters
    ----------
    config : CoreConfig, a ``Core`` or ``Compact`` size; TypeError for another type
    vendor : None or "ecp5", see ``multiply.Multiply``; for the compact core None or "ice40", see
        ``compact.memory.Cells``; ValueError otherwise

    Members
    -------
    s_axi_* : AXI4-Lite slave with 32 data bits
    irq : Out(1)
    """

    def __init__(self, config, *, vendor=None):
        known = "ecp5" if check_config(config).capabilities.parallel else "ice40"
        self._config, self._vendor = config, check_vendor(vendor, known)
        super().__init__(slave_members() | {"irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        kind = Core if self._config.capabilities.parallel else Compact
        m.submodules.core = core = kind(self._config, vendor=self._vendor)
        m.submodules.axi  = axi  = AxiLite()
        wiring.connect(m, axi.request, core.request)
        wiring.connect(m, core.response, axi.response)
        m.d.comb += self.irq.eq(core.irq)
        forward(m, slave_members(), self, axi)
        return m
