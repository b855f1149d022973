"""Output stage of one column: shift, round, saturate and clip a finished sum."""

from amaranth import Cat, Const, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, rounds_up, sign_uniform
from hdl.carry import GatedAdd, SelectAdd
from hdl.isa import ACC_BITS, BIAS_BITS, ELEMENT_BITS, SHIFT_MIN
from hdl.limits import check_vendor
from hdl.subtract import GatedSubtract

from .fields import STAGES, OutputConfig
from .funnel import Funnel
from .lookup import Lookup
from .tables import Reader

__all__ = ["OutputStage"]

_PRODUCT = 64
_FIXED   = _PRODUCT + 1  # a bit to round by; a sum less the anchor, shifted left, is narrower
assert _FIXED >= ACC_BITS + 1 - SHIFT_MIN + 1


class OutputStage(wiring.Component):
    """Narrow a sum: ``clip(round(acc40 * 2**-shift), low, high) + zero``, and look that up.

    Rounding looks at the bit below the result and at whether anything lies below that: up adds the
    bit; convergent adds it unless the rest is zero and the result even. The coarse and the fine
    shift, the rounding addition, the range check and the clip each have a cycle. A sum without a
    table takes as long as one with, or is ``short`` and takes ``SOONER`` cycles less, if none is
    then about to end that takes longer. If ``scaled``, ``product / 2**post`` takes the place of
    ``acc40 / 2**shift``; of a share the pass has the shift, see ``ScaleUnit``.
    Latency ``LATENCY`` cycles, throughput 1 sum a cycle, no backpressure.
    Source: embARC MLI 1.1, private/mli_prv_dsp.h (rounding modes of the DSP control register).

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    config : In(OutputConfig), for each stage when the sum is there; next_config :
        Out(OutputConfig), a cycle later, for the next column
    acc : In(signed(48)), the 40-bit sum and its wraps; product : In(signed(64)), post : In(6), two
        cycles after it; beyond : In(2), one cycle after it: the sum does not fit 32 bits, 40 bits
    tables : Out(Reader)
    o : Out(16), an 8-bit element stands in both bytes
    overflow : Out(1), a kept sum left the range of its pass, also by the shift if a lane holds it
    """

    _NARROWED = 9  # cycles to the clipped element
    LATENCY   = _NARROWED + Lookup.LATENCY
    SOONER    = Lookup.LATENCY - Lookup.SHORT
    PRODUCT   = STAGES["shift"]  # cycles from the sum to its product

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
        """Stage 2: take the anchor off the sum, or take the product; how far to shift."""
        config = self.config.shift
        low    = 1 - SHIFT_MIN  # places of the value below the sum
        width  = 1 + _FIXED - low  # a place below makes a carry
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
        """Stage 1: did the exact sum leave the accumulator's range? Stage 6: did what is held?
        Stage 7: do they count?"""
        config, leaves = self.config.subtract, Signal(name="leaves")
        sum_beyond = Mux(config.wide, ~sign_uniform(acc, ACC_BITS), ~sign_uniform(acc, 32))
        m.d.comb += leaves.eq(Mux(config.scaled, Mux(config.wide, self.beyond[1], self.beyond[0]),
                                  sum_beyond))
        left, held_left = Signal(name="left"), Signal(name="held_left")
        late, soon = Signal(name="late"), Signal(name="soon")  # by which way
        flag = self.config.flag
        counts = delay(m, left, 4, name="left") | (flag.held & held_left)
        m.d.sync += [left.eq(config.keep & leaves), held_left.eq(beyond),
                     late.eq(counts & ~flag.short), soon.eq(counts & flag.short)]
        joined = delay(m, late, self.SOONER, name="late") | soon
        m.d.comb += self.overflow.eq(
            delay(m, joined, self.LATENCY - self.SOONER - 7, name="joined"))

    def _narrow(self, m, funnel):
        """Stages 5 to 8: shift by the last bit, round, clip and add the zero point.

        The rounded number is taken off the highest one and what is left, if positive, off the
        count of values: the rest, if positive, is how far the element lies above the lowest one.
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
