# SPDX-License-Identifier: Apache-2.0
"""Address properties: nothing outside a window or a region is reached."""

from amaranth import Mux, Signal, Value
from amaranth.hdl import Assert, Assume, Cover

from xymac.hdl.core.agu import mapping
from xymac.hdl.core.agu.mapping import AddressMap, MapConfig
from xymac.hdl.core.hostport import HostPort
from xymac.hdl.isa import AguMode, Region
from xymac.hdl.request import Request

from .property import Bench, Fault, Method, Property, hold

__all__ = ["PROPERTIES"]

_ROWS, _PASSES = 16, 2  # memories of the host port in the proof


def _mapped(vendor):
    """An address not marked bad lies in the window; the pass is held."""
    def bench():
        unit   = AddressMap(whole=0, vendor=vendor)
        config = Signal(MapConfig)
        inputs = [config, unit.relative]

        def build(m):
            m.submodules.unit = unit
            time = hold(m, config.as_value())
            wide = Signal(20)
            m.d.comb += [
                wide.eq((1 << config.order) - 1),
                unit.config.eq(config), unit.loading.eq(time == 0), unit.slot.eq(0),
                Assume(config.low + config.high < 1 << 16),
                Assume((config.last >= 0) & (config.last <= config.high)),
                Assume((config.mode != AguMode.BIT_REVERSED) | (
                    (config.order <= 16) & (config.high == wide))),
                Assert((time < 4) | unit.o.bad | (
                    (unit.o.address >= config.low)
                    & (unit.o.address <= config.low + config.high))),
                *(Cover((time == 5) & ~unit.o.bad & (config.mode == mode) & (config.high > 7)
                        & (unit.o.address == config.low + 3)) for mode in AguMode)]
        return Bench(inputs, build)
    return bench


def _host():
    """The host port with a memory free to accept and answer at any time."""
    unit = HostPort(ways=1, x_rows=_ROWS, y_rows=_ROWS, passes=_PASSES)
    free = [unit.request.valid, unit.request.payload, unit.response.ready, unit.write.ready,
            unit.read.ready, unit.x_found, unit.x_valid, unit.y_found, unit.y_valid,
            unit.trace_word, unit.register_word, unit.register_known, unit.counted]
    return unit, free


def _regions():
    unit, inputs = _host()

    def build(m):
        m.submodules.unit = unit
        request = Signal(Request)
        taken   = unit.request.valid & unit.request.ready
        with m.If(taken):
            m.d.sync += request.eq(unit.request.p)
        address = request.address
        words   = Mux(unit.write.p.y, address - Region.Y.value, address - Region.X.value)
        inside  = (words >> 1) < 4 * _ROWS
        m.d.comb += [
            Assert(~unit.write.valid | (request.write & request.mask.any() & inside)),
            Assert(~unit.write.valid | (unit.write.p.y == (address >= Region.Y.value))),
            Assert(~unit.program_enable | (request.write & request.mask.any() & (
                address - Region.PROGRAM.value < 8 * 16 * _PASSES))),
            Assert(~Value.cast(unit.table.enable).any() | (request.write & request.mask.any() & (
                address >> 16 == Region.TABLES.value >> 16))),
            Assert(~unit.register_write.any() | (request.write & (address < 1 << 16))),
            Cover(unit.write.valid & unit.write.p.y), Cover(unit.program_enable),
            Cover(unit.register_write.any())]
    return Bench(inputs, build)


def _answers():
    """A response per request, in order, held until taken."""
    unit, inputs = _host()

    def build(m):
        m.submodules.unit = unit
        open_  = Signal(2, name="open")
        held, answer = Signal(name="held"), Signal.like(unit.response.payload, name="answer")
        taken  = unit.request.valid & unit.request.ready
        done   = unit.response.valid & unit.response.ready
        m.d.sync += [open_.eq(open_ + taken - done), answer.eq(unit.response.payload),
                     held.eq(unit.response.valid & ~unit.response.ready)]
        m.d.comb += [
            Assert(~(done & (open_ == 0))), Assert(~(taken & (open_ != 0))),
            Assert(~held | (unit.response.valid & (unit.response.payload == answer))),
            Cover(done & unit.response.p.error), Cover(done & ~unit.response.p.error)]
    return Bench(inputs, build)


def _narrower(original):
    return lambda *, width, vendor=None: original(width=width - 1, vendor=vendor)


def _one_row_more(original):
    return lambda self, address, region: original(self, address, region) | (
        address == region.value + 0x1000)


def _no_wait(original):
    """Fault: a port takes a request in each state."""
    def elaborate(self, platform):
        m = original(self, platform)
        m.d.comb += self.response.valid.eq(1)
        return m
    return elaborate


PROPERTIES = (
    *(Property(f"address: window, {name}", "An address that is not marked lies in its window, in "
               "every mode, for every window", _mapped(vendor), 7, (
                   Fault("a comparison is one too generous", mapping, "SelectGreater",
                         _narrower),))
      for name, vendor in (("portable", None), ("ECP5 cells", "ecp5"))),
    Property("host port: regions", "A host write reaches X, Y, program, tables and registers "
             "inside of their regions alone, and nothing without a strobe", _regions, 10,
             (Fault("a region is an address longer", HostPort, "_find", _one_row_more),),
             Method.PDR),
    Property("host port: answers", "The host port answers each request once, in order, and holds "
             "an answer until it is taken", _answers, 12,
             (Fault("an answer comes without a request", HostPort, "elaborate", _no_wait),),
             Method.PDR),
)
