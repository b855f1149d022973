# SPDX-License-Identifier: Apache-2.0
"""Output stage of a column: shift, round, saturate and clip a finished accumulator."""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay, rounds_up, sign_uniform
from xymac.hdl.carry import GatedAdd, SelectAdd
from xymac.hdl.isa import ACC_BITS, BIAS_BITS, ELEMENT_BITS, SHIFT_MIN
from xymac.hdl.limits import check_vendor
from xymac.hdl.subtract import GatedSubtract

from .fields import STAGES, OutputConfig
from .funnel import Funnel
from .lookup import Lookup
from .tables import Reader

__all__ = ["OutputStage"]

_PRODUCT = 64
_FIXED   = _PRODUCT + 1  # plus a rounding bit; the left-shifted accumulator is narrower
assert _FIXED >= ACC_BITS + 1 - SHIFT_MIN + 1


class OutputStage(wiring.Component):
    """Compute ``clip(round(acc40 * 2**-shift), low, high) + zero``, then apply the pass's table.

    Rounding uses the bit below the result and the OR of all lower bits: up adds the bit; convergent
    adds it unless the lower bits are zero and the result is even. The coarse shift, the fine shift,
    the rounding addition, the range check and the clip take a cycle each. The latency is the same
    with and without a table. An output without a table takes a bypass (``short``), ``SOONER``
    cycles shorter, unless a longer output is in flight. If ``scaled``, ``product / 2**post``
    replaces ``acc40 / 2**shift``; a softmax output uses the shift of the pass, see ``ScaleUnit``.
    Latency ``LATENCY`` cycles, throughput 1 accumulator per cycle, no backpressure.
    Source: embARC MLI 1.1, private/mli_prv_dsp.h (rounding modes of the DSP control register).

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    config : In(OutputConfig), each stage's fields when the element is there
    next_config : Out(OutputConfig), a cycle later, for the next column
    acc : In(signed(48)), the 40-bit accumulator and its wrap count
    product : In(signed(64)), post : In(6), two cycles after ``acc``
    beyond : In(2), with ``product``: the scaled accumulator does not fit 32 bits, 40 bits
    tables : Out(Reader)
    o : Out(16), an 8-bit element fills both bytes
    overflow : Out(1), a written or saved accumulator left the range of its pass; a saved
        accumulator also after its shift
    """

    _NARROWED = 9  # cycles to the clipped element
    LATENCY   = _NARROWED + Lookup.LATENCY
    SOONER    = Lookup.LATENCY - Lookup.SHORT
    PRODUCT   = STAGES["shift"]  # cycles from the accumulator to its product

    config:      In(OutputConfig)
    next_config: Out(OutputConfig)
    acc:         In(signed(BIAS_BITS))
    product:     In(signed(_PRODUCT))
    post:        In(6)
    beyond:      In(2)
    tables:      Out(Reader)
    o:           Out(16)
    overflow:    Out(1)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        acc = delay(m, self.acc, 1, name="acc")
        m.submodules.funnel = funnel = Funnel(value_bits=_FIXED, kept=1 + ELEMENT_BITS,
                                              amount_bits=6, inverted=1)
        self._value(m, delay(m, acc[:ACC_BITS].as_signed(), 1, name="sum"), funnel)
        self._range(m, acc, funnel.beyond)
        m.submodules.lookup = lookup = Lookup(vendor=self._vendor)
        m.d.comb += [lookup.config.eq(self.config), lookup.element.eq(self._narrow(m, funnel)),
                     self.next_config.eq(delay(m, self.config, 1, name="next")),
                     self.o.eq(lookup.o)]
        wiring.connect(m, lookup.tables, wiring.flipped(self.tables))
        return m

    def _value(self, m, acc, funnel):
        """Stage 2: subtract the anchor, or take the product; select the shift."""
        config = self.config.shift
        low    = 1 - SHIFT_MIN  # value bits below the accumulator
        width  = 1 + _FIXED - low  # an extra low bit generates the carry
        m.submodules.subtract = unit = SelectAdd(width=width, vendor=self._vendor)
        m.d.comb += [
            unit.term.eq(Cat(Const(1, 1), config.less).as_signed()),
            unit.high.eq(Cat(Const(1, 1), self.product[low - 1:]).as_signed()),
            unit.low.eq(Cat(Const(1, 1), acc).as_signed()),
            unit.select.eq(config.scaled.replicate(width))]
        value, halve = Signal(signed(_FIXED), name="value"), Signal(name="halve")
        amount = Signal.like(funnel.amount)
        m.d.sync += [
            value.eq(Cat(Const(0, 1), self.product[:low - 1] & config.scaled.replicate(low - 1),
                         unit.o[1:])),
            halve.eq(config.halve), amount.eq(Mux(config.post, self.post, config.amount))]
        m.d.comb += [funnel.value.eq(Cat(value[:low], value[low] & ~halve, value[low + 1:])),
                     funnel.amount.eq(amount)]

    def _range(self, m, acc, beyond):
        """Stages 1, 2, 6 and 7: overflow flags.

        Stages 1 and 2 check the exact accumulator, stage 6 the shifted accumulator to be saved;
        stage 7 combines both.
        """
        config, out = self.config.shift, Signal(2, name="out")
        beyond_sum  = Mux(config.scaled, self.beyond, out)
        left, held_left = Signal(name="left"), Signal(name="held_left")
        late, soon = Signal(name="late"), Signal(name="soon")  # full pipeline, bypass
        flag = self.config.flag
        counts = delay(m, left, 3, name="left") | (flag.held & held_left)
        m.d.sync += [out.eq(Cat(~sign_uniform(acc, 32), ~sign_uniform(acc, ACC_BITS))),
                     left.eq(config.keep & Mux(config.wide, beyond_sum[1], beyond_sum[0])),
                     held_left.eq(beyond),
                     late.eq(counts & ~flag.short), soon.eq(counts & flag.short)]
        joined = delay(m, late, self.SOONER, name="late") | soon
        m.d.comb += self.overflow.eq(
            delay(m, joined, self.LATENCY - self.SOONER - 7, name="joined"))

    def _narrow(self, m, funnel):
        """Stages 5 to 8: shift by the last bit, round, clip and add the zero point.

        Stage 6 subtracts the rounded number from ``high``; a positive difference is subtracted from
        ``span``. The remainder, if positive, is the distance from the lowest element.
        """
        config, bits = self.config, ELEMENT_BITS + 1
        first, second, third = (Signal(name=name) for name in ("half", "odd", "rest"))
        m.d.comb += [
            first.eq(~Mux(funnel.last, funnel.o[1], funnel.o[0])),
            second.eq(~Mux(funnel.last, funnel.o[2], funnel.o[1])), third.eq(funnel.sticky)]
        short = Signal(signed(bits), name="short")  # complement
        carry, last, over, negative, high, low = (Signal(name=name) for name in (
            "carry", "last", "over", "negative", "high", "low"))
        m.d.sync += [
            short.eq(funnel.o[1:]), last.eq(funnel.last), over.eq(funnel.beyond),
            negative.eq(funnel.negative),
            carry.eq(rounds_up(config.round.rounding, first, third, second)),
            high.eq(over & ~negative), low.eq(over & negative)]

        m.submodules.below = below = SelectAdd(width=1 + bits, vendor=self._vendor)
        m.d.comb += [
            below.term.eq(Cat(Const(1, 1), config.flag.high).as_signed()),
            below.high.eq(Cat(~carry, short[1:]).as_signed()), below.low.eq(Cat(~carry, short)),
            below.select.eq(last.replicate(1 + bits))]
        less, more = Signal(signed(bits), name="less"), Signal(signed(bits), name="more")
        m.submodules.within = within = GatedSubtract(width=bits, vendor=self._vendor)
        m.d.comb += [within.term.eq(config.compare.span), within.acc.eq(less),
                     within.going.eq(~(less[-1] | high))]
        m.submodules.clip = clip = GatedAdd(width=ELEMENT_BITS, vendor=self._vendor)
        going = ~(more[-1] | delay(m, low, 1, name="low") | config.clip.fixed)
        m.d.comb += [clip.term.eq(config.clip.bottom), clip.acc.eq(more),
                     clip.going.eq(going.replicate(ELEMENT_BITS))]
        clipped = Signal(signed(ELEMENT_BITS), name="clipped")
        m.d.sync += [less.eq(below.o[1:]), more.eq(within.o), clipped.eq(clip.o)]
        return clipped
