"""Operators of TensorFlow Lite that reduce dimensions."""

from dataclasses import dataclass
from math import prod

import numpy as np

from golden.checks import check_ints, check_kind
from golden.fixed import in_range, wrap
from golden.kinds import WorkUnit
from golden.parameters.tflm.mean import mean_multiplier
from golden.parameters.tflm.multiplier import EXPONENT_MAX
from golden.parameters.tflm.options import Activation
from golden.result import Result
from golden.tflm.arithmetic import multiply_quantized
from golden.tflm.checks import check_factors, check_flag, check_out, check_scaled
from golden.tflm.layer import TensorLayer
from golden.tflm.limits import store
from golden.tflm.tensor import Quantisation

__all__ = ["Mean"]


@dataclass(frozen=True)
class Mean(TensorLayer):
    """MEAN: mean along dimensions, INT8 or INT16, in the scale of the output. Sums have 32 bits.

    Source: tensorflow/lite/micro/kernels/reduce_common.cc;
    tensorflow/lite/kernels/internal/reference/reduce.h, ``QuantizedMeanOrSum``.

    Parameters
    ----------
    axes : tuple of int, dimensions; negative ones count from behind, and one may be named twice
    out : Quantisation of the output
    keep_dims : bool, whether these dimensions stay, of size 1
    """

    axes:      tuple
    out:       Quantisation
    keep_dims: bool = False

    work_unit = WorkUnit.LANES

    def dimensions(self, x_shape):
        """The dimensions, each once, from 0 on and in order."""
        return tuple(sorted({axis % len(x_shape) for axis in self.axes}))

    def count(self, x_shape):
        """Elements of a mean."""
        return prod(x_shape[axis] for axis in self.dimensions(x_shape))

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        gone = self.dimensions(x_shape)
        return tuple(1 if axis in gone else size for axis, size in enumerate(x_shape)
                     if self.keep_dims or axis not in gone)

    def work(self, x_shape):
        """Elements of the input."""
        return prod(x_shape)

    def factor(self, x):
        """Multiplier and exponent from a sum to the output."""
        return mean_multiplier(x.quantisation.scale, self.out.scale, self.count(x.shape))

    def check(self, x):
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8", "INT16")
        check_kind("axes", self.axes, tuple)
        check_ints("axes", self.axes, len(self.axes))
        rank = x.data.ndim
        for axis in self.axes:
            if not -rank <= axis < rank:
                raise ValueError(f"axes must be between {-rank} and {rank - 1}, not {axis}")
        check_flag("keep_dims", self.keep_dims)
        check_out(self.out, x.data.dtype)
        check_factors([self.factor(x)], EXPONENT_MAX)

    def run(self, x):
        """Result on the Tensor ``x``."""
        sums    = x.data.astype(np.int64).sum(axis=self.dimensions(x.shape),
                                              keepdims=self.keep_dims)
        centred = wrap(sums - self.count(x.shape) * x.quantisation.zero_point, 32)
        values  = multiply_quantized(centred, *self.factor(x))
        return Result(store(x, values, self.out, Activation.NONE),
                      not in_range(sums, 32))
