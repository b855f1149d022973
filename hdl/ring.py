"""Ring: a queue in distributed memory, without a register at its exit."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["Ring"]

_ENTRIES = 16  # of a distributed memory
_BITS    = 4   # of their addresses


class Ring(wiring.Component):
    """Keep up to ``DEPTH`` values in order.

    A value lies in memory a cycle after ``put`` and counts as ``there`` a cycle after ``show``: so
    a value may be written early. Latency 1 cycle from ``show``, throughput a value a cycle. No
    backpressure: the user heeds ``there`` and ``half``, or knows how many values are held.

    Parameters
    ----------
    shape : of the values; TypeError for what is no shape

    Members
    -------
    i : In(shape), put : In(1), a value is written; show : In(1), one more value may be read
    there : Out(1), ``o`` is a value; half : Out(1), ``HALF`` values are held
    o : Out(shape), the oldest value; take : In(1), drop it
    flush : In(1), forget all values
    """

    DEPTH = _ENTRIES - 1  #: Equal counts mean none.
    HALF  = _ENTRIES // 2

    def __init__(self, shape):
        super().__init__({"i": In(shape), "put": In(1), "show": In(1), "there": Out(1),
                          "half": Out(1), "o": Out(shape), "take": In(1), "flush": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=len(Value.cast(self.i)), depth=_ENTRIES, init=[],
            attrs={"ram_style": "distributed"})
        reader, writer = memory.read_port(domain="comb"), memory.write_port()
        written, shown, taken = (Signal(_BITS, name=name)
                                 for name in ("written", "shown", "taken"))
        for count, steps in ((written, self.put), (shown, self.show), (taken, self.take)):
            with m.If(steps):
                m.d.sync += count.eq(_next(count))
        with m.If(self.flush):
            m.d.sync += [written.eq(0), shown.eq(0), taken.eq(0)]
        m.d.comb += [
            writer.addr.eq(written), writer.data.eq(Value.cast(self.i)), writer.en.eq(self.put),
            reader.addr.eq(taken), Value.cast(self.o).eq(reader.data),
            self.there.eq(shown != taken), self.half.eq((written ^ taken) == self.HALF)]
        return m


def _next(count):
    """``count + 1`` without a carry chain, which takes more logic for so few bits."""
    return Cat(bit ^ count[:place].all() for place, bit in enumerate(count))
