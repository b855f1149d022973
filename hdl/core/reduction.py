"""Reduction: fold the elements that passes write into scalars that later passes use."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, rounds_up
from hdl.config import SLOTS
from hdl.isa import BANKS, Reduce, RoundMode
from hdl.limits import check_ways

__all__ = ["Reduction", "ReductionConfig", "Scalars"]

#: What the block needs of a pass.
ReductionConfig = data.StructLayout({
    "reduce": Reduce, "fresh": 1, "drop": unsigned(2), "wide": 1, "rounding": RoundMode})
#: The scalars of ``hdl.isa``: ``wide_range`` and ``anchor`` for 8-bit and for 16-bit X.
Scalars = data.StructLayout({
    "wide_range": data.ArrayLayout(1, 2), "anchor": data.ArrayLayout(signed(16), 2),
    "places": unsigned(5), "inverse": unsigned(15)})

_TOTAL = 32
_LARGE = (128, 1 << 15)  # ranges beyond which halves are taken, by width of X
_ONE   = 1 << 14         # 2**29 without the 15 places that the division shifts in


class Reduction(wiring.Component):
    """Fold written groups column by column, then over the pass; divide when a sum is complete.

    Column ``c`` comes ``BANKS * c`` cycles after the first. Latency ``BANKS * ways + 6`` cycles
    from a group to maximum and minimum, and what follows from them, ``DIVIDE + BANKS * ways`` from
    the last group of a sum to its scalars; ``busy`` is high until then, from two cycles after that
    group on. Throughput 1 group a cycle, no backpressure.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4; TypeError for what is no int, ValueError otherwise

    Members
    -------
    slots : In(``SLOTS`` ReductionConfig)
    valid : In(1), a group is written; slot : In(slot), of its pass; ends : In(1), it is its last
    elements : In(``ways`` of 16), the columns, from the cycle after ``valid``
    flush : In(1), a program starts: all scalars are as after reset
    scalars : Out(Scalars); busy : Out(1)
    """

    DIVIDE = 52

    def __init__(self, *, ways):
        self._ways = check_ways(ways)
        super().__init__({
            "slots": In(data.ArrayLayout(ReductionConfig, SLOTS)), "valid": In(1),
            "slot": In(range(SLOTS)),
            "ends": In(1), "elements": In(data.ArrayLayout(16, ways)), "flush": In(1),
            "scalars": Out(Scalars, init={"inverse": (1 << 15) - 1}), "busy": Out(1)})

    def elaborate(self, platform):
        m = Module()
        config, valid, final = Signal(ReductionConfig), Signal(), Signal()
        chosen = self.slots[self.slot]
        m.d.sync += [config.eq(chosen), valid.eq(self.valid & (chosen.reduce != Reduce.NONE)),
                     final.eq(self.ends)]
        comes = valid & final & (config.reduce == Reduce.SUM)
        partial, kind = self._columns(m, config, final)
        span   = 2 + BANKS * (self._ways - 1)
        config = delay(m, config, span, name="config")
        valid  = delay(m, valid, span, name="valid")
        final  = delay(m, final, span, name="final")
        total  = self._fold(m, partial, kind, config, valid, final)
        self._range(m)
        coming = Signal(2)  # sums whose last group is on its way
        there  = delay(m, valid & final & (kind == Reduce.SUM), 2, name="there")
        m.d.sync += coming.eq(coming + comes - (there & (coming != 0)))
        dividing = self._invert(m, total, delay(m, config.rounding, 2, name="rounding"), there)
        m.d.sync += self.busy.eq(comes | (coming != 0) | dividing)
        return m

    def _columns(self, m, config, final):
        """Fold a group: each column joins what the columns before it have, three cycles after it
        comes; returns it, and its kind a cycle ahead."""
        partial = None
        for column in range(self._ways):
            bits    = self.elements[column]
            element = Signal(signed(16), name=f"element{column}")
            dropped = final & (config.drop >= self._ways - column)
            m.d.sync += element.eq(Mux(config.wide, bits.as_signed(), bits[:8].as_signed()))
            with m.If(dropped):
                m.d.sync += element.eq(0)
                with m.If(config.reduce == Reduce.MAX):
                    m.d.sync += element.eq(-(1 << 15))
                with m.Elif(config.reduce == Reduce.MIN):
                    m.d.sync += element.eq((1 << 15) - 1)
            joined = Signal(signed(18), name=f"joined{column}")
            kind   = delay(m, config.reduce, 2, name=f"kind{column}")
            late   = delay(m, element, 1, name=f"late{column}")
            m.d.sync += joined.eq(late if partial is None else
                                  _join(m, kind, partial, element, late))
            if column + 1 < self._ways:
                partial = delay(m, joined, BANKS - 2, name=f"partial{column}")
                config  = delay(m, config, BANKS, name=f"config{column}")
                final   = delay(m, final, BANKS, name=f"final{column}")
        return joined, kind

    def _fold(self, m, partial, kind, config, valid, final):
        """Fold a group, a cycle after what is told of it, into its scalar; returns the sum."""
        begin = Signal(init=1)
        fresh, folds = Signal(), {of: Signal(name=f"folds_{of.name}") for of in Reduce}
        self._maximum, self._minimum = Signal(signed(16)), Signal(signed(16))
        total = Signal(_TOTAL)
        m.d.sync += [fresh.eq(begin & config.fresh),
                     *(bit.eq(valid & (kind == of)) for of, bit in folds.items())]
        with m.If(valid):
            m.d.sync += begin.eq(final)
        with m.If(folds[Reduce.MAX] & (fresh | (partial > self._maximum))):
            m.d.sync += self._maximum.eq(partial)
        with m.If(folds[Reduce.MIN] & (fresh | (partial < self._minimum))):
            m.d.sync += self._minimum.eq(partial)
        with m.If(folds[Reduce.SUM]):
            m.d.sync += total.eq(Mux(fresh, 0, total) + partial)
        with m.If(self.flush):
            m.d.sync += [begin.eq(1), self._maximum.eq(0), self._minimum.eq(0), total.eq(0)]
        return total

    def _range(self, m):
        """What follows from maximum and minimum."""
        spread = Signal(signed(17))
        m.d.sync += spread.eq(self._maximum - self._minimum)
        for width, limit in enumerate(_LARGE):
            wide = self.scalars.wide_range[width]
            m.d.sync += [wide.eq(spread > limit),
                         self.scalars.anchor[width].eq(Cat(self._maximum[0] & ~wide,
                                                           self._maximum[1:]))]

    def _invert(self, m, total, rounding, there):
        """Bring the sum's highest bit to bit 30, round to 15 bits, divide by that, bit by bit.

        A new sum takes the place of one that is being worked on. Returns whether one is.
        """
        value, places, mode = Signal(31), Signal(5), Signal(RoundMode)
        divisor, rest = Signal(15), Signal(17)
        quotient, left, ending = Signal(16), Signal(5), Signal()  # the last cycle of either part
        normalising, dividing = Signal(), Signal()
        up   = rounds_up(mode, value[15], value[:15].any(), value[16])
        less = Signal(signed(18))
        fits = ~less[-1]
        m.d.comb += less.eq(rest - divisor)
        m.d.sync += [left.eq(left - 1), ending.eq(left == 1)]
        with m.If(dividing):
            m.d.sync += [rest.eq(Mux(fits, less[:17], rest) << 1),
                         quotient.eq(quotient << 1 | fits)]
            with m.If(ending):
                m.d.sync += [
                    self.scalars.places.eq(places), dividing.eq(0),
                    self.scalars.inverse.eq(Mux(quotient[15], (1 << 15) - 1, quotient))]
        with m.If(normalising):  # as many cycles for every value
            m.d.sync += [
                divisor.eq(Mux(up & value[16:].all(), (1 << 15) - 1, value[16:] + up)),
                rest.eq(_ONE)]
            with m.If(~value[30]):
                m.d.sync += [value.eq(value << 1), places.eq(places - 1)]
            with m.If(ending):
                m.d.sync += [left.eq(16), normalising.eq(0), dividing.eq(1)]
        with m.If(there):
            positive = ~total[31] & (total != 0)
            m.d.sync += [value.eq(Mux(positive, total, 1)), places.eq(30), mode.eq(rounding),
                         left.eq(30), ending.eq(0), normalising.eq(1), dividing.eq(0)]
        with m.If(self.flush):
            m.d.sync += [self.scalars.places.eq(0), self.scalars.inverse.eq((1 << 15) - 1),
                         normalising.eq(0), dividing.eq(0)]
        return normalising | dividing


def _join(m, kind, one, other, late):
    """Sum or extreme of two values, a cycle later; ``late`` is the other one then."""
    total, larger, before = Signal(signed(18)), Signal(), Signal.like(one, reset_less=True)
    m.d.sync += [total.eq(one + other), larger.eq(one > other), before.eq(one)]
    return Mux(kind == Reduce.SUM, total,
               Mux(larger == (kind == Reduce.MAX), before, late))
