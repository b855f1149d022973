# SPDX-License-Identifier: Apache-2.0
"""XS3 library constants: divisors for means, product factors, per-channel parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ADD_SHIFT", "BLOCK", "DEPTH", "PRODUCT_SHIFT", "SCALE_BITS", "SCALE_SHIFT", "SHIFT_MAX",
           "BsoColumns", "bso_columns", "mean_factor", "product_factors", "transform_columns"]

BLOCK     = 32  #: 8-bit products that an instruction adds with a single saturation.
SHIFT_MAX = 31  #: Largest shift of a 32-bit accumulator, bits.

PRODUCT_SHIFT = 1   #: Right shift of an element product,
SCALE_BITS    = 14  #: fractional bits of its factor,
DEPTH         = 8   #: and right shift to 8 bits at last.

ADD_SHIFT   = 14  #: Fractional bits of a factor of a 16-bit sum,
SCALE_SHIFT = 15  #: and of a requantisation factor minus 1.

_LANES       = 16  #: Channels of a block.
_ROWS        = 7   #: Bias high, bias low, shift 1, scale, offset scale, offset, shift 2.
_FACTOR_BITS = 7


def mean_factor(count: int) -> tuple[int, int]:
    """Factor and right shift that divide a sum over ``count`` elements.

    Powers of two only shift. Other factors have 7 bits and are rounded, so they can reach 64 or 128
    close to large powers of two; a library built with assertions stops at both values.
    ValueError if the shift exceeds a 32-bit accumulator's largest shift.
    Source: lib_nn 96bd67c, src/c/avgpool2d.c, ``avgpool2d_init``.
    """
    bits  = (count - 1).bit_length()
    whole = count == 1 << bits
    most  = SHIFT_MAX if whole else SHIFT_MAX - (_FACTOR_BITS - 1)
    if bits > most:
        raise ValueError(f"Kernel must have at most {1 << most} elements, not {count}")
    if whole:
        return 1, bits
    drop = 32 - _FACTOR_BITS - bits
    return (1 << 31) // count + (1 << drop >> 1) >> drop, bits + _FACTOR_BITS - 1


def _round(value):
    """The nearest integer to a float, halves away from zero."""
    size  = abs(value)
    whole = int(size)
    return (whole + (size - whole >= 0.5)) * (-1 if value < 0 else 1)


def _fits16(*values):
    return all(-(1 << 15) <= value < 1 << 15 for value in values)


def product_factors(a_zero: int, b_zero: int, ratio: float, out_zero: int) -> tuple[int, int, int]:
    """Product factor, bias and left shift, with the most bits for which all products fit 16 bits.

    The left shift is the first from 1 on that fits. The computation uses double precision.
    ValueError if the left shift exceeds ``SHIFT_MAX``.
    Source: lib_nn 0.4.0, src/c/mul_elementwise.c, ``mul_boggle``.

    Parameters
    ----------
    a_zero, b_zero, out_zero : int, zero points
    ratio : float, product of the input scales divided by the output scale
    """
    ends = [(end + a_zero + 1) * (end + b_zero + 1) + 1 >> PRODUCT_SHIFT for end in (127, -128)]
    for left in range(1, SHIFT_MAX + 1):
        factor   = _round(ratio * 2.0 ** (PRODUCT_SHIFT + SCALE_BITS + DEPTH - left))
        products = [end * factor + (1 << SCALE_BITS - 1) >> SCALE_BITS for end in ends]
        bias     = _round(out_zero * 2.0 ** (DEPTH - left))
        if _fits16(factor, bias, *products, *(product + bias for product in products)):
            return factor, bias, left
    raise ValueError(f"Scales of the inputs over that of the output must fit a left shift up "
                     f"to {SHIFT_MAX} bits, not be {ratio:g}")


@dataclass(frozen=True)
class BsoColumns:
    """Columns in a bias, scale and offset tensor: shapes (channels,), int64.

    Parameters
    ----------
    bias : 32 bits, initial accumulator
    shift1 : right shift from the accumulator to 16 bits, bits
    scale, offset_scale, offset : 16 bits
    shift2 : right shift to the output, bits
    """

    bias:         np.ndarray
    shift1:       np.ndarray
    scale:        np.ndarray
    offset_scale: np.ndarray
    offset:       np.ndarray
    shift2:       np.ndarray


def _signed16(x):
    return (x + 0x8000 & 0xFFFF) - 0x8000


def bso_columns(data: np.ndarray, channels: int) -> BsoColumns:
    """BsoColumns for the first ``channels`` channels in ``data``, in the library's layout.

    The shape is (blocks of 16 channels, 7, 16), int16 or uint16; padding in the last block is
    ignored.
    Source: lib_nn, api/nn_bso.h.
    """
    rows = data.astype(np.int64).transpose(1, 0, 2).reshape(_ROWS, -1)[:, :channels]
    high, low, *rest = _signed16(rows)
    return BsoColumns((high << 16) + (low & 0xFFFF), *rest)


def transform_columns(data: np.ndarray, kinds: int) -> np.ndarray:
    """Output transform parameters by kind and channel: int64 (kinds, channels).

    For each block of 16 channels ``data`` holds one kind after another; a shorter last block is
    packed.
    Source: lib_nn 0.4.0, src/cpp/filt2d/OutputTransformFn.cpp.
    """
    group  = _LANES * kinds
    groups = [data[start:start + group].reshape(kinds, -1)
              for start in range(0, data.shape[0], group)]
    return np.concatenate(groups, axis=1).astype(np.int64)
