# SPDX-License-Identifier: Apache-2.0
"""UART, 8N1: byte receiver and byte transmitter."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from xymac.hdl.limits import check_int

__all__ = ["BYTE", "UartReceiver", "UartTransmitter"]

BYTE = 8  #: Data bits, lowest bit first, between a start bit and a stop bit.


def _check_divisor(divisor):
    if check_int("Divisor", divisor) < 4:
        raise ValueError(f"Divisor must be at least 4 cycles a bit, not {divisor}")


class UartReceiver(wiring.Component):
    """Receive bytes from a line, sampling each bit in its middle.

    A start bit shorter than half a bit is ignored. A byte with a low stop bit is dropped, and the
    line must return to high before the next byte. The output is valid for one cycle in the middle
    of the stop bit, so the sender may be up to half a bit in ten faster than ``divisor``. Latency
    from the start bit 9.5 bits plus 2 cycles for synchronisation, throughput 1 byte in
    ``10 * divisor`` cycles, no backpressure.

    Parameters
    ----------
    divisor : int, cycles a bit, at least 4; TypeError for another type, ValueError below 4

    Members
    -------
    rx : In(1), asynchronous
    o : Out(stream of 8 bits), always ready
    """

    def __init__(self, *, divisor):
        _check_divisor(divisor)
        self._divisor = divisor
        super().__init__({"rx": In(1, init=1),
                          "o": Out(stream.Signature(BYTE, always_ready=True))})

    def elaborate(self, platform):
        m = Module()
        level = Signal(init=1)
        m.submodules.synchronise = FFSynchronizer(self.rx, level, init=1)
        timer, bit = Signal(range(self._divisor), name="timer"), Signal(range(BYTE), name="bit")
        due = timer == 0
        m.d.comb += self.o.valid.eq(0)
        m.d.sync += timer.eq(Mux(due, self._divisor - 1, timer - 1))
        with m.FSM():
            with m.State("Wait-Start"):
                m.d.sync += [timer.eq(self._divisor // 2 - 1), bit.eq(0)]
                with m.If(~level):
                    m.next = "Check-Start"
            with m.State("Check-Start"):
                with m.If(level):
                    m.next = "Wait-Start"
                with m.Elif(due):
                    m.next = "Wait-Bit"
            with m.State("Wait-Bit"):
                with m.If(due):
                    m.d.sync += [self.o.payload.eq(Cat(self.o.payload[1:], level)), bit.eq(bit + 1)]
                    with m.If(bit == BYTE - 1):
                        m.next = "Wait-Stop"
            with m.State("Wait-Stop"):
                with m.If(due):
                    m.d.comb += self.o.valid.eq(level)
                    m.next = "Wait-High"
                    with m.If(level):
                        m.next = "Wait-Start"
            with m.State("Wait-High"):
                with m.If(level):
                    m.next = "Wait-Start"
        return m


class UartTransmitter(wiring.Component):
    """Send bytes on a line.

    Latency 1 cycle from an accepted byte to its start bit, throughput 1 byte in
    ``10 * divisor`` cycles, without gaps; honours backpressure.

    Parameters
    ----------
    divisor : int, cycles a bit, at least 4; TypeError for another type, ValueError below 4

    Members
    -------
    i : In(stream of 8 bits), accepted at the end of the previous byte's stop bit
    tx : Out(1), registered
    """

    def __init__(self, *, divisor):
        _check_divisor(divisor)
        self._divisor = divisor
        super().__init__({"i": In(stream.Signature(BYTE)), "tx": Out(1, init=1)})

    def elaborate(self, platform):
        m = Module()
        timer = Signal(range(self._divisor))
        left = Signal(range(BYTE + 2))
        bits = Signal(BYTE + 1)
        m.d.comb += self.i.ready.eq((timer == 0) & (left == 0))
        with m.If(timer != 0):
            m.d.sync += timer.eq(timer - 1)
        with m.Elif(left != 0):
            m.d.sync += [timer.eq(self._divisor - 1), left.eq(left - 1),
                         Cat(self.tx, bits).eq(bits)]
        with m.Elif(self.i.valid):
            m.d.sync += [timer.eq(self._divisor - 1), left.eq(BYTE + 1), self.tx.eq(0),
                         bits.eq(Cat(self.i.payload, 1))]
        return m
