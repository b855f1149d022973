# SPDX-License-Identifier: Apache-2.0
"""Rescale stage properties with any product in place of the multipliers' product."""

from contextlib import contextmanager
from unittest.mock import patch

from amaranth import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.hdl import Assert, Assume, Cover, Fragment
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl import multiply
from xymac.hdl.core import output
from xymac.hdl.core import scale as scale_module
from xymac.hdl.core.fields import OutputConfig
from xymac.hdl.core.output import OutputStage
from xymac.hdl.core.scale import ScaleUnit
from xymac.hdl.isa import ACC_BITS, BANKS, ELEMENT_BITS, RoundMode, Scale

from .property import Bench, Fault, Method, Property, steady

__all__ = ["PROPERTIES"]

_LOW    = (1 << 16) - 1                          # largest lower half of a factor
_HALVES = 17                                      # bits of a factor of ``WideMultiply``
_SENT   = 2 * BANKS                               # cycles that send the parameters of four banks
_READY  = OutputStage.LATENCY - OutputStage.SOONER
_STEPS  = _SENT + ScaleUnit.LATENCY + _READY + 2
_FIRST  = 31                                      # bits of the first rounding


@contextmanager
def _free(products):
    """Context in which each multiplier yields the next in ``products``, whatever its factors."""
    class Free(wiring.Component):
        LATENCY = multiply.Multiply.LATENCY

        def __init__(self, *, bits, vendor=None):
            super().__init__({"a": In(signed(bits)), "b": In(signed(bits)), "clear": In(1),
                              "o": Out(signed(2 * bits))})

        def elaborate(self, platform):
            m = Module()
            m.d.comb += self.o.eq(next(values))
            return m

    values = iter(products)
    with patch.object(multiply, "Multiply", Free):
        yield


def _quotient(m, total, shift):
    """``total / 2**shift``, rounded as TensorFlow Lite does with a doubling high product and a
    division by a power of two; ``shift`` is a constant, at least 31.
    """
    # SaturatingRoundingDoublingHighMul: a nudge by sign, then a division that truncates.
    size, half = Signal(unsigned(64)), 1 << _FIRST - 1
    m.d.comb += size.eq(Mux(total < 0, half - 1 - total, total + half))
    high = Signal(signed(34))
    m.d.comb += high.eq(Mux(total < 0, -(size >> _FIRST), size >> _FIRST))
    # RoundingDivideByPOT: more than a threshold, which is larger below 0, rounds up.
    places = shift - _FIRST
    mask   = (1 << places) - 1
    rest   = (high.as_unsigned() & mask)[:33]
    return (high >> places) + (rest > (mask >> 1) + (high < 0))


def _twice(case):
    """The scale unit and the output stage, with a pass's addend: given, or by its shift."""
    shift, given = case
    scale, stage = ScaleUnit(), OutputStage()
    acc = Signal(signed(ACC_BITS))
    products = [Signal(signed(2 * _HALVES), name=f"product{number}") for number in range(4)]
    high, span = Signal(signed(ELEMENT_BITS)), Signal(unsigned(ELEMENT_BITS))

    def build(m):
        sum_, low, left, right, top, limit, range_ = steady(m, acc, *products, high, span)
        with _free((low, left, right, top)):
            m.submodules.scale = Fragment.get(scale, None)
        m.submodules.stage = stage
        time = Signal(range(_STEPS + 2))
        m.d.sync += time.eq(Mux(time == _STEPS, time, time + 1))
        record = Cat(Const(1 << 30, 32), Const(0, 5), Const(shift, 6), Const(0, 5))
        addend = (time >= BANKS) & (time < _SENT) & given
        m.d.comb += [
            scale.acc.eq(Mux(time < BANKS, record, Mux(addend, 1 << 30, sum_))),
            scale.record.scale.eq(time < BANKS), scale.record.addend.eq(addend),
            scale.valid.eq((time < BANKS) | (time >= _SENT) | given),
            scale.mode.scale.eq(Scale.BITS32), scale.mode.rounding.eq(RoundMode.TWICE)]
        config = Signal(OutputConfig)
        bottom = limit - range_
        m.d.comb += [
            config.shift.scaled.eq(1), config.shift.post.eq(1), config.shift.keep.eq(1),
            config.shift.less.eq(-1), config.round.rounding.eq(RoundMode.TWICE),
            config.flag.short.eq(1), config.flag.high.eq(limit), config.compare.span.eq(range_),
            config.clip.bottom.eq(bottom), config.coarse.short.eq(1), config.coarse.wide.eq(1),
            config.narrow.wide.eq(1), stage.config.eq(config), stage.acc.eq(sum_),
            stage.product.eq(scale.product), stage.post.eq(scale.post)]
        total, element = Signal(signed(68)), Signal(signed(40))
        m.d.comb += [
            total.eq(low + ((left + right) << 16) + (top << 32)),
            element.eq(_quotient(m, total, shift)),
            # A sum times a multiplier of at least 0 has the sum's sign.
            Assume((total <= 1 << 62) & (total >= -(1 << 62))),
            # Products of two halves, the lower ones without a sign.
            Assume((low >= 0) & (low <= _LOW * _LOW)),
            *(Assume((part >= -_LOW << 15) & (part <= _LOW * ((1 << 15) - 1)))
              for part in (left, right)),
            Assume((top >= -(1 << 15) * ((1 << 15) - 1)) & (top <= 1 << 30)),
            Assume(Mux(sum_ < 0, total <= 0, total >= 0)),
            Assume(bottom >= -(1 << ELEMENT_BITS - 1)),
            Assert((time < _STEPS) | (stage.o == Mux(element > limit, limit, Mux(
                element < bottom, bottom, element))[:16])),
            Cover((time == _STEPS) & (element < -5) & (element > bottom)),
            Cover((time == _STEPS) & (element > 5) & (element < limit))]
    return Bench([acc, *products, high, span], build)


def _no_sign(original):
    """Fault: the addend of a negative sum has the sign of a positive sum."""
    return lambda m, value, cycles, *, name: (
        Const(0, 1) if name == "negative" else original(m, value, cycles, name=name))


def _to_even(original):
    return lambda mode, half, below, odd: original(RoundMode.CONVERGENT, half, below, odd)


_CASES = ((38, 0), (47, 1))
PROPERTIES = (
    Property("rescale: both roundings", "The rescale stage behind its multipliers, with any "
             "product, a shift of 38 by its own addend, one of 47 with an addend record, any "
             "limits: the doubling high product and the division of "
             "TensorFlow Lite",
             _twice, _STEPS + 1,
             (Fault("the addend has no sign", scale_module, "delay", _no_sign),
              Fault("halves round to even", output, "rounds_up", _to_even)), Method.GATES,
             cases=_CASES),
)
