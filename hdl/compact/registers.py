# SPDX-License-Identifier: Apache-2.0
"""The engine's register file."""

from amaranth import Cat, Module, Mux, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import GROUP_END, GROUP_FIRST, REGISTERS, Instruction
from xymac.hdl.limits import check_values

from .alu import WORD

__all__ = ["RegisterFile"]


class RegisterFile(wiring.Component):
    """Store the microprogram registers in two copies, for two reads in a cycle.

    A register group has a member for each lane. Latency 1 cycle, throughput two reads and a write
    a cycle, no backpressure.

    Parameters
    ----------
    constants : dict, register number 0 .. 255: its value after reset, 64 bits signed; TypeError
        for another type, ValueError for a value that does not fit

    Members
    -------
    word : In(Instruction), holds the register numbers of both operands and of the result
    result : In(signed(WORD)), write : In(1)
    read_a, read_b : In(1); lane_read, lane_written : In(2)
    a, b : Out(signed(WORD)), the operands
    """

    word:         In(Instruction)
    result:       In(signed(WORD))
    write:        In(1)
    read_a:       In(1)
    read_b:       In(1)
    lane_read:    In(2)
    lane_written: In(2)
    a:            Out(signed(WORD))
    b:            Out(signed(WORD))

    def __init__(self, *, constants):
        self._constants = check_values("Constants", constants, range(REGISTERS),
                                       -1 << WORD - 1, (1 << WORD - 1) - 1)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        init = [self._constants.get(number, 0) % (1 << WORD) for number in range(REGISTERS)]
        for name, number, enable, value in (("a", self.word.a, self.read_a, self.a),
                                            ("b", self.word.b, self.read_b, self.b)):
            m.submodules[f"registers_{name}"] = memory = Memory(
                shape=WORD, depth=REGISTERS, init=init, attrs={"ram_style": "block"})
            reader, writer = memory.read_port(), memory.write_port()
            m.d.comb += [
                reader.addr.eq(_member(number, self.lane_read)), reader.en.eq(enable),
                writer.addr.eq(_member(self.word.d, self.lane_written)),
                writer.data.eq(self.result), writer.en.eq(self.write), value.eq(reader.data)]
        return m


def _member(number, lane):
    """Register address; in a group the address of the member for ``lane``."""
    group = (number[5:] >= GROUP_FIRST >> 5) & (number[5:] < GROUP_END >> 5)
    return Cat(number[:2] | Mux(group, lane, 0), number[2:])
