"""Fully connected operator of TensorFlow Lite."""

from dataclasses import dataclass
from math import prod

from golden.checks import check_kind, check_rank
from golden.fixed import matmul
from golden.kinds import WorkUnit
from golden.parameters.tflm.options import Activation
from golden.tflm.checks import check_flag, check_scaled
from golden.tflm.tensor import Quantisation, Tensor

from .linear import Weighted

__all__ = ["FullyConnected"]

_BIASES   = (("INT32",), ("INT32", "INT64"))
_DISTANCE = 0.02  #: Of the scale of a bias from that of the products, steps of the output.


@dataclass(frozen=True)
class FullyConnected(Weighted):
    """FULLY_CONNECTED: products of rows of the input and a matrix, INT8 or INT16 with INT8.

    INT16 without a bias, or with one of INT64, has sums of 64 bits and factors of 15; with one of
    INT32, or without one if ``short_sums``, it has sums of 32 bits and factors of 31, as INT8.
    A zero point of weights counts where they have one scale.
    Source: tensorflow/lite/micro/kernels/fully_connected.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h.

    Parameters
    ----------
    weights : Tensor, shape (outputs, inputs); scales along dimension 0, or one
    bias : Tensor, shape (outputs,), INT32, of INT16 also INT64; or None. With one scale of the
        weights its scale must be that of input times weights, within 0.02 of the output's.
    out : Quantisation of the output
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    keep_num_dims : bool, whether the output has all dimensions of the input but the last one; else
        it has two
    short_sums : bool, of INT16 without a bias: whether ``quantized_bias_type`` is INT32
    """

    weights:       Tensor
    bias:          Tensor | None
    out:           Quantisation
    activation:    Activation = Activation.NONE
    keep_num_dims: bool = False
    short_sums:    bool = False

    work_unit = WorkUnit.PRODUCTS
    has_zeros = True

    def output_shape(self, x_shape):
        """Output shape for a valid input of ``x_shape``."""
        outputs, inputs = self.weights.shape
        if self.keep_num_dims:
            return (*x_shape[:-1], outputs)
        return prod(x_shape) // inputs, outputs

    def work(self, x_shape):
        """Products."""
        return prod(x_shape) * self.weights.shape[0]

    def check(self, x):
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
        scales = self.weights.quantisation.scales
        if self.bias is None or len(scales) > 1:
            return
        kind  = self.bias.quantisation
        scale = 0.0 if kind is None else kind.scale
        steps = abs(x.quantisation.scale * scales[0] - scale) / self.out.scale
        if steps > _DISTANCE:
            raise ValueError(f"Scale of the bias must be that of input times weights, within "
                             f"{_DISTANCE} steps of the output, not {steps:g} steps away")

    def run(self, x):
        """Result on the Tensor ``x``."""
        rows = self.centre(x)
        sums = matmul(rows.reshape(-1, self.weights.shape[1]), self.factors_of_input.T)
        return self.finish(x, sums.reshape(self.output_shape(x.shape)))
