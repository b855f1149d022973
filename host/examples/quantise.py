# SPDX-License-Identifier: Apache-2.0
"""Fixed point from trained weights: fractional bits chosen by range, values rounded to nearest."""

import numpy as np

from xymac.golden.mli1 import Tensor

__all__ = ["FRAC_BITS_LIMIT", "choose_frac_bits", "quantise"]

FRAC_BITS_LIMIT = 15  #: Fractional bit limit, for tensors with tiny values.


def choose_frac_bits(values, *, bits=8, limit=FRAC_BITS_LIMIT):
    """Most fractional bits, 0 .. ``limit``, with which ``values`` fit ``bits`` bits unclipped.

    ValueError if not even 0 fractional bits do.
    """
    highest = (1 << bits - 1) - 1
    peak = float(np.max(np.abs(values), initial=0.0))
    for frac_bits in range(limit, -1, -1):
        if peak * 2.0 ** frac_bits < highest + 0.5:
            return frac_bits
    raise ValueError(f"Values must be within {highest} to fit {bits} bits, not {peak:g}")


def quantise(values, *, bits=8, limit=FRAC_BITS_LIMIT):
    """``values`` as a ``bits``-bit Tensor, each rounded to the nearest, halves to even."""
    frac_bits = choose_frac_bits(values, bits=bits, limit=limit)
    rounded = np.rint(np.asarray(values) * 2.0 ** frac_bits)
    return Tensor(rounded.astype({8: np.int8, 16: np.int16}[bits]), frac_bits)
