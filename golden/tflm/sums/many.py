# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite sums over elements with a common scale: over tensors, or along a dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import in_range, wrap
from xymac.golden.parameters.tflm.eltwise import sum_multipliers, sum_shift
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import check_factors, check_flag, check_out, check_scaled
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.moves.move import check_axis
from xymac.golden.tflm.tensor import Quantisation

if TYPE_CHECKING:
    from xymac.golden.tflm.tensor import Tensor

__all__ = ["AddN", "CumSum"]

_HALF = sum_shift(8) - 1  #: Left shift of a sum's element, with the factor 1/2.


class _ManySum(TensorLayer):
    """Sums over INT8 elements, each halved and shifted left, in 32 bits.

    As in the library, every sum starts at minus the zero point.
    """

    out: Quantisation

    def factor(self, x: Tensor) -> tuple[int, ...]:
        """Multiplier and exponent for a sum."""
        scale = x.scaling.scale
        return sum_multipliers(scale, scale, self.out.scale, 8)[2]

    def check_sum(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless sums over the elements of ``x`` can be scaled."""
        check_scaled("Input", x, "INT8")
        check_out(self.out, x.data.dtype)
        if not x.scaling.scale:
            raise ValueError("Scale of the input must be more than 0, not 0.0")
        check_factors([self.factor(x)], 0)

    def scale_sums(self, x: Tensor, sums: np.ndarray) -> Result:
        """Result for int64 sums without zero points; the shifted sums wrap at 32 bits."""
        shifted = sums - x.scaling.zero_point << _HALF
        values  = multiply_quantized(wrap(shifted, 32), *self.factor(x))
        return Result(store(x, values, self.out, Activation.NONE), not in_range(shifted, 32))


@dataclass(frozen=True)
class AddN(_ManySum):
    """ADD_N: sum of two or more INT8 tensors of equal shape, scale and zero point.

    Source: tensorflow/lite/micro/kernels/add_n.cc;
    tensorflow/lite/kernels/internal/reference/add_n.h, ``AddN``.

    Parameters
    ----------
    out : output Quantisation
    """

    out: Quantisation

    inputs     = None
    by_element = True

    def check(self, *inputs: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        if len(inputs) < 2:
            raise ValueError(f"AddN takes 2 tensors at least, not {len(inputs)}")
        self.check_sum(inputs[0])
        for number, x in enumerate(inputs):
            check_scaled(f"Input {number}", x, "INT8")
            if x.shape != inputs[0].shape:
                raise ValueError(f"Input 0 has shape {inputs[0].shape}, input {number} has "
                                 f"{x.shape}")
            if x.quantisation != inputs[0].quantisation:
                raise ValueError(f"Input {number} must have the scale and zero point of input 0, "
                                 f"{inputs[0].quantisation}, not {x.quantisation}")

    def run(self, *inputs: Tensor) -> Result:
        """Result on Tensors."""
        return self.scale_sums(inputs[0], np.sum([x.centred for x in inputs], axis=0))


@dataclass(frozen=True)
class CumSum(_ManySum):
    """CUMSUM: cumulative sums along a dimension, INT8.

    Source: tensorflow/lite/kernels/internal/reference/cumsum.h, ``CumSum``.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    out : output Quantisation
    exclusive : bool, whether a sum excludes the element at its own index
    reverse : bool, whether sums start from the last element
    """

    axis:      int
    out:       Quantisation
    exclusive: bool = False
    reverse:   bool = False

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        self.check_sum(x)
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")
        check_axis(self.axis, x.data.ndim)
        check_flag("exclusive", self.exclusive)
        check_flag("reverse", self.reverse)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = x.centred
        turned = np.flip(values, self.axis) if self.reverse else values
        sums   = np.cumsum(turned, self.axis)
        sums   = np.flip(sums, self.axis) if self.reverse else sums
        if self.exclusive:
            sums = sums - values
        return self.scale_sums(x, sums)
