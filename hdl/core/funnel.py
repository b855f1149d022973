"""Right shift of a wide value of which few bits are used."""

from amaranth import Cat, Const, Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import pick
from hdl.limits import check_between

__all__ = ["Funnel"]

_UNIT = 8  # the first cycle shifts by multiples of it, the second one by less


class Funnel(wiring.Component):
    """Shift right by ``amount``; keep the low ``kept`` bits, and what the others say.

    A cycle shifts by bytes, the next one by bits. No bit that is dropped is shifted: flags a byte
    tell whether all above are its sign, and whether anything below is set.
    Latency ``LATENCY`` cycles, throughput 1 value a cycle, no backpressure.

    Parameters
    ----------
    value_bits : int, 2 .. 128; kept : int, bits, 1 .. ``value_bits - 1``; amount_bits : int, 4 .. 6

    TypeError for what is no int, ValueError outside.

    Members
    -------
    value : In(signed(value_bits)); amount : In(amount_bits)
    o : Out(signed(kept)); beyond : Out(1), the shifted value does not fit; negative : Out(1);
        sticky : Out(1), a bit that is set fell off
    """

    LATENCY = 2

    def __init__(self, *, value_bits, kept, amount_bits):
        self._bits = check_between("Value bits", value_bits, 2, 128)
        self._kept = check_between("Kept bits", kept, 1, value_bits - 1)
        super().__init__({
            "value": In(signed(value_bits)),
            "amount": In(check_between("Amount bits", amount_bits, 4, 6)),
            "o": Out(signed(kept)), "beyond": Out(1), "negative": Out(1), "sticky": Out(1)})

    def elaborate(self, platform):
        m = Module()
        value, kept  = self.value, self._kept
        width        = kept + _UNIT - 1
        steps        = range(1 << len(self.amount) - 3)
        sign         = value[-1]
        extended     = Cat(value, sign.replicate(_UNIT * steps[-1] + width))
        coarse, fine = Signal(width, name="coarse"), Signal(3, name="fine")
        above, below, negative = Signal(name="above"), Signal(name="below"), Signal(name="negative")
        which = self.amount[3:]
        m.d.sync += [
            coarse.eq(pick([extended[_UNIT * n:_UNIT * n + width] for n in steps], which)),
            above.eq(pick(self._differs(value, sign, width, steps), which)),
            below.eq(pick(self._any([value[_UNIT * n:_UNIT * (n + 1)] for n in steps[:-1]]),
                          which)),
            fine.eq(self.amount[:3]), negative.eq(sign)]
        m.d.sync += [
            self.o.eq(pick([coarse[n:n + kept] for n in range(_UNIT)], fine)),
            self.beyond.eq(above | self._odd(coarse, negative, fine)),
            self.sticky.eq(below | pick(self._any([coarse[n] for n in range(_UNIT - 1)]), fine)),
            self.negative.eq(negative)]
        return m

    @staticmethod
    def _any(parts):
        """For every count of parts from 0 on, whether a bit of so many of them is set."""
        marks = [Const(0, 1)]
        for part in parts:
            marks.append(marks[-1] | part.any())
        return marks

    def _differs(self, value, sign, width, steps):
        """For every step, whether a bit above the window differs from the sign."""
        edges = [min(_UNIT * n + width, self._bits - 1) for n in steps]
        ends  = [*edges[1:], self._bits - 1]
        parts = [value[low:high] ^ sign.replicate(high - low) if low < high else Const(0, 1)
                 for low, high in zip(edges, ends, strict=True)]
        return self._any(parts[::-1])[:0:-1]

    def _odd(self, coarse, negative, fine):
        """Whether a bit of the window from the sign of ``o`` on differs from the value's."""
        parts = [coarse[self._kept - 1 + n] ^ negative for n in range(_UNIT)]
        return pick(self._any(parts[::-1])[:0:-1], fine)
