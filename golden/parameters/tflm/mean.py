"""Factor of a mean: scale and count in one."""

from .multiplier import quantize_multiplier

__all__ = ["mean_multiplier"]

_SHIFT_MAX = 32
_LEAST     = 31  #: Of the exponent, negated.


def mean_multiplier(x_scale, out_scale, count):
    """``(multiplier, exponent)`` of the mean of ``count`` elements from their sum.

    The multiplier is that of the scales, shifted left by the bits of the count and divided by it,
    cut: it may be one bit short of 31.
    Source: tensorflow/lite/kernels/internal/reference/reduce.h, ``QuantizedMeanOrSum``.
    """
    multiplier, exponent = quantize_multiplier(x_scale / out_scale)
    shift = min(count.bit_length() - 1, _SHIFT_MAX, _LEAST + exponent)
    return (multiplier << shift) // count, exponent - shift
