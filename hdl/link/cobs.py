"""Frames that end with a zero byte, and have no other one: COBS.

A frame is cut into groups of up to 254 bytes without a zero; each goes behind a byte that says how
many there are and one. Between two groups stands a zero, unless the first of them has 254 bytes.
Source: S. Cheshire, M. Baker, Consistent Overhead Byte Stuffing, IEEE/ACM Transactions on
Networking 7 (1999).
"""

from amaranth import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.limits import check_int

__all__ = ["GROUP", "CobsDecoder", "CobsEncoder", "Decoded"]

GROUP = 254  #: Bytes of the longest group.

#: A byte of a frame, or its ``end``; ``broken`` if it ends within a group.
Decoded = data.StructLayout({"byte": 8, "end": 1, "broken": 1})


class CobsDecoder(wiring.Component):
    """Turn groups into the bytes of a frame, and the zero byte into its end.

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
        left    = Signal(8)  # bytes of the group at hand to come
        divided = Signal()   # a zero stands before the next group
        byte    = Signal(8)  # taken before it is looked at: block RAMs are slow
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
    """Read a frame from a memory and send it as groups and a zero byte.

    Each group is read twice, first to find its end, three cycles a byte: latency from ``start`` to
    the first byte ``4 + 3 * n`` cycles, ``n`` bytes being before the first zero or in a full group;
    throughput 1 byte in 6 cycles, 5 more a group. Honours backpressure. After a reset a zero byte
    is sent at once: it ends what the reset has cut off.

    Parameters
    ----------
    depth : int, bytes of the memory, at least 1; TypeError for what is no int, ValueError below

    Members
    -------
    start : In(1), unless ``busy``; length : In, bytes, stands until ``busy`` is low again
    address : Out, of a byte; byte : In(8), what the memory has there, two cycles later
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
        group   = Signal(range(self._depth + 1))  # address of its first byte
        count   = Signal(8)                       # its bytes, or those not sent yet
        full    = Signal()
        last    = Signal()
        moved   = Signal()                        # ``byte`` is not that of ``address`` yet
        settled = Signal()
        fetched = Signal()
        m.d.sync += [fetched.eq(~moved), settled.eq(fetched & ~moved)]

        def go(address):
            """Read ``address`` next."""
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
