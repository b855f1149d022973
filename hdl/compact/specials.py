# SPDX-License-Identifier: Apache-2.0
"""Special registers: step parameters outside the register file."""

from amaranth import Module, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import Instruction, Special
from xymac.hdl.isa import Op, RoundMode, State

from .alu import WORD

__all__ = ["Chosen", "Kept", "Specials"]

#: Values of the special registers.
Kept = data.StructLayout({
    "lane": 2, "rounding": RoundMode, "data": 16, "pass_": 5, "x": 16, "y": 14, "x_stride": 16,
    "y_stride": 14, "count": 16, "x_zero": 16, "x_wide": 1, "y_wide": 1, "z_wide": 1,
    "z_memory": 1, "x_lanes": 1, "beats": 2, "kind": Op, "state": State, "ready": 1})
#: A write strobe for each ``Special``. Some strobes have no register behind them.
Chosen = data.StructLayout({special.name.lower(): 1 for special in Special})


class Specials(wiring.Component):
    """Store the special registers, and advance the addresses after every step.

    Latency 1 cycle from a write to ``kept``, 0 to ``chosen``; throughput 1 write a cycle, no
    backpressure. Takes no parameters.

    Members
    -------
    word : In(Instruction), sets : In(1), write ``value`` : In(signed(WORD)) to its register
    advances : In(1), a step is done; stop : In(1), clear the step count
    kept : Out(Kept); chosen : Out(Chosen)
    """

    word:     In(Instruction)
    sets:     In(1)
    value:    In(signed(WORD))
    advances: In(1)
    stop:     In(1)
    kept:     Out(Kept)
    chosen:   Out(Chosen)

    def elaborate(self, platform):
        m = Module()
        kept = self.kept
        with m.If(self.advances):
            m.d.sync += [kept.x.eq(kept.x + kept.x_stride), kept.y.eq(kept.y + kept.y_stride),
                         kept.count.eq(kept.count - 1)]
        with m.If(self.stop):
            m.d.sync += kept.count.eq(0)
        registers = {name.rstrip("_") for name, _ in Kept}
        for special in Special:
            name = special.name.lower()
            m.d.comb += self.chosen[name].eq(self.sets & (self.word.d[:5] == special))
            if name in registers:
                with m.If(self.chosen[name]):
                    m.d.sync += kept["pass_" if name == "pass" else name].eq(self.value)
        return m
