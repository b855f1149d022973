# SPDX-License-Identifier: Apache-2.0
"""Table lookup with linear interpolation, the end of the output stage."""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay, pick, rounds_up
from xymac.hdl.carry import GatedAdd
from xymac.hdl.entries import PLACE_BITS
from xymac.hdl.isa import ELEMENT_BITS
from xymac.hdl.limits import check_vendor
from xymac.hdl.multiply import Multiply
from xymac.hdl.subtract import GatedSubtract, SwapSubtract

from .fields import OutputConfig
from .tables import Reader

__all__ = ["Lookup"]

_FRACTION = 15  # bits between two entries after the shift
_INDEX    = PLACE_BITS + 2  # bits of an index; larger values lie outside every table


class Lookup(wiring.Component):
    """Replace an element by its interpolated table value, or pass it through.

    A left shift by ``15 - table_shift`` splits the element into an index and a 15-bit fraction for
    every table shift, so rounding the product by 15 bits is exact. The index is clipped to the
    table and counts from its first entry, which has an even address. The address in each memory is
    half this address plus half the index, rounded up for even entries and down for odd entries.
    Latency ``LATENCY`` cycles with and without a table, ``SHORT`` cycles on the bypass; throughput
    1 element per cycle, no backpressure. The two paths must not end in the same cycle.
    Source: embARC MLI 1.1, private/src/mli_prv_lut.cc; MLI 2.0, bricks/impl/mli_prv_lut_ref.h.

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    config : In(OutputConfig), each stage's fields when the element is there; ``short`` selects the
        bypass, without lookup
    element : In(signed(18)), 16 bits without a table
    tables : Out(Reader)
    o : Out(16), an 8-bit element fills both bytes
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
        first = Signal(signed(ELEMENT_BITS + 3), name="first")
        m.d.sync += first.eq(self.element << self.config.fine.amount)
        fraction, odd = self._find(m, first)
        word = self._narrow(m, self._interpolate(m, fraction, odd))
        self._choose(m, first, word)
        return m

    def _find(self, m, first):
        """Stages 10 to 13: half-addresses of the entry and its successor.

        Returns the low bits of the shifted element and whether the entry address is odd, both timed
        with the entries.
        """
        config  = self.config
        shifted = Signal(signed(_INDEX + _FRACTION), name="shifted")
        over, under = Signal(name="over"), Signal(name="under")
        far, negative = Signal(name="far"), Signal(name="negative")
        amount, sign = config.coarse.amount, first[-1]
        m.d.sync += [shifted.eq(first << Cat(0, 0, amount).as_unsigned()), negative.eq(sign),
                     far.eq(self._far(first, amount)),
                     over.eq(far & ~negative), under.eq(far & negative)]
        index = shifted[_FRACTION:].as_signed()
        less, more = Signal(signed(_INDEX + 1), name="less"), Signal(signed(_INDEX + 1),
                                                                      name="more")
        m.submodules.within = within = GatedSubtract(width=len(more), vendor=self._vendor)
        m.d.comb += [within.term.eq(config.bound.span), within.acc.eq(less),
                     within.going.eq(~(less[-1] | over))]
        m.d.sync += [less.eq(config.index.top - index), more.eq(within.o)]
        going = ~(more[-1] | delay(m, under, 1, name="under"))
        found = []
        for parity in range(2):
            m.submodules[f"place_{parity}"] = unit = GatedAdd(width=PLACE_BITS, vendor=self._vendor)
            found.append(Signal(PLACE_BITS, name=f"found_{parity}"))
            m.d.comb += [unit.term.eq(Cat(Const(1 - parity, 1), config.place.half)),
                         unit.acc.eq(more), unit.going.eq(going.replicate(PLACE_BITS)),
                         self.tables.place[parity].eq(found[parity][1:])]
            m.d.sync += found[parity].eq(unit.o)
        return (delay(m, shifted[:_FRACTION + 1], 5, name="fraction"),
                delay(m, found[1][0], 2, name="begins_odd"))

    @staticmethod
    def _far(first, amount):
        """Whether the shifted index exceeds ``_INDEX`` bits."""
        marks, last = [], _INDEX + _FRACTION - 1  # bit position of its sign
        for step in range(0, 16, 4):
            top = first[max(last - step, 0):] if last - step < len(first) else first[-1]
            marks.append(top.any() & ~top.all())
        return pick(marks, amount)

    def _interpolate(self, m, fraction, odd):
        """Stages 16 to 19: entry minus its fall to the successor times the fraction, rounded.

        Without a lookup the fraction carries the element itself and replaces the entry.
        """
        even_entry, odd_entry = (delay(m, entry, 1, name=name) for name, entry in zip(
            ("even_entry", "odd_entry"), self.tables.entry, strict=True))
        here, config = Signal(16, name="here"), self.config
        m.d.sync += here.eq(Mux(config.read.looks, Mux(odd, odd_entry, even_entry), fraction))
        m.submodules.fall = fall = SwapSubtract(width=16, vendor=self._vendor)
        m.submodules.multiply = unit = Multiply(bits=16, vendor=self._vendor)
        m.d.comb += [fall.first.eq(even_entry), fall.second.eq(odd_entry), fall.swap.eq(odd),
                     unit.a.eq(fall.o), unit.b.eq(fraction[:_FRACTION])]
        product, carry, found = unit.o, Signal(name="carry"), Signal(signed(16), name="found")
        m.d.sync += carry.eq(rounds_up(config.weigh.rounding, product[_FRACTION - 1],
                                       product[:_FRACTION - 1].any(), product[_FRACTION]))
        m.submodules.take = take = GatedSubtract(width=16, vendor=self._vendor)
        m.d.comb += [take.term.eq(delay(m, here, Multiply.LATENCY, name="above")),
                     take.acc.eq(delay(m, product[_FRACTION:], 1, name="rest")),
                     take.less.eq(carry), take.going.eq(config.take.looks)]
        m.d.sync += found.eq(take.o)
        return found

    def _narrow(self, m, found):
        """Stages 20 and 21: round to the high 8 bits for an 8-bit output."""
        config, word, up = self.config.narrow, Signal(16, name="word"), Signal(name="up")
        most = found[8:15].all() & ~found[15]
        rounded = delay(m, found, 1, name="rounded")
        m.d.sync += [up.eq(rounds_up(config.rounding, found[7], found[:7].any(), found[8])
                           & ~most & ~config.wide),
                     word.eq(Cat(rounded[:8], rounded[8:] + up))]
        return word

    def _choose(self, m, first, word):
        """Output register, stage 10 on the bypass, else stage 22: 8 bits fill both bytes."""
        config = self.config.coarse
        wide   = delay(m, self.config.narrow.wide, 2, name="wide")
        m.d.sync += self.o.eq(Mux(
            config.short, Cat(first[:8], Mux(config.wide, first[8:16], first[:8])),
            Cat(Mux(wide, word[:8], word[8:]), word[8:])))
