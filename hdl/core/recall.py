"""Recall: fields of the passes in their slots, for a block that works on several at once."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import pick
from hdl.config import SLOTS
from hdl.limits import check_between

__all__ = ["Recall", "RecallParts", "recall"]

_PARTS = 4  # of every slot: a memory has 16 entries


class Recall(wiring.Component):
    """Keep a value for every slot in distributed memory.

    A memory of 4 bits takes less logic than the choice of one of four registers, and no registers.
    Latency 0 cycles from ``slot`` to ``o``, 1 cycle from ``value``, throughput a value a cycle, no
    backpressure.

    Parameters
    ----------
    shape : of the value; TypeError for what is no shape

    Members
    -------
    value : In(shape), loading : In(``SLOTS``), the slot that takes it in this cycle, if any
    slot : In(slot), o : Out(shape), its value
    """

    def __init__(self, shape):
        super().__init__({"value": In(shape), "loading": In(SLOTS),
                          "slot": In(range(SLOTS)), "o": Out(shape)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=len(Value.cast(self.o)), depth=SLOTS, init=[], attrs={"ram_style": "distributed"})
        reader, writer  = memory.read_port(domain="comb"), memory.write_port()
        one, two, three = self.loading[1:]
        m.d.comb += [reader.addr.eq(self.slot), Value.cast(self.o).eq(reader.data),
                     writer.addr.eq(Cat(one | three, two | three)),
                     writer.data.eq(self.value), writer.en.eq(self.loading.any())]
        return m


class RecallParts(wiring.Component):
    """Keep up to four values for every slot in one distributed memory, for use in turn.

    The memory has 16 entries, of which ``Recall`` uses four. The values are written in turn again
    and again, so all must stand for as many cycles as there are ``parts`` while ``loading`` is set.
    Latency 0 cycles from ``slot`` and ``part`` to ``o``, throughput a slot in ``parts`` cycles, no
    backpressure.

    Parameters
    ----------
    shape : of each value; TypeError for what is no shape
    parts : int, values of a slot, 2 .. 4; TypeError for what is no int, ValueError outside

    Members
    -------
    values : In(``parts`` of shape), loading : In(``SLOTS``), the slot that takes them, if any
    slot : In(slot), part : In(index of a value), o : Out(shape)
    """

    def __init__(self, shape, parts):
        self._parts = check_between("Parts", parts, 2, _PARTS)
        super().__init__({"values": In(data.ArrayLayout(shape, parts)), "loading": In(SLOTS),
                          "slot": In(range(SLOTS)), "part": In(range(parts)), "o": Out(shape)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=len(Value.cast(self.o)), depth=SLOTS * _PARTS, init=[],
            attrs={"ram_style": "distributed"})
        reader, writer  = memory.read_port(domain="comb"), memory.write_port()
        one, two, three = self.loading[1:]
        turn   = Signal(range(_PARTS), reset_less=True)
        writes = self.loading.any()
        m.d.sync += turn.eq(Mux(~writes | (turn == self._parts - 1), 0, turn + 1))
        values = [Value.cast(self.values[min(part, self._parts - 1)]) for part in range(_PARTS)]
        m.d.comb += [
            reader.addr.eq(Cat(self.part, Const(0, len(turn) - len(self.part)), self.slot)),
            Value.cast(self.o).eq(reader.data),
            writer.addr.eq(Cat(turn, one | three, two | three)),
            writer.data.eq(pick(values, turn)), writer.en.eq(writes)]
        return m


def recall(m, block, slot, *names, name):
    """The named fields of the pass in ``slot``, of a ``block`` with ``config`` and ``loading``."""
    layout = data.StructLayout({
        field: block.config.shape()[field].shape for field in names})
    m.submodules[name] = kept = Recall(layout)
    m.d.comb += [*(kept.value[field].eq(block.config[field]) for field in names),
                 kept.loading.eq(block.loading), kept.slot.eq(slot)]
    return kept.o
