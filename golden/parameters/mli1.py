# SPDX-License-Identifier: Apache-2.0
"""Shifts, limits and options that MLI 1.x derives from its tensor formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.fixed import container
from xymac.golden.kinds import Relu
from xymac.hdl.isa import AccumulatorRange

if TYPE_CHECKING:
    from xymac.golden.mli1.tensor import Tensor

__all__ = ["GATES", "acc_range", "bias_shift", "dense_frac_bits", "out_shift", "relu_limits",
           "takes_larger"]

GATES = 4  #: LSTM gates in order: input, new cell candidates, forget, output.

_INTEGER_BITS = 4   #: Integer bits of an activation argument, with the sign.
_WRAPPED      = 15  #: Fractional bits with which the library's 1.0 wraps to -1.0.


def acc_range(bits: int) -> AccumulatorRange:
    """AccumulatorRange for weights (or elements, if there are no weights) with ``bits`` bits.

    40 bits for fx16; 32 bits for fx8 and fx8w16d.
    """
    return AccumulatorRange.BITS40 if bits == 16 else AccumulatorRange.BITS32


def bias_shift(x: Tensor, weights: Tensor, bias: Tensor) -> int:
    """Left shift that aligns the bias with the products, bits."""
    return x.frac_bits + weights.frac_bits - bias.frac_bits


def out_shift(x: Tensor, weights: Tensor, out_frac_bits: int) -> int:
    """Right shift from accumulator to output, bits; negative shifts left."""
    return x.frac_bits + weights.frac_bits - out_frac_bits


def dense_frac_bits(bits: int) -> int:
    """Fractional bits of an activation argument in a recurrent cell with ``bits``-bit elements."""
    return bits - _INTEGER_BITS


def relu_limits(relu: Relu, frac_bits: int, bits: int) -> tuple[int, int]:
    """Lowest and highest output within ``bits`` bits, inclusive.

    Source: embARC MLI 1.1, private/mli_prv_tensor.h, ``mli_prv_get_relu_min_max``; where the
    library's 32-bit integers overflow, this function saturates.
    """
    low, high = container(bits)
    one = 1 << frac_bits
    return {Relu.NONE:  (low, high),
            Relu.GEN:   (0, high),
            Relu.RELU1: (max(-one, low), min(one, high)),
            Relu.RELU6: (0, min(6 * one, high))}[relu]


def takes_larger(slope: Tensor, documented: bool) -> bool:
    """Whether a leaky ReLU outputs the larger of ``x`` and ``slope * x``, else the smaller.

    ``slope`` is a Tensor with one element; see ``LeakyRelu`` for ``documented``.
    Source: embARC MLI 1.1, kernels/transform/mli_krn_leaky_relu_fx.cc, private/mli_math.h.
    """
    if slope.frac_bits == _WRAPPED and not documented:
        return False
    return slope.data.item() < 1 << slope.frac_bits
