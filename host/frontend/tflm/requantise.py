# SPDX-License-Identifier: Apache-2.0
"""Requantisation for TensorFlow Lite sums: factors, and wrap at 32 bits.

All results are exact. The weights and the bias give the range of a channel's sums, which determines
whether a pass equals the library. 32-bit sums that could wrap are computed 8 bits further left, in
the 40-bit accumulator.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.parameters.tflm.multiplier import reduce_multiplier
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.hdl.isa import ACC_BITS, AccumulatorRange, RoundMode, Scale
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import first_record

from .linear_sums import sums_of

__all__ = ["Requantised", "requantise"]

_LEFT = ACC_BITS - 32  #: Left shift with which a sum wraps at 32 bits.
_LONG = 48             #: Width of 64-bit sums for which the library's short factor is designed.


@dataclass(frozen=True)
class Requantised:
    """Weights for the passes, and the scaling of their sums.

    Parameters
    ----------
    weights : int8 or int16 [outputs, rows, columns, inputs]
    records : tuple, int64 [outputs] each, the bias last
    output : dict, Pass fields
    """

    weights: np.ndarray
    records: tuple
    output:  dict


@dataclass(frozen=True)
class _Output:
    """Lowest and highest output, which include the zero point, and the zero point."""

    low:  int
    high: int
    zero: int

    def clip(self, value):
        """Output for a scaled sum, minus the zero point."""
        return min(max(_wrap(value + self.zero, 32), self.low), self.high) - self.zero


@dataclass(frozen=True)
class _Channel:
    """An output's sum range, ``low`` to ``high``, and its parameters.

    ``left`` is the left shift of weights and bias. A ``constant`` output has zero weights.
    """

    bias:   int
    low:    int
    high:   int
    mul:    int
    post:   int = 0
    pre:    int = 0
    left:   int = 0
    constant: bool = False

    def as_step(self, limit):
        """Output with the high limit for sums below ``limit``, and the low limit for all others.

        The scaled value is twice the distance to ``limit``, plus 1, which is never 0. Its factor is
        negative and so large that every output is clipped.
        """
        return replace(self, bias=2 * (self.bias - limit) + 1, mul=-(1 << 31), post=0, left=1)

    @classmethod
    def of_constant(cls, value):
        """Output with constant ``value`` (minus the zero point) for every input."""
        return cls(value, value, value, 1, constant=True)

    def within(self, bits):
        """Whether all sums fit in ``bits`` bits."""
        return _fits(self.low, bits) and _fits(self.high, bits)


def requantise(layer, x, weights):
    """``Requantised`` layer outputs with weights, a bias and ``out``.

    Refusal if passes cannot compute the library's results: 64-bit sums exceed the
    accumulator, or no pass wraps like the library.

    Parameters
    ----------
    x : Tensor, its input
    weights : int8 or int16 [outputs, rows, columns, inputs]
    """
    limits = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, x.bits)
    output = _Output(*limits, layer.output_zero(x))
    long   = layer.is_long(x)
    settle = _settle_long if long else _settle_short
    sums  = sums_of(layer, x, weights)
    plain = sums.are_plain_long() if long else sums.are_plain_short(output.zero)
    post  = np.where(plain, (15 if long else 31) - sums.exponent, 0)
    columns = {"mul": sums.mul_long if long else sums.mul.copy(), "pre": np.zeros_like(post),
               "post": post, "bias": sums.bias.copy(), "left": np.zeros_like(post),
               "constant": np.zeros(len(plain), bool)}
    others  = [settle(*_channel_of(sums, index), output) for index in np.flatnonzero(~plain)]
    for name, values in columns.items():
        values[~plain] = [getattr(channel, name) for channel in others]
    shifts, constant = columns["left"], columns["constant"]
    if shifts.any() or constant.any():
        weights = _shift(weights, shifts, constant)
    fields = {"scale": Scale.BITS32, "rounding": RoundMode.TWICE, "zero": output.zero,
              "clip": (output.low - output.zero, output.high - output.zero),
              "acc_range": _range_of(others, long=long)}
    if x.bits == 8:
        fields["x_zero"] = x.quantisation.zero_point
    mul, pre, post, bias = (columns[name].astype(np.int64)
                            for name in ("mul", "pre", "post", "bias"))
    if long:
        fields["rounding"] = RoundMode.UP
    return Requantised(weights, (first_record(mul, pre, post), bias), fields)


def _channel_of(sums, index):
    """_Channel for an output without parameters, and its factor's exponent."""
    bias, low, high, mul, exponent = (int(getattr(sums, name)[index]) for name in (
        "bias", "low", "high", "mul", "exponent"))
    return _Channel(bias, low, high, mul), exponent


def _settle_short(channel, exponent, output):
    """_Channel for 32-bit sums, which are rounded twice."""
    left    = max(exponent, 0)
    rounded = replace(channel, post=31 - exponent)
    turns   = {_turns(end << left) for end in (channel.low, channel.high)}
    if len(turns) == 1 and channel.within(32):  # all wrap alike: as another bias
        [turn]  = turns
        moved   = turn << 32 - left
        rounded = replace(rounded, bias=channel.bias - moved)
        ends    = [end - moved << left for end in (channel.low, channel.high)]
    elif (limit := _find_step(channel, exponent, output)) is not None:
        return channel.as_step(limit)
    else:
        ends    = container_clip(32)
        moved   = channel.bias << left + _LEFT
        rounded = replace(rounded, left=left + _LEFT, pre=_LEFT, post=rounded.post + left,
                          bias=_wrap(moved, ACC_BITS) if left else moved)
    for end in ends:
        value = _twice(end, channel.mul, exponent)
        if not _fits(value + output.zero, 32):
            raise Refusal(RefusalKind.VALUE, "Scaled sums and the zero point must stay within 32 "
                          f"bits together, not be {value + output.zero}")
    return rounded


def _find_step(channel, exponent, output):
    """Lowest sum whose left shift wraps, if the output depends on nothing else, else None.

    Sums below it give outputs at the high limit, all other sums outputs at the low limit.
    """
    left  = max(exponent, 0)
    first, last = (_turns(end << left) for end in (channel.low, channel.high))
    ends  = [_twice(_wrap(end << left, 32), channel.mul, exponent) + output.zero
             for end in (channel.low, channel.high)]
    if not channel.within(32) or last != first + 1 or not all(_fits(end, 32) for end in ends):
        return None
    shows = ends[0] < output.high or ends[1] > output.low
    return None if shows else (last << 32) - (1 << 31) >> left


def _settle_long(channel, exponent, output):
    """_Channel for 64-bit sums, which are rounded once, ties towards +inf."""
    if not channel.within(_LONG):
        raise Refusal(RefusalKind.VALUE, f"Sums of 64 bits must stay within {_LONG} bits, not be "
                      f"from {channel.low} to {channel.high}")
    rounded = replace(channel, mul=reduce_multiplier(channel.mul), post=15 - exponent)
    results = [_once(end, rounded) for end in (channel.low, channel.high)]
    turns   = {_turns(result) for result in results}
    if turns == {0} and (channel.within(32) or (
            channel.within(ACC_BITS) and not _sees_limit(rounded, output))):
        return rounded
    values = {output.clip(result) for result in results}
    if len(turns) == len(values) == 1:  # all wrap alike, to something beyond the limits
        return _Channel.of_constant(*values)
    if turns != {0}:
        raise Refusal(RefusalKind.VALUE, "Scaled sums must stay within 32 bits, not be from "
                      f"{results[0]} to {results[1]}")
    raise Refusal(RefusalKind.VALUE, "Sums of 64 bits must stay within 32 where the output shows "
                  f"more, not be from {channel.low} to {channel.high}")


def _sees_limit(channel, output):
    """Whether limiting the sum to 32 bits changes an output."""
    least, most = container_clip(32)
    low, high   = (_once(end, channel) + output.zero for end in (least, most))
    return (channel.high > most and high < output.high) or (
        channel.low < least and low > output.low)


def _shift(weights, shifts, constant):
    """16-bit weights, shifted to the left; constant outputs' weights are 0."""
    shifted = np.where(constant[:, None, None, None], 0,
                       weights.astype(np.int64) << shifts[:, None, None, None])
    kind = np.int16 if shifts.any() else weights.dtype
    least, most = container_clip(8 * np.dtype(kind).itemsize)
    if shifted.min() < least or shifted.max() > most:
        raise Refusal(RefusalKind.VALUE, "Weights of sums that a factor above 1 shifts beyond 32 "
                      f"bits must stay within {most} after that shift and {_LEFT} bits more, not "
                      f"be up to {np.abs(shifted).max()}")
    return shifted.astype(kind)


def _range_of(channels, *, long):
    """AccumulatorRange that sets the flag for sums that exceed the library's 32 bits.

    A sum that exceeds them only after its left shift sets no flag.
    """
    if long:
        return AccumulatorRange.BITS40
    moved = [channel for channel in channels if channel.left]
    if not moved:
        return AccumulatorRange.BITS32
    further = [channel for channel in moved if channel.left > _LEFT]
    if not further:
        return AccumulatorRange.BITS40
    if all(channel.within(32) for channel in moved):
        return AccumulatorRange.SYMMETRIC32  # a value outside it is not an overflow
    largest = max(max(-channel.low, channel.high) for channel in moved)
    raise Refusal(RefusalKind.VALUE, "Sums that are shifted to the left must stay below "
                  f"{1 << 31} before, not be up to {largest}")


def _twice(acc, mul, exponent):
    """Scaled 32-bit sum after its left shift: rounded up, then away from 0."""
    high  = acc * mul + (1 << 30) >> 31
    right = max(-exponent, 0)
    if not right:
        return high
    return (abs(high) + (1 << right - 1) >> right) * (-1 if high < 0 else 1)


def _once(acc, channel):
    """Scaled 64-bit sum, rounded up."""
    return acc * channel.mul + (1 << channel.post - 1) >> channel.post


def _wrap(value, bits):
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def _turns(value):
    """Multiple of 2**32 to subtract from a value to wrap it at 32 bits."""
    return value + (1 << 31) >> 32


def _fits(value, bits):
    return -(1 << bits - 1) <= value < 1 << bits - 1
