# SPDX-License-Identifier: Apache-2.0
"""Padding clip: the valid taps of an output along both axes."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.bitwise import BitwiseAdd, PassOrAdd
from xymac.hdl.config import SLOTS
from xymac.hdl.isa import ADDRESS_BITS, Encoded
from xymac.hdl.limits import check_vendor

from .recall import RecallParts

__all__ = ["PaddingClip", "Skip"]

_RELATIVE = signed(ADDRESS_BITS)
_CLIP     = Encoded["x"].shape["rows"].shape
_TAPS     = signed(18)  # a 16-bit count plus or minus another


def _kept(m, block, name, values, part):
    """The stored value ``part`` for the current slot of ``block``."""
    m.submodules[name] = kept = RecallParts(unsigned(len(values[0])), len(values))
    m.d.comb += [*(each.eq(value) for each, value in zip(kept.values, values, strict=True)),
                 kept.loading.eq(block.loading), kept.slot.eq(block.slot), kept.part.eq(part)]
    return kept.o


class PaddingClip(wiring.Component):
    """Count the valid taps of an output, along the rows and then along the columns.

    ``behind`` is ``step * output - pad``, the input index of the kernel's first tap. If negative,
    ``-behind`` taps lie in front of the input and ``min(count + behind, size)`` taps are valid,
    else ``min(count, size - behind)``. From 65536 up no tap is valid and ``behind`` stops, so it
    never exceeds 65535 + 65535 and fits 18 bits.

    Both axes share a pipeline. ``behind`` steps in phase 0 for the rows and in the phase 3 before
    it for the columns; the first output loads both in phases 0 and 1. The valid taps are counted in
    phase 1 for the rows and in phase 2 for the columns, and limited a phase later.
    Latency 4 cycles, throughput 1 output in 4 cycles; honours backpressure through ``go``.

    Parameters
    ----------
    vendor : None or "ecp5", see ``bitwise.BitwiseAdd``; ValueError otherwise

    Members
    -------
    coming : In(Encoded), loading : In(``SLOTS``), see ``RecallParts``
    slot : In(slot), current slot; phase : In(2), middle : In(1), phase 1 or 2
    go : In(1), the phase ends
    first : In(1), the first output; fresh : In(2), rows and columns are at their first index
    columns : In(1), in phases 2 and 3: the columns step after this output
    rows_left, cols_left : Out(1), in phases 1 and 2: taps lie in front of the input
    rows, cols : Out(16), valid taps; rows_empty, cols_empty : Out(1), no tap is valid; in phase 3
    cut : Out(1), the last column is not valid; wide : Out(16), kernel columns; in phase 3
    count : Out(16), innermost tap count in phase 3, bias row in phase 0 (from the same memory)
    """

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({
            "coming": In(Encoded), "loading": In(SLOTS), "slot": In(range(SLOTS)),
            "phase": In(2), "middle": In(1), "go": In(1), "first": In(1), "fresh": In(2),
            "columns": In(1),
            "rows_left": Out(1), "cols_left": Out(1),
            "rows": Out(16), "cols": Out(16), "rows_empty": Out(1), "cols_empty": Out(1),
            "cut": Out(1), "wide": Out(16), "count": Out(16)})

    def elaborate(self, platform):
        m = Module()
        behind = [Signal(_TAPS, name=f"behind{age}", reset_less=True) for age in range(2)]
        taps   = self.coming.taps
        size   = _kept(m, self, "size", [self.coming.rows.size, self.coming.cols.size],
                       self.phase[1])
        count  = _kept(m, self, "counts", [self.coming.bias_row, *taps], self.phase)
        left   = Signal(reset_less=True)         # taps lie in front of the input
        valid  = Signal(_TAPS, reset_less=True)  # unless ``limit`` is less
        short  = Signal()
        limit, rows, wide = (Signal(16, name=name, reset_less=True) for name in (
            "limit", "valid_rows", "columns"))
        empty = Signal(reset_less=True)
        m.d.comb += [
            self.rows_left.eq(Mux(self.phase[1], behind[1], behind[0])[-1]),
            self.cols_left.eq(Mux(self.phase[1], behind[0], behind[1])[-1]),
            short.eq(self._compare(m, valid, limit, left)), self.count.eq(count),
            self.rows.eq(rows), self.rows_empty.eq(empty), self.wide.eq(wide),
            self.cols.eq(Mux(short, valid, limit)), self.cut.eq(short ^ left),
            self.cols_empty.eq(valid[-1] | ~valid[:16].any() | ~limit.any())]
        stepped, counted = self._step(m, behind[1]), self._valid(m, behind[0], count, size)
        with m.If(self.go):
            m.d.sync += [behind[0].eq(stepped), behind[1].eq(behind[0])]
        with m.If(self.middle):
            m.d.sync += [
                left.eq(behind[0][-1]), limit.eq(Mux(behind[0][-1], size, count)),
                valid.eq(counted), wide.eq(count), rows.eq(self.cols), empty.eq(self.cols_empty)]
        return m

    def _step(self, m, behind):
        """The next ``behind`` of an axis: loaded for the first output, stepped, or unchanged."""
        rows, cols = self.coming.rows, self.coming.cols
        load, adds = Signal(name="load"), Signal(name="adds")
        loads = Signal(name="loads", reset_less=True)  # decided a cycle ahead, except in phase 0
        far   = behind[-2] & ~behind[-1]
        m.d.sync += loads.eq(Mux(self.phase == 0, self.first, self.phase[1] & ~self.columns))
        m.d.comb += [
            load.eq(Mux(self.phase == 0, self.fresh[0], loads)),
            adds.eq(Mux(self.phase == 0, self.fresh[1], self.phase == 3) & ~far)]
        field = _kept(m, self, "axes", [rows.step, cols.step, ~rows.pad, ~cols.pad],
                      Cat(self.phase[0], load))
        width = len(behind)
        m.submodules.step = step = PassOrAdd(width=width, carried=1, vendor=self._vendor)
        m.d.comb += [step.a.eq(behind), step.b.eq(Cat(field, load.replicate(width - len(field)))),
                     step.c.eq((load | ~adds).replicate(width)),
                     step.d.eq((~load).replicate(width)), step.carry.eq(load)]
        return step.o

    def _valid(self, m, behind, count, size):
        """Taps up to the kernel's end if ``behind`` is negative, else up to the input's end."""
        width = len(behind)
        m.submodules.valid = valid = BitwiseAdd(
            width=width, carried=1, vendor=self._vendor,
            first=lambda a, b, c, d: a ^ ~b, second=lambda a, b, c, d: (c & b) | (d & ~b))
        inside = ~behind[-1]
        m.d.comb += [valid.a.eq(behind), valid.b.eq((~inside).replicate(width)),
                     valid.c.eq(count), valid.d.eq(size), valid.carry.eq(inside)]
        return valid.o

    def _compare(self, m, valid, limit, left):
        """Whether ``valid < limit``, or ``valid <= limit`` with ``left``."""
        width = len(valid) + 1
        m.submodules.compare = compare = BitwiseAdd(
            width=width, carried=1, vendor=self._vendor,
            first=lambda a, b, c, d: ~a, second=lambda a, b, c, d: c)
        m.d.comb += [compare.a.eq(valid), compare.c.eq(limit), compare.carry.eq(left)]
        return ~compare.o[-1]


class Skip(wiring.Component):
    """Address distance from the first tap to the first valid tap along an axis, in X and in Y.

    X uses the pipeline in phase 0, Y in phase 1. The distance is ``start`` at the first index and
    shrinks by ``step`` at each further index. ``rest`` is ``-1 - distance``; it is meaningless
    unless taps lie in front of the input.
    Latency 1 cycle, throughput 1 distance for each operand in 4 cycles, no backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``bitwise.BitwiseAdd``; ValueError otherwise

    Members
    -------
    x, y : In(``x.rows`` in Encoded), fields of the operands for this axis
    loading : In(``SLOTS``), see ``RecallParts``
    slot : In(slot), current slot; phase : In(2)
    fresh : In(1), the axis is at its first index; adds : In(1), otherwise it steps
    rest : Out(signed), complemented distance, for X in phase 1, for Y in phase 2
    """

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__({
            "x": In(_CLIP), "y": In(_CLIP), "loading": In(SLOTS), "slot": In(range(SLOTS)),
            "phase": In(2), "fresh": In(1), "adds": In(1), "rest": Out(_RELATIVE)})

    def elaborate(self, platform):
        m = Module()
        rest, other = (Signal(_RELATIVE, name=name, reset_less=True) for name in ("last", "other"))
        field = _kept(m, self, "fields", [self.x.step, self.y.step, ~self.x.start, ~self.y.start],
                      Cat(self.phase[0], self.fresh))
        m.submodules.step = step = PassOrAdd(width=ADDRESS_BITS, vendor=self._vendor)
        m.d.comb += [step.a.eq(other), step.b.eq(field),
                     step.c.eq((self.fresh | ~self.adds).replicate(ADDRESS_BITS)),
                     step.d.eq((~self.fresh).replicate(ADDRESS_BITS))]
        m.d.comb += self.rest.eq(rest)
        with m.If(~self.phase[1]):
            m.d.sync += [rest.eq(step.o), other.eq(rest)]
        return m
