"""Output stage of one column: shift, round, saturate and clip a finished sum."""

from amaranth import Array, Const, Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .arith import delay, rounds_up, sign_uniform
from .config import SLOTS
from .isa import ACC_BITS, BIAS_BITS, SHIFT_MAX, SHIFT_MIN, AccumulatorRange
from .lookup import Lookup, OutputConfig

__all__ = ["OutputStage"]

_FIXED = ACC_BITS + 1 - SHIFT_MIN + 1  # a sum less the anchor, the widest left shift, a bit to
# round by


class OutputStage(wiring.Component):
    """Narrow a sum to an element: ``clip(round(acc40 * 2**-shift), low, high)``, and look it up.

    Rounding looks at the bit below the result and at whether anything lies below that: up adds the
    bit; convergent adds it unless the rest is zero and the result even. The coarse and the fine
    shift, the rounding addition, the range check and the clip each have a cycle. A pass without a
    table takes as long as one with.
    Latency ``LATENCY`` cycles, throughput 1 a cycle, always ready.
    Source: embARC MLI 1.1, private/mli_prv_dsp.h (rounding modes of the DSP control register).

    Parameters
    ----------
    vendor : None or "ecp5", see ``arith.Multiply``

    Members
    -------
    slots : In(``SLOTS`` OutputConfig)
    acc : In(signed(48)), the 40-bit sum and its wraps; slot : In(slot), keep : In(1)
    o : Out(16), an 8-bit element stands in both bytes
    overflow : Out(1), a kept sum left the range of its pass, also by the shift if a lane holds it
    """

    _NARROWED = 9  # cycles to the clipped element
    LATENCY   = _NARROWED + Lookup.LATENCY

    slots:    In(data.ArrayLayout(OutputConfig, SLOTS))
    acc:      In(signed(BIAS_BITS))
    slot:     In(range(SLOTS))
    keep:     In(1)
    o:        Out(16)
    overflow: Out(1)

    def __init__(self, *, vendor=None):
        self._vendor = vendor
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        slot, config = self.slot, []
        for stage in range(1, self._NARROWED):
            # Each stage's fields are selected a cycle ahead, so that no selection precedes a shift.
            config.append(Signal(OutputConfig, name=f"config{stage}", reset_less=True))
            m.d.sync += config[-1].eq(self.slots[slot])
            slot = delay(m, slot, 1, name=f"slot{stage}")
        acc  = delay(m, self.acc, 1, name="acc")
        keep = delay(m, self.keep, 1, name="keep")
        shifted, sticky = self._shift(m, acc, config)
        self._range(m, acc, keep, shifted, config)
        m.submodules.lookup = lookup = Lookup(vendor=self._vendor)
        m.d.comb += [lookup.slots.eq(self.slots), lookup.slot.eq(slot),
                     lookup.element.eq(self._narrow(m, shifted, sticky, config)),
                     self.o.eq(lookup.o)]
        return m

    def _range(self, m, acc, keep, shifted, config):
        """Stage 2: did the exact sum leave the accumulator's range? Stage 6: did what is held?"""
        limits = {AccumulatorRange.BITS32: 32, AccumulatorRange.BITS40: ACC_BITS}
        fits = Signal()
        with m.Switch(config[0].acc_range):
            for code, width in limits.items():
                with m.Case(code):
                    m.d.comb += fits.eq(sign_uniform(acc, width))
        left, late = Signal(), Signal()
        wide = config[4].hold & (config[4].acc_range == AccumulatorRange.BITS40)
        m.d.sync += [left.eq(keep & ~fits),
                     late.eq(delay(m, left, 3, name="left")
                             | (delay(m, keep, 4, name="keep_on") & wide
                                & ~sign_uniform(shifted[1:], ACC_BITS)))]
        m.d.comb += self.overflow.eq(delay(m, late, self.LATENCY - 6, name="late"))

    def _shift(self, m, acc, config):
        """Stages 2 to 5: take the anchor off, shift right by ``shift - SHIFT_MIN``, bytes first."""
        apart  = Signal(signed(ACC_BITS + 1))
        value  = Signal(signed(_FIXED))
        amount = Signal(range(SHIFT_MAX - SHIFT_MIN + 1))
        whole  = Mux(config[1].halve, apart >> 1, apart).as_signed()
        m.d.sync += [apart.eq(acc[:ACC_BITS].as_signed() - config[0].anchor),
                     value.eq(whole << 1 - SHIFT_MIN), amount.eq(config[1].shift - SHIFT_MIN)]

        coarse, below, fine = Signal(signed(_FIXED)), Signal(), Signal(3)
        m.d.sync += [fine.eq(amount[:3]), coarse.eq(_right(value, amount[3:], 8)),
                     below.eq(_lost(value, amount[3:], 8))]
        shifted, sticky = Signal(signed(_FIXED)), Signal()
        m.d.sync += [shifted.eq(_right(coarse, fine, 1)),
                     sticky.eq(below | _lost(coarse, fine, 1))]
        return shifted, sticky

    def _narrow(self, m, shifted, sticky, config):
        """Stages 6 to 9: 17 bits and a sign are enough, round, compare, clip."""
        whole = shifted[1:].as_signed()
        short, carry, over, negative = Signal(signed(17)), Signal(), Signal(), Signal()
        m.d.sync += [
            short.eq(whole), over.eq(~sign_uniform(whole, 17)), negative.eq(whole[-1]),
            carry.eq(rounds_up(config[4].rounding, shifted[0], sticky, whole[0])),
        ]
        rounded, high, low = Signal(signed(18)), Signal(), Signal()
        m.d.sync += [rounded.eq(short + carry), high.eq(over & ~negative), low.eq(over & negative)]

        value, above, under = Signal(signed(16)), Signal(), Signal()
        m.d.sync += [value.eq(rounded), above.eq(high | (~low & (rounded > config[6].clip[1]))),
                     under.eq(low | (~high & (rounded < config[6].clip[0])))]

        clipped = Signal(signed(16))
        m.d.sync += clipped.eq(Mux(under, config[7].clip[0],
                                   Mux(above, config[7].clip[1], value)))
        return clipped


def _right(value, amount, unit):
    """Shift right by ``amount * unit``, a bit of the amount after the other.

    A switch would decode the amount first: one more level, and one net to every bit.
    """
    for index, bit in enumerate(amount):
        value = Mux(bit, value >> (unit << index), value).as_signed()
    return value


def _lost(value, amount, unit):
    """Whether that shift loses a bit that is set."""
    lost = [value[:unit * count].any() if count else Const(0) for count in range(1 << len(amount))]
    return Array(lost)[amount]
