# SPDX-License-Identifier: Apache-2.0
"""The compact core's microprogrammed engine."""

from amaranth import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import Op
from xymac.hdl.isa import Op as Operation
from xymac.hdl.isa import State

from .alu import Alu, Conditions, Product
from .control import Control
from .decode import Decoder, is_any
from .fetch import Fetch
from .field import FieldLoader, Shifter
from .memory import Access
from .memory_port import MemoryPort
from .registers import RegisterFile
from .sources import Sources
from .specials import Specials
from .steps import Steps

__all__ = ["Engine"]


class Engine(wiring.Component):
    """Run the microprogram, an instruction every two cycles, and a pass's steps.

    The first cycle of an instruction reads its registers, the second executes it: latency 2 cycles
    to its result. ``SHIFT`` takes another cycle for each byte and each bit, ``FIELD`` about ten
    more. Throughput of ``RUN``: a cycle for every 16-bit word read, and a few more. A step reads a
    Y word for each lane; with X ``VECTOR`` it reads a single X word, with X ``LANES`` an X word for
    each lane. Backpressure: an access with ``later`` waits until the memory raises ``taken``; an
    access with ``now`` never waits.

    Parameters
    ----------
    code : list of ints, 32-bit instructions; stopped : int, both see ``Fetch``
    constants : dict, register number 0 .. 255: its value after reset, 64 bits signed
    tables : list of at least one int, 16 bits signed, table ROM read by ``Source.ENTRY``

    TypeError for another type, ValueError for a value that does not fit.

    Members
    -------
    now : Out(1), ``access`` must be served in this cycle; later : Out(1), it may wait for ``taken``
    taken : In(1); access : Out(Access); found : In(16), valid ``Cells.LATENCY`` cycles later
    start, clear, wrote, stop : In(1), see ``Fetch``; ``stop`` also ends a ``RUN``
    host : In(16), ``Source.HOST``
    answer : Out(1), a pulse when ``Special.ANSWER`` is set; ready : Out(1), ``Special.READY``
    state : Out(State)
    """

    def __init__(self, *, code, stopped, constants, tables):
        self._fetch     = Fetch(code, stopped)
        self._registers = RegisterFile(constants=constants)
        self._sources   = Sources(tables=tables)
        super().__init__({
            "now": Out(1), "later": Out(1), "taken": In(1), "access": Out(Access), "found": In(16),
            "start": In(1), "clear": In(1), "wrote": In(1), "stop": In(1), "host": In(16),
            "answer": Out(1), "ready": Out(1), "state": Out(State)})

    def elaborate(self, platform):
        m = Module()
        blocks = m.submodules
        blocks.fetch, blocks.registers = self._fetch, self._registers
        blocks.decoder, blocks.control = Decoder(), Control()
        blocks.specials, blocks.sources = Specials(), self._sources
        blocks.alu, blocks.conditions, blocks.product = Alu(), Conditions(), Product()
        blocks.loader, blocks.shifter = FieldLoader(), Shifter()
        blocks.steps, blocks.memory = Steps(), MemoryPort()
        for block in (blocks.registers, blocks.decoder, blocks.control, blocks.specials,
                      blocks.sources, blocks.memory):
            m.d.comb += block.word.eq(blocks.fetch.word)
        self._sequence(m, blocks)
        self._calculate(m, blocks)
        self._write_back(m, blocks)
        self._step(m, blocks)
        self._access_memory(m, blocks)
        return m

    def _sequence(self, m, blocks):
        """Connect the instruction sequence to the conditions, long instructions and the host."""
        fetch, control, conditions = blocks.fetch, blocks.control, blocks.conditions
        specials, kept = blocks.specials, blocks.specials.kept
        m.d.comb += [
            fetch.begin.eq(control.begin), fetch.go.eq(control.go),
            fetch.execute.eq(control.executes), fetch.zero.eq(conditions.zero),
            fetch.negative.eq(conditions.negative), fetch.start.eq(self.start),
            fetch.clear.eq(self.clear), fetch.wrote.eq(self.wrote), fetch.stop.eq(self.stop),
            control.loaded.eq(blocks.loader.done), control.shifted.eq(blocks.shifter.done),
            control.ran.eq((kept.count == 0) & ~blocks.steps.busy),
            blocks.decoder.kind.eq(kept.kind),
            specials.sets.eq(control.executes & is_any(fetch.word, Op.SET)),
            specials.value.eq(blocks.alu.sum), specials.stop.eq(self.stop),
            specials.advances.eq(blocks.steps.advances),
            self.state.eq(kept.state), self.ready.eq(kept.ready),
            self.answer.eq(specials.chosen.answer)]

    def _calculate(self, m, blocks):
        """Connect the operands; the second is a register, a product or a short source."""
        word, plan, control = blocks.fetch.word, blocks.decoder.plan, blocks.control
        registers, sources, shifter = blocks.registers, blocks.sources, blocks.shifter
        alu, product, specials = blocks.alu, blocks.product, blocks.specials
        first, second = registers.a, Mux(
            plan.plain, Mux(plan.product, product.o, registers.b),
            Mux(plan.short, sources.o, shifter.shifted))
        m.d.comb += [
            alu.a.eq(first), alu.b.eq(second), alu.shifted.eq(shifter.shifted),
            alu.half.eq(shifter.half), alu.below.eq(shifter.below),
            alu.rounding.eq(specials.kept.rounding),
            *(alu.way[name].eq(plan[name]) for name, _ in alu.way.shape()),
            product.a.eq(first), product.b.eq(alu.b), product.runs.eq(plan.runs),
            product.multiplies.eq(control.executes & is_any(word, Op.MULTIPLY)),
            shifter.begin.eq(control.shift), shifter.field.eq(control.field),
            shifter.value.eq(first), shifter.moves.eq(control.shifting),
            shifter.amount.eq(Mux(control.shift, alu.b[:7], word.b[:3])),
            sources.host.eq(self.host), sources.place.eq(alu.sum),
            sources.looks.eq(specials.chosen.place), sources.clear.eq(specials.chosen.cycles),
            sources.counts.eq(self.state == State.BUSY)]

    def _write_back(self, m, blocks):
        """Write a result or an accumulator; MAX and MIN write only where the product wins."""
        plan, control, alu = blocks.decoder.plan, blocks.control, blocks.alu
        registers, combine, kept = blocks.registers, blocks.steps.combine, blocks.specials.kept
        writes = (control.executes & plan.writes) | control.field_done
        beats  = ~plan.extreme | (alu.sum[-1] == (kept.kind == Operation.MAX))
        m.d.comb += [
            registers.result.eq(alu.o), registers.write.eq(writes | (combine.valid & beats)),
            registers.read_a.eq(control.reads | control.running),
            registers.read_b.eq(control.reads),
            registers.lane_read.eq(Mux(control.running, blocks.steps.sum_lane, kept.lane)),
            registers.lane_written.eq(Mux(combine.valid, combine.lane, kept.lane)),
            blocks.conditions.result.eq(alu.o), blocks.conditions.new.eq(writes)]

    def _step(self, m, blocks):
        """Connect a pass's steps to the multiplier, and field bytes to the shifter."""
        control, steps, loader = blocks.control, blocks.steps, blocks.loader
        memory, kept, product = blocks.memory, blocks.specials.kept, blocks.product
        m.d.comb += [
            steps.begin.eq(control.run), steps.running.eq(control.running),
            steps.left.eq(kept.count != 0), steps.lanes.eq(kept.x_lanes),
            steps.beats.eq(kept.beats), steps.taken.eq(self.taken),
            product.x.eq(memory.element), product.y.eq(memory.element),
            product.x_arrives.eq(steps.x_arrives), product.x_zero.eq(kept.x_zero),
            loader.begin.eq(control.field), loader.loading.eq(control.loading),
            loader.taken.eq(self.taken), blocks.shifter.arrives.eq(loader.arrives),
            blocks.shifter.byte.eq(memory.element[:8])]

    def _access_memory(self, m, blocks):
        """Connect the memory port; an instruction cannot wait, steps and fields can."""
        memory, control = blocks.memory, blocks.control
        m.d.comb += [
            memory.plan.eq(blocks.decoder.plan), memory.kept.eq(blocks.specials.kept),
            memory.execute.eq(control.executes), memory.sum.eq(blocks.alu.sum),
            memory.loading.eq(control.loading), memory.place.eq(blocks.loader.place),
            memory.running.eq(control.running), memory.of_y.eq(blocks.steps.of_y),
            memory.lane.eq(blocks.steps.lane), memory.found.eq(self.found),
            blocks.sources.cell.eq(memory.cell), self.now.eq(memory.now),
            self.access.eq(memory.access), self.later.eq(blocks.steps.asks | blocks.loader.asks)]
