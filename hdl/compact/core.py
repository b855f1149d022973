# SPDX-License-Identifier: Apache-2.0
"""The compact core: a microprogram runs the passes, for devices too small for ``core.Core``."""

from amaranth import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.program import CODE, CONSTANTS, STOPPED, TABLE_ROM
from xymac.hdl.config import COMPACT
from xymac.hdl.isa import CELL_BITS, State
from xymac.hdl.limits import check_config, check_vendor
from xymac.hdl.request import Request, Response

from .engine import Engine
from .hostport import PagePort
from .memory import Cells

__all__ = ["Compact"]


class Compact(wiring.Component):
    """Run the programs of the size tiny with the same results, at a fraction of its speed.

    Throughput at most ``config.products`` products a cycle, and about 100 cycles a result. A
    single-step program has a latency of about 2500 cycles. Requests follow ``PagePort``; the core
    honours backpressure. The host sees ``core.Core(TINY)`` with another ``Engine``. Differences
    other than speed:

    - Counters advance when a pass is written; every cycle without an issued step counts as
      ``drain``. Both times in a trace record are the last result's time.
    - The answer to a write to X, Y or the program during a run waits until the microprogram has
      compared the address with the windows: at most one innermost tap loop. A pass is monitored
      once its predecessor is written.
    - A pass that gathers or spreads is refused with the status for an unknown operation.

    Parameters
    ----------
    config : CoreConfig, COMPACT; TypeError for another type, ValueError for another size
    vendor : None or "ice40", see ``memory.Cells``; ValueError otherwise

    Members
    -------
    request : In(stream of Request), response : Out(stream of Response), a response per request
    irq : Out(1); state : Out(State)
    """

    def __init__(self, config=COMPACT, *, vendor=None):
        if check_config(config) != COMPACT:
            raise ValueError(f"The compact core has the size {COMPACT.name}, not {config.name}")
        self.config, self._vendor = config, check_vendor(vendor, "ice40")
        super().__init__({"request": In(stream.Signature(Request)),
                          "response": Out(stream.Signature(Response)),
                          "irq": Out(1), "state": Out(State)})

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.cells = cells = Cells(vendor=self._vendor)
        m.submodules.engine = engine = Engine(
            code=CODE, stopped=STOPPED, constants=CONSTANTS, tables=TABLE_ROM)
        m.submodules.port = port = PagePort(
            x_cells=8 * config.x_bytes // CELL_BITS, y_cells=8 * config.y_bytes // CELL_BITS,
            passes=config.passes)
        wiring.connect(m, wiring.flipped(self.request), port.request)
        wiring.connect(m, port.response, wiring.flipped(self.response))
        m.d.comb += [
            port.found.eq(cells.found), port.taken.eq(~engine.now),
            port.ready.eq(engine.ready), port.state.eq(engine.state),
            port.answer.eq(engine.answer),
            engine.found.eq(cells.found), engine.taken.eq(~port.valid),
            engine.start.eq(port.start), engine.clear.eq(port.clear),
            engine.wrote.eq(port.wrote), engine.stop.eq(port.stop), engine.host.eq(port.cell),
            cells.valid.eq(engine.now | engine.later | port.valid),
            cells.access.eq(engine.access),
            self.irq.eq(port.irq), self.state.eq(engine.state)]
        with m.If(port.valid & ~engine.now):
            m.d.comb += cells.access.eq(port.access)
        return m
