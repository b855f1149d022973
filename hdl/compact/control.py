# SPDX-License-Identifier: Apache-2.0
"""Engine control: the phases of every instruction."""

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import Instruction, Op

from .decode import is_any

__all__ = ["Control"]


class Control(wiring.Component):
    """Sequence every instruction: read its registers, execute it, wait if it is long.

    Latency 2 cycles from ``go`` to the end of an instruction; throughput 1 instruction in 2 cycles.
    The long instructions ``SHIFT``, ``FIELD`` and ``RUN`` wait for ``shifted``, ``loaded`` and
    ``ran``, which act as backpressure. Takes no parameters.

    Members
    -------
    word : In(Instruction)
    begin : Out(1), the first instruction comes next; go : Out(1), the next instruction follows
    reads, executes : Out(1), phases of every instruction
    loading, shifting, running : Out(1), phases of a long instruction
    loaded, shifted, ran : In(1), the phase ends
    shift, field, run : Out(1), with ``executes``: a long instruction starts
    field_done : Out(1), the result of a ``FIELD`` is valid
    """

    word:       In(Instruction)
    begin:      Out(1)
    go:         Out(1)
    reads:      Out(1)
    executes:   Out(1)
    loading:    Out(1)
    loaded:     In(1)
    shifting:   Out(1)
    shifted:    In(1)
    running:    Out(1)
    ran:        In(1)
    shift:      Out(1)
    field:      Out(1)
    run:        Out(1)
    field_done: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.d.comb += [
            self.shift.eq(self.executes & is_any(self.word, Op.SHIFT)),
            self.field.eq(self.executes & is_any(self.word, Op.FIELD)),
            self.run.eq(self.executes & is_any(self.word, Op.RUN))]
        with m.FSM():
            with m.State("Begin"):
                m.d.comb += [self.begin.eq(1), self.go.eq(1)]
                m.next = "Read"
            with m.State("Read"):
                m.d.comb += self.reads.eq(1)
                m.next = "Execute"
            with m.State("Execute"):
                m.d.comb += self.executes.eq(1)
                m.next = "Read"
                with m.If(self.shift):
                    m.next = "Shift"
                with m.Elif(self.field):
                    m.next = "Load"
                with m.Elif(self.run):
                    m.next = "Run"
                with m.Else():
                    m.d.comb += self.go.eq(1)
            with m.State("Load"):
                m.d.comb += self.loading.eq(1)
                with m.If(self.loaded):
                    m.next = "Shift"
            with m.State("Shift"):
                m.d.comb += self.shifting.eq(1)
                with m.If(self.shifted):
                    m.d.comb += [self.go.eq(1), self.field_done.eq(is_any(self.word, Op.FIELD))]
                    m.next = "Read"
            with m.State("Run"):
                m.d.comb += self.running.eq(1)
                with m.If(self.ran):
                    m.d.comb += self.go.eq(1)
                    m.next = "Read"
        return m
