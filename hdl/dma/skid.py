# SPDX-License-Identifier: Apache-2.0
"""Skid: registers between two streams."""

from amaranth import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Skid"]


class Skid(wiring.Component):
    """Register a stream: its ``valid`` and payload forwards, its ``ready`` backwards.

    Latency 1 cycle, throughput 1 value a cycle, honours backpressure.

    Parameters
    ----------
    shape : value shape; TypeError for an object that is not a shape

    Members
    -------
    i : In(stream of shape), o : Out(stream of shape)
    """

    def __init__(self, shape):
        payload = In(shape).shape
        super().__init__({"i": In(stream.Signature(payload)), "o": Out(stream.Signature(payload))})

    def elaborate(self, platform):
        m = Module()
        value = Signal(self.i.p.shape(), name="value", reset_less=True)
        spare = Signal(self.i.p.shape(), name="spare", reset_less=True)
        there, spared = Signal(name="there"), Signal(name="spared")
        m.d.comb += [self.i.ready.eq(~spared), self.o.valid.eq(there), self.o.p.eq(value)]
        with m.If(~spared):
            m.d.sync += spare.eq(self.i.p)
        with m.If(~there | self.o.ready):
            m.d.sync += [value.eq(Mux(spared, spare, self.i.p)), spared.eq(0),
                         there.eq(spared | self.i.valid)]
        with m.Elif(self.i.valid):
            m.d.sync += spared.eq(1)
        return m
