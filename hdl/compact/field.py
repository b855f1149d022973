# SPDX-License-Identifier: Apache-2.0
"""Shifter for register values and for pass fields, whose bytes come from memory."""

from amaranth import Cat, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .alu import WORD
from .memory import Cells, follow

__all__ = ["FieldLoader", "Shifter"]

_BYTES = 4  # bytes read for a field


class FieldLoader(wiring.Component):
    """Request the bytes of a field in sequence, and mark the arrival of each byte.

    Latency ``Cells.LATENCY`` cycles from an accepted request to ``arrives``, throughput 1 byte a
    cycle. Backpressure: a request waits for ``taken``. Takes no parameters.

    Members
    -------
    begin : In(1), a field starts; loading : In(1), high until ``done`` : Out(1)
    asks : Out(1), request for byte number ``place`` : Out(3); taken : In(1), request accepted
    arrives : Out(1), a byte is valid
    """

    begin:   In(1)
    loading: In(1)
    asks:    Out(1)
    place:   Out(3)
    taken:   In(1)
    arrives: Out(1)
    done:    Out(1)

    def elaborate(self, platform):
        m = Module()
        asked = Signal(3)
        come = Signal(3)
        way = follow(m, self.asks & self.taken, Cells.LATENCY, name="byte_way")
        m.d.comb += [self.asks.eq(self.loading & (asked != 0)), self.place.eq(_BYTES - asked),
                     self.arrives.eq(way[-1]), self.done.eq(come == 0)]
        with m.If(self.begin):
            m.d.sync += [asked.eq(_BYTES), come.eq(_BYTES)]
        with m.If(way[0]):
            m.d.sync += asked.eq(asked - 1)
        with m.If(self.arrives):
            m.d.sync += come.eq(come - 1)
        return m


class Shifter(wiring.Component):
    """Shift a value right by bytes, then by bits; keep the lost bits for rounding.

    Latency from ``moves`` to ``done``: 1 cycle for each whole byte in ``amount`` and for each
    remaining bit. Throughput 1 value per latency, no backpressure. Takes no parameters.

    Members
    -------
    begin : In(1), load ``value`` : In(signed(WORD)) and ``amount`` : In(7), bits
    field : In(1), load ``amount``; the value arrives as bytes
    arrives : In(1), shift in ``byte`` : In(8)
    moves : In(1), shift until ``done`` : Out(1)
    shifted : Out(signed(WORD)); half : Out(1), the highest lost bit; below : Out(1), OR of the
        lower lost bits
    """

    begin:   In(1)
    field:   In(1)
    value:   In(signed(WORD))
    amount:  In(7)
    arrives: In(1)
    byte:    In(8)
    moves:   In(1)
    done:    Out(1)
    shifted: Out(signed(WORD))
    half:    Out(1)
    below:   Out(1)

    def elaborate(self, platform):
        m = Module()
        left = Signal(7)  # bits
        m.d.comb += self.done.eq(left == 0)
        with m.If(self.begin):
            m.d.sync += [self.shifted.eq(self.value), self.half.eq(0), self.below.eq(0)]
        with m.If(self.begin | self.field):
            m.d.sync += left.eq(self.amount)
        with m.If(self.arrives):
            m.d.sync += self.shifted.eq(Cat(self.shifted[8:], self.byte))
        with m.If(self.moves & ~self.done):
            with m.If(left[3:] != 0):
                m.d.sync += left.eq(left - 8)
                self._move(m, 8)
            with m.Else():
                m.d.sync += left.eq(left - 1)
                self._move(m, 1)
        return m

    def _move(self, m, bits):
        lost = self.shifted[:bits - 1].any() if bits > 1 else 0
        m.d.sync += [self.shifted.eq(self.shifted >> bits), self.half.eq(self.shifted[bits - 1]),
                     self.below.eq(self.below | self.half | lost)]
