"""Output stage of one column: shift, round, saturate and clip a finished sum."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.arith import delay, rounds_up, sign_uniform
from hdl.isa import ACC_BITS, BIAS_BITS, ELEMENT_BITS, SHIFT_MIN
from hdl.limits import check_vendor

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
                                             amount_bits=6)
        self._value(m, acc, funnel)
        self._range(m, acc, funnel.beyond)
        m.submodules.lookup = lookup = Lookup(vendor=self._vendor)
        m.d.comb += [lookup.config.eq(self.config), lookup.element.eq(self._narrow(m, funnel)),
                     self.next_config.eq(delay(m, self.config, 1, name="next")),
                     self.o.eq(lookup.o)]
        wiring.connect(m, lookup.tables, wiring.flipped(self.tables))
        return m

    def _value(self, m, acc, funnel):
        """Stages 1 and 2: take the anchor off, or take the product; how far to shift."""
        apart  = Signal(signed(ACC_BITS + 1))
        config = self.config.shift
        whole  = Cat(apart[0] & ~config.halve, apart[1:]).as_signed()
        value = Signal.like(funnel.value)
        amount = Signal.like(funnel.amount)
        m.d.sync += [
            apart.eq(acc[:ACC_BITS].as_signed() + self.config.subtract.anchor),
            value.eq(Mux(config.scaled, self.product << 1, whole << 1 - SHIFT_MIN)),
            amount.eq(Mux(config.post, self.post, config.amount))]
        m.d.comb += [funnel.value.eq(value), funnel.amount.eq(amount)]

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
        m.d.comb += self.overflow.eq(
            delay(m, late, self.LATENCY - 7, name="late")
            | delay(m, soon, self.LATENCY - self.SOONER - 7, name="soon"))

    def _narrow(self, m, funnel):
        """Stages 5 to 8: an element's bits are enough, round, compare, clip and add the zero."""
        config = self.config
        whole  = funnel.o[1:].as_signed()
        short = Signal(signed(ELEMENT_BITS))
        carry = Signal()
        over = Signal()
        negative = Signal()
        m.d.sync += [
            short.eq(whole), over.eq(funnel.beyond), negative.eq(funnel.negative),
            carry.eq(rounds_up(config.round.rounding, funnel.o[0], funnel.sticky, whole[0])),
        ]
        rounded = Signal(signed(ELEMENT_BITS + 1))
        high = Signal()
        low = Signal()
        m.d.sync += [rounded.eq(short + carry), high.eq(over & ~negative), low.eq(over & negative)]

        value = Signal(signed(ELEMENT_BITS))
        above = Signal()
        under = Signal()
        limits = config.compare.limits
        m.d.sync += [value.eq(rounded), above.eq(high | (~low & (rounded > limits[1]))),
                     under.eq(low | (~high & (rounded < limits[0])))]

        clipped = Signal(signed(ELEMENT_BITS))  # enough for limits and zero: pack refuses others
        clip    = config.clip
        m.d.sync += clipped.eq(Mux(under, clip.limits[0], Mux(above, clip.limits[1], value))
                               + clip.zero)
        return clipped
