# SPDX-License-Identifier: Apache-2.0
"""Taps: the loops over the taps of an output, and the tap addresses of an operand."""

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.carry import GatedAdd, SelectAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.core.recall import RecallParts
from xymac.hdl.isa import ADDRESS_BITS
from xymac.hdl.limits import check_vendor

__all__ = ["Going", "TapAddress", "TapLoops"]

_RELATIVE = signed(ADDRESS_BITS)
_LOOPS    = 3
_LEFT     = 17  # bits of the remaining count minus 3: negative if a step reaches the last index

#: The next address update. Its first term is the job start (``fresh``) or the stride of loop
#: ``which`` (0 is outermost). The second term is the ``inner`` address, the address of outer loop
#: ``base`` (a mask), or 0. The sum is stored for the loops in ``moves``. ``inner`` and ``moves``
#: come a cycle late. ``load``: a waiting job begins.
Going = data.StructLayout({
    "load": 1, "fresh": 1, "which": range(_LOOPS), "base": 2, "inner": 1, "moves": _LOOPS})


class TapLoops(wiring.Component):
    """Count the three loops of a job; a cycle ahead, decide the next loop to step.

    The loops take the waiting job after the last step of the current job. Latency 1 cycle from
    ``waiting`` to ``step``, throughput 1 step a cycle; honours backpressure by ``room``.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    counts : In(3 of 16), loop counts of a job, outermost first, at least 1 each; stable from the
        cycle before ``waiting`` until ``take``
    waiting : In(1), a job is ready; take : Out(1), the loops take it
    room : In(1), a step is allowed; flush : In(1), discard the current job
    step : Out(1), the loops issue an address; over : Out(1), it is the last of its job, or no job
        is active
    going : Out(Going)
    """

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({"counts": In(data.ArrayLayout(unsigned(16), 3)), "waiting": In(1),
                          "room": In(1), "flush": In(1), "take": Out(1), "step": Out(1),
                          "over": Out(1, init=1), "going": Out(Going)})

    def elaborate(self, platform):
        m = Module()
        active = Signal()   # a job runs
        steps  = Signal(3)  # the loop to step next, one-hot; its inner loops restart
        goes   = Signal()   # an address follows this move
        move = Signal()
        over = self.over
        m.d.comb += [self.step.eq(active & self.room), move.eq(~active | self.room),
                     self.take.eq(self.waiting & over & move), goes.eq(self.waiting | ~over)]
        ends  = self._find_ends(m, move, steps)
        going = Cat(ends[1:].all() & ~ends[0], ends[2] & ~ends[1], ~ends[2])
        with m.If(move):
            m.d.sync += [
                active.eq(goes), over.eq(~goes | ends.all()), steps.eq(Mux(goes, going, 0)),
                self.going.which.eq(going[1:]), self.going.fresh.eq(~goes | ~going.any())]
        with m.If(self.flush):
            m.d.sync += [active.eq(0), over.eq(1), steps.eq(0), self.going.fresh.eq(1)]
        moves = self.going.moves
        m.d.sync += [moves.eq(Cat(move & (over | steps[0]), move & ~steps[2], move)),
                     self.going.inner.eq(steps[2] | (steps[:2] & moves[:2]).any())]
        m.d.comb += [self.going.load.eq(move & over), self.going.base.eq(steps[:2] & ~moves[:2])]
        return m

    def _find_ends(self, m, move, steps):
        """Tell for each loop whether it is at its last index after this move."""
        over   = self.over
        single = Signal(3, name="single")  # loops of the waiting job with a count of 1
        inside = Signal(2, name="inside")  # inner loops of the current job with a count of 1
        ending = Signal(2, name="ending")  # the outer loops are at their last index
        ends   = Signal(3, name="ends")
        m.d.sync += [bit.eq(count == 1) for bit, count in zip(single, self.counts, strict=True)]
        # A loop restarts until its outer loops reach their last index, unless its count is 1.
        free = over | ending[0] | inside[0], over | ending.all() | inside[1]
        last = self._count(m, move, steps, free)
        with m.If(over):
            m.d.comb += ends.eq(single)
        with m.Else():
            m.d.comb += [
                ends[0].eq(Mux(steps[0], last[0], ending[0])),
                ends[1].eq(Mux(steps[1], last[1], Mux(steps[0], inside[0], ending[1]))),
                ends[2].eq(Mux(steps[2], last[2], inside[1]))]
        with m.If(move):
            m.d.sync += ending.eq(ends)
            with m.If(over):
                m.d.sync += inside.eq(single[1:])
        return ends

    def _count(self, m, move, steps, free):
        """Count down; returns for each loop whether a step brings it to its last index.

        The inner loops restart from a copy of their counts. A ``free`` copy loads the count of the
        waiting job.
        """
        outer, *inner = self.counts
        starts = [outer]
        for level, (count, ready) in enumerate(zip(inner, free, strict=True), 1):
            starts.append(Signal.like(count, name=f"start{level}"))
            with m.If(ready):
                m.d.sync += starts[-1].eq(count)
        last, over = [], self.over
        loads, moves = (over, ~steps[1], ~steps[2]), (over | steps[0], ~steps[2], 1)
        for level, (start, load, moved) in enumerate(zip(starts, loads, moves, strict=True)):
            left = Signal(signed(_LEFT), name=f"left{level}")
            m.submodules[f"less{level}"] = less = SelectAdd(width=_LEFT, vendor=self._vendor)
            m.d.comb += [less.term.eq(Cat(Const(1, 1), ~load, Const(-1, _LEFT - 2))),  # -3 or -1
                         less.high.eq(start), less.low.eq(left),
                         less.select.eq(load.replicate(_LEFT))]
            with m.If(move & moved):
                m.d.sync += left.eq(less.o)
            last.append(left < 0)
        return last


class TapAddress(wiring.Component):
    """Accumulate the tap addresses of an operand, steered by ``TapLoops``.

    A step of a loop also moves the addresses of its inner loops. The next step therefore starts
    from the innermost address, unless inner loops have stepped alone since. Latency 1 cycle from a
    step to its address, throughput 1 address a cycle, no backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    Members
    -------
    strides : In(3 of 16), tap strides of a pass; loading : In(``SLOTS``), its slot, see
        ``RecallParts``
    start : In(signed), start address of the job being taken; slot : In(slot), the current job
    going : In(Going)
    o : Out(signed)
    """

    strides: In(data.ArrayLayout(signed(16), _LOOPS))
    loading: In(SLOTS)
    start:   In(_RELATIVE)
    slot:    In(range(SLOTS))
    going:   In(Going)
    o:       Out(_RELATIVE)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        going   = self.going
        m.submodules.kept = kept = RecallParts(signed(16), _LOOPS)
        address = [Signal(_RELATIVE, name=f"address{level}") for level in range(2)]
        term, base = Signal(_RELATIVE, name="term"), Signal(_RELATIVE, name="base")
        m.submodules.add = add = GatedAdd(width=ADDRESS_BITS, vendor=self._vendor)
        m.d.comb += [kept.values.eq(self.strides), kept.loading.eq(self.loading),
                     kept.slot.eq(self.slot), kept.part.eq(going.which)]
        m.d.sync += [
            term.eq(Mux(going.fresh, self.start, kept.o)),
            base.eq((address[0] & going.base[0].replicate(ADDRESS_BITS))
                    | (address[1] & going.base[1].replicate(ADDRESS_BITS)))]
        m.d.comb += [add.term.eq(term), add.acc.eq(self.o), add.seed.eq(base),
                     add.going.eq(going.inner.replicate(ADDRESS_BITS))]
        for level, value in enumerate((*address, self.o)):
            with m.If(going.moves[level]):
                m.d.sync += value.eq(add.o)
        return m
