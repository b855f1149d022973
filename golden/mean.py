"""Means of integers: division by a count as the libraries do it."""

__all__ = ["reciprocal"]


def reciprocal(count):
    """Multiplier and right shift that divide a sum of ``count`` elements.

    Powers of two below 32 shift only. Else the multiplier is ``1 / count`` cut (not rounded) to 15
    bits, so a mean may come out one below the exactly rounded one.
    Source: embARC MLI 1.1, kernels/pooling/mli_krn_reduce_sum2d.h.
    """
    if count < 32 and count & count - 1 == 0:
        return 1, count.bit_length() - 1
    quotient = (1 << 31) // count
    zeros    = 32 - quotient.bit_length()
    return quotient << zeros >> 17, 14 + zeros
