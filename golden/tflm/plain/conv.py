# SPDX-License-Identifier: Apache-2.0
"""float32 convolutions and matrix products as the host computes them, in the library's order."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_kind, check_rank, check_windows
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.tflm.options import Activation, Padding
from xymac.golden.parameters.tflm.windows import pads_of
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_flag, check_steps, check_types
from xymac.golden.tflm.eltwise import NAMES
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.shapes import ConvShapes, MatmulShapes
from xymac.golden.tflm.tensor import Tensor

from .limits import limit_real
from .windows import each_tap

__all__ = ["PlainConv", "PlainDepthwise", "PlainMatmul", "PlainTransposeConv"]


@dataclass(frozen=True)
class _Conv(ConvShapes, TensorLayer):
    """Base class for the FLOAT32 convolutions, layout NHWC; parameters as in ``Conv2d``."""

    weights:    Tensor
    bias:       Tensor | None
    stride:     tuple[int, ...] = (1, 1)
    padding:    Padding = Padding.VALID
    dilation:   tuple[int, ...] = (1, 1)
    activation: Activation = Activation.NONE

    out = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        for name, tensor in (("Input", x), ("Weights", self.weights)):
            check_types(name, tensor, "FLOAT32")
            check_rank(name, tensor, 4)
        if self.bias is not None:
            check_types("Bias", self.bias, "FLOAT32")
            check_rank("Bias", self.bias, 1)
        check_steps("stride", self.stride)
        check_steps("dilation", self.dilation)
        check_kind("padding", self.padding, Padding)
        check_kind("activation", self.activation, Activation)
        self._check_shapes(x)
        if self.bias is not None and self.bias.shape != (self.outputs,):
            raise ValueError(f"Bias must have shape {(self.outputs,)}, one value per output, "
                             f"not {self.bias.shape}")

    def _check_shapes(self, x):
        """Raise unless windows and channels fit the input."""
        check_windows(self.kernel, self.stride, self.pads(x.shape), x.shape[1:3])
        channels, depth = x.shape[3], self.weights.shape[3]
        if channels % depth:
            raise ValueError(f"Input channels must be a multiple of the weights' {depth} channels, "
                             f"not {channels}")
        if self.outputs % (channels // depth):
            raise ValueError(f"Outputs must be a multiple of the {channels // depth} groups, "
                             f"not {self.outputs}")

    @abstractmethod
    def _add(self, sums, row, column, elements, inside):
        """``sums`` plus the products of the kernel tap (row, column), where ``inside`` is True.

        ``elements`` (N, rows, columns, channels) are the input elements under the tap.
        """

    def _sum(self, x):
        """Sums of products without the bias, float32 (N, rows, columns, outputs)."""
        shape  = self.output_shape(x.shape)
        firsts = tuple(np.arange(count) * step - pad for count, step, pad
                       in zip(shape[1:3], self.stride, self.pads(x.shape)[::2], strict=True))
        sums   = np.zeros(shape, np.float32)
        for tap in each_tap(x.data, firsts, self.weights.shape[1:3], self.dilation):
            sums = self._add(sums, *tap)
        return sums

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        with np.errstate(all="ignore"):
            sums = self._sum(x)
            if self.bias is not None:
                sums = sums + self.bias.data
        return Result(Tensor(np.asarray(limit_real(np.asarray(sums), self.activation), np.float32)),
                      overflow=False)


class PlainConv(_Conv):
    """CONV_2D, FLOAT32; input channels may form groups.

    Source: tensorflow/lite/kernels/internal/reference/conv.h, ``Conv``.
    """

    work_unit = WorkUnit.PRODUCTS

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Number of products; taps on the padding count."""
        return int(np.prod(self.output_shape(x_shape)) * np.prod(self.weights.shape[1:]))

    def _add(self, sums, row, column, elements, inside):
        depth  = self.weights.shape[3]
        groups = elements.shape[3] // depth
        firsts = np.arange(self.outputs) // (self.outputs // groups) * depth
        for channel in range(depth):
            weights = self.weights.data[:, row, column, channel]
            sums    = np.where(inside, sums + elements[..., firsts + channel] * weights, sums)
        return sums


class PlainDepthwise(_Conv):
    """DEPTHWISE_CONV_2D, FLOAT32; weights have shape (1, rows, columns, outputs).

    Source: tensorflow/lite/kernels/internal/reference/depthwiseconv_float.h.
    """

    _axis = 3

    def _check_shapes(self, x):
        check_windows(self.kernel, self.stride, self.pads(x.shape), x.shape[1:3])
        if self.weights.shape[0] != 1 or self.outputs % x.shape[3]:
            raise ValueError(f"Weights must have size 1 along dimension 0 and a multiple of the "
                             f"{x.shape[3]} input channels along dimension 3, "
                             f"not shape {self.weights.shape}")

    def _add(self, sums, row, column, elements, inside):
        repeated = np.repeat(elements, self.outputs // elements.shape[3], axis=3)
        return np.where(inside, sums + repeated * self.weights.data[0, row, column], sums)


@dataclass(frozen=True)
class PlainTransposeConv(_Conv):
    """TRANSPOSE_CONV, FLOAT32; parameters as in ``TransposeConv``.

    Sums run over input rows, columns and channels, in this order.
    Source: tensorflow/lite/kernels/internal/reference/transpose_conv.h, ``TransposeConv``.
    """

    sizes: tuple[int, ...] = (1, 1)

    work_unit = WorkUnit.PRODUCTS

    def pads(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output padding: (top, bottom, left, right), elements."""
        return pads_of(self.padding, self.sizes, self.kernel, self.stride)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return (x_shape[0], *self.sizes, self.outputs)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Number of products; products beyond the output's edges count."""
        return int(np.prod(x_shape) * np.prod(self.weights.shape[:3]))

    def _check_shapes(self, x):
        check_steps("sizes", self.sizes)
        if self.dilation != (1, 1):
            raise ValueError(f"Dilation of a transposed convolution must be (1, 1), "
                             f"not {self.dilation}")
        if self.weights.shape[3] != x.shape[3]:
            raise ValueError(f"Weights have {self.weights.shape[3]} input channels, input has "
                             f"{x.shape[3]}")

    def _sum(self, x):
        sums = np.zeros(self.output_shape(x.shape), np.float32)
        rows, columns = self.weights.shape[1:3]
        for row in reversed(range(rows)):
            for column in reversed(range(columns)):
                sums = self._add(sums, row, column, *self._elements(x, row, column))
        return sums

    def _elements(self, x, row, column):
        """(input elements that a tap multiplies for each output, mask of outputs with such an
        element).
        """
        indices, inside = [], []
        for out_size, in_size, step, tap, pad in zip(self.sizes, x.shape[1:3], self.stride,
                                                     (row, column), self.pads(x.shape)[::2],
                                                     strict=True):
            steps = np.arange(out_size) + pad - tap
            inside.append((steps % step == 0) & (steps >= 0) & (steps // step < in_size))
            indices.append(np.clip(steps // step, 0, in_size - 1))
        return (x.data[:, indices[0][:, None], indices[1][None, :]],
                (inside[0][:, None] & inside[1][None, :])[..., None])

    def _add(self, sums, row, column, elements, inside):
        for channel in range(elements.shape[3]):
            weights = self.weights.data[:, row, column, channel]
            sums    = np.where(inside, sums + elements[..., channel, None] * weights, sums)
        return sums


@dataclass(frozen=True)
class PlainMatmul(MatmulShapes, TensorLayer):
    """BATCH_MATMUL, FLOAT32; the leading dimensions broadcast.

    Source: tensorflow/lite/kernels/internal/reference/batch_matmul.h, ``BatchMatMul``.

    Parameters
    ----------
    adj_x, adj_y : bool, whether the first and the second input's matrices are transposed
    """

    adj_x: bool = False
    adj_y: bool = False

    inputs    = 2
    out       = None
    work_unit = WorkUnit.PRODUCTS

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process ``a`` and ``b``."""
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "FLOAT32")
            if x.data.ndim < 2:
                raise ValueError(f"{name} must have at least 2 dimensions, not {x.data.ndim}")
        check_flag("adj_x", self.adj_x)
        check_flag("adj_y", self.adj_y)
        self.check_shapes(a, b)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        first  = np.swapaxes(a.data, -1, -2) if self.adj_x else a.data
        second = np.swapaxes(b.data, -1, -2) if self.adj_y else b.data
        sums   = np.zeros(self.output_shape(a.shape, b.shape), np.float32)
        with np.errstate(all="ignore"):
            for index in range(first.shape[-1]):
                sums = sums + first[..., index, None] * second[..., index, None, :]
        return Result(Tensor(np.asarray(sums, np.float32)), overflow=False)
