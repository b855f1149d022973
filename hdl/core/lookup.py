"""Table lookup with linear interpolation, the end of the output stage."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import DelayLine, delay, pick, rounds_up
from hdl.config import SLOTS
from hdl.entries import PLACE_BITS
from hdl.isa import ELEMENT_BITS, AccumulatorRange, Place, RoundMode
from hdl.limits import check_vendor
from hdl.multiply import Multiply

from .tables import Reader

__all__ = ["Lookup", "OutputConfig"]

#: What output stage and lookup need of a pass, scalars already in place: ``anchor`` is taken off
#: the sum, which is halved if asked; ``zero`` is added to the clipped element; an ``inverted``
#: element is ``inverse``. It ``looks`` up in the table at ``place``, or not.
OutputConfig = data.StructLayout({
    "shift": signed(7), "rounding": RoundMode, "acc_range": AccumulatorRange, "wide": 1,
    "hold": 1, "clip": data.ArrayLayout(signed(ELEMENT_BITS), 2),
    "looks": 1, "place": Place, "table_shift": unsigned(4), "table_rounding": RoundMode,
    "anchor": signed(16), "zero": signed(16), "halve": 1, "inverted": 1, "inverse": unsigned(15)})

_FRACTION = 15  # bits between two entries after the shift


class Lookup(wiring.Component):
    """Turn an element into what the table of its pass has for it, or hand it on.

    A shift to the left by ``15 - table_shift`` parts the element into an entry and a fraction of
    15 bits, whatever the table's shift; so one rounding of the product by 15 bits is exact.
    The difference of two entries is that of the even and the odd one; where the odd one comes
    first the fraction is negative instead, and the one difference of 16 bits whose negative is not
    one is positive.
    Latency ``LATENCY`` cycles with and without a table, ``SHORT`` of what is ``short``; throughput
    1 element a cycle, no backpressure. Two must not meet at the end.
    Source: embARC MLI 1.1, private/src/mli_prv_lut.cc; MLI 2.0, bricks/impl/mli_prv_lut_ref.h.

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    slots : In(two OutputConfig)
    element : In(signed(18)), 16 bits without a table; slot : In(slot), its pass, a cycle ahead of
        the element
    short : In(1), with the element: nothing is looked up, and it takes the short way
    tables : Out(Reader)
    o : Out(16), an 8-bit element stands in both bytes
    """

    LATENCY = 14
    SHORT   = 2

    slots:   In(data.ArrayLayout(OutputConfig, SLOTS))
    element: In(signed(ELEMENT_BITS))
    slot:    In(range(SLOTS))
    short:   In(1)
    tables:  Out(Reader)
    o:       Out(16)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        slot, config = self.slot, []
        for stage in range(self.LATENCY):
            config.append(Signal(OutputConfig, name=f"config{stage}", reset_less=True))
            m.d.sync += config[-1].eq(pick(self.slots, slot))
            slot = delay(m, slot, 1, name=f"slot{stage}")
        fraction, odd = self._places(m, config)
        entries = [Signal(signed(16), name=f"entry{parity}") for parity in range(2)]
        m.d.sync += [entry.eq(read) for entry, read in zip(entries, self.tables.entry, strict=True)]
        self._narrow(m, self._interpolate(m, entries, fraction, odd, config), config)
        return m

    def _places(self, m, config):
        """Stages 1 to 5: places of the entry and the next one, the even one of them first.

        Returns the fraction, and whether the entry itself is the odd one.
        """
        amount = [~config[n].table_shift for n in range(2)]
        coarse = Signal(signed(ELEMENT_BITS + _FRACTION - 3))
        fine   = Signal(signed(ELEMENT_BITS + _FRACTION))
        offset = Signal(PLACE_BITS)
        m.d.sync += [coarse.eq(self.element << Cat(0, 0, amount[0][2:]).as_unsigned()),
                     fine.eq(coarse << amount[1][:2]),
                     offset.eq(config[1].place.zero)]
        half, high = Signal(PLACE_BITS - 1), Signal(PLACE_BITS)
        entry, under, over = Signal(signed(ELEMENT_BITS + 1)), Signal(), Signal()
        m.d.sync += [half.eq(config[2].place.half), high.eq(config[2].place.last),
                     entry.eq(fine[_FRACTION:].as_signed() + offset),
                     under.eq(entry < Cat(0, half)), over.eq(entry > high)]
        first, places = delay(m, half, 1, name="first"), []
        for step in range(2):
            inside, last, place = (Signal(PLACE_BITS, name=f"{name}{step}")
                                   for name in ("inside", "last", "place"))
            m.d.sync += [inside.eq(entry + step), last.eq(high + step), place.eq(
                Mux(under, Cat(Const(step, 1), first), Mux(over, last, inside)))]
            places.append(place)
        m.d.comb += [self.tables.place[0].eq(places[1][1:]),
                     self.tables.place[1].eq(places[0][1:])]
        return delay(m, fine[:_FRACTION], 3, name="part"), places[0][0]

    def _interpolate(self, m, entries, fraction, odd, config):
        """Stages 6 to 12: the fall from even to odd, times the fraction, rounded, taken off.

        Where the entry itself is the odd one, the fraction is negated meanwhile.
        """
        turned, part = (Signal(signed(_FRACTION + 1), name=name) for name in ("turned", "part"))
        here, fall   = Signal(signed(16)), Signal(signed(17))
        short, begins_odd = Signal(16), delay(m, odd, 2, name="odd")
        half = entries[0][:15] == entries[1][:15]  # none, or 2**15 of either sign
        m.d.comb += short.eq(entries[0] - entries[1])
        m.d.sync += [turned.eq(Mux(odd, ~Cat(fraction, 0), fraction)),
                     part.eq(turned + delay(m, odd, 1, name="turn")),
                     fall.eq(Cat(short, short[-1] & ~(half & begins_odd))),
                     here.eq(Mux(begins_odd, entries[1], entries[0]))]
        m.submodules.multiply = unit = Multiply(bits=17, vendor=self._vendor)
        m.d.comb += [unit.a.eq(fall), unit.b.eq(delay(m, part, 1, name="fraction"))]
        product = unit.o
        above   = delay(m, here, Multiply.LATENCY, name="above")
        rest, carry, found = Signal(signed(18)), Signal(), Signal(signed(16))
        m.d.sync += [
            rest.eq(above - product[_FRACTION:].as_signed()),
            carry.eq(rounds_up(config[10].table_rounding, product[_FRACTION - 1],
                               product[:_FRACTION - 1].any(), product[_FRACTION])),
            found.eq(rest - carry),
        ]
        return found

    def _narrow(self, m, found, config):
        """Stages 13 and 14: round to 8 bits if the output has so few; choose, also what is not
        looked up and takes the short way."""
        byte, word = Signal(8), Signal(16)
        short = found[8:].as_signed()
        up    = rounds_up(config[12].table_rounding, found[7], found[:7].any(), found[8])
        m.d.sync += [byte.eq(short + (up & (short != 127))), word.eq(found)]
        m.submodules.plain = plain = DelayLine(16, self.LATENCY - self.SHORT, vendor=self._vendor)
        first, last, looks, direct = config[0], config[13], Signal(), Signal(16)
        whole = Mux(first.inverted, first.inverse, self.element[:16])
        m.d.comb += plain.i.eq(Mux(first.wide, whole, whole[:8].replicate(2)))
        m.d.sync += [direct.eq(Mux(self.short, plain.i, plain.o)),
                     looks.eq(config[12].looks & ~config[12].inverted & ~self.short),
                     self.o.eq(Mux(looks, Mux(last.wide, word, Cat(byte, byte)), direct))]
