# SPDX-License-Identifier: Apache-2.0
"""COBS framing: a frame ends with a zero byte and contains no other zero byte.

COBS splits a frame into groups of up to 254 nonzero bytes. A count byte, the group's length plus 1,
precedes each group. A zero byte of the frame separates two groups, unless the first group has 254
bytes. Source: S. Cheshire, M. Baker, Consistent Overhead Byte Stuffing, IEEE/ACM Transactions on
Networking 7 (1999).
"""

from amaranth import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.limits import check_int

__all__ = ["GROUP", "CobsDecoder", "CobsEncoder", "Decoded"]

GROUP = 254  #: Bytes of the longest group.

#: A byte of a frame, or the ``end`` of the frame; ``broken`` if it ends within a group.
Decoded = data.StructLayout({"byte": 8, "end": 1, "broken": 1})


class CobsDecoder(wiring.Component):
    """Decode groups into frame bytes, and the zero byte into the end mark.

    Latency 2 cycles, throughput 1 byte in 2 cycles, honours backpressure. Takes no parameters.

    Members
    -------
    i : In(stream of 8 bits)
    o : Out(stream of Decoded)
    """

    i: In(stream.Signature(8))
    o: Out(stream.Signature(Decoded))

    def elaborate(self, platform):
        m = Module()
        left    = Signal(8)  # bytes left in the current group
        divided = Signal()   # a zero separates the next group from the current group
        byte    = Signal(8)  # input register: a block RAM in front is slow
        taken   = Signal()
        free    = self.o.ready | ~self.o.valid
        end, counts = byte == 0, left == 0
        m.d.comb += self.i.ready.eq(~taken)
        with m.If(self.i.ready):
            m.d.sync += [byte.eq(self.i.payload), taken.eq(self.i.valid)]
        with m.If(free):
            m.d.sync += self.o.valid.eq(taken & (end | ~counts | divided))
        with m.If(free & taken):
            m.d.sync += [self.o.p.byte.eq(byte), self.o.p.end.eq(end),
                         self.o.p.broken.eq(~counts), left.eq(left - 1), taken.eq(0)]
            with m.If(end):
                m.d.sync += [left.eq(0), divided.eq(0)]
            with m.Elif(counts):
                m.d.sync += [left.eq(byte - 1), self.o.p.byte.eq(0),
                             divided.eq(byte != GROUP + 1)]
        return m


class CobsEncoder(wiring.Component):
    """Read a frame from a memory, and send it as groups and a zero byte.

    The encoder reads each group twice, at three cycles a byte; the first read finds its end.
    Latency from ``start`` to the first byte ``4 + 3 * n`` cycles, where ``n`` is the length of the
    first group. Throughput 1 byte in 6 cycles, plus 5 cycles a group. Honours backpressure. After
    a reset the encoder sends a zero byte at once, to end a frame that the reset has interrupted.

    Parameters
    ----------
    depth : int, bytes of the memory, at least 1; TypeError for another type, ValueError below 1

    Members
    -------
    start : In(1), only while ``busy`` is low; length : In, bytes, stable until ``busy`` falls
    address : Out, byte address; byte : In(8), the byte there, two cycles later
    o : Out(stream of 8 bits)
    busy : Out(1)
    """

    def __init__(self, *, depth):
        if check_int("Depth", depth) < 1:
            raise ValueError(f"Depth must be at least 1 byte, not {depth!r}")
        self._depth = depth
        super().__init__({
            "start": In(1), "length": In(range(depth + 1)), "address": Out(range(depth + 1)),
            "byte": In(8), "o": Out(stream.Signature(8)), "busy": Out(1)})

    def elaborate(self, platform):
        m = Module()
        group   = Signal(range(self._depth + 1))  # address of the group's first byte
        count   = Signal(8)                       # bytes of the group, or bytes not sent yet
        full    = Signal()
        last    = Signal()
        moved   = Signal()                        # ``byte`` does not belong to ``address`` yet
        settled = Signal()
        fetched = Signal()
        m.d.sync += [fetched.eq(~moved), settled.eq(fetched & ~moved)]

        def go(address):
            """Statements that read ``address`` next."""
            m.d.comb += moved.eq(1)
            m.d.sync += self.address.eq(address)

        with m.FSM(init="Send-End") as fsm:
            with m.State("Wait-Start"):
                m.d.sync += [group.eq(0), count.eq(0)]
                go(0)
                with m.If(self.start):
                    m.next = "Find-Zero"
            with m.State("Find-Zero"):
                m.d.sync += [full.eq(count == GROUP), last.eq(self.address == self.length)]
                with m.If(settled):
                    with m.If((count == GROUP) | (self.address == self.length) | (self.byte == 0)):
                        m.next = "Send-Count"
                    with m.Else():
                        m.d.sync += count.eq(count + 1)
                        go(self.address + 1)
            with m.State("Send-Count"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(count + 1)]
                go(group)
                with m.If(self.o.ready):
                    m.next = "Send-Byte"
            with m.State("Send-Byte"):
                m.d.comb += [self.o.valid.eq(settled & (count != 0)), self.o.payload.eq(self.byte)]
                with m.If(self.o.valid & self.o.ready):
                    m.d.sync += count.eq(count - 1)
                    go(self.address + 1)
                with m.If(count == 0):
                    m.d.sync += group.eq(self.address + ~full)
                    go(self.address + ~full)
                    m.next = "Find-Zero"
                    with m.If(last):
                        m.next = "Send-End"
            with m.State("Send-End"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.next = "Wait-Start"
        m.d.comb += self.busy.eq(~fsm.ongoing("Wait-Start"))
        return m
