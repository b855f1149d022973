"""A real factor as the 31 bits and the exponent, or the 15 bits, that a sum is multiplied by."""

from math import frexp

__all__ = ["EXPONENT_MAX", "EXPONENT_MAX_LONG", "quantize_multiplier", "reduce_multiplier"]

EXPONENT_MAX      = 30  #: Of a factor of 32-bit sums: they are shifted left before it.
EXPONENT_MAX_LONG = 7   #: Of a factor of 64-bit sums.

_EXPONENT_MIN = -31
_FRACTION     = 53  #: Bits of a double.


def quantize_multiplier(factor):
    """``(multiplier, exponent)`` with ``factor`` about ``multiplier * 2**(exponent - 31)``.

    The multiplier has all of 31 bits, rounded, halves away from zero; it is 0, and so is the
    exponent, for 0 and where the exponent would be less than -31.
    Source: tensorflow/lite/kernels/internal/quantization_util.cc, ``QuantizeMultiplier``.

    Parameters
    ----------
    factor : float, at least 0
    """
    fraction, exponent = frexp(factor)
    whole      = int(fraction * (1 << _FRACTION))  # exact
    multiplier = (whole >> _FRACTION - 32) + 1 >> 1
    if multiplier == 1 << 31:
        multiplier, exponent = 1 << 30, exponent + 1
    return (multiplier, exponent) if multiplier and exponent >= _EXPONENT_MIN else (0, 0)


def reduce_multiplier(multiplier):
    """The first 15 of the 31 bits of a multiplier, rounded, at most ``0x7fff``.

    Source: tensorflow/lite/kernels/internal/common.cc, ``MultiplyByQuantizedMultiplier`` of
    int64_t.
    """
    return min((multiplier + (1 << 15)) >> 16, 0x7fff)
