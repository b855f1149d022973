# SPDX-License-Identifier: Apache-2.0
"""Delay lines, selection and rounding shared by the blocks."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from .isa import RoundMode
from .limits import check_between, check_vendor

__all__ = ["DelayLine", "delay", "less", "pick", "rounds_up", "sign_uniform", "times"]

_RING = 16  # depth of an ECP5 LUT RAM


def delay(m, value, cycles, *, name):
    """Return ``value`` delayed by ``cycles`` cycles; adds the registers to ``m``.

    The registers have no reset. With a reset, synthesis would merge them with the lane-to-lane
    registers for the same value, and undo the skew.
    """
    for stage in range(cycles):
        previous, value = value, Signal.like(value, name=f"{name}_{stage + 1}", reset_less=True)
        m.d.sync += value.eq(previous)
    return value


def pick(items, index):
    """Return ``items[index]`` through a multiplexer tree; the item count is a power of two.

    Items are Views or Values with equal shape. Amaranth implements an array index as a shift over
    all bits, which simulates several times slower and needs no less logic.
    """
    values = list(items)
    for bit in Value.cast(index)[:exact_log2(len(values))]:
        values = [_choose(bit, one, zero) for zero, one in zip(values[::2], values[1::2],
                                                               strict=True)]
    return values[0]


def _choose(bit, one, zero):
    chosen = Mux(bit, one, zero)
    return data.View(one.shape(), chosen) if isinstance(one, data.View) else chosen


def times(value, factor):
    """Return ``value`` (Value, unsigned) times an int, as a sum of shifts.

    Synthesis maps a product with a constant such as 3 to a combinational multiplier.
    """
    parts = [Cat(Const(0, place), value) if place else value
             for place in range(factor.bit_length()) if factor >> place & 1]
    return sum(parts[1:], start=parts[0])


class DelayLine(wiring.Component):
    """Delay a value by many cycles, with fewer registers than ``delay``.

    On an ECP5 the values circulate in LUT RAM between two registers, in a quarter of the slices.
    Latency ``cycles`` cycles, throughput 1 value a cycle, no backpressure.

    Parameters
    ----------
    shape : value shape; TypeError for an object that is not a shape
    cycles : int, 3 .. 18; TypeError for another type, ValueError outside
    vendor : None for registers, "ecp5" for LUT RAM; ValueError otherwise

    Members
    -------
    i : In(shape); o : Out(shape), ``cycles`` cycles later
    """

    def __init__(self, shape, cycles, *, vendor=None):
        self._cycles = check_between("Cycles", cycles, 3, _RING + 2)
        self._vendor = check_vendor(vendor)
        super().__init__({"i": In(shape), "o": Out(shape)})

    def elaborate(self, platform):
        m = Module()
        if self._vendor is None:
            m.d.comb += self.o.eq(delay(m, self.i, self._cycles, name="value"))
            return m
        depth = self._cycles - 2
        m.submodules.ring = ring = Memory(shape=len(Value.cast(self.i)), depth=_RING, init=[])
        reader, writer = ring.read_port(domain="comb"), ring.write_port()
        place = Signal(range(_RING))
        found = Signal.like(self.o, reset_less=True)
        m.d.sync += [place.eq(Mux(place == depth - 1, 0, place + 1)), found.eq(reader.data)]
        m.d.comb += [reader.addr.eq(place), writer.addr.eq(place), writer.en.eq(1),
                     writer.data.eq(delay(m, self.i, 1, name="value")), self.o.eq(found)]
        return m


def sign_uniform(value, width):
    """True if ``value`` fits ``width`` signed bits: all bits from the sign bit up are equal."""
    top = value[width - 1:]
    return ~top.any() | top.all()


def less(one, other):
    """Whether a signed value is less than another, from a single carry chain.

    A signed comparison needs the carry into the highest bit as well, which splits the chain.
    """
    return (one - other)[-1]


def rounds_up(mode, half, below, odd):
    """Signal that is high if a right shift rounds up in ``mode``, a ``RoundMode``.

    ``half`` is the highest lost bit, ``below`` the OR of all lower lost bits, ``odd`` the result's
    lowest bit.
    """
    up = (mode == RoundMode.UP) | (mode == RoundMode.TWICE)
    return half & (up | ((mode == RoundMode.CONVERGENT) & (below | odd)))
