# SPDX-License-Identifier: Apache-2.0
"""The core: every block and the wires between them."""

from types import SimpleNamespace
from typing import Any, NamedTuple

from amaranth import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.config import words_at_once
from xymac.hdl.isa import BANKS, PASS_WORDS, State, bias_rows
from xymac.hdl.limits import check_config, check_vendor
from xymac.hdl.request import Request, Response

from . import ports
from .agu import Agu
from .array import Array
from .columns import Columns
from .fetch.checker import Checker
from .fetch.sequencer import Sequencer
from .hostport import HostPort
from .issue import Dispatch, Issue
from .loop_nest import LoopNest
from .output import OutputStage
from .ports import join
from .reduction import Reduction
from .registers import Registers
from .scalar_override import Kept, ScalarOverride
from .scale import ScaleUnit
from .trace import Trace
from .writeback import Writeback

__all__ = ["Core", "HostSide"]


class HostSide(NamedTuple):
    """Ends of the wires from the host to the blocks, which a DMA shares.

    ``control``, ``load`` and ``wrote`` are sources of ``Control``, ``Load`` and ``HostWrites``,
    ``read`` is a stream of HostRead, ``found`` a sink of ``HostFound``; see ``ports``.
    """

    control: Any
    load:    Any
    wrote:   Any
    read:    Any
    found:   Any


class Core(wiring.Component):
    """Accelerator of a given ``CoreConfig`` behind a request and response port.

    Reset must last ``RESET`` cycles: registers without a reset then drain all values of an earlier
    program. A reset that also reaches these registers may be shorter. Throughput
    ``config.products`` products per cycle; latency of a program with a single step 73, 67 or 66
    cycles on tiny, small and base. Requests as in ``HostPort``, honours backpressure.

    Parameters
    ----------
    config : CoreConfig, the size; TypeError for any other type
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    request : In(stream of Request), response : Out(stream of Response), 1 response per request
    irq : Out(1); state : Out(State), program state

    ``blocks`` holds the blocks by name.
    """

    RESET  = 160  #: Cycles; more than the stages of the longest pipeline.
    DMA    = False  #: Whether the core has a DMA: see ``dma.DmaCore``.

    def __init__(self, config, *, vendor=None):
        if not check_config(config).capabilities.parallel:
            raise ValueError(f"Size {config.name} is of the compact core, not of this one")
        if bool(config.dma) != self.DMA:
            has, lacks = ("a DMA", "none") if config.dma else ("no DMA", "one")
            raise ValueError(f"Size {config.name} has {has}, this core has {lacks}")
        self.config, self._vendor = config, check_vendor(vendor)
        super().__init__({"request": In(stream.Signature(Request)),
                          "response": Out(stream.Signature(Response)),
                          "irq": Out(1), "state": Out(State)} | self._more_members())
        self.blocks = self._make_blocks(config, int(self.DMA), vendor)
        _check_distances(config, self.blocks.array)

    def _make_blocks(self, config, dma, vendor):
        """The blocks, in dataflow order."""
        ways, passes, slots = config.ways, config.passes, config.slots
        depths, has = {"x_rows": config.x_rows, "y_rows": config.y_rows}, config.capabilities
        options = {name: int(config.has(name)) for name in ("extremes", "window", "comparison")}
        array   = Array(ways=ways, vendor=vendor, dma=dma, **depths, **options)
        return SimpleNamespace(
            host=HostPort(ways=ways, passes=passes, **depths),
            registers=Registers(constants=has.words(), passes=passes, dma=dma),
            sequencer=Sequencer(passes=passes, ways=ways, slots=slots, functions=has.functions,
                                vendor=vendor, **depths),
            loop_nest=LoopNest(y_rows=config.y_rows, bias_rows=bias_rows(ways), vendor=vendor),
            dispatch=Dispatch(),
            agu=Agu(vendor=vendor),
            issue=Issue(ways=ways, bias_rows=bias_rows(ways), vendor=vendor),
            array=array,
            columns=Columns(ways=ways, slots=slots, first_sum=array.first_sum, vendor=vendor),
            writeback=Writeback(ways=ways, vendor=vendor, dma=dma),
            reduction=Reduction(ways=ways, heap=int(config.has("heap")), vendor=vendor),
            trace=Trace(passes=passes, slots=slots, dma=dma, vendor=vendor))

    def _more_members(self):
        """Further members of the core, by name."""
        return {}

    def _host_side(self, m):
        """The ends of the host, as a HostSide; a DMA puts itself between them and the blocks."""
        host = self.blocks.host
        return HostSide(control=self.blocks.registers, load=host, wrote=host, read=host.read,
                        found=host)

    def elaborate(self, platform):
        m, b = Module(), self.blocks
        for name, block in vars(b).items():
            m.submodules[name] = block
        ways, passes, dma = self.config.ways, self.config.passes, self.DMA
        side = self._host_side(m)

        # Host to registers, trace and memories.
        wiring.connect(m, wiring.flipped(self.request), b.host.request)
        wiring.connect(m, b.host.response, wiring.flipped(self.response))
        join(m, ports.RegisterBus, b.host, b.registers)
        join(m, ports.TraceBus(passes), b.host, b.trace)
        join(m, ports.HostTrace(dma=dma), b.trace, b.registers)
        join(m, ports.Load(passes), b.host, b.trace)
        join(m, ports.HostWrites, side.wrote, b.trace)
        join(m, ports.Load(passes), side.load, b.sequencer, b.columns)
        join(m, ports.HostFound(ways), b.array, side.found)
        wiring.connect(m, side.read, b.issue.host)
        wiring.connect(m, b.host.write, b.writeback.host)

        # A program, and its passes from the sequencer to every block.
        join(m, ports.Control(passes), side.control, b.sequencer, b.columns, b.writeback,
             b.reduction, b.trace)
        join(m, ports.ProgramState(passes), b.sequencer, b.registers, b.trace)
        join(m, ports.Passes, b.sequencer, b.loop_nest, b.dispatch, b.agu, b.issue, b.columns,
             b.writeback, b.reduction, b.trace)
        join(m, ports.Running(passes), b.sequencer, b.trace)
        join(m, ports.Launch, b.sequencer, b.loop_nest)

        # Outputs, taps and steps, from the loop sequencer to the array.
        wiring.connect(m, b.loop_nest.o, b.dispatch.i)
        wiring.connect(m, b.dispatch.jobs, b.agu.i)
        wiring.connect(m, b.dispatch.o, b.issue.i)
        wiring.connect(m, b.agu.o, b.issue.taps)
        join(m, ports.Steps, b.issue, b.array, b.columns)
        join(m, ports.Issuing, b.issue, b.sequencer)
        join(m, ports.Stalls, b.issue, b.trace)
        wiring.connect(m, b.issue.drain, b.writeback.i)

        # Accumulators, elements and results, from the array back to its memories.
        join(m, ports.Sums(ways), b.array, b.columns, b.reduction)
        join(m, ports.Elements(ways), b.columns, b.writeback, b.reduction)
        join(m, ports.MemoryWrites(ways, dma=dma), b.writeback, b.array)
        join(m, ports.Results, b.writeback, b.reduction)
        join(m, ports.Scaling, b.reduction, b.columns)
        join(m, ports.Written, b.writeback, b.sequencer, b.issue, b.trace)

        m.d.comb += [self.irq.eq(b.registers.irq), self.state.eq(b.sequencer.state)]
        return m


def _check_distances(config, array):
    """Assert the distances in cycles that keep values of blocks together without handshakes."""
    first  = array.first_sum
    longer = ScaleUnit.LATENCY - OutputStage.PRODUCT
    # The check needs the whole pass, and it lasts until the blocks have stored their fields.
    assert Checker.LATENCY + 1 >= max(LoopNest.STANDS, Kept.STAND)
    # A new mode follows all accumulators of the mode before.
    assert ScaleUnit.MODED < Issue.SWITCH + 3 - BANKS
    # The write-back queues hold all outputs between their last step and their last vector.
    assert first + longer + OutputStage.LATENCY + 2 <= BANKS * (Writeback.DEPTH - 1)
    # After ``unwritten`` falls, the first step issues 2 cycles later; its accumulator arrives
    # ``first_sum`` cycles after the step.
    assert Reduction.SOON + ScalarOverride.AHEAD <= 2 + first
    # The first accumulator of a program follows the fetch and the check of its pass, an address and
    # its tap.
    issued = PASS_WORDS // words_at_once(config.passes) + Checker.LATENCY + Agu.SHOWN
    assert Reduction.FLUSHED + ScalarOverride.AHEAD <= issued + first
    # The range is final in time for the next step's accumulator, whose pass may be anchored.
    assert array.ranged + Reduction.RANGED + ScalarOverride.AHEAD <= first
