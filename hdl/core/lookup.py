"""Table lookup with linear interpolation, the end of the output stage."""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import DelayLine, delay, pick, rounds_up
from hdl.entries import PLACE_BITS
from hdl.isa import ELEMENT_BITS
from hdl.limits import check_vendor
from hdl.multiply import Multiply

from .fields import OutputConfig
from .tables import Reader

__all__ = ["Lookup"]

_FRACTION = 15  # bits between two entries after the shift
_INDEX    = PLACE_BITS + 2  # a larger index lies beyond every table, wherever its entry for 0 is


class Lookup(wiring.Component):
    """Turn an element into what the table of its pass has for it, or hand it on.

    A shift to the left by ``15 - table_shift`` parts the element into an index and a fraction of
    15 bits, whatever the table's shift; so one rounding of the product by 15 bits is exact. The
    index is limited to the entries of the table, counted from its first one, whose address is even:
    an addition of half that address, and a second one of the lowest bit, give the addresses of the
    entry and the next one in the memories of even and of odd entries.
    Latency ``LATENCY`` cycles with and without a table, ``SHORT`` of what is ``short``; throughput
    1 element a cycle, no backpressure. Two must not meet at the end.
    Source: embARC MLI 1.1, private/src/mli_prv_lut.cc; MLI 2.0, bricks/impl/mli_prv_lut_ref.h.

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    config : In(OutputConfig), for each stage when the element is there; an element that is
        ``short`` is not looked up and takes the short way
    element : In(signed(18)), 16 bits without a table
    tables : Out(Reader)
    o : Out(16), an 8-bit element stands in both bytes
    """

    LATENCY = 14
    SHORT   = 2

    config:  In(OutputConfig)
    element: In(signed(ELEMENT_BITS))
    tables:  Out(Reader)
    o:       Out(16)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        fraction, odd = self._find(m)
        found = self._interpolate(m, fraction, odd)
        word, looks, direct = self._narrow(m, found), Signal(name="looks"), self._pass_by(m)
        config = self.config
        m.d.sync += [looks.eq(config.narrow.looks & ~config.coarse.short),
                     self.o.eq(Mux(looks, word, direct))]
        return m

    def _find(self, m):
        """Stages 9 to 13: addresses of the entry and the next one, by half each.

        Returns the fraction, and whether the address of the entry is odd.
        """
        config = self.config
        coarse = Signal(signed(ELEMENT_BITS + _FRACTION - 3))
        fine, far = Signal(signed(_INDEX + _FRACTION), name="fine"), Signal(name="far")
        m.d.sync += [coarse.eq(self.element << Cat(0, 0, config.coarse.amount).as_unsigned()),
                     fine.eq(coarse << config.fine.amount),
                     far.eq(self._far(coarse, config.fine.amount))]
        index, entry = fine[_FRACTION:].as_signed(), Signal(signed(_INDEX + 1), name="entry")
        over = Signal()
        under = Signal()
        inside = Signal(PLACE_BITS)
        negative = delay(m, coarse[-1], 1, name="negative")
        m.d.sync += [
            entry.eq(index + config.index.offset), under.eq(far & negative),
            over.eq(Mux(far, ~negative, index > config.index.top)),
            inside.eq(Mux(under | (entry[-1] & ~over), 0, Mux(over, config.bound.span, entry)))]
        even = Signal(PLACE_BITS - 1)
        odd = Signal(PLACE_BITS - 1)
        half = config.place.half
        m.d.sync += [odd.eq(half + inside[1:]), even.eq(half + inside[1:] + inside[0])]
        m.d.comb += [self.tables.place[0].eq(even), self.tables.place[1].eq(odd)]
        return (delay(m, fine[:_FRACTION], 6, name="fraction"),
                delay(m, inside[0], 3, name="begins_odd"))

    @staticmethod
    def _far(coarse, amount):
        """Whether an index is too large for ``_INDEX`` bits, once it is shifted by ``amount``."""
        sign, last, far = coarse[-1], _INDEX + _FRACTION - 1, Const(0, 1)
        marks = []
        for place in reversed(range(last - 3, len(coarse) - 1)):
            far = far | (coarse[place] ^ sign)
            if place <= last:
                marks.append(far)
        return pick(marks, amount)

    def _interpolate(self, m, fraction, odd):
        """Stages 16 to 20: the fall to the next entry, times the fraction, rounded, taken off."""
        even_entry, odd_entry = (delay(m, entry, 1, name=name) for name, entry in zip(
            ("even_entry", "odd_entry"), self.tables.entry, strict=True))
        here, fall = Signal(signed(16), name="here"), Signal(signed(16), name="fall")
        m.d.sync += [here.eq(Mux(odd, odd_entry, even_entry)),
                     fall.eq(Mux(odd, odd_entry, even_entry) - Mux(odd, even_entry, odd_entry))]
        m.submodules.multiply = unit = Multiply(bits=16, vendor=self._vendor)
        m.d.comb += [unit.a.eq(fall), unit.b.eq(fraction)]
        product, carry, found = unit.o, Signal(name="carry"), Signal(signed(16), name="found")
        m.d.sync += carry.eq(rounds_up(self.config.weigh.rounding, product[_FRACTION - 1],
                                       product[:_FRACTION - 1].any(), product[_FRACTION]))
        above = delay(m, here, Multiply.LATENCY + 1, name="above")
        rest  = delay(m, product[_FRACTION:], 1, name="rest")
        # above - rest - carry, the carry in the lowest place of one addition
        m.d.sync += found.eq((Cat(Const(1), above) + Cat(~carry, ~rest))[1:])
        return found

    def _narrow(self, m, found):
        """Stage 21: round to 8 bits if the output has so few."""
        config, word = self.config.narrow, Signal(16, name="word")
        short = found[8:].as_signed()
        up    = rounds_up(config.rounding, found[7], found[:7].any(), found[8])
        byte  = (short + (up & (short != 127)))[:8]
        m.d.sync += word.eq(Mux(config.wide, found, Cat(byte, byte)))
        return word

    def _pass_by(self, m):
        """What is not looked up, by the short way or the long one."""
        config = self.config.coarse
        m.submodules.plain = plain = DelayLine(16, self.LATENCY - self.SHORT, vendor=self._vendor)
        low, direct = self.element[:8], Signal(16, name="direct")
        m.d.comb += plain.i.eq(Mux(config.wide, self.element[:16], Cat(low, low)))
        m.d.sync += direct.eq(Mux(config.short, plain.i, plain.o))
        return direct
