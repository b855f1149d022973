# SPDX-License-Identifier: Apache-2.0
"""The core: every block and the wires between them, in dataflow order."""

from amaranth import Cat, Module, Mux, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.config import words_at_once
from xymac.hdl.isa import (
    BANKS,
    PASS_WORDS,
    Op,
    Reduce,
    Scale,
    State,
    Table,
    bias_rows,
    reduce_of,
    table_of,
)
from xymac.hdl.limits import check_config, check_vendor
from xymac.hdl.request import Request, Response

from .agu import Agu, map_config
from .array import Array
from .fetch.checker import Checker
from .fetch.sequencer import Sequencer
from .hostport import HostPort
from .issue import Dispatch, Issue
from .loop_nest import LoopNest
from .output import OutputStage
from .reduction import Reduction
from .registers import Registers
from .scalar_override import Kept, ScalarOverride
from .scale import ScaleUnit
from .tables import COLUMNS, Tables
from .trace import Counters, Notes
from .write_monitor import WriteMonitor
from .writeback import Writeback

__all__ = ["Core"]


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
        ways, passes = config.ways, config.passes
        depths = {"x_rows": config.x_rows, "y_rows": config.y_rows}
        self._host = HostPort(ways=ways, passes=passes, **depths)
        self._registers = Registers(constants=config.capabilities.words(), passes=passes,
                                    dma=int(self.DMA))
        self._monitor   = WriteMonitor()
        self._counters  = Counters(passes=passes, vendor=vendor)
        self._sequencer = Sequencer(
            passes=passes, ways=ways, slots=config.slots,
            functions=config.capabilities.functions, vendor=vendor, **depths)
        self._loop_nest = LoopNest(y_rows=config.y_rows, bias_rows=bias_rows(ways), vendor=vendor)
        self._agu   = Agu(vendor=vendor)
        self._issue = Issue(ways=ways, bias_rows=bias_rows(ways), vendor=vendor)
        self._array = Array(
            ways=ways, vendor=vendor, **depths,
            dma=int(self.DMA),
            **{name: int(config.has(name)) for name in ("extremes", "window", "comparison")})
        self._writeback = Writeback(ways=ways, vendor=vendor, dma=int(self.DMA))
        self._reduction = Reduction(ways=ways, heap=int(config.has("heap")), vendor=vendor)

    def _more_members(self):
        """Further members of the core, by name."""
        return {}

    def elaborate(self, platform):
        m = Module()
        for name, block in (
                ("host", self._host), ("registers", self._registers),
                ("write_monitor", self._monitor), ("counters", self._counters),
                ("sequencer", self._sequencer), ("loop_nest", self._loop_nest),
                ("agu", self._agu), ("issue", self._issue), ("array", self._array),
                ("writeback", self._writeback), ("reduction", self._reduction)):
            m.submodules[name] = block
        self._configure(m)
        self._dispatch(m)
        self._compute(m)
        self._reduce(m)
        self._connect_sequencer(m)
        self._count(m)
        self._connect_host(m)
        return m

    def _configure(self, m):
        """Give every block its fields of the passes in the sequencer's slots.

        A pass enters its slot long before any block uses it, and stays until all are done.
        """
        coming, loading = self._sequencer.coming, self._sequencer.loading
        assert Checker.LATENCY + 1 >= LoopNest.STANDS  # the check needs the whole pass
        z = self._writeback.config
        m.d.comb += [
            *(block.loading.eq(loading)
              for block in (self._loop_nest, self._agu, self._issue, self._writeback)),
            *(block.coming.eq(coming) for block in (self._loop_nest, self._issue)),
            self._loop_nest.moved.eq(self._sequencer.moved),
            *(Value.cast(config).eq(Cat(map_config(operand.agu, operand.last), operand.taps))
              for config, operand in zip(
                self._agu.config, (coming.x, coming.y), strict=True)),
            z.map.eq(map_config(coming.z, coming.z.high)), z.memory.eq(coming.z_memory),
            z.stride.eq(Mux(coming.op == Op.SPREAD, coming.z.outer[0], 1)),
            z.wide.eq(coming.z_width), z.hold.eq(coming.hold),
            z.folds.eq(reduce_of(coming) != Reduce.NONE),
            z.looks.eq(table_of(coming) != Table.NONE)]

    def _dispatch(self, m):
        """Send outputs to the AGU and to issue, and tap addresses to issue."""
        loop_nest, agu, issue = self._loop_nest, self._agu, self._issue
        m.submodules.dispatch = dispatch = Dispatch()
        wiring.connect(m, loop_nest.o, dispatch.i)
        wiring.connect(m, dispatch.jobs, agu.i)
        wiring.connect(m, dispatch.o, issue.i)
        wiring.connect(m, agu.o, issue.taps)
        m.d.comb += dispatch.count.eq(loop_nest.count)
        m.d.comb += [block.flush.eq(self._sequencer.flush)
                     for block in (loop_nest, dispatch, agu, issue)]

    def _compute(self, m):
        """Send steps to the array, accumulators to the output stages, results to the memories."""
        array, writeback = self._array, self._writeback
        wiring.connect(m, self._issue.drain, writeback.i)
        # A new mode arrives a cycle before its first accumulator and after all earlier ones.
        mode = delay(m, self._issue.mode, array.first_sum + 1, name="mode")
        assert ScaleUnit.MODED < Issue.SWITCH + 3 - BANKS
        self._arrive(m)
        inverse = delay(m, self._reduction.scalars.inverse, 1, name="inverse")
        m.d.comb += [array.step.eq(self._issue.o), array.floor.eq(self._issue.mode.floor),
                     array.write.eq(writeback.write), array.data.eq(writeback.data)]
        m.submodules.override = adjust = ScalarOverride(slots=self.config.slots)
        sequencer = self._sequencer
        assert Kept.STAND <= Checker.LATENCY + 1
        m.d.comb += [adjust.coming.eq(sequencer.coming), adjust.table.eq(sequencer.found),
                     adjust.loading.eq(sequencer.loading),
                     adjust.scalars.eq(self._reduction.scalars),
                     adjust.restart.eq(self._registers.start), adjust.soon.eq(writeback.soon),
                     adjust.last.eq(writeback.last), adjust.short.eq(writeback.short),
                     adjust.keep.eq(writeback.keep)]
        config = adjust.o
        for column in range(self.config.ways):
            m.submodules[f"output_{column}"] = stage = OutputStage(vendor=self._vendor)
            m.submodules[f"scale_{column}"] = scale = ScaleUnit(vendor=self._vendor)
            m.d.comb += [scale.acc.eq(array.acc[column]), scale.valid.eq(array.valid[column]),
                         scale.record.eq(array.record[column]), scale.mode.eq(mode),
                         scale.inverse.eq(inverse), stage.product.eq(scale.product),
                         stage.post.eq(scale.post), stage.beyond.eq(scale.beyond),
                         stage.config.eq(config), stage.acc.eq(array.acc[column]),
                         writeback.elements[column].eq(stage.o),
                         writeback.overflow[column].eq(stage.overflow)]
            if column % COLUMNS == 0:
                tables = Tables(columns=min(self.config.ways - column, COLUMNS))
                m.submodules[f"tables_{column}"] = tables
                m.d.comb += tables.write.eq(self._host.table)
            wiring.connect(m, stage.tables, tables.readers[column % COLUMNS])
            mode, config = delay(m, mode, 1, name=f"mode{column}"), stage.next_config

    def _arrive(self, m):
        """Mark arrivals at the first output stage: accumulators, or their products if scaled."""
        mode, coming = self._issue.mode, self._array.coming
        first, longer = self._array.first_sum, ScaleUnit.LATENCY - OutputStage.PRODUCT
        scales = delay(m, mode.scale != Scale.NONE, first - 1, name="scales")
        late   = delay(m, coming & scales, longer, name="late")
        m.d.comb += self._writeback.arrives.eq(late | (coming & ~scales))
        # The write-back queues hold all outputs between their last step and their last vector.
        assert first + longer + OutputStage.LATENCY + 2 <= BANKS * (Writeback.DEPTH - 1)

    def _reduce(self, m):
        """Feed written results, pass fields and X ranges to the reduction."""
        reduction, writeback = self._reduction, self._writeback
        # After ``unwritten`` falls, the first step issues 2 cycles later; its accumulator arrives
        # ``first_sum`` cycles after the step.
        assert Reduction.SOON + ScalarOverride.AHEAD <= 2 + self._array.first_sum
        # The first accumulator of a program follows its pass fetch and a check of 6 cycles or more.
        fetched = PASS_WORDS // words_at_once(self.config.passes) + 6
        assert Reduction.FLUSHED + ScalarOverride.AHEAD <= fetched + self._array.first_sum
        # The range is final in time for the next step's accumulator, whose pass may be anchored.
        assert self._array.ranged + Reduction.RANGED + ScalarOverride.AHEAD <= self._array.first_sum
        coming, config = self._sequencer.coming, reduction.config
        m.d.comb += [
            config.reduce.eq(reduce_of(coming)), config.fresh.eq(coming.fresh),
            config.entry.eq(coming.entry), config.drop.eq(coming.drop),
            config.wide.eq(coming.z_width), config.rounding.eq(coming.table_rounding),
            reduction.loading.eq(self._sequencer.loading)]
        m.d.comb += [
            reduction.valid.eq(writeback.written), reduction.slot.eq(writeback.written_slot),
            reduction.ends.eq(writeback.written_final), reduction.elements.eq(writeback.elements),
            reduction.flush.eq(self._registers.start), reduction.range.eq(self._array.range)]

    def _connect_sequencer(self, m):
        """Connect the sequencer to loop nest, issue, write-back, registers and write monitor."""
        registers, sequencer, counters = self._registers, self._sequencer, self._counters
        issue, writeback, watch, host = self._issue, self._writeback, self._monitor, self._host
        m.d.comb += [
            sequencer.start.eq(registers.start), sequencer.clear.eq(registers.clear),
            sequencer.stop.eq(registers.stop), sequencer.first.eq(registers.first),
            sequencer.walking.eq(self._loop_nest.busy),
            sequencer.issue_fault.eq(issue.fault), sequencer.issue_slot.eq(issue.slot),
            sequencer.z_fault.eq(writeback.fault), sequencer.z_slot.eq(writeback.fault_slot),
            sequencer.in_flight.eq(writeback.in_flight | self._reduction.busy),
            sequencer.done.eq(writeback.done), sequencer.trace_busy.eq(counters.busy),
            issue.closed.eq(counters.closed), issue.starved.eq(sequencer.starved),
            issue.unwritten.eq(writeback.unwritten | self._reduction.busy),
            issue.live.eq(sequencer.live), writeback.flush.eq(registers.clear),
            self._loop_nest.launch.eq(sequencer.launch),
            self._loop_nest.slot.eq(sequencer.loop_slots),
            registers.state.eq(sequencer.state), registers.status.eq(sequencer.status),
            registers.field.eq(sequencer.field), registers.pass_.eq(sequencer.pass_),
            watch.valid.eq(host.write.valid & host.write.ready),
            watch.y.eq(host.write.p.y), watch.row.eq(host.write.p.row),
            watch.rows.eq(sequencer.rows), watch.turn.eq(sequencer.turn),
            watch.flush.eq(registers.start),
            self.irq.eq(registers.irq), self.state.eq(sequencer.state),
        ]
        # A register: the strobes leave the host port's decoder late in the cycle.
        strobes = Cat(host.program_enable, host.table.enable, host.place.enable)
        m.d.sync += [watch.program.eq(strobes.any() & (sequencer.state == State.BUSY)),
                     watch.live.eq(sequencer.live), watch.loading.eq(sequencer.loading)]

    def _count(self, m):
        """Connect counters, the trace entries of finished passes, and flags."""
        registers, sequencer, counters = self._registers, self._sequencer, self._counters
        issue, writeback = self._issue, self._writeback
        m.submodules.notes = notes = Notes(passes=self.config.passes, slots=self.config.slots)
        # The stall cause of a cycle is known a cycle later; these two wait for it.
        m.d.sync += [counters.running.eq(sequencer.state == State.BUSY),
                     counters.issued.eq(issue.pass_issued)]
        m.d.comb += [
            notes.restart.eq(registers.start | registers.clear), notes.index.eq(sequencer.index),
            notes.again.eq(sequencer.again), notes.slot.eq(issue.drain.p.slot),
            notes.done.eq(writeback.done), notes.overflow.eq(writeback.overflow_seen),
            notes.hit.eq(self._monitor.hit), registers.flags.eq(notes.flags),
            counters.clear.eq(registers.start), counters.stall.eq(issue.stall),
            counters.issued_pass.eq(notes.issued_pass), counters.done.eq(notes.written),
            counters.done_pass.eq(notes.written_pass), counters.overflow.eq(notes.seen),
            registers.count.eq(counters.value)]

    def _connect_host(self, m):
        host, array = self._host, self._array
        wiring.connect(m, wiring.flipped(self.request), host.request)
        wiring.connect(m, host.response, wiring.flipped(self.response))
        wiring.connect(m, host.write, self._writeback.host)
        wiring.connect(m, host.read, self._issue.host)
        m.d.comb += [
            host.x_found.eq(array.x_found), host.x_valid.eq(array.x_valid),
            host.y_found.eq(array.y_found), host.y_valid.eq(array.y_valid),
            self._counters.address.eq(host.trace_address),
            host.trace_word.eq(self._counters.word),
            self._registers.address.eq(host.register),
            self._registers.data.eq(host.register_data),
            self._registers.write.eq(host.register_write),
            self._counters.asks.eq(host.counts), self._counters.number.eq(host.number),
            host.counted.eq(self._counters.taken),
            host.register_word.eq(self._registers.word),
            host.register_known.eq(self._registers.known),
        ]
        m.d.sync += [self._sequencer.place.eq(host.place), self._sequencer.write.eq(host.program),
                     self._sequencer.write_enable.eq(host.program_enable)]
