# SPDX-License-Identifier: Apache-2.0
"""A component whose coverage is known: every write sets a mode, every read answers by it."""

from amaranth import Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.request import Request, Response

__all__ = ["Toy", "line_of"]


def line_of(text):
    """Number of the only line of this file that ends with the comment ``text``."""
    with open(__file__) as file:
        [number] = [number for number, line in enumerate(file, 1)
                    if line.rstrip().endswith(f"# {text}")]
    return number


class Part(wiring.Component):
    """An instance: its output follows its input, where that goes."""

    i: In(1)
    goes: In(1)
    o: Out(1)

    def elaborate(self, platform):
        m = Module()
        with m.If(self.goes):
            m.d.sync += self.o.eq(self.i)  # part
        return m


class Toy(wiring.Component):
    """Answers a request in two cycles; a write of data 0 to 2 chooses a branch."""

    request:  In(stream.Signature(Request))
    response: Out(stream.Signature(Response))
    irq:      Out(1)

    def elaborate(self, platform):
        m = Module()
        request = self.request.p
        kind    = Signal(8)    # kind
        fixed   = Signal(3)    # fixed
        found   = Signal(4)
        m.submodules.first  = first = Part()
        second = Part()
        m.submodules.second = ResetInserter(kind[2])(second)  # a condition without a place
        m.d.comb += [fixed.eq(5), first.i.eq(kind[0]), first.goes.eq(kind[1]),
                     second.i.eq(kind[0]), second.goes.eq(0)]
        m.d.comb += self.irq.eq(first.o | second.o)  # either
        with m.If(kind == 0):    # zero
            m.d.comb += found.eq(1)  # is zero
        with m.Elif(kind == 1):  # one
            m.d.comb += found.eq(2)  # is one
        with m.Elif(kind == 2):  # two
            m.d.comb += found.eq(4)  # is two
        with m.Else():
            m.d.comb += found.eq(8)  # is more
        m.d.comb += self.response.p.data.eq(Mux(kind[7], fixed, found))  # choice
        with m.FSM():
            with m.State("Wait"):    # wait
                m.d.comb += self.request.ready.eq(1)
                with m.If(self.request.valid):  # asked
                    m.next = "Answer"
                    with m.If(request.write & (request.data == 77)):  # lost
                        m.next = "Lost"
                    with m.If(request.write):
                        m.d.sync += kind.eq(request.data)  # store
            with m.State("Answer"):  # answer
                m.d.comb += self.response.valid.eq(1)
                with m.If(self.response.ready):  # taken
                    m.next = "Wait"
            with m.State("Lost"):    # is lost
                m.next = "Answer"
        return m


class Again(wiring.Component):
    """Three states, which ``again`` also leaves for the first, if it is connected."""

    again: In(1)
    o:     Out(1)

    def __init__(self, *, connected):
        self._connected = connected
        super().__init__()

    def elaborate(self, platform):
        inner = Module()
        with inner.FSM():
            for name, after in (("A", "B"), ("B", "C"), ("C", "A")):
                with inner.State(name):
                    inner.d.comb += self.o.eq(name == "C")
                    inner.next = after
        m = Module()
        m.submodules.inner = ResetInserter(self.again)(inner) if self._connected else inner
        return m
