# SPDX-License-Identifier: Apache-2.0
"""Output stage properties: a finished accumulator's shift, rounding, range and clip."""

from amaranth import Mux, Signal, signed, unsigned
from amaranth.hdl import Assert, Assume, Cover

from xymac.hdl.core import output
from xymac.hdl.core.fields import OutputConfig
from xymac.hdl.core.output import OutputStage
from xymac.hdl.isa import ACC_BITS, ELEMENT_BITS, SHIFT_MIN, RoundMode

from .property import Bench, Fault, Property, hold

__all__ = ["PROPERTIES"]

_READY = OutputStage.LATENCY - OutputStage.SOONER  # cycles to an output without a table
_WIDE  = ACC_BITS - SHIFT_MIN


def _clipped(amount):
    """A held accumulator and pass with a shift; the output leaves by the table bypass."""
    unit   = OutputStage()
    acc    = Signal(signed(ACC_BITS))
    mode   = Signal(RoundMode)
    high, bottom = Signal(signed(ELEMENT_BITS)), Signal(signed(ELEMENT_BITS))
    span   = Signal(unsigned(ELEMENT_BITS))

    def build(m):
        m.submodules.unit = unit
        time   = hold(m, acc, mode.as_value(), high, bottom, span)
        config = Signal(OutputConfig)
        m.d.comb += [
            config.shift.wide.eq(1), config.shift.keep.eq(1), config.shift.less.eq(-1),
            config.shift.amount.eq(amount), config.round.rounding.eq(mode),
            config.flag.short.eq(1), config.flag.high.eq(high), config.compare.span.eq(span),
            config.clip.bottom.eq(bottom), config.coarse.short.eq(1),
            config.coarse.wide.eq(1), config.narrow.wide.eq(1),
            unit.config.eq(config), unit.acc.eq(acc)]
        low = Signal(signed(ELEMENT_BITS + 2))
        whole, lost = Signal(signed(_WIDE)), Signal(unsigned(64))
        rounded, part = Signal(signed(_WIDE + 1)), Signal(signed(_WIDE + 2))
        value = Signal(signed(64))
        twice = Signal(unsigned(65))
        up    = Signal()
        m.d.comb += [
            low.eq(high - span), value.eq(acc << -SHIFT_MIN), whole.eq(value >> amount),
            lost.eq(value.as_unsigned() & ((1 << amount) - 1)), twice.eq(lost << 1),
            up.eq(Mux(mode == RoundMode.FLOOR, 0, (twice > (1 << amount)) | (
                (twice == (1 << amount)) & (lost != 0)
                & ((mode != RoundMode.CONVERGENT) | whole[0])))),
            rounded.eq(whole + up),
            part.eq(Mux(rounded > high, high, Mux(rounded < low, low, rounded))),
            Assume(low >= -(1 << ELEMENT_BITS - 1)),
            Assert((time < _READY) | (unit.o == (part - low + bottom)[:16])),
            Cover((time == _READY) & up & (part != low) & (part != high))]
    return Bench([acc, mode, high, bottom, span], build)


def _odd(original):
    return lambda mode, half, below, odd: original(mode, half, below, ~odd)


#: Right shifts of ``acc * 2**16``: fewer bits than the accumulator has below, none, and more.
_AMOUNTS = (20, 4, 16, 17, 33, 60)
PROPERTIES = (
    Property("output: shift, round, clip", "An accumulator of 40 bits, shifted by "
             + ", ".join(str(amount + SHIFT_MIN) for amount in sorted(_AMOUNTS))
             + ", is rounded in each mode and clipped between any limits as in exact arithmetic",
             _clipped, _READY + 2,
             (Fault("convergent rounds to odd", output, "rounds_up", _odd),), cases=_AMOUNTS),
)
