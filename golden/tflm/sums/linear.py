# SPDX-License-Identifier: Apache-2.0
"""From exact sums of products to outputs: bias, factor, zero point, limits."""

from __future__ import annotations

import numpy as np

from xymac.golden.fixed import in_range, wrap
from xymac.golden.parameters.tflm.linear import output_multipliers
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX, EXPONENT_MAX_LONG
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized, multiply_quantized_long
from xymac.golden.tflm.checks import (
    check_activation,
    check_factors,
    check_flag,
    check_out,
    check_types,
)
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import clip
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["Weighted"]

_LONG_BITS = 48  #: Sum width for which the library's 15-bit factor is made.


class Weighted(TensorLayer):
    """A layer with weights, a bias or None, and a fused activation.

    Members
    -------
    short_sums : bool, for INT16 without a bias: whether sums have 32 bits
    has_zeros : bool, whether INT16 elements and whole weights can have zero points; else they are
        treated as 0, but the output's zero point still moves the activation limits
    """

    weights:    Tensor
    bias:       Tensor | None
    out:        Quantisation
    activation: Activation
    short_sums = False
    has_zeros  = False

    def data_type(self, x: Tensor) -> str:
        """Input, weight and bias types as the schema spells them."""
        names = [tensor.type_name for tensor in (x, self.weights, self.bias) if tensor is not None]
        return names[0] if len(set(names)) == 1 else "_".join(names)

    def is_long(self, x: Tensor) -> bool:
        """Whether sums for a first input ``x`` have 64 bits and factors 15, else 32 and 31."""
        if self.bias is None:
            return x.type_name == "INT16" and not self.short_sums
        return x.type_name == "INT16" and self.bias.type_name != "INT32"

    def input_zero(self, x: Tensor) -> int:
        """Zero point that ``centre`` subtracts from the elements in an input like ``x``."""
        return x.scaling.zero_point if self.has_zeros or x.bits == 8 else 0

    def centre(self, x: Tensor) -> np.ndarray:
        """Elements of the Tensor ``x`` minus ``input_zero``, int64."""
        return x.data.astype(np.int64) - self.input_zero(x)

    def output_zero(self, x: Tensor) -> int:
        """Zero point that is added to scaled sums for an input like ``x``, an int."""
        return self.out.zero_point if self.has_zeros or x.bits == 8 else 0

    @property
    def factors_of_input(self) -> np.ndarray:
        """Weights minus their zero point, int64."""
        kind = self.weights.scaling
        zero = kind.zero_point if self.has_zeros and kind.axis < 0 else 0
        return self.weights.data.astype(np.int64) - zero

    def factors(self, x: Tensor) -> tuple[tuple[int, ...], ...]:
        """(multiplier, exponent) for every weight scale, a tuple of pairs."""
        return output_multipliers(x.scaling.scale, self.weights.scaling.scales,
                                  self.out.scale)

    def check_weighted(self, x: Tensor, outputs: int, axis: int,
                       biases: tuple[tuple[str, ...], ...]) -> None:
        """Raise unless weights with ``outputs`` along ``axis``, bias and output fit ``x``.

        ``biases`` holds two tuples of bias types: for INT8 and for INT16.
        """
        check_types("Weights", self.weights, "INT8")
        kind = self.weights.quantisation
        if kind is None:
            raise ValueError("Weights must have a scale, but have none")
        if kind.axis not in (-1, axis):
            raise ValueError(f"Scales of weights must be along dimension {axis}, not {kind.axis}")
        if self.bias is not None:
            check_types(f"Bias of {x.type_name}", self.bias, *biases[x.bits == 16])
            if self.bias.shape != (outputs,):
                raise ValueError(f"Bias must have shape {(outputs,)}, one value per output, "
                                 f"not {self.bias.shape}")
        check_out(self.out, x.data.dtype)
        check_activation(self.activation, self.out, x.data.dtype)
        check_flag("short_sums", self.short_sums)
        check_factors(self.factors(x), EXPONENT_MAX_LONG if self.is_long(x) else EXPONENT_MAX)

    def finish(self, x: Tensor, sums: np.ndarray) -> Result:
        """Result from exact sums [..., outputs], bias not included.

        Source: tensorflow/lite/kernels/internal/reference/integer_ops, conv.h, depthwise_conv.h,
        fully_connected.h, transpose_conv.h.
        """
        multiplier, exponent = np.array(self.factors(x), np.int64).T
        bias = np.zeros(1, np.int64) if self.bias is None else self.bias.data.astype(np.int64)
        acc  = sums + bias
        if self.is_long(x):
            overflow = not (in_range(acc, _LONG_BITS) and in_range(bias, 63))
            values   = multiply_quantized_long(acc, multiplier, exponent)
        else:
            overflow = not in_range(acc, 32)
            values   = multiply_quantized(acc, multiplier, exponent)
        values = wrap(values + self.output_zero(x), 32)
        return Result(clip(x, values, self.out, self.activation), overflow)
