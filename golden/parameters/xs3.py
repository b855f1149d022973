"""What the XS3 library derives: divisors of means, and parameters by channel."""

from dataclasses import dataclass

import numpy as np

__all__ = ["BLOCK", "SHIFT_MAX", "BsoColumns", "bso_columns", "mean_factor", "transform_columns"]

BLOCK     = 32  #: Products of 8 bits that one instruction adds, with one saturation.
SHIFT_MAX = 31  #: Of a 32-bit accumulator, bits.

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
