"""Table lookup with linear interpolation, the end of the output stage."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .arith import DelayLine, Multiply, delay, rounds_up
from .config import SLOTS
from .isa import TABLES, AccumulatorRange, RoundMode, Table

__all__ = ["Lookup", "OutputConfig"]

#: What output stage and lookup need of a pass, scalars already in place: ``anchor`` is taken off
#: the sum, which is halved if asked; ``zero`` is added to the clipped element; an ``inverted``
#: element is ``inverse``.
OutputConfig = data.StructLayout({
    "shift": signed(7), "rounding": RoundMode, "acc_range": AccumulatorRange, "wide": 1,
    "hold": 1, "clip": data.ArrayLayout(signed(16), 2),
    "table": Table, "table_shift": unsigned(4), "table_rounding": RoundMode,
    "anchor": signed(16), "zero": signed(16), "halve": 1, "inverted": 1, "inverse": unsigned(15)})

_FRACTION = 15  # bits between two entries after the shift


def _contents():
    """All tables one after another: (values, first entry of each ``Table``)."""
    values, first = [], dict.fromkeys(Table, 0)
    for table, samples in TABLES.items():
        first[table] = len(values)
        values += samples.values
    return values, first


class Lookup(wiring.Component):
    """Turn an element into what the table of its pass has for it, or hand it on.

    A shift to the left by ``15 - table_shift`` parts the element into an entry and a fraction of
    15 bits, whatever the table's shift; so one rounding of the product by 15 bits is exact.
    Latency ``LATENCY`` cycles with and without a table, throughput 1 a cycle, always ready.
    Source: embARC MLI 1.1, private/src/mli_prv_lut.cc.

    Parameters
    ----------
    vendor : None or "ecp5", see ``arith.Multiply``

    Members
    -------
    slots : In(two OutputConfig)
    element : In(signed(16)); slot : In(slot), its pass, a cycle ahead of the element
    o : Out(16), an 8-bit element stands in both bytes
    """

    LATENCY = 14

    slots:   In(data.ArrayLayout(OutputConfig, SLOTS))
    element: In(signed(16))
    slot:    In(range(SLOTS))
    o:       Out(16)

    def __init__(self, *, vendor=None):
        self._vendor = vendor
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        slot, config = self.slot, []
        for stage in range(self.LATENCY):
            config.append(Signal(OutputConfig, name=f"config{stage}", reset_less=True))
            m.d.sync += config[-1].eq(self.slots[slot])
            slot = delay(m, slot, 1, name=f"slot{stage}")
        places, fraction = self._places(m, config)
        here, there = self._entries(m, places)
        found = self._interpolate(m, here, there, delay(m, fraction, 3, name="fraction"), config)
        self._narrow(m, found, config)
        return m

    def _places(self, m, config):
        """Stages 1 to 5: addresses of the entry and the next one, and the fraction."""
        amount = [~config[n].table_shift for n in range(2)]
        coarse, fine = Signal(signed(28)), Signal(signed(31))
        m.d.sync += [coarse.eq(self.element << Cat(0, 0, amount[0][2:]).as_unsigned()),
                     fine.eq(coarse << amount[1][:2])]
        _, firsts = _contents()
        offset = Signal(signed(11))
        limits = [[Signal(signed(11), name=f"{end}{step}") for end in ("low", "high")]
                  for step in range(2)]
        with m.Switch(config[2].table):
            for table, samples in TABLES.items():
                first = firsts[table]
                ends  = (first, first + len(samples.values) - 2)
                with m.Case(table):
                    m.d.comb += offset.eq(first + samples.offset)
                    m.d.sync += [limit.eq(end + step) for step in range(2)
                                 for limit, end in zip(limits[step], ends, strict=True)]
        entry, under, over = Signal(signed(18)), Signal(), Signal()
        low, high = limits[0]
        m.d.sync += [entry.eq(fine[_FRACTION:].as_signed() + offset),
                     under.eq(entry < low), over.eq(entry > high)]
        places = []
        for step, ends in enumerate(limits):
            inside, place = Signal(10, name=f"inside{step}"), Signal(10, name=f"place{step}")
            low, high = (delay(m, end, 1, name=f"end{step}_{n}") for n, end in enumerate(ends))
            m.d.sync += [inside.eq(entry + step),
                         place.eq(Mux(under, low, Mux(over, high, inside)))]
            places.append(place)
        return places, delay(m, fine[:_FRACTION], 3, name="part")

    def _entries(self, m, places):
        """Stages 6 and 7: read both entries."""
        values, _ = _contents()
        m.submodules.table = memory = Memory(shape=16, depth=len(values),
                                             init=[value & 0xFFFF for value in values],
                                             attrs={"ram_style": "block"})
        found = []
        for step, place in enumerate(places):
            port  = memory.read_port()
            entry = Signal(signed(16), name=f"entry{step}")
            m.d.comb += [port.addr.eq(place), port.en.eq(1)]
            m.d.sync += entry.eq(port.data)
            found.append(entry)
        return found

    def _interpolate(self, m, here, there, fraction, config):
        """Stages 8 to 12: the fall to the next entry, times the fraction, rounded, taken off."""
        fall = Signal(signed(16))
        m.d.sync += fall.eq(here - there)
        m.submodules.multiply = unit = Multiply(vendor=self._vendor)
        m.d.comb += [unit.a.eq(fall), unit.b.eq(fraction)]
        product = unit.o
        above   = delay(m, here, 1 + Multiply.LATENCY, name="above")
        rest, carry, found = Signal(signed(18)), Signal(), Signal(signed(16))
        m.d.sync += [
            rest.eq(above - product[_FRACTION:].as_signed()),
            carry.eq(rounds_up(config[10].table_rounding, product[_FRACTION - 1],
                               product[:_FRACTION - 1].any(), product[_FRACTION])),
            found.eq(rest - carry),
        ]
        return found

    def _narrow(self, m, found, config):
        """Stages 13 and 14: round to 8 bits if the output has so few; choose."""
        byte, word = Signal(8), Signal(16)
        short = found[8:].as_signed()
        up    = rounds_up(config[12].table_rounding, found[7], found[:7].any(), found[8])
        m.d.sync += [byte.eq(short + (up & (short != 127))), word.eq(found)]
        m.submodules.plain = plain = DelayLine(16, self.LATENCY - 1, vendor=self._vendor)
        m.d.comb += plain.i.eq(self.element)
        last   = config[13]
        looked = Mux(last.wide, word, Cat(byte, byte))
        direct = Mux(last.wide, plain.o, plain.o[:8].replicate(2))
        with m.If(last.inverted):
            m.d.sync += self.o.eq(Mux(last.wide, last.inverse, last.inverse[:8].replicate(2)))
        with m.Elif(last.table == Table.NONE):
            m.d.sync += self.o.eq(direct)
        with m.Else():
            m.d.sync += self.o.eq(looked)
