"""AXI4-Lite front end: the core's request and response streams for a standard bus."""

from amaranth import Module, Mux, Signal
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.compact.core import Compact
from hdl.core.core import Core
from hdl.request import Request, Response

from .limits import check_config, check_vendor

__all__ = ["AxiLite", "AxiResponse", "CoreAxi"]

_ADDRESS_BITS = Request["address"].width
_DATA_BITS    = Request["data"].width
_PROT_BITS    = 3


class AxiResponse(enum.Enum, shape=2):
    """Response codes of AXI that are used here."""

    OKAY   = 0
    SLVERR = 2


def _slave_signature():
    """Ports of an AXI4-Lite slave by their standard names, flat."""
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
    """Turn AXI4-Lite transfers into requests, and responses into AXI's.

    One write and one read are under way at most; of two that are ready the one goes first that did
    not go last, so neither starves. A transfer becomes a request only when its answer's place is
    free: no master can block the core, nor its own reads by leaving writes unanswered. Address and
    data of a write may come in any order. A response with ``error`` becomes SLVERR. The lowest two
    address bits and the protection bits are ignored. Latency from address to answer: 3 cycles and
    those of the core, at least one of them between a request and its response. Throughput one read
    and one write in that time, and a request in 2 cycles. Honours backpressure on all channels.
    Takes no parameters.

    Members
    -------
    s_axi_* : AXI4-Lite slave with 32 data bits
    request : Out(stream of Request)
    response : In(stream of Response), always ready
    """

    def __init__(self):
        super().__init__(_slave_signature() | {
            "request": Out(stream.Signature(Request)),
            "response": In(stream.Signature(Response, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        taken    = self.request.valid & self.request.ready
        is_write = Signal()  # the request at hand, or the last one
        have_address, write_address = self._hold(m, "aw", ["addr"], taken & is_write)
        have_data, word, mask       = self._hold(m, "w", ["data", "strb"], taken & is_write)
        have_read, read_address     = self._hold(m, "ar", ["addr"], taken & ~is_write)
        writing, reading = self._answer(m, taken, is_write)

        wants_write = have_address & have_data & ~writing
        wants_read  = have_read & ~reading
        m.d.comb += [
            self.request.p.write.eq(is_write),
            self.request.p.address[2:].eq(Mux(is_write, write_address, read_address)[2:]),
            self.request.p.data.eq(Mux(is_write, word, 0)),  # may come while a read is offered
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
        """Keep one transfer of a channel until ``done``; returns whether there is one, and it."""
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
        """Hand responses to the channel that waits; returns whether each of write and read does."""
        write_asked = Signal()
        read_asked  = Signal()
        write_first = Signal()  # the next response is the write's
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
            with m.If(~other | comes):  # What comes now can only be the other's.
                m.d.sync += write_first.eq(is_write)
        return write_asked | self.s_axi_bvalid, read_asked | self.s_axi_rvalid


class CoreAxi(wiring.Component):
    """A core as an AXI4-Lite slave of 4 MiB.

    Latency of an access 3 cycles more than ``HostPort`` has, throughput one access at a time;
    honours backpressure on all channels. What a program takes is as in ``Core``.

    Parameters
    ----------
    config : CoreConfig, the size, of ``Core`` or of ``Compact``; TypeError for anything else
    vendor : None or "ecp5", see ``multiply.Multiply``, of the compact core None or "ice40", see
        ``compact.memory.Cells``; ValueError otherwise

    Members
    -------
    s_axi_* : AXI4-Lite slave with 32 data bits
    irq : Out(1)
    """

    def __init__(self, config, *, vendor=None):
        known = "ecp5" if check_config(config).capabilities.parallel else "ice40"
        self._config, self._vendor = config, check_vendor(vendor, known)
        super().__init__(_slave_signature() | {"irq": Out(1)})

    def elaborate(self, platform):
        m = Module()
        kind = Core if self._config.capabilities.parallel else Compact
        m.submodules.core = core = kind(self._config, vendor=self._vendor)
        m.submodules.axi  = axi  = AxiLite()
        wiring.connect(m, axi.request, core.request)
        wiring.connect(m, core.response, axi.response)
        m.d.comb += self.irq.eq(core.irq)
        for name, member in _slave_signature().items():
            mine, its = getattr(self, name), getattr(axi, name)
            m.d.comb += its.eq(mine) if member.flow == In else mine.eq(its)
        return m
