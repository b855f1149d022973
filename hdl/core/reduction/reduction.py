# SPDX-License-Identifier: Apache-2.0
"""Reduction: fold written elements into scalars for later passes.

The heap, which ranks elements, is a separate module.
"""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay, less
from xymac.hdl.carry import GatedAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.core.recall import recall
from xymac.hdl.isa import BANKS, HELD, Encoded, Reduce, RoundMode, reduce_of
from xymac.hdl.limits import check_one_of, check_vendor, check_ways

from .extremes import Range
from .heap import Heap
from .inverse import SUM_BITS, Inverse

__all__ = ["Reduction", "Scalars"]

#: Pass fields for the block.
_Config = data.StructLayout({
    "reduce": Reduce, "fresh": 1, "drop": unsigned(2), "wide": 1, "rounding": RoundMode,
    "entry": range(HELD)})
#: The scalars in ``xymac.hdl.isa``; ``wide_range`` and ``anchor`` for 8-bit and for 16-bit X.
Scalars = data.StructLayout({
    "wide_range": data.ArrayLayout(1, 2), "anchor": data.ArrayLayout(signed(16), 2),
    "places": unsigned(5), "inverse": unsigned(15)})

_LARGE = (7, 15)  # bits of a range; wider ranges use halves; by width of X
_TOP   = (1 << 15) - 1
#: The fold of a written vector; ``last`` marks the last vector of its pass.
_Group = data.StructLayout({
    "sum": 1, "maximum": 1, "minimum": 1, "fresh": 1, "last": 1, "rounding": RoundMode})
#: Pass fields for a column: its element width, and the fold: sum or extreme.
_Column = data.StructLayout({"wide": 1, "sum": 1, "largest": 1})


class Reduction(wiring.Component):
    """Fold written vectors column by column, then over the pass; divide a complete sum.

    Column ``c`` arrives ``c`` cycles after the first column, and waits for its turn.

    Latency ``BANKS * ways + 4`` cycles from a vector to maximum, minimum and their scalars;
    ``DIVIDE + BANKS * ways - 2`` cycles from the last vector of a sum to its scalars. Throughput 1
    vector a cycle, with ``RANK`` as ``Heap`` allows for its elements. No backpressure.

    ``folding`` rises two cycles after a vector. For a sum it rises with the last vector and falls
    ``SOON - 1`` cycles before the scalars; for maximum and minimum it is high while columns wait.
    With a heap it falls ``RANK + BANKS * ways`` cycles after the last ranked vector, and ``POP``
    cycles after a popping vector; then the root is final.

    Parameters
    ----------
    ways : int, columns: 1, 2 or 4
    heap : int, 1 includes the heap; with 0, ``RANK`` and ``POP`` have no effect
    vendor : None or "ecp5", see ``GatedAdd``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    coming : In(Encoded), a pass; loading : In(``SLOTS``), the slot to load in this cycle
    written : In(1), a vector is written; written_slot : In(slot), its pass; written_final : In(1),
        it is the last vector of the pass
    elements : In(``ways`` of 16), the columns, from the cycle after ``written``
    range : In(Range), extremes read by a step; its scalars follow ``RANGED`` cycles later
    start : In(1), a program starts: ``FLUSHED`` cycles later the scalars have their empty values;
        required before the first vector
    scalars : Out(Scalars); folding : Out(1)
    """

    SKEW    = BANKS - 1  #: Extra wait of a column over the previous column, in cycles.
    DIVIDE  = 3 + Inverse.LATENCY
    FLUSHED = Inverse.LATENCY
    SOON    = 12  #: Minimum cycles from issue to the use of a sum's scalars.
    RANK    = 40
    POP     = 18
    RANGED  = 4

    def __init__(self, *, ways, heap=1, vendor=None):
        self._ways, self._has_heap = check_ways(ways), check_one_of("Heap", heap, (0, 1))
        self._vendor = check_vendor(vendor)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "written": In(1),
            "written_slot": In(range(SLOTS)), "written_final": In(1),
            "elements": In(data.ArrayLayout(16, ways)), "range": In(Range), "start": In(1),
            "scalars": Out(Scalars), "folding": Out(1)})

    def elaborate(self, platform):
        m = Module()
        config = Signal(_Config, reset_less=True)
        valid, final = Signal(name="valid_late"), Signal(name="final_late", reset_less=True)
        chosen = recall(m, self._config(m), self.loading, self.written_slot, *_Config.members,
                        name="chosen")
        m.d.sync += [config.eq(chosen), valid.eq(self.written & (chosen.reduce != Reduce.NONE)),
                     final.eq(self.written_final)]
        partial, elements = self._columns(m, config, final)
        ranking, ranked, place = Const(0), Const(0), Const(0, 16)
        if self._has_heap:
            ranking, ranked, place = self._rank(m, config, valid, final, elements)
        group = self._group(m, config, valid, final)
        late  = delay(m, group, 2 + BANKS * (self._ways - 1), name="group")
        total, maximum, minimum = self._fold(m, partial, late)
        self._range(m, maximum, minimum, ranked, place)
        coming = Signal(2)  # sums with the last vector still in the columns
        comes  = group.sum & group.last
        there  = delay(m, late.sum & late.last, 2, name="there")
        m.d.sync += coming.eq(coming + comes - (there & (coming != 0)))
        m.submodules.inverse = inverse = Inverse()
        m.d.comb += [inverse.total.eq(total), inverse.valid.eq(there), inverse.flush.eq(self.start),
                     inverse.rounding.eq(delay(m, late.rounding, 2, name="rounding")),
                     self.scalars.places.eq(inverse.places),
                     self.scalars.inverse.eq(inverse.inverse)]
        dividing = inverse.left > self.SOON
        folding  = self._folding(m, group.maximum | group.minimum)
        m.d.sync += self.folding.eq(comes | (coming != 0) | dividing | ranking | folding)
        return m

    def _config(self, m):
        """Fields of the pass being loaded."""
        pass_, config = self.coming, Signal(_Config, name="coming_config")
        m.d.comb += [
            config.reduce.eq(reduce_of(pass_)), config.wide.eq(pass_.z_width),
            config.rounding.eq(pass_.table_rounding),
            *(config[name].eq(pass_[name]) for name in ("fresh", "drop", "entry"))]
        return config

    def _group(self, m, config, valid, final):
        """Decode the fold of a vector; all fold bits are 0 without a vector."""
        group, begin = Signal(_Group, name="group"), Signal(init=1, name="group_begins")
        m.d.comb += [
            *(group[name].eq(valid & (config.reduce == kind)) for name, kind in (
                ("sum", Reduce.SUM), ("maximum", Reduce.MAX), ("minimum", Reduce.MIN))),
            group.fresh.eq(begin & config.fresh), group.last.eq(final),
            group.rounding.eq(config.rounding)]
        with m.If(valid):
            m.d.sync += begin.eq(final)
        with m.If(self.start):
            m.d.sync += begin.eq(1)
        return group

    def _folding(self, m, comes):
        """Whether columns of a vector for a maximum or minimum still wait."""
        # Two columns fewer than the fold: a reader of the scalars needs these cycles anyway.
        waits = [comes]
        for place in range(BANKS * (self._ways - 2)):
            waits.append(delay(m, waits[-1], 1, name=f"waits{place}"))
        return Cat(waits).any() if self._ways > 1 else Const(0)

    def _rank(self, m, config, valid, final, elements):
        """Send elements to the heap in sequence.

        Returns whether the heap is busy, whether its root defines the range, and the root's place.
        The first column waits a cycle more, because its element may coincide with the last column
        of the previous vector.
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
        m.d.comb += heap.flush.eq(self.start)
        with m.If(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.If(ranks):
            m.d.sync += left.eq(self.RANK - 2 + BANKS * self._ways)
        with m.Elif(pops & (left < self.POP - 1)):  # an earlier ranked vector may take longer
            m.d.sync += left.eq(self.POP - 2)
        with m.If(ranks | pops):
            m.d.sync += ranked.eq(1)
        with m.Elif(self.range.valid | (valid & (config.reduce != Reduce.SUM))):
            m.d.sync += ranked.eq(0)
        with m.If(valid):
            m.d.sync += begin.eq(final)
        with m.If(self.start):
            m.d.sync += [begin.eq(1), ranked.eq(0), left.eq(0)]
        return ranks | pops | (left != 0) | heap.busy, ranked, heap.place

    def _columns(self, m, config, final):
        """Fold a vector: three cycles after its arrival each column joins the partial result of
        the previous columns. Returns the vector's result and the elements of all columns."""
        partial, elements = None, []
        tell = Signal(_Column, name="tell")
        m.d.comb += [tell.wide.eq(config.wide), tell.sum.eq(config.reduce == Reduce.SUM),
                     tell.largest.eq(config.reduce == Reduce.MAX)]
        for column in range(self._ways):
            # A dropped column passes the partial result on; the first column starts neutral.
            dropped = delay(m, final & (config.drop >= self._ways - column), BANKS * column,
                            name=f"dropped{column}")
            bits    = delay(m, self.elements[column], self.SKEW * column, name=f"bits{column}")
            element = Signal(signed(16), name=f"element{column}", reset_less=True)
            m.d.sync += element.eq(Mux(tell.wide, bits.as_signed(), bits[:8].as_signed()))
            if partial is None:
                with m.If(dropped):
                    m.d.sync += element.eq(Mux(tell.sum, 0, Mux(tell.largest, -1 << 15, _TOP)))
            elements.append(element)
            late   = delay(m, element, 1, name=f"late{column}")
            joined = Signal(signed(18), name=f"joined{column}", reset_less=True)
            m.d.sync += joined.eq(late if partial is None else self._join(
                m, tell, dropped, partial, element, late, column))
            if column + 1 < self._ways:
                partial = delay(m, joined, BANKS - 2, name=f"partial{column}")
                tell    = delay(m, tell, BANKS, name=f"tell{column}")
        with m.If(self.start):
            m.d.sync += joined.eq(0)
        return joined, elements

    def _join(self, m, tell, dropped, one, other, late, column):
        """Sum or extreme of ``one`` and ``other``; ``one`` alone if the column is dropped.

        The result uses ``late``, which is ``other`` a cycle later.
        """
        larger = Signal(name=f"larger{column}")
        sums, drops = (delay(m, bit, 1, name=f"{name}{column}") for bit, name in (
            (tell.sum, "sums"), (dropped, "drops")))
        total = Signal(signed(18), name=f"total{column}", reset_less=True)
        m.submodules[f"add{column}"] = add = GatedAdd(width=len(total), vendor=self._vendor)
        m.d.comb += [add.term.eq(one), add.acc.eq(other),
                     add.going.eq((sums & ~drops).replicate(len(total)))]
        m.d.sync += [total.eq(add.o), larger.eq(less(other, one))]
        sum_, drop, largest = (delay(m, bit, 1, name=f"{name}{column}") for bit, name in (
            (sums, "sum"), (drops, "drop"), (delay(m, tell.largest, 1, name=f"top{column}"),
                                             "largest")))
        return Mux(~sum_ & ~drop & (larger != largest), late, total)

    def _fold(self, m, partial, group):
        """Fold a vector into its scalar, a cycle after ``group``; a flush clears all scalars.

        Returns the sum, the maximum and the minimum.
        """
        folds   = Signal(_Group, name="folds")
        maximum, minimum = (Signal(signed(16), name=name, reset_less=True)
                            for name in ("maximum", "minimum"))
        total, empty = Signal(SUM_BITS, name="total", reset_less=True), Signal(name="empty", init=1)
        m.d.sync += folds.eq(group)
        with m.If(self.start):
            m.d.sync += [folds.sum.eq(0), folds.maximum.eq(1), folds.minimum.eq(1),
                         folds.fresh.eq(1), empty.eq(1)]
        with m.Elif(folds.sum):
            m.d.sync += empty.eq(0)
        read, begins = self.range.valid, Mux(self.range.valid, self.range.fresh, folds.fresh)
        high, low = (Mux(read, value, partial[:16].as_signed())
                     for value in (self.range.maximum, self.range.minimum))
        with m.If((read | folds.maximum) & (begins | less(maximum, high))):
            m.d.sync += maximum.eq(high)
        with m.If((read | folds.minimum) & (begins | less(low, minimum))):
            m.d.sync += minimum.eq(low)
        m.submodules.add = add = GatedAdd(width=SUM_BITS, vendor=self._vendor)
        m.d.comb += [add.term.eq(partial), add.acc.eq(total),
                     add.going.eq((~(folds.fresh | empty)).replicate(SUM_BITS))]
        with m.If(folds.sum):
            m.d.sync += total.eq(add.o)
        return total, maximum, minimum

    def _range(self, m, maximum, minimum, ranked, place):
        """Derive the range scalars from maximum and minimum, or from the root's place if
        ``ranked``."""
        spread, top = Signal(signed(17), name="spread", reset_less=True), Signal(16, name="top")
        alone = delay(m, ranked, 1, name="alone")
        m.d.sync += spread.eq(minimum - maximum)  # not above 0
        # 2**15 - 1 - place equals its bits inverted, except for the top bit.
        m.d.comb += top.eq(Mux(ranked, Cat(~place[:-1], place[-1]), maximum))
        for width, limit in enumerate(_LARGE):
            wide, anchor = self.scalars.wide_range[width], self.scalars.anchor[width]
            now = Signal.like(anchor, name=f"anchor{width}", reset_less=True)
            m.d.sync += [wide.eq(~alone & spread[-1] & ~spread[limit:-1].all()),
                         now.eq(Cat(top[0] & ~wide, top[1:]))]
            m.d.comb += anchor.eq(now)
