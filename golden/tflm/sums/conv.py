# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite convolutions, layout NHWC."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_kind, check_rank, check_windows
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.options import Activation, Padding
from xymac.golden.parameters.tflm.windows import pads_of
from xymac.golden.tflm.checks import check_image, check_steps
from xymac.golden.tflm.shapes import ConvShapes
from xymac.golden.tflm.tensor import Quantisation, Tensor
from xymac.golden.windows import count_inside, count_taps

from .linear import Weighted
from .products import window_products

if TYPE_CHECKING:
    from xymac.golden.result import Result

__all__ = ["Conv2d", "DepthwiseConv2d", "TransposeConv"]


@dataclass(frozen=True)
class _Conv(ConvShapes, Weighted):
    """Base for the convolutions; the subclass defines the weight layout."""

    weights:    Tensor
    bias:       Tensor | None
    out:        Quantisation
    stride:     tuple[int, ...] = (1, 1)
    padding:    Padding = Padding.VALID
    dilation:   tuple[int, ...] = (1, 1)
    activation: Activation = Activation.NONE

    _biases = (("INT32",), ("INT64",))  #: Bias types for INT8 and for INT16.

    def _count_taps(self, x_shape):
        return x_shape[0] * count_taps(x_shape[1:3], self.weights.shape[1:3], self.stride,
                                       self.pads(x_shape), self.dilation)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_image(x)
        check_kind("weights", self.weights, Tensor)
        check_rank("Weights", self.weights, 4)
        check_steps("stride", self.stride)
        check_steps("dilation", self.dilation)
        check_kind("padding", self.padding, Padding)
        self._check_channels(x.shape[3])
        self.check_weighted(x, self.outputs, self._axis, self._biases)
        self._check_windows(x)

    @abstractmethod
    def _check_channels(self, channels):
        """Raise unless the weights fit an input with ``channels``."""

    def _check_windows(self, x):
        check_windows(self.kernel, self.stride, self.pads(x.shape), x.shape[1:3])

    def _filters(self):
        """Weights (outputs, rows, columns, group channels), int64."""
        return self.weights.data.astype(np.int64)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        return self.finish(x, window_products(
            self.centre(x), self._filters(), self.pads(x.shape), self.stride, self.dilation))


@dataclass(frozen=True)
class Conv2d(_Conv):
    """CONV_2D: 2-D convolution, also in channel groups; INT8, or INT16 with INT8 weights.

    INT16 without a bias, or with an INT64 bias, has 64-bit sums and 15-bit factors. INT16 with an
    INT32 bias, or without a bias and with ``short_sums``, has 32-bit sums and 31-bit factors, as
    INT8.
    Source: tensorflow/lite/micro/kernels/conv.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/conv.h, ``ConvPerChannel``.

    Parameters
    ----------
    weights : Tensor, shape (outputs, rows, columns, group channels); scales along dimension 0,
        or one scale
    bias : Tensor, shape (outputs,), INT32, for INT16 also INT64, or None; its scale is ignored
    out : output Quantisation
    stride : (rows, columns), elements, at least 1
    padding : Padding
    dilation : (rows, columns), elements between consecutive taps, at least 1
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    short_sums : bool, for INT16 without a bias: whether ``quantized_bias_type`` is INT32
    """

    short_sums: bool = False

    work_unit = WorkUnit.PRODUCTS

    _biases = (("INT32",), ("INT32", "INT64"))

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count, without taps on the padding."""
        return self._count_taps(x_shape) * self.weights.shape[3] * self.outputs

    def _check_channels(self, channels):
        depth = self.weights.shape[3]
        if channels % depth:
            raise ValueError(f"Input channels must be a multiple of the weights' {depth} channels, "
                             f"not {channels}")
        if self.outputs % (channels // depth):
            raise ValueError(f"Outputs must be a multiple of the {channels // depth} groups, "
                             f"not {self.outputs}")


class DepthwiseConv2d(_Conv):
    """DEPTHWISE_CONV_2D: each channel has its own kernels; a channel's outputs are adjacent.

    INT16 has 64-bit sums and 15-bit factors, INT8 32-bit sums and 31-bit factors.
    Source: tensorflow/lite/micro/kernels/depthwise_conv.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h.

    Other parameters as in ``Conv2d``.

    Parameters
    ----------
    weights : shape (1, rows, columns, outputs), outputs a multiple of the channels; scales along
        dimension 3, or one scale
    bias : INT32, for INT16 INT64; or None
    """

    work_unit = WorkUnit.LANES

    _axis = 3

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count, without taps on the padding."""
        return self._count_taps(x_shape) * self.outputs

    def unit_on(self, x_shape: tuple[int, ...]) -> WorkUnit:
        """LANES if each channel has one output; PRODUCTS if several outputs share a channel's
        elements.
        """
        return WorkUnit.LANES if self.outputs == x_shape[3] else WorkUnit.PRODUCTS

    def _check_channels(self, channels):
        if self.weights.shape[0] != 1:
            raise ValueError(f"Depthwise weights must have shape 1 along dimension 0, "
                             f"not {self.weights.shape[0]}")
        if self.outputs % channels:
            raise ValueError(f"Outputs must be a multiple of the {channels} channels of the "
                             f"input, not {self.outputs}")

    def _filters(self):
        return super()._filters().transpose(3, 1, 2, 0)


@dataclass(frozen=True)
class TransposeConv(_Conv):
    """TRANSPOSE_CONV: transposed convolution; every input element adds its scaled kernel to the
    output.

    INT16 has 64-bit sums and 15-bit factors, INT8 32-bit sums and 31-bit factors.
    Source: tensorflow/lite/micro/kernels/transpose_conv.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/transpose_conv.h.

    Parameters as in ``Conv2d``, without groups and dilation; ``stride`` and ``padding`` belong to
    the convolution from output to input. Also

    bias : INT32, for INT16 INT64 or INT16; or None
    sizes : output (rows, columns); elements without any kernel tap equal the bias
    """

    sizes: tuple[int, ...] = (1, 1)

    work_unit = WorkUnit.PRODUCTS

    _biases = (("INT32",), ("INT16", "INT64"))

    def pads(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output padding: (top, bottom, left, right), elements."""
        return pads_of(self.padding, self.sizes, self.kernel, self.stride)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return (x_shape[0], *self.sizes, self.outputs)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Count of products that land in the output."""
        rows, columns = (
            count_inside(size, -before, (count, step), (taps, 1))
            for size, before, count, step, taps in zip(
                self.sizes, self.pads(x_shape)[::2], x_shape[1:3], self.stride,
                self.weights.shape[1:3], strict=True))
        return x_shape[0] * rows * columns * self.weights.shape[3] * self.outputs

    def _check_channels(self, channels):
        if self.weights.shape[3] != channels:
            raise ValueError(f"Weights have {self.weights.shape[3]} input channels, input has "
                             f"{channels}")

    def _check_windows(self, x):
        check_steps("sizes", self.sizes)
        if self.dilation != (1, 1):
            raise ValueError(f"Dilation of a transposed convolution must be (1, 1), "
                             f"not {self.dilation}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``.

        It is the convolution of the image, spread with zeros by the stride, and the mirrored
        kernel, cut to the output.
        """
        down, right  = self.stride
        top, _, left, _ = self.pads(x.shape)
        image  = self.centre(x)  # clipped to the output below
        image  = image[:, :-(-(self.sizes[0] + top) // down), :-(-(self.sizes[1] + left) // right)]
        count, rows, columns, channels = image.shape
        spread = np.zeros((count, (rows - 1) * down + 1, (columns - 1) * right + 1, channels),
                          np.int64)
        spread[:, ::down, ::right] = image
        taps   = self.weights.shape[1:3]
        sides  = tuple(size - 1 for size in taps for _ in range(2))
        whole  = window_products(spread, self._filters()[:, ::-1, ::-1], sides, (1, 1), (1, 1))
        inner  = whole[:, top:top + self.sizes[0], left:left + self.sizes[1]]
        sums   = np.zeros(self.output_shape(x.shape), np.int64)
        sums[:, :inner.shape[1], :inner.shape[2]] = inner
        return self.finish(x, sums)
