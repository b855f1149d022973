"""Reduction: fold the elements that passes write into scalars that later passes use.

The heap, which ranks them, is a module of its own.
"""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, pick
from hdl.config import SLOTS
from hdl.isa import BANKS, HELD, Reduce, RoundMode
from hdl.limits import check_one_of, check_vendor, check_ways

from .extremes import Range
from .heap import Heap
from .inverse import SUM_BITS, Inverse

__all__ = ["Reduction", "ReductionConfig", "Scalars"]

#: What the block needs of a pass.
ReductionConfig = data.StructLayout({
    "reduce": Reduce, "fresh": 1, "drop": unsigned(2), "wide": 1, "rounding": RoundMode,
    "entry": range(HELD)})
#: The scalars of ``hdl.isa``: ``wide_range`` and ``anchor`` for 8-bit and for 16-bit X.
Scalars = data.StructLayout({
    "wide_range": data.ArrayLayout(1, 2), "anchor": data.ArrayLayout(signed(16), 2),
    "places": unsigned(5), "inverse": unsigned(15)})

_LARGE = (128, 1 << 15)  # ranges beyond which halves are taken, by width of X


class Reduction(wiring.Component):
    """Fold written groups column by column, then over the pass; divide when a sum is complete.

    Column ``c`` comes ``c`` cycles after the first, and waits for its turn. Latency ``BANKS * ways
    + 6`` cycles from a group to maximum and minimum, and what follows from them, ``DIVIDE + BANKS *
    ways`` from the last group of a sum to its scalars; ``busy`` is high until ``SOON`` cycles
    before then, from two cycles after that group on, and for maximum and minimum while columns
    wait. Of a heap it is high from two cycles after every group to ``RANK + BANKS * ways`` cycles
    after the last group that is ranked, and ``POP`` after one that pops: then its root is in place.
    Throughput 1 group a cycle, no backpressure; of passes that
    rank one in as many cycles as their elements may take, see ``Heap``.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4
    heap : int, 0 leaves out the heap: ``RANK`` and ``POP`` do nothing then
    vendor : None or "ecp5", see ``GatedAdd``

    TypeError for what is no int, ValueError otherwise.

    Members
    -------
    slots : In(``SLOTS`` ReductionConfig)
    valid : In(1), a group is written; slot : In(slot), of its pass; ends : In(1), it is its last
    elements : In(``ways`` of 16), the columns, from the cycle after ``valid``
    range : In(Range), of what a step reads; what follows from it stands ``RANGED`` cycles later
    flush : In(1), a program starts: all scalars are as after reset
    scalars : Out(Scalars); busy : Out(1)
    """

    SKEW   = BANKS - 1  #: Cycles that a column waits longer than the column before it.
    DIVIDE = 3 + Inverse.LATENCY
    SOON   = 12  #: What is issued then needs the scalars of a sum no sooner than they come.
    RANK   = 40
    POP    = 18
    RANGED = 4

    def __init__(self, *, ways, heap=1, vendor=None):
        self._ways, self._has_heap = check_ways(ways), check_one_of("Heap", heap, (0, 1))
        self._vendor = check_vendor(vendor)
        super().__init__({
            "slots": In(data.ArrayLayout(ReductionConfig, SLOTS)), "valid": In(1),
            "slot": In(range(SLOTS)),
            "ends": In(1), "elements": In(data.ArrayLayout(16, ways)),
            "range": In(Range), "flush": In(1),
            "scalars": Out(Scalars, init={"inverse": (1 << 15) - 1}), "busy": Out(1)})

    def elaborate(self, platform):
        m = Module()
        config = Signal(ReductionConfig)
        valid, final = Signal(name="valid_late"), Signal(name="final_late")
        chosen = pick(self.slots, self.slot)
        m.d.sync += [config.eq(chosen), valid.eq(self.valid & (chosen.reduce != Reduce.NONE)),
                     final.eq(self.ends)]
        comes = valid & final & (config.reduce == Reduce.SUM)
        extreme = valid & ((config.reduce == Reduce.MAX) | (config.reduce == Reduce.MIN))
        partial, kind, elements = self._columns(m, config, final)
        ranking, ranked, place = Const(0), Const(0), Const(0, 16)
        if self._has_heap:
            ranking, ranked, place = self._rank(m, config, valid, final, elements)
        span   = 2 + BANKS * (self._ways - 1)
        config = delay(m, config, span, name="config")
        valid  = delay(m, valid, span, name="valid")
        final  = delay(m, final, span, name="final")
        total, maximum, minimum = self._fold(m, partial, kind, config, valid, final)
        self._range(m, maximum, minimum, ranked, place)
        coming = Signal(2)  # sums whose last group is on its way
        there  = delay(m, valid & final & (kind == Reduce.SUM), 2, name="there")
        m.d.sync += coming.eq(coming + comes - (there & (coming != 0)))
        m.submodules.inverse = inverse = Inverse()
        m.d.comb += [inverse.total.eq(total), inverse.valid.eq(there), inverse.flush.eq(self.flush),
                     inverse.rounding.eq(delay(m, config.rounding, 2, name="rounding")),
                     self.scalars.places.eq(inverse.places),
                     self.scalars.inverse.eq(inverse.inverse)]
        dividing = inverse.left > self.SOON
        folding = self._folding(m, extreme)
        m.d.sync += self.busy.eq(comes | (coming != 0) | dividing | ranking | folding)
        return m

    def _folding(self, m, comes):
        """Whether columns of a group wait that goes into a maximum or a minimum."""
        # So many cycles: what reads scalars is not there sooner anyway.
        waits = [comes]
        for place in range(BANKS * (self._ways - 2)):
            waits.append(delay(m, waits[-1], 1, name=f"waits{place}"))
        return Cat(waits).any() if self._ways > 1 else Const(0)

    def _rank(self, m, config, valid, final, elements):
        """Hand elements to the heap one by one; returns whether it is at work, whether its root is
        what counts, and the place of that.

        The first column waits a cycle, for its elements may come with those of the last one of the
        group before.
        """
        m.submodules.heap = heap = Heap(vendor=self._vendor)
        begin, ranked = Signal(init=1, name="ranks_begin"), Signal(name="ranked")
        left = Signal(range(self.RANK + BANKS * self._ways))
        ranks, pops = (valid & (config.reduce == kind) for kind in (Reduce.RANK, Reduce.POP))
        keep = [delay(m, ranks & ~(final & (config.drop >= self._ways - column)),
                      1 + BANKS * column + (column == 0), name=f"keep{column}")
                for column in range(self._ways)]
        head = Signal(data.StructLayout({"begin": 1, "pop": 1, "last": range(HELD)}))
        m.d.comb += [head.begin.eq(ranks & begin & config.fresh), head.pop.eq(pops),
                     head.last.eq(config.entry)]
        late = delay(m, head, 2, name="head")
        value = delay(m, elements[0], 1, name="late")
        for column in range(1, self._ways):
            value = Mux(keep[column], elements[column], value)
        m.d.sync += [heap.valid.eq(late.begin | late.pop | Cat(keep).any()),
                     heap.item.begin.eq(late.begin), heap.item.pop.eq(late.pop),
                     heap.item.keep.eq(Cat(keep).any()), heap.item.last.eq(late.last),
                     heap.item.value.eq(value)]
        m.d.comb += heap.flush.eq(self.flush)
        with m.If(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.If(ranks):
            m.d.sync += left.eq(self.RANK - 2 + BANKS * self._ways)
        with m.Elif(pops & (left < self.POP - 1)):  # what was ranked may take longer
            m.d.sync += left.eq(self.POP - 2)
        with m.If(ranks | pops):
            m.d.sync += ranked.eq(1)
        with m.Elif(self.range.valid | (valid & (config.reduce != Reduce.SUM))):
            m.d.sync += ranked.eq(0)
        with m.If(valid):
            m.d.sync += begin.eq(final)
        with m.If(self.flush):
            m.d.sync += [begin.eq(1), ranked.eq(0), left.eq(0)]
        return ranks | pops | (left != 0) | heap.busy, ranked, heap.place

    def _columns(self, m, config, final):
        """Fold a group: each column joins what the columns before it have, three cycles after it
        comes; returns it, its kind a cycle ahead, and the elements of all columns."""
        partial, elements = None, []
        for column in range(self._ways):
            bits    = delay(m, self.elements[column], self.SKEW * column, name=f"bits{column}")
            element = Signal(signed(16), name=f"element{column}")
            dropped = final & (config.drop >= self._ways - column)
            m.d.sync += element.eq(Mux(config.wide, bits.as_signed(), bits[:8].as_signed()))
            with m.If(dropped):
                m.d.sync += element.eq(0)
                with m.If(config.reduce == Reduce.MAX):
                    m.d.sync += element.eq(-(1 << 15))
                with m.Elif(config.reduce == Reduce.MIN):
                    m.d.sync += element.eq((1 << 15) - 1)
            elements.append(element)
            joined = Signal(signed(18), name=f"joined{column}")
            kind   = delay(m, config.reduce, 2, name=f"kind{column}")
            late   = delay(m, element, 1, name=f"late{column}")
            m.d.sync += joined.eq(late if partial is None else
                                  _join(m, kind, partial, element, late, column))
            if column + 1 < self._ways:
                partial = delay(m, joined, BANKS - 2, name=f"partial{column}")
                config  = delay(m, config, BANKS, name=f"config{column}")
                final   = delay(m, final, BANKS, name=f"final{column}")
        return joined, kind, elements

    def _fold(self, m, partial, kind, config, valid, final):
        """Fold a group, a cycle after what is told of it, into its scalar.

        Returns the sum, the maximum and the minimum.
        """
        begin = Signal(init=1)
        fresh, folds = Signal(name="fresh"), {of: Signal(name=f"folds_{of.name}") for of in Reduce}
        maximum = Signal(signed(16), name="maximum")
        minimum = Signal(signed(16), name="minimum")
        total, empty = Signal(SUM_BITS, name="total"), Signal(name="empty")  # no sum since a start
        m.d.sync += [fresh.eq(begin & config.fresh),
                     *(bit.eq(valid & (kind == of)) for of, bit in folds.items())]
        with m.If(valid):
            m.d.sync += begin.eq(final)
        read, begins = self.range.valid, Mux(self.range.valid, self.range.fresh, fresh)
        high, low = (Mux(read, value, partial[:16].as_signed())
                     for value in (self.range.maximum, self.range.minimum))
        with m.If((read | folds[Reduce.MAX]) & (begins | (high > maximum))):
            m.d.sync += maximum.eq(high)
        with m.If((read | folds[Reduce.MIN]) & (begins | (low < minimum))):
            m.d.sync += minimum.eq(low)
        with m.If(folds[Reduce.SUM]):
            m.d.sync += [total.eq(Mux(fresh | empty, 0, total) + partial), empty.eq(0)]
        with m.If(self.flush):
            m.d.sync += [begin.eq(1), maximum.eq(0), minimum.eq(0), empty.eq(1)]
        return total, maximum, minimum

    def _range(self, m, maximum, minimum, ranked, place):
        """What follows from maximum and minimum, or from the place of the heap's root if
        ``ranked``."""
        spread, top = Signal(signed(17), name="spread"), Signal(16, name="top")
        m.d.sync += spread.eq(Mux(ranked, 0, maximum - minimum))
        # 2**15 - 1 less the place is all its bits the other way round, but for the highest.
        m.d.comb += top.eq(Mux(ranked, Cat(~place[:-1], place[-1]), maximum))
        for width, limit in enumerate(_LARGE):
            wide = self.scalars.wide_range[width]
            m.d.sync += [wide.eq(spread > limit),
                         self.scalars.anchor[width].eq(Cat(top[0] & ~wide, top[1:]))]


def _join(m, kind, one, other, late, name):
    """Sum or extreme of two values, a cycle later; ``late`` is the other one then."""
    total  = Signal(signed(18), name=f"sum{name}")
    larger = Signal(name=f"larger{name}")
    before = Signal.like(one, reset_less=True, name=f"before{name}")
    m.d.sync += [total.eq(one + other), larger.eq(one > other), before.eq(one)]
    return Mux(kind == Reduce.SUM, total,
               Mux(larger == (kind == Reduce.MAX), before, late))
