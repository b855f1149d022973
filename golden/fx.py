"""Fixed-point arithmetic of MLI 1.x: exact sums, rounding shifts, saturation."""

import numpy as np

from hdl.isa import ACC_BITS, AccumulatorRange, RoundMode

from .layer import BIAS_SHIFT_MAX
from .tensor import Result, Tensor

__all__ = ["ACC_RANGE_BITS", "align_bias", "container", "finish", "in_range", "matmul", "saturate",
           "shift_round", "wrap"]

ACC_RANGE_BITS = {AccumulatorRange.BITS32: 32, AccumulatorRange.BITS40: ACC_BITS}


def container(bits):
    """Lowest and highest signed ``bits``-bit integer."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def saturate(x, bits):
    """Clamp ``x`` to the range of a signed ``bits``-bit integer."""
    return np.clip(x, *container(bits))


def wrap(x, bits):
    """Keep the low ``bits`` bits of ``x`` (int64) as a signed integer."""
    half = 1 << bits - 1
    return (x + half & 2 * half - 1) - half


def in_range(x, bits):
    """Whether every value of ``x`` is a signed ``bits``-bit integer."""
    return bool(np.array_equal(x, saturate(x, bits)))


def _magnitude(x):
    return max(-int(x.min()), int(x.max()), 0)


def matmul(a, b):
    """Exact product of two integer matrices, int64.

    Every partial sum of a result lies within ``largest = max|a| * max|b| * n``. Up to 2**53 all
    of them are float64 values, so BLAS is exact in any order and with or without fused operations;
    16-bit factors make products of at most 2**30 and allow ``n`` up to 2**23. Beyond that int64
    is exact, and up to 2**62 leaves room for a bias: ``n`` up to 2**32. OverflowError beyond.
    """
    largest = _magnitude(a) * _magnitude(b) * a.shape[-1]
    if largest <= 1 << 53:
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    if largest <= 1 << 62:
        return np.matmul(a.astype(np.int64), b.astype(np.int64))
    raise OverflowError(f"Matrix product must stay within 2**62, but may reach {largest}")


def align_bias(bias, shift):
    """Bias tensor at the binary point of the products, int64.

    ``bias * 2**shift``: saturated to 32 bits if the bias has 8, exact (at most 47 bits) if it
    has 16. Source: embARC MLI 1.1, private/mli_prv_dsp.h, bias initialisation.
    """
    if bias.bits == 8:
        # From 31 bits on a shift saturates every value but 0: no need for a wider one.
        return saturate(bias.data.astype(np.int64) << min(shift, 31), 32)
    if shift > BIAS_SHIFT_MAX:
        raise OverflowError(f"Bias shift must be at most {BIAS_SHIFT_MAX} bits, not {shift}")
    return bias.data.astype(np.int64) << shift


def shift_round(acc, shift, rounding, limits):
    """Divide ``acc`` by ``2**shift``, round, clip to ``limits``.

    Parameters
    ----------
    acc : int64 array, at most ``ACC_BITS`` bits; OverflowError beyond
    shift : int, bits, any size; negative multiplies exactly before clipping
    rounding : RoundMode
    limits : (low, high), within 32 bits, low at most 0 and high at least 0

    Source: embARC MLI 1.1, private/mli_prv_dsp.h, rounding mode set there.
    """
    if not in_range(acc, ACC_BITS):
        raise OverflowError(f"Accumulator must have at most {ACC_BITS} bits")
    if shift <= 0:
        # From 31 bits on a left shift takes every value but 0 to or beyond any 32-bit limit.
        return np.clip(np.clip(acc, *limits) << min(-shift, 31), *limits)
    # |acc| <= 2**39 is less than half of 2**41: any larger shift gives the same.
    shift = min(shift, ACC_BITS + 1)
    if rounding is RoundMode.FLOOR:
        return np.clip(acc >> shift, *limits)
    half = 1 << shift - 1
    rounded = acc + half >> shift
    if rounding is RoundMode.CONVERGENT:
        tie = acc & 2 * half - 1 == half
        rounded &= ~tie.astype(np.int64)
    return np.clip(rounded, *limits)


def finish(layer, x, sums):
    """Turn exact sums, bias included, into the Result of ``layer`` on the Tensor ``x``.

    The overflow flag tells whether any sum left the accumulator of the library; like the hardware,
    what the output is made of is then the low ``ACC_BITS`` bits of the sum.
    """
    overflow = not in_range(sums, ACC_RANGE_BITS[layer.acc_range(x)])
    values = shift_round(wrap(sums, ACC_BITS), layer.out_shift(x), layer.rounding, layer.limits(x))
    return Result(Tensor(values.astype(x.data.dtype), layer.out_frac_bits), overflow)
