"""Recall: fields of the passes in their slots, for a block that works on several at once."""

from amaranth import Cat, Module, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.config import SLOTS

__all__ = ["Recall", "recall"]


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


def recall(m, block, slot, *names, name):
    """The named fields of the pass in ``slot``, of a ``block`` with ``config`` and ``loading``."""
    layout = data.StructLayout({
        field: block.config.shape()[field].shape for field in names})
    m.submodules[name] = kept = Recall(layout)
    m.d.comb += [*(kept.value[field].eq(block.config[field]) for field in names),
                 kept.loading.eq(block.loading), kept.slot.eq(slot)]
    return kept.o
