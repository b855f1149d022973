# SPDX-License-Identifier: Apache-2.0
"""Limits for a layer's sums, and outputs that need only a factor."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.parameters.tflm.linear import output_multipliers
from xymac.golden.parameters.tflm.multiplier import reduce_multiplier
from xymac.host.ir.fields import container_clip

__all__ = ["Sums", "sums_of"]

_EXACT = 48  #: Maximum width of limits computed in int64; wider limits are Python integers.
_SHIFT = 62  #: Longest shift of int64.


@dataclass(frozen=True)
class Sums:
    """Integer arrays with an element per output.

    Parameters
    ----------
    bias : array
    low, high : arrays, minimum and maximum sum with its bias
    mul, exponent : arrays, the output factor
    """

    bias:     np.ndarray
    low:      np.ndarray
    high:     np.ndarray
    mul:      np.ndarray
    exponent: np.ndarray

    def are_plain_short(self, zero):
        """Whether a 32-bit sum and all later results fit 32 bits: bool [outputs]."""
        plain = self._within(32)
        left  = np.where(plain, np.clip(self.exponent, 0, 31), 0).astype(np.int64)
        right = np.clip(-self.exponent, 0, _SHIFT)
        for end in (self.low, self.high):
            moved  = np.where(plain, end, 0).astype(np.int64) << left
            plain &= _fits(moved, 32)
            high   = np.where(plain, moved, 0) * self.mul + (1 << 30) >> 31
            half   = np.where(right > 0, 1 << np.maximum(right - 1, 0), 0)
            value  = (np.abs(high) + half >> right) * np.where(high < 0, -1, 1)
            plain &= _fits(value + zero, 32)
        return plain

    def are_plain_long(self):
        """``are_plain_short`` for 64-bit sums, which have their own factor and a single rounding.
        """
        post  = 15 - self.exponent
        plain = self._within(32) & (post > 0) & (post <= _SHIFT)
        post  = np.where(plain, post, 1).astype(np.int64)
        for end in (self.low, self.high):
            end    = np.where(plain, end, 0).astype(np.int64)
            plain &= _fits(end * self.mul_long + (1 << post - 1) >> post, 32)
        return plain

    @property
    def mul_long(self):
        """Factors for 64-bit sums."""
        return np.array([reduce_multiplier(mul) for mul in self.mul.tolist()], np.int64)

    def _within(self, bits):
        return (_fits(self.low, bits) & _fits(self.high, bits)).astype(bool)


def sums_of(layer, x, weights):
    """The ``Sums`` for a layer with weights, a bias and ``out``.

    Parameters
    ----------
    x : Tensor, its input
    weights : int8 or int16 [outputs, rows, columns, inputs]
    """
    factors = output_multipliers(x.quantisation.scale, layer.weights.quantisation.scales,
                                 layer.out.scale)
    count   = len(weights)
    factors = np.array(factors * count if len(factors) == 1 else factors, np.int64)
    taps    = weights.reshape(count, -1)
    rise    = np.maximum(taps, 0).sum(1, dtype=np.int64)
    fall    = np.minimum(taps, 0).sum(1, dtype=np.int64)
    bias    = np.zeros(count, np.int64) if layer.bias is None else layer.bias.data
    bias    = bias.astype(np.int64 if _fits(bias, _EXACT).all() else object)
    zero    = layer.input_zero(x)
    least, most = (limit - zero for limit in container_clip(x.bits))
    # Passes subtract no zero point from 16-bit elements: the bias does.
    moved   = bias - (zero * (rise + fall) if x.bits == 16 else 0)
    return Sums(moved, bias + rise * least + fall * most, bias + rise * most + fall * least,
                factors[:, 0], factors[:, 1])


def _fits(values, bits):
    return (values >= -(1 << bits - 1)) & (values < 1 << bits - 1)
