# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite pooling operators, layout NHWC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind, check_windows
from xymac.golden.fixed import in_range, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.options import Activation, Padding
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import divide_rounded
from xymac.golden.tflm.checks import check_activation, check_image, check_out, check_steps
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import clip
from xymac.golden.tflm.shapes import PoolShapes
from xymac.golden.tflm.tensor import Quantisation
from xymac.golden.windows import count_taps

if TYPE_CHECKING:
    from xymac.golden.tflm.tensor import Tensor

__all__ = ["AveragePool2d", "MaxPool2d"]

_DISTANCE = 1e-6  #: Relative tolerance between output and input scale.


@dataclass(frozen=True)
class _Pool(PoolShapes, TensorLayer):
    """Base for the pooling operators; the subclass reduces the windows."""

    kernel:     tuple[int, ...]
    out:        Quantisation
    stride:     tuple[int, ...] = (1, 1)
    padding:    Padding = Padding.VALID
    activation: Activation = Activation.NONE

    work_unit = WorkUnit.LANES

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Elements that the windows read, without the padding."""
        return x_shape[0] * x_shape[3] * count_taps(x_shape[1:3], self.kernel, self.stride,
                                                    self.pads(x_shape))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_image(x)
        check_steps("kernel", self.kernel)
        check_steps("stride", self.stride)
        check_kind("padding", self.padding, Padding)
        check_out(self.out, x.data.dtype)
        check_activation(self.activation, self.out, x.data.dtype)
        check_windows(self.kernel, self.stride, self.pads(x.shape), x.shape[1:3])
        kind = x.scaling
        if abs(kind.scale - self.out.scale) > _DISTANCE:
            raise ValueError(f"Scale of out must be that of the input, {kind.scale!r}, within "
                             f"{_DISTANCE}, not {self.out.scale!r}")
        if kind.zero_point != self.out.zero_point:
            raise ValueError(f"Zero point of out must be that of the input, {kind.zero_point}, "
                             f"not {self.out.zero_point}")

    def _reduce(self, reduce, image):
        """``reduce`` the image part of every window in an int64 image (N, H, W, C): rows, then
        columns.
        """
        windows, pads = self.output_shape(image.shape)[1:3], self.pads(image.shape)[::2]
        for axis in range(2):
            firsts = [number * self.stride[axis] - pads[axis] for number in range(windows[axis])]
            parts  = [(max(first, 0), first + self.kernel[axis]) for first in firsts]
            rows   = np.moveaxis(image, 1 + axis, 0)
            image  = np.stack([reduce(rows[first:end], axis=0) for first, end in parts], 1 + axis)
        return image


class MaxPool2d(_Pool):
    """MAX_POOL_2D: maximum over every window; padding is ignored.

    Source: tensorflow/lite/micro/kernels/pooling_common.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/pooling.h, ``MaxPool``.

    Parameters
    ----------
    kernel : (rows, columns), elements, at least 1
    out : output Quantisation: equal to the input's, the scale within 1e-6
    stride : (rows, columns), elements, at least 1
    padding : Padding
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    """

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = self._reduce(np.max, x.data.astype(np.int64))
        return Result(clip(x, values, self.out, self.activation), overflow=False)


class AveragePool2d(_Pool):
    """AVERAGE_POOL_2D: integer mean over every window, halves away from zero."""

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        sums   = self._reduce(np.sum, x.data.astype(np.int64))
        counts = self._reduce(np.sum, np.ones((1, *x.shape[1:3], 1), np.int64))
        values = divide_rounded(wrap(sums, 32), counts)
        return Result(clip(x, values, self.out, self.activation), not in_range(sums, 32))
