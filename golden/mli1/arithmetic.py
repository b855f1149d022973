# SPDX-License-Identifier: Apache-2.0
"""Fixed-point arithmetic for MLI 1.x: aligned biases, rounding shifts, finished sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import in_range, saturate, wrap
from xymac.golden.result import Result
from xymac.hdl.isa import ACC_BITS, AccumulatorRange, RoundMode

from .checks import BIAS_SHIFT_MAX
from .tensor import Tensor

if TYPE_CHECKING:
    from .linear import Linear

__all__ = ["ACC_RANGE_BITS", "align_bias", "finish", "shift_round"]

ACC_RANGE_BITS = {AccumulatorRange.BITS32: 32, AccumulatorRange.BITS40: ACC_BITS}


def align_bias(bias: Tensor, shift: int) -> np.ndarray:
    """Bias tensor at the products' binary point, int64.

    ``bias * 2**shift``: saturated to 32 bits if the bias has 8, exact (at most 47 bits) if it
    has 16. Source: embARC MLI 1.1, private/mli_prv_dsp.h, bias initialisation.
    """
    if bias.bits == 8:
        # From 31 bits on a shift saturates every value but 0: no need for a wider one.
        return saturate(bias.data.astype(np.int64) << min(shift, 31), 32)
    if shift > BIAS_SHIFT_MAX:
        raise OverflowError(f"Bias shift must be at most {BIAS_SHIFT_MAX} bits, not {shift}")
    return bias.data.astype(np.int64) << shift


def shift_round(acc: np.ndarray, shift: int, rounding: RoundMode,
                limits: tuple[int, int]) -> np.ndarray:
    """Divide ``acc`` by ``2**shift``, round, clip to ``limits``.

    Parameters
    ----------
    acc : int64 array, at most ``ACC_BITS`` bits; OverflowError beyond
    shift : int, bits, any size; negative multiplies exactly before clipping
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


def finish(layer: Linear, x: Tensor, sums: np.ndarray) -> Result:
    """Convert exact sums, bias included, to the Result of ``layer`` on the Tensor ``x``.

    The overflow flag tells whether any sum left the library's accumulator range; the output then
    uses the sum's low ``ACC_BITS`` bits, as in the hardware.
    """
    overflow = not in_range(sums, ACC_RANGE_BITS[layer.acc_range(x)])
    values = shift_round(wrap(sums, ACC_BITS), layer.out_shift(x), layer.rounding, layer.limits(x))
    return Result(Tensor(values.astype(x.data.dtype), layer.out_frac_bits), overflow)
