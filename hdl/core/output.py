"""Output stage of one column: shift, round, saturate and clip a finished sum."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, pick, rounds_up, shift_right, sign_uniform
from hdl.config import SLOTS
from hdl.isa import ACC_BITS, BIAS_BITS, ELEMENT_BITS, SHIFT_MIN, AccumulatorRange
from hdl.limits import check_vendor

from .lookup import Lookup, OutputConfig
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
    ``acc40 / 2**shift``; with ``shares`` the product is that of a share, which the shift of its
    pass narrows, see ``ScaleUnit``.
    Latency ``LATENCY`` cycles, throughput 1 sum a cycle, no backpressure.
    Source: embARC MLI 1.1, private/mli_prv_dsp.h (rounding modes of the DSP control register).

    Parameters
    ----------
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    slots : In(``SLOTS`` OutputConfig)
    acc : In(signed(48)), the 40-bit sum and its wraps; slot : In(slot), keep, short, scaled,
        shares : In(1), of it; product : In(signed(64)), post : In(6), two cycles after the slot;
        beyond : In(2), one cycle after it: the sum does not fit 32 bits, 40 bits
    tables : Out(Reader)
    o : Out(16), an 8-bit element stands in both bytes
    overflow : Out(1), a kept sum left the range of its pass, also by the shift if a lane holds it
    """

    _NARROWED = 9  # cycles to the clipped element
    LATENCY   = _NARROWED + Lookup.LATENCY
    SOONER    = Lookup.LATENCY - Lookup.SHORT
    PRODUCT   = 2  # cycles from slot and keep to the product

    slots:    In(data.ArrayLayout(OutputConfig, SLOTS))
    acc:      In(signed(BIAS_BITS))
    slot:     In(range(SLOTS))
    keep:     In(1)
    short:    In(1)
    scaled:   In(1)
    shares:   In(1)
    product:  In(signed(_PRODUCT))
    post:     In(6)
    beyond:   In(2)
    tables:   Out(Reader)
    o:        Out(16)
    overflow: Out(1)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        slot, config = self.slot, []
        for stage in range(1, self._NARROWED):
            # Each stage's fields are selected a cycle ahead, so that no selection precedes a shift.
            config.append(Signal(OutputConfig, name=f"config{stage}", reset_less=True))
            m.d.sync += config[-1].eq(pick(self.slots, slot))
            slot = delay(m, slot, 1, name=f"slot{stage}")
        acc  = delay(m, self.acc, 1, name="acc")
        keep = delay(m, self.keep, 1, name="keep")
        shifted, sticky = self._shift(m, acc, config)
        self._range(m, acc, keep, shifted, config)
        m.submodules.lookup = lookup = Lookup(vendor=self._vendor)
        m.d.comb += [lookup.slots.eq(self.slots), lookup.slot.eq(slot),
                     lookup.short.eq(delay(m, self.short, self._NARROWED, name="short")),
                     lookup.element.eq(self._narrow(m, shifted, sticky, config)),
                     self.o.eq(lookup.o)]
        wiring.connect(m, lookup.tables, wiring.flipped(self.tables))
        return m

    def _range(self, m, acc, keep, shifted, config):
        """Stage 2: did the exact sum leave the accumulator's range? Stage 6: did what is held?
        Stage 7: do they count?"""
        limits = {AccumulatorRange.BITS32: 32, AccumulatorRange.BITS40: ACC_BITS,
                  AccumulatorRange.SYMMETRIC32: 32}
        beyond = {32: self.beyond[0], ACC_BITS: self.beyond[1]}
        fits, scaled = Signal(), delay(m, self.scaled, 1, name="scaled_range")
        with m.Switch(config[0].acc_range):
            for code, width in limits.items():
                with m.Case(code):
                    m.d.comb += fits.eq(Mux(scaled, ~beyond[width], sign_uniform(acc, width)))
        left, held_left = Signal(), Signal()
        late, soon = Signal(), Signal()  # by which way
        short = delay(m, self.short, 6, name="short_on")
        wide = config[5].hold & (config[5].acc_range == AccumulatorRange.BITS40)
        counts = (delay(m, left, 4, name="left")
                  | (delay(m, keep, 5, name="keep_on") & wide & held_left))
        m.d.sync += [left.eq(keep & ~fits), held_left.eq(~sign_uniform(shifted[1:], ACC_BITS)),
                     late.eq(counts & ~short), soon.eq(counts & short)]
        m.d.comb += self.overflow.eq(
            delay(m, late, self.LATENCY - 7, name="late")
            | delay(m, soon, self.LATENCY - self.SOONER - 7, name="soon"))

    def _shift(self, m, acc, config):
        """Stages 2 to 5: take the anchor off, shift right by ``shift - SHIFT_MIN``, bytes first."""
        apart  = Signal(signed(ACC_BITS + 1))
        value  = Signal(signed(_FIXED))
        amount = Signal(6)
        whole  = Mux(config[1].halve, apart >> 1, apart).as_signed()
        scaled, shares = (delay(m, bit, 2, name=name) for bit, name in (
            (self.scaled, "scaled"), (self.shares, "shares")))
        m.d.sync += [
            apart.eq(acc[:ACC_BITS].as_signed() - config[0].anchor),
            value.eq(Mux(scaled, self.product << 1, whole << 1 - SHIFT_MIN)),
            amount.eq(Mux(scaled & ~shares, self.post,
                          (config[1].shift - SHIFT_MIN)[:len(amount)]))]
        return shift_right(m, value, amount)

    def _narrow(self, m, shifted, sticky, config):
        """Stages 6 to 9: an element's bits are enough, round, compare, clip and add the zero."""
        whole = shifted[1:].as_signed()
        short, carry, over, negative = Signal(signed(ELEMENT_BITS)), Signal(), Signal(), Signal()
        m.d.sync += [
            short.eq(whole), over.eq(~sign_uniform(whole, ELEMENT_BITS)), negative.eq(whole[-1]),
            carry.eq(rounds_up(config[4].rounding, shifted[0], sticky, whole[0])),
        ]
        rounded, high, low = Signal(signed(ELEMENT_BITS + 1)), Signal(), Signal()
        m.d.sync += [rounded.eq(short + carry), high.eq(over & ~negative), low.eq(over & negative)]

        value, above, under = Signal(signed(ELEMENT_BITS)), Signal(), Signal()
        m.d.sync += [value.eq(rounded), above.eq(high | (~low & (rounded > config[6].clip[1]))),
                     under.eq(low | (~high & (rounded < config[6].clip[0])))]

        clipped = Signal(signed(ELEMENT_BITS))  # enough for limits and zero: pack refuses others
        m.d.sync += clipped.eq(Mux(under, config[7].clip[0],
                                   Mux(above, config[7].clip[1], value)) + config[7].zero)
        return clipped
