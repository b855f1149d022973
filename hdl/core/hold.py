# SPDX-License-Identifier: Apache-2.0
"""Saved accumulators: shift, round and saturate them into the save entries of the lanes."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.carry import SelectAdd
from xymac.hdl.isa import ACC_BITS, BANKS, HELD, SHIFT_MIN, AccumulatorRange, Encoded, RoundMode
from xymac.hdl.limits import check_vendor

__all__ = ["Entry", "HeldStep", "Hold", "Save"]

_NARROW = 32  # width of a saturated accumulator
_BYTE   = 3   # low bits of a shift amount, below whole bytes

#: Save command of an output, valid with ``mark``: shift right by ``amount + SHIFT_MIN``; round
#: halves ``up``, to ``even``, or down with neither; saturate to 32 bits (``narrow``), to a
#: symmetric range (``both``).
HeldStep = data.StructLayout({"mark": 1, "amount": 6, "up": 1, "even": 1, "narrow": 1, "both": 1,
                              "entry": range(HELD)})
#: Range of a shifted accumulator: its sign; ``beyond``, it saturates to 32 bits; ``adds``, the
#: value or its limit is incremented regardless of rounding; ``stays``, rounding is suppressed.
_Ends = data.StructLayout({"negative": 1, "beyond": 1, "adds": 1, "stays": 1})
#: A saved accumulator for the ``banks`` (mask) of a column.
Entry = data.StructLayout({"banks": BANKS, "entry": range(HELD), "sum": signed(ACC_BITS)})


class Hold(wiring.Component):
    """Decode the save command of an output, and block restores until its entries are written.

    Latency 2 cycles from ``start`` to the mark, throughput 1 output in ``BANKS`` cycles, no
    backpressure. Takes no parameters.

    Members
    -------
    start : In(1), last step of an output whose accumulators are saved
    shift, rounding, acc_range, entry : In, pass fields, with ``start``
    o : Out(HeldStep)
    busy : Out(1), no step may restore these accumulators, for ``BUSY`` cycles
    """

    BUSY = 5  #: Cycles after ``start``; a restoring step follows 2 cycles later.

    start:     In(1)
    shift:     In(Encoded["shift"].shape)
    rounding:  In(RoundMode)
    acc_range: In(AccumulatorRange)
    entry:     In(range(HELD))
    o:         Out(HeldStep)
    busy:      Out(1)

    def elaborate(self, platform):
        m = Module()
        started, entry, shift, rounding, acc_range = (
            delay(m, value, 1, name=name) for name, value in (
                ("started", self.start), ("entry", self.entry), ("shift", self.shift),
                ("rounding", self.rounding), ("acc_range", self.acc_range)))
        left = Signal(range(self.BUSY + 1))
        with m.If(self.start):
            m.d.sync += left.eq(self.BUSY)
        with m.Elif(self.busy):
            m.d.sync += left.eq(left - 1)
        m.d.sync += [
            self.o.mark.eq(started), self.o.amount.eq(shift - SHIFT_MIN), self.o.entry.eq(entry),
            self.o.up.eq(rounding == RoundMode.UP),
            self.o.even.eq((rounding != RoundMode.FLOOR) & (rounding != RoundMode.UP)),
            self.o.narrow.eq(acc_range != AccumulatorRange.BITS40),
            self.o.both.eq(acc_range == AccumulatorRange.SYMMETRIC32)]
        m.d.comb += self.busy.eq(left != 0)
        return m


class Save(wiring.Component):
    """Shift, round and saturate the accumulators of a column, bank after bank.

    ``acc`` is extended by zeros and a rounding bit below, so a left shift is a shorter right shift.
    The 32-bit range check precedes rounding. Therefore the largest 32-bit value is not rounded up,
    and the smallest value outside a symmetric range is incremented.
    Latency ``LATENCY`` cycles from ``acc`` to ``o``, throughput 1 accumulator per cycle, no
    backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    i : In(HeldStep), a cycle before the accumulator of the first bank; at least ``BANKS`` cycles
        apart
    next_i : Out(HeldStep), the last marked command, with ``mark`` a cycle later: for the next
        column
    acc : In(signed(40)), the accumulators of consecutive banks in consecutive cycles
    o : Out(Entry)
    """

    LATENCY = 3

    i:      In(HeldStep)
    next_i: Out(HeldStep)
    acc:    In(signed(ACC_BITS))
    o:      Out(Entry)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        how = self.next_i
        with m.If(self.i.mark):
            m.d.sync += how.eq(self.i)
        m.d.sync += how.mark.eq(self.i.mark)
        coarse, lost, over = self._shift_bytes(m, how.amount)
        upto = self._upto(m, how.amount)
        bits = delay(m, how.amount[:_BYTE], 1, name="bits")
        ends = self._ends(m, coarse, upto, over, how)
        up, even = (delay(m, bit, 2, name=name) for name, bit in (
            ("up", how.up), ("even", how.even)))
        shifted, below = Signal(1 + ACC_BITS, name="shifted"), Signal(name="below")
        fine = coarse
        for place in reversed(range(_BYTE)):
            fine = Mux(bits[place], fine >> (1 << place), fine).as_signed()
        m.d.sync += [shifted.eq(fine),
                     below.eq(lost | (coarse[:len(upto)] & ~upto).any())]

        half, value, more = shifted[0], shifted[1:], Signal(name="more")
        rounded = half & (up | (even & (below | value[0])))
        m.submodules.add = add = SelectAdd(width=ACC_BITS, vendor=self._vendor)
        m.d.comb += [
            more.eq(ends.adds | (rounded & ~ends.stays)),
            add.term.eq(more), add.low.eq(value), add.select.eq(ends.beyond.replicate(ACC_BITS)),
            add.high.eq(Cat((~ends.negative).replicate(_NARROW - 1),
                            ends.negative.replicate(ACC_BITS - _NARROW + 1)))]
        marks = [delay(m, how.mark, self.LATENCY, name="mark")]
        for bank in range(1, BANKS):
            marks.append(delay(m, marks[-1], 1, name=f"mark{bank}"))
        m.d.sync += self.o.sum.eq(add.o)
        m.d.comb += [self.o.banks.eq(Cat(marks)),
                     self.o.entry.eq(delay(m, how.entry, self.LATENCY, name="entry"))]
        return m

    def _shift_bytes(self, m, amount):
        """Shift ``acc`` right by whole bytes, in 1 cycle.

        Returns the 48 bits that the remaining shift can use, rounding bit included; whether any
        lower bit is set; and whether the higher bits differ from the sign.
        """
        places = amount[_BYTE:]
        zeros  = 1 - SHIFT_MIN  # below the sum
        value  = Cat(Const(0, zeros), self.acc).as_signed()
        for place in reversed(range(len(places))):
            value = Mux(places[place], value >> (1 << _BYTE + place), value).as_signed()
        width  = ACC_BITS + (1 << _BYTE)
        coarse = Signal(signed(width), name="coarse")
        lost, over = Signal(name="lost"), Signal(name="over")
        # Every larger shift drops a byte completely.
        bytes_ = [self.acc[max(0, 8 * count - zeros):8 * (count + 1) - zeros].any()
                  & (places > count) for count in range(zeros // 8, len(self.acc) // 8 + 2)]
        left   = [self.acc[width - zeros + 8 * count - 1:] for count in range(2)]
        m.d.sync += [
            coarse.eq(value), lost.eq(reduce(or_, bytes_)),
            over.eq(((places == 0) & _mixed(left[0])) | ((places == 1) & _mixed(left[1])))]
        return coarse, lost, over

    def _upto(self, m, amount):
        """Bit ``k``: the shift below whole bytes is at most ``k``."""
        upto = Signal((1 << _BYTE) - 1, name="upto")
        m.d.sync += upto.eq(Cat(amount[:_BYTE] <= place for place in range(len(upto))))
        return upto

    def _ends(self, m, coarse, upto, over, how):
        """Compare the accumulator with the 32-bit limits during the fine shift by 0 .. 7 bits.

        After a shift by ``s``, result bit ``k`` is ``coarse[1 + k + s]``. So the 31 bits below the
        sign are ``coarse[8:32]`` and, for ``p`` from 0 to 6, ``coarse[1 + p]`` if ``s <= p`` and
        ``coarse[32 + p]`` otherwise. Bits from 39 up always belong to the sign; bit ``32 + p`` does
        if ``s <= p``.
        """
        most, low = len(upto), 1 + len(upto)
        middle = _NARROW + most
        lower = Cat(coarse[low:_NARROW], (Mux(
            upto[place], coarse[1 + place], coarse[_NARROW + place]) for place in range(most)))
        sign  = coarse[-1].replicate(most)
        mixed = _mixed(coarse[middle:]) | ((coarse[_NARROW:middle] ^ sign) & upto).any()
        negative, narrow, both = (delay(m, bit, 1, name=name) for name, bit in (
            ("negative", self.acc[-1]), ("narrow", how.narrow), ("both", how.both)))
        beyond = narrow & (over | mixed)
        ends   = Signal(_Ends, name="ends")
        m.d.sync += [
            ends.negative.eq(negative), ends.beyond.eq(beyond),
            ends.adds.eq(both & negative & (beyond | ~lower.any())),
            ends.stays.eq(beyond | (narrow & ~negative & lower.all()))]
        return ends


def _mixed(bits):
    """Whether ``bits`` are neither all 0 nor all 1."""
    return bits.any() & ~bits.all()
