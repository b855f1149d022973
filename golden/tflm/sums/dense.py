# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite fully connected operator."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from xymac.golden.checks import check_kind, check_rank
from xymac.golden.fixed import matmul
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.tflm.checks import check_flag, check_scaled
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .linear import Weighted

if TYPE_CHECKING:
    from xymac.golden.result import Result

__all__ = ["FullyConnected"]

_BIASES   = (("INT32",), ("INT32", "INT64"))
_DISTANCE = 0.02  #: Tolerance of a bias scale relative to the product scale, output steps.


@dataclass(frozen=True)
class FullyConnected(Weighted):
    """FULLY_CONNECTED: product of input rows with a matrix, INT8, or INT16 with INT8 weights.

    INT16 without a bias, or with an INT64 bias, has 64-bit sums and 15-bit factors. INT16 with an
    INT32 bias, or without a bias and with ``short_sums``, has 32-bit sums and 31-bit factors, as
    INT8. Weights with a single scale can have a zero point.
    Source: tensorflow/lite/micro/kernels/fully_connected.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs); scales along dimension 0, or one scale
    bias : Tensor, shape (outputs,), INT32, for INT16 also INT64; or None. With a single weight
        scale, the bias scale must equal input scale * weight scale within 0.02 output steps.
    out : output Quantisation
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    keep_num_dims : bool, whether the output keeps all input dimensions but the last; else it has 2
        dimensions
    short_sums : bool, for INT16 without a bias: whether ``quantized_bias_type`` is INT32
    """

    weights:       Tensor
    bias:          Tensor | None
    out:           Quantisation
    activation:    Activation = Activation.NONE
    keep_num_dims: bool = False
    short_sums:    bool = False

    work_unit = WorkUnit.PRODUCTS
    has_zeros = True

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        outputs, inputs = self.weights.shape
        if self.keep_num_dims:
            return (*x_shape[:-1], outputs)
        return prod(x_shape) // inputs, outputs

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Products."""
        return prod(x_shape) * self.weights.shape[0]

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8", "INT16")
        check_kind("weights", self.weights, Tensor)
        check_rank("Weights", self.weights, 2)
        check_flag("keep_num_dims", self.keep_num_dims)
        inputs = self.weights.shape[1]
        if self.keep_num_dims and x.shape[-1:] != (inputs,):
            raise ValueError(f"Weights have {inputs} inputs, the last dimension of the input is "
                             f"{x.shape[-1] if x.shape else 'none'}")
        if x.data.size % inputs:
            raise ValueError(f"Elements of the input must be a multiple of the {inputs} inputs of "
                             f"the weights, not {x.data.size}")
        self.check_weighted(x, self.weights.shape[0], 0, _BIASES)
        self._check_bias_scale(x)

    def _check_bias_scale(self, x):
        scales = self.weights.scaling.scales
        if self.bias is None or len(scales) > 1:
            return
        kind  = self.bias.quantisation
        scale = 0.0 if kind is None else kind.scale
        steps = abs(x.scaling.scale * self.weights.scaling.scale - scale) / self.out.scale
        if steps > _DISTANCE:
            raise ValueError(f"Scale of the bias must be that of input times weights, within "
                             f"{_DISTANCE} steps of the output, not {steps:g} steps away")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        rows = self.centre(x)
        sums = matmul(rows.reshape(-1, self.weights.shape[1]), self.factors_of_input.T)
        return self.finish(x, sums.reshape(self.output_shape(x.shape)))
