# SPDX-License-Identifier: Apache-2.0
"""Queue of bytes between the line and the link."""

from amaranth import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .buffer import NO_BLOCK

__all__ = ["ByteQueue"]

_WAITING = 256


class ByteQueue(wiring.Component):
    """Queue up to 256 bytes; a full queue drops further bytes.

    Latency 1 cycle, throughput 1 byte a cycle, honours backpressure. Takes no parameters.

    Members
    -------
    i : In(stream of 8 bits), always ready; o : Out(stream of 8 bits)
    """

    i: In(stream.Signature(8, always_ready=True))
    o: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.bytes = bytes_ = Memory(shape=8, depth=_WAITING, init=[], attrs=NO_BLOCK)
        writer, reader = bytes_.write_port(), bytes_.read_port(domain="comb")
        level = Signal(range(_WAITING + 1))
        put   = self.i.valid & (level != _WAITING)
        take  = self.o.valid & self.o.ready
        m.d.comb += [writer.data.eq(self.i.payload), writer.en.eq(put), self.o.valid.eq(level != 0),
                     self.o.payload.eq(reader.data)]
        m.d.sync += [level.eq(level + put - take), writer.addr.eq(writer.addr + put),
                     reader.addr.eq(reader.addr + take)]
        return m
