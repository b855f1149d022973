# SPDX-License-Identifier: Apache-2.0
"""Recall: pass fields by slot, for a block with several passes in flight."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import pick
from xymac.hdl.config import SLOTS
from xymac.hdl.limits import check_between

__all__ = ["Recall", "RecallParts", "recall"]

_PARTS = 4  # values per slot: a distributed memory has 16 entries


class Recall(wiring.Component):
    """Store a value for every slot in distributed memory.

    A 4-bit wide memory takes less logic than a multiplexer behind four registers, and no registers.
    Latency 0 cycles from ``slot`` to ``o``, 1 cycle from ``value``; throughput 1 value per cycle,
    no backpressure.

    Parameters
    ----------
    shape : shape of the value; TypeError for any other type

    Members
    -------
    value : In(shape), loading : In(``SLOTS``), the slot that stores it in this cycle, if any
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
    """Store up to four values for every slot in a shared distributed memory, and read them in turn.

    ``Recall`` uses four of the memory's 16 entries, this component all. It writes the values in
    turn, again and again, so ``values`` must be stable for ``parts`` cycles while ``loading`` is
    set.
    Latency 0 cycles from ``slot`` and ``part`` to ``o``, throughput 1 slot in ``parts`` cycles, no
    backpressure.

    Parameters
    ----------
    shape : shape of each value; TypeError for any other type
    parts : int, values per slot, 2 .. 4; TypeError unless an int, ValueError out of range

    Members
    -------
    values : In(``parts`` of shape), loading : In(``SLOTS``), the slot that stores them, if any
    slot : In(slot), part : In(value index), o : Out(shape)
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


def recall(m, config, loading, slot, *names, name):
    """The named fields of the pass in ``slot``; a slot in ``loading`` stores ``config``."""
    layout = data.StructLayout({
        field: config.shape()[field].shape for field in names})
    m.submodules[name] = kept = Recall(layout)
    m.d.comb += [*(kept.value[field].eq(config[field]) for field in names),
                 kept.loading.eq(loading), kept.slot.eq(slot)]
    return kept.o
