# SPDX-License-Identifier: Apache-2.0
"""Two-cycle right shift of a wide value to a few bits."""

from amaranth import Cat, Const, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import pick
from xymac.hdl.limits import check_between

__all__ = ["Funnel"]

_COARSE, _MIDDLE, _FINE = 16, 4, 2  # units of the consecutive shifts
_WAYS = 4                           # choices of the middle shift


class Funnel(wiring.Component):
    """Shift ``value`` right by ``amount``; keep the low ``kept`` bits and summarise the others.

    Cycle 1 shifts by multiples of 16 and of 4, cycle 2 by 2. The final 1-bit shift is left to the
    next stage, whose adder has room for it in its carry cells. Dropped bits do not pass the
    shifter: flags report whether all higher bits equal the sign and whether any lower bit is set.
    Cycle 1 summarises the bits that its middle shift drops in groups, which cycle 2 selects.
    Latency ``LATENCY`` cycles, throughput 1 value per cycle, no backpressure.

    Parameters
    ----------
    value_bits : int, 2 .. 128; kept : int, bits, 1 .. ``value_bits - 1``; amount_bits : int, 5 .. 6
    inverted : int, 1 complements ``o``, 0 does not

    TypeError unless an int, ValueError out of range.

    Members
    -------
    value : In(signed(value_bits)); amount : In(amount_bits)
    o : Out(signed(kept + 1)), the kept bits; with ``last`` they lie above an extra low bit
    last : Out(1), a 1-bit shift remains
    beyond : Out(1), the fully shifted value does not fit ``kept`` bits; negative : Out(1), its sign
    sticky : Out(1), a set bit is dropped, by the remaining shift too
    """

    LATENCY = 2

    def __init__(self, *, value_bits, kept, amount_bits, inverted=0):
        self._bits     = check_between("Value bits", value_bits, 2, 128)
        self._kept     = check_between("Kept bits", kept, 1, value_bits - 1)
        self._inverted = check_between("Inverted", inverted, 0, 1)
        super().__init__({
            "value": In(signed(value_bits)),
            "amount": In(check_between("Amount bits", amount_bits, 5, 6)),
            "o": Out(signed(kept + 1)), "last": Out(1), "beyond": Out(1), "negative": Out(1),
            "sticky": Out(1)})

    def elaborate(self, platform):
        m = Module()
        value, kept = self.value, self._kept
        narrow = kept + 1 + _FINE
        wide   = narrow + _MIDDLE * (_WAYS - 1)
        steps  = range(0, _COARSE << len(self.amount) - 4, _COARSE)
        sign   = value[-1]
        far, near = self.amount[4:], self.amount[2:4]
        extended = Cat(value, sign.replicate(steps[-1] + wide))
        window   = Signal(wide, name="window")
        middle, fine = Signal(narrow, name="middle"), Signal(2, name="fine")
        above, below, negative = Signal(name="above"), Signal(name="below"), Signal(name="negative")
        higher, lower = (Signal(_WAYS - 1, name=name) for name in ("higher", "lower"))
        shifted = Signal.like(near, name="shifted")
        m.d.comb += window.eq(pick([extended[step:step + wide] for step in steps], far))
        edges = [min(step + wide, self._bits) for step in steps]
        m.d.sync += [
            middle.eq(pick([window[_MIDDLE * n:_MIDDLE * n + narrow] for n in range(_WAYS)], near)),
            above.eq(pick(_beyond(value, edges, sign), far)),
            below.eq(pick(_fallen(value, _COARSE, len(steps)), far)),
            higher.eq(Cat((group ^ sign.replicate(_MIDDLE)).any()
                          for group in _groups(window[narrow:]))),
            lower.eq(Cat(group.any() for group in _groups(window[:-narrow]))),
            shifted.eq(near), fine.eq(self.amount[:2]), negative.eq(sign)]
        kept_bits = pick([middle[:kept + 1], middle[_FINE:]], fine[1])
        m.d.sync += [
            self.o.eq(~kept_bits if self._inverted else kept_bits), self.last.eq(fine[0]),
            self.beyond.eq(above | pick(_beyond(higher, range(_WAYS), Const(0, 1)), shifted)
                           | pick(_beyond(middle, range(kept - 1, kept + 3), negative), fine)),
            self.sticky.eq(below | pick(_fallen(lower, 1, _WAYS), shifted)
                           | pick(_fallen(middle, 1, 4), fine)),
            self.negative.eq(negative)]
        return m


def _groups(bits):
    """The groups of bits that the units of the middle shift drop, lowest first."""
    return [bits[low:low + _MIDDLE] for low in range(0, len(bits), _MIDDLE)]


def _fallen(value, unit, count):
    """For each multiple of ``unit`` below ``unit * count``: is any lower bit of ``value`` set?"""
    marks = [Const(0, 1)]
    for low in range(0, unit * (count - 1), unit):
        marks.append(marks[-1] | value[low:low + unit].any())
    return marks


def _beyond(value, edges, sign):
    """For each rising edge position: does any bit from there up differ from ``sign``?"""
    marks, high = [], len(value)
    mark = Const(0, 1)
    for low in reversed(edges):
        if low < high:
            mark = mark | (value[low:high] ^ sign.replicate(high - low)).any()
        marks.append(mark)
        high = low
    return marks[::-1]
