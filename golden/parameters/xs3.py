"""What the XS3 library derives: divisors of means, factors of products, parameters by channel."""

from dataclasses import dataclass

import numpy as np

__all__ = ["ADD_SHIFT", "BLOCK", "DEPTH", "PRODUCT_SHIFT", "SCALE_BITS", "SCALE_SHIFT", "SHIFT_MAX",
           "BsoColumns", "bso_columns", "mean_factor", "product_factors", "transform_columns"]

BLOCK     = 32  #: Products of 8 bits that one instruction adds, with one saturation.
SHIFT_MAX = 31  #: Of a 32-bit accumulator, bits.

PRODUCT_SHIFT = 1   #: Right shift of a product of two elements,
SCALE_BITS    = 14  #: fractional bits of its factor,
DEPTH         = 8   #: and right shift to 8 bits at last.

ADD_SHIFT   = 14  #: Fractional bits of a factor of a sum of 16 bits,
SCALE_SHIFT = 15  #: and of what a factor of another scale is more than 1.

_LANES       = 16  #: Channels of a group.
_ROWS        = 7   #: Bias high, bias low, shift 1, scale, offset scale, offset, shift 2.
_FACTOR_BITS = 7


def mean_factor(count):
    """Factor and right shift that divide a sum of ``count`` elements.

    Powers of two shift only; else the factor has 7 bits and is rounded, so that it is 64 just below
    a power of two of many elements and 128 just above; a library built with its assertions stops
    at these two. ValueError if the shift exceeds that of a 32-bit accumulator.
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
    """The nearest integer of a float, halves away from zero."""
    size  = abs(value)
    whole = int(size)
    return (whole + (size - whole >= 0.5)) * (-1 if value < 0 else 1)


def _fits16(*values):
    return all(-(1 << 15) <= value < 1 << 15 for value in values)


def product_factors(a_zero, b_zero, ratio, out_zero):
    """Factor, bias and left shift of a product: as many bits as 16 hold of all that it can be.

    It is the first left shift from 1 on for which they fit. All is computed in double. ValueError
    where that is more than a 32-bit shift.
    Source: lib_nn 0.4.0, src/c/mul_elementwise.c, ``mul_boggle``.

    Parameters
    ----------
    a_zero, b_zero, out_zero : int, zero points
    ratio : float, scales of both inputs over that of the output
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
    """Columns of a tensor of biases, scales and offsets: shapes (channels,), int64.

    Parameters
    ----------
    bias : of 32 bits, what the accumulator starts with
    shift1 : bits, from accumulator to 16 bits
    scale, offset_scale, offset : of 16 bits
    shift2 : bits, to the output
    """

    bias:         np.ndarray
    shift1:       np.ndarray
    scale:        np.ndarray
    offset_scale: np.ndarray
    offset:       np.ndarray
    shift2:       np.ndarray


def _signed16(x):
    return (x + 0x8000 & 0xFFFF) - 0x8000


def bso_columns(data, channels):
    """BsoColumns of ``channels`` channels of an array of the library's layout.

    Shape (groups of 16 channels, 7, 16), int16 or uint16; what pads the last group is not looked
    at. Source: lib_nn, api/nn_bso.h.
    """
    rows = data.astype(np.int64).transpose(1, 0, 2).reshape(_ROWS, -1)[:, :channels]
    high, low, *rest = _signed16(rows)
    return BsoColumns((high << 16) + (low & 0xFFFF), *rest)


def transform_columns(data, kinds):
    """Parameters of an output transform by kind and channel: shape (kinds, channels), int64.

    ``data`` has for each group of 16 channels those of one kind after the other; a last group of
    fewer channels is packed. Source: lib_nn 0.4.0, src/cpp/filt2d/OutputTransformFn.cpp.
    """
    group  = _LANES * kinds
    groups = [data[start:start + group].reshape(kinds, -1)
              for start in range(0, data.shape[0], group)]
    return np.concatenate(groups, axis=1).astype(np.int64)
