"""How finished sums go to the entries of their lanes: shifted, rounded, limited."""

from functools import reduce
from operator import or_

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.carry import SelectAdd
from hdl.isa import ACC_BITS, BANKS, HELD, SHIFT_MIN, AccumulatorRange, Encoded, RoundMode
from hdl.limits import check_vendor

__all__ = ["Entry", "HeldStep", "Hold", "Save"]

_NARROW = 32  # bits that saved sums saturate to
_BYTE   = 3   # bits of the amount of a shift below whole bytes

#: How the sums of an output are saved, where ``mark`` is set: shifted right by ``amount +
#: SHIFT_MIN``, halves rounded ``up`` or to ``even`` or dropped, limited to 32 bits (``narrow``),
#: symmetrically (``both``).
HeldStep = data.StructLayout({"mark": 1, "amount": 6, "up": 1, "even": 1, "narrow": 1, "both": 1,
                              "entry": range(HELD)})
#: Of a shifted sum: its sign; it is ``beyond`` the 32 bits that it is limited to; 1 ``adds`` to it
#: or to its limit in any case; it ``stays`` as it is even where halves round up.
_Ends = data.StructLayout({"negative": 1, "beyond": 1, "adds": 1, "stays": 1})
#: A saved sum on its way to the ``banks`` (mask) of a column.
Entry = data.StructLayout({"banks": BANKS, "entry": range(HELD), "sum": signed(ACC_BITS)})


class Hold(wiring.Component):
    """Tell how the sums of an output are saved, and keep others waiting for them.

    Latency 2 cycles from ``start`` to the mark, throughput one output in ``BANKS`` cycles, no
    backpressure. Takes no parameters.

    Members
    -------
    start : In(1), the last step of an output whose sums are held
    shift, rounding, acc_range, entry : In, of its pass, with ``start``
    o : Out(HeldStep)
    busy : Out(1), nothing may resume the sums, ``BUSY`` cycles long
    """

    BUSY = 5  #: Cycles after ``start``; a step that resumes follows 2 cycles later.

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
    """Shift, round and limit the sums of a column, bank after bank.

    Shifts to the left are part of one to the right: of ``acc`` with zeros below it, half a unit
    included. A sum beyond 32 bits that is limited to them is found before it is rounded: the
    largest one that fits is not rounded up, and the smallest one that does not fit a symmetrical
    range is. Latency ``LATENCY`` cycles from ``acc`` to ``o``, throughput 1 sum a cycle, no
    backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    Members
    -------
    i : In(HeldStep), a cycle before the sum of the first bank; at least ``BANKS`` cycles apart
    next_i : Out(HeldStep), the last marked one, ``mark`` a cycle later: for the next column
    acc : In(signed(40)), the sum of a bank, that of the next one a cycle later
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
        """Shift ``acc`` by whole bytes, in a cycle.

        Returns 48 bits from the lowest half unit on that the other bits of ``amount`` can leave,
        whether a bit below them is set, and whether the bits above them are no copies of the sign.
        """
        places = amount[_BYTE:]
        zeros  = 1 - SHIFT_MIN  # below the sum
        value  = Cat(Const(0, zeros), self.acc).as_signed()
        for place in reversed(range(len(places))):
            value = Mux(places[place], value >> (1 << _BYTE + place), value).as_signed()
        width  = ACC_BITS + (1 << _BYTE)
        coarse = Signal(signed(width), name="coarse")
        lost, over = Signal(name="lost"), Signal(name="over")
        # A byte is lost below all larger shifts.
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
        """Where the sum lies among the limits, while its last bits are shifted out.

        Bit ``k`` of the sum is bit ``1 + k`` of ``coarse`` before that shift, of up to 7 bits. So
        the 31 bits below the sign are those from 8 to 31, and a bit from 1 to 7 or the one 31 above
        it; the bits from 39 on are always sign, and those from 32 on only of small shifts.
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
    """Whether bits differ from one another."""
    return bits.any() & ~bits.all()
