"""Convolutions of TensorFlow Lite, layout NHWC."""

from dataclasses import dataclass

import numpy as np

from golden.checks import check_kind, check_rank, check_windows
from golden.kinds import WorkUnit
from golden.parameters.tflm.options import Activation, Padding
from golden.parameters.tflm.windows import pads_of
from golden.tflm.checks import check_image, check_steps
from golden.tflm.tensor import Quantisation, Tensor
from golden.windows import count_inside, count_taps, count_windows

from .linear import Weighted
from .products import window_products

__all__ = ["Conv2d", "DepthwiseConv2d", "TransposeConv"]


@dataclass(frozen=True)
class _Conv(Weighted):
    """What convolutions have in common; the subclass says how the weights lie."""

    weights:    Tensor
    bias:       Tensor | None
    out:        Quantisation
    stride:     tuple = (1, 1)
    padding:    Padding = Padding.VALID
    dilation:   tuple = (1, 1)
    activation: Activation = Activation.NONE

    _biases = (("INT32",), ("INT64",))  #: Types of a bias of INT8 and of INT16.
    _axis   = 0                         #: Of the outputs in the weights.

    @property
    def outputs(self):
        """Channels of the output."""
        return self.weights.shape[self._axis]

    @property
    def kernel(self):
        """Rows and columns that the kernel spans, dilated."""
        return tuple((size - 1) * step + 1 for size, step
                     in zip(self.weights.shape[1:3], self.dilation, strict=True))

    def pads(self, x_shape):
        """(top, bottom, left, right) of the padding of an input of ``x_shape``, elements."""
        return pads_of(self.padding, x_shape[1:3], self.kernel, self.stride)

    def output_shape(self, x_shape):
        """Output shape for a valid input of ``x_shape``."""
        windows = count_windows(x_shape[1:3], self.kernel, self.stride, self.pads(x_shape))
        return (x_shape[0], *windows, self.outputs)

    def _count_taps(self, x_shape):
        return x_shape[0] * count_taps(x_shape[1:3], self.weights.shape[1:3], self.stride,
                                       self.pads(x_shape), self.dilation)

    def check(self, x):
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

    def _check_windows(self, x):
        check_windows(self.kernel, self.stride, self.pads(x.shape), x.shape[1:3])

    def _filters(self):
        """Weights (outputs, rows, columns, channels of a group), int64."""
        return self.weights.data.astype(np.int64)

    def run(self, x):
        """Result on the Tensor ``x``."""
        return self.finish(x, window_products(
            self.centre(x), self._filters(), self.pads(x.shape), self.stride, self.dilation))


@dataclass(frozen=True)
class Conv2d(_Conv):
    """CONV_2D: 2-D convolution, also of groups of channels, INT8 or INT16 with weights of INT8.

    INT16 without a bias, or with one of INT64, has sums of 64 bits and factors of 15; with one of
    INT32, or without one if ``short_sums``, it has sums of 32 bits and factors of 31, as INT8.
    Source: tensorflow/lite/micro/kernels/conv.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/conv.h, ``ConvPerChannel``.

    Parameters
    ----------
    weights : Tensor, shape (outputs, rows, columns, channels), or channels of a group; scales along
        dimension 0, or one
    bias : Tensor, shape (outputs,), INT32, of INT16 also INT64; its scale is not looked at; or None
    out : Quantisation of the output
    stride : (rows, columns), elements, at least 1
    padding : Padding
    dilation : (rows, columns), elements from tap to tap, at least 1
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    short_sums : bool, of INT16 without a bias: whether ``quantized_bias_type`` is INT32
    """

    short_sums: bool = False

    work_unit = WorkUnit.PRODUCTS

    _biases = (("INT32",), ("INT32", "INT64"))

    def work(self, x_shape):
        """Number of products, without taps on the padding."""
        return self._count_taps(x_shape) * self.weights.shape[3] * self.outputs

    def _check_channels(self, channels):
        taken = self.weights.shape[3]
        if channels % taken:
            raise ValueError(f"Channels of the input must be a multiple of the {taken} of the "
                             f"weights, not {channels}")
        if self.outputs % (channels // taken):
            raise ValueError(f"Outputs must be a multiple of the {channels // taken} groups, "
                             f"not {self.outputs}")


class DepthwiseConv2d(_Conv):
    """DEPTHWISE_CONV_2D: every channel has kernels of its own, its outputs lie side by side.

    INT16 has sums of 64 bits and factors of 15, INT8 sums of 32 and factors of 31.
    Source: tensorflow/lite/micro/kernels/depthwise_conv.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/depthwise_conv.h.

    Parameters as in ``Conv2d``, but

    weights : shape (1, rows, columns, outputs), outputs a multiple of the channels; scales along
        dimension 3, or one
    bias : INT32, of INT16 INT64; or None
    """

    work_unit = WorkUnit.LANES

    _axis = 3

    def work(self, x_shape):
        """Number of products, without taps on the padding."""
        return self._count_taps(x_shape) * self.outputs

    def unit_on(self, x_shape):
        """Products a lane; of several outputs a channel, which share its elements, any products."""
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
    """TRANSPOSE_CONV: a convolution backwards, every element adds its kernel to the output.

    INT16 has sums of 64 bits and factors of 15, INT8 sums of 32 and factors of 31.
    Source: tensorflow/lite/micro/kernels/transpose_conv.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/transpose_conv.h.

    Parameters as in ``Conv2d``, without groups and dilation; ``stride`` and ``padding`` are those
    of the convolution from output to input, and

    bias : INT32, of INT16 INT64 or INT16; or None
    sizes : (rows, columns) of the output; what kernels do not reach is the bias
    """

    sizes: tuple = (1, 1)

    work_unit = WorkUnit.PRODUCTS

    _biases = (("INT32",), ("INT16", "INT64"))

    def pads(self, x_shape):
        """(top, bottom, left, right) of the padding of the output, elements."""
        return pads_of(self.padding, self.sizes, self.kernel, self.stride)

    def output_shape(self, x_shape):
        """Output shape for a valid input of ``x_shape``."""
        return (x_shape[0], *self.sizes, self.outputs)

    def work(self, x_shape):
        """Products that land in the output."""
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

    def run(self, x):
        """Result on the Tensor ``x``.

        It is the convolution of the image, spread with zeros by the stride, and the mirrored
        kernel, cut to the output.
        """
        down, right  = self.stride
        top, _, left, _ = self.pads(x.shape)
        image  = self.centre(x)  # those that the output has room for
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
