# SPDX-License-Identifier: Apache-2.0
"""Memory of the link: holds one frame, or its answer."""

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.request import Request

from .frames import CRC_BYTES, REQUEST_HEAD, WORDS_MAX, Kind

__all__ = ["DEPTH", "FRAME_MAX", "FRAME_MIN", "NO_BLOCK", "WORD", "Edit", "FrameBuffer", "Head",
           "Place", "put"]

WORD      = Request["data"].width // 8      #: Bytes of a word.
FRAME_MIN = REQUEST_HEAD + CRC_BYTES        #: Bytes of the shortest request.
FRAME_MAX = FRAME_MIN + WORD * WORDS_MAX    #: Bytes of the longest request; no answer is longer.
DEPTH     = 16 * -(-(FRAME_MAX + 1) // 16)  #: Bytes of the memory, a multiple of a LUT RAM's depth.
NO_BLOCK  = {"ram_style": "distributed"}    #: LUT RAM: a full device has no free block RAM.

#: Head of a request.
Head = data.StructLayout({"kind": Kind, "sequence": 8, "session": 16, "address": 24, "count": 8,
                          "first": WORD, "last": WORD})
Place = range(DEPTH)  #: Addresses of the memory.
#: A change of the buffer: ``puts`` writes ``byte`` at the current address, ``steps`` increments the
#: address, ``clears`` resets it to 0.
Edit = data.StructLayout({"puts": 1, "byte": 8, "steps": 1, "clears": 1})


def put(edit, byte):
    """Statements that write ``byte`` at the buffer's address and increment the address."""
    return [edit.puts.eq(1), edit.byte.eq(byte), edit.steps.eq(1)]


class FrameBuffer(wiring.Component):
    """Store a frame; all users share its address pointer.

    Latency 1 cycle for an ``edit``, 2 cycles from an address to ``found``, marked by ``settled``;
    throughput 1 edit a cycle, no backpressure. Takes no parameters.

    Members
    -------
    edit : In(Edit); moves : In(1), set the address to ``to`` : In; at : Out, current address
    found : Out(8), byte at address ``at``; settled : Out(1), ``found`` is valid
    lent : In(1), read at address ``other`` : In instead of ``at``
    """

    edit:    In(Edit)
    moves:   In(1)
    to:      In(Place)
    at:      Out(Place)
    found:   Out(8)
    settled: Out(1)
    lent:    In(1)
    other:   In(Place)

    def elaborate(self, platform):
        m = Module()
        m.submodules.frame = frame = Memory(shape=8, depth=DEPTH, init=[], attrs=NO_BLOCK)
        reader, writer = frame.read_port(domain="comb"), frame.write_port()
        fetched, edit = Signal(name="fetched"), self.edit
        moved = edit.steps | edit.clears | self.moves
        m.d.comb += [reader.addr.eq(Mux(self.lent, self.other, self.at)), writer.addr.eq(self.at),
                     writer.data.eq(edit.byte), writer.en.eq(edit.puts)]
        m.d.sync += [self.found.eq(delay(m, reader.data, 1, name="byte")),
                     fetched.eq(~moved), self.settled.eq(fetched & ~moved)]
        with m.If(moved):
            m.d.sync += self.at.eq(Mux(edit.steps, self.at + 1, self.to))
            with m.If(edit.clears):
                m.d.sync += self.at.eq(0)
        return m
