"""The register file of the engine."""

from amaranth import Cat, Mux
from amaranth.lib.memory import Memory

from hdl.compact.micro.code import GROUP_END, GROUP_FIRST, REGISTERS

from .alu import WORD

__all__ = ["add_registers"]


def add_registers(m, word, constants, *, result, write, read, lane_read, lane_written):
    """Add the registers to ``m``, twice, for two reads at once; returns what is read.

    ``constants`` are values at first by number; ``word`` is the instruction, whose ``d`` becomes
    ``result`` with ``write``. Groups of registers have a member each lane: the lanes say which is
    read and which is written. ``read`` says for ``a`` and for ``b`` whether it is read.
    """
    init = [constants.get(number, 0) % (1 << WORD) for number in range(REGISTERS)]
    target, values = _place(word.d, lane_written), []
    for name in ("a", "b"):
        m.submodules[f"registers_{name}"] = memory = Memory(
            shape=WORD, depth=REGISTERS, init=init, attrs={"ram_style": "block"})
        reader, writer = memory.read_port(), memory.write_port()
        m.d.comb += [
            reader.addr.eq(_place(getattr(word, name), lane_read)), reader.en.eq(read[name]),
            writer.addr.eq(target), writer.data.eq(result), writer.en.eq(write)]
        values.append(reader.data.as_signed())
    return values


def _place(number, lane):
    """Place of a register: groups have a member each lane."""
    group = (number[5:] >= GROUP_FIRST >> 5) & (number[5:] < GROUP_END >> 5)
    return Cat(number[:2] | Mux(group, lane, 0), number[2:])
