# SPDX-License-Identifier: Apache-2.0
"""Ring: a queue in LUT RAM, without an output register."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["Ring"]

_ENTRIES = 16  # depth of a LUT RAM
_BITS    = 4   # address bits


class Ring(wiring.Component):
    """Queue up to ``DEPTH`` values.

    ``put`` writes a value into memory, ``show`` makes it visible a cycle later: so a value may be
    written before it is valid. Latency 1 cycle from ``show`` to ``there``, throughput 1 value a
    cycle. No backpressure: the user observes ``there`` and ``half``, or counts the values.

    Parameters
    ----------
    shape : shape of the values; TypeError for an object that is not a shape

    Members
    -------
    i : In(shape), put : In(1), write a value; show : In(1), make the next value visible
    there : Out(1), ``o`` is valid; half : Out(1), the queue holds exactly ``HALF`` values
    o : Out(shape), oldest value; take : In(1), drop it
    flush : In(1), drop all values
    """

    DEPTH = _ENTRIES - 1  #: A full memory would look empty.
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
    """``count + 1`` without a carry chain, which needs more logic at this width."""
    return Cat(bit ^ count[:place].all() for place, bit in enumerate(count))
