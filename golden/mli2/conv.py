# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 2-D convolutions, layout HWC, weights HWCN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints, check_rank, check_windows
from xymac.golden.fixed import matmul
from xymac.golden.kinds import Relu, WorkUnit
from xymac.golden.windows import count_inside, count_taps, count_windows

from .arithmetic import Build
from .checks import check_build, check_image, check_linear
from .layer import Weighted
from .limits import check_relu
from .linear import finish
from .tensor import Affine, Element, Fixed, QuantTensor

if TYPE_CHECKING:
    from xymac.golden.result import Result

__all__ = ["Conv2d", "DepthwiseConv2d", "GroupConv2d", "TransposeConv2d"]


def _check_outputs(weights, bias, axis):
    """Raise ValueError unless bias and scales have a value per output, along weight dimension
    ``axis``.
    """
    if bias.shape != weights.shape[axis:]:
        raise ValueError(f"Bias must have shape {weights.shape[axis:]}, one value per output, "
                         f"not {bias.shape}")
    if weights.is_affine and weights.affine.dim not in (-1, axis):
        raise ValueError(f"Scales of weights must be along dimension {axis}, "
                         f"not {weights.affine.dim}")


def _products(image, weights, pad, stride, dilation):
    """Sums of products over an image (H, W, C), int64 [rows, columns, outputs].

    Weights have shape (Kh, Kw, C / groups, N). The padding is 0.
    """
    top, bottom, left, right = pad
    padded = np.pad(image, ((top, bottom), (left, right), (0, 0)))
    span   = tuple((size - 1) * step + 1 for size, step in zip(weights.shape, dilation,
                                                               strict=False))
    taps   = np.lib.stride_tricks.sliding_window_view(padded, span, axis=(0, 1))
    taps   = taps[::stride[0], ::stride[1], :, ::dilation[0], ::dilation[1]]
    rows, cols, channels = taps.shape[:3]
    groups = channels // weights.shape[2]
    taps   = taps.reshape(rows * cols, groups, -1).transpose(1, 0, 2)
    kernel = weights.transpose(2, 0, 1, 3).reshape(taps.shape[2], groups, -1).transpose(1, 0, 2)
    return matmul(taps, kernel).transpose(1, 0, 2).reshape(rows, cols, -1)


@dataclass(frozen=True)
class Conv2d(Weighted):
    """2-D convolution, FX_16, FX_16 with FX_8 weights, or SA_8.

    Source: embARC MLI 2.0, kernels/convolution, ``mli_krn_conv2d_hwcn_*``.

    Parameters
    ----------
    weights : QuantTensor, shape (Kh, Kw, C, N); SA_8 weights have a single zero point, and a common
        scale or a scale per output
    bias : QuantTensor, shape (N,); an SA_32 bias has the scale input * weights
    out : Fixed or Affine, output format
    stride : (rows, columns), elements, at least 1
    pad : (top, bottom, left, right), elements of real zero, each less than the kernel
    dilation : (rows, columns), elements between consecutive taps, at least 1
    """

    weights:  QuantTensor
    bias:     QuantTensor
    out:      Fixed | Affine
    stride:   tuple[int, ...] = (1, 1)
    pad:      tuple[int, ...] = (0, 0, 0, 0)
    dilation: tuple[int, ...] = (1, 1)
    relu:     Relu = Relu.NONE
    build:    Build = Build.UP_REDUCED

    work_unit = WorkUnit.PRODUCTS

    @property
    def kernel(self) -> tuple[int, ...]:
        """Rows and columns that the dilated kernel spans."""
        return tuple((size - 1) * step + 1
                     for size, step in zip(self.weights.shape, self.dilation, strict=False))

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        windows = count_windows(x_shape[:2], self.kernel, self.stride, self.pad)
        return (*windows, self.weights.shape[3])

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count, without taps on the padding."""
        *taps, channels, outputs = self.weights.shape
        covered = count_taps(x_shape[:2], taps, self.stride, self.pad, self.dilation)
        return covered * channels * outputs

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_linear(x, self.weights, self.bias, self.out)
        check_image(x, Element.FX_16, Element.SA_8)
        check_rank("Weights", self.weights, 4)
        check_build(self.build)
        check_relu(self.relu, self.out)
        self._check_steps()
        self._check_windows(x)
        self._check_channels(x.shape[2], *self.weights.shape[2:])
        _check_outputs(self.weights, self.bias, 3)

    def _check_steps(self):
        for name, count in (("stride", 2), ("pad", 4), ("dilation", 2)):
            check_ints(name, getattr(self, name), count)
        if min(self.dilation) < 1:
            raise ValueError(f"Dilation must be at least 1, not {min(self.dilation)}")

    def _check_windows(self, x):
        check_windows(self.kernel, self.stride, self.pad, x.shape[:2])

    def _check_channels(self, channels, taken, outputs):
        if taken != channels:
            raise ValueError(f"Weights have {taken} input channels, input has {channels}")

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        sums = _products(x.centred, self.weights.centred, self.pad, self.stride, self.dilation)
        return finish(self, x, sums, self.relu)


class GroupConv2d(Conv2d):
    """2-D convolution in which each channel group has its own weights.

    Parameters as in ``Conv2d``; the weights' input channels are a group's channels.
    Source: embARC MLI 2.0, kernels/convolution, ``mli_krn_group_conv2d_hwcn_*``.
    """

    def _check_channels(self, channels, taken, outputs):
        if channels % taken:
            raise ValueError(f"Channels of the input must be a multiple of the {taken} of a group, "
                             f"not {channels}")
        if outputs % (channels // taken):
            raise ValueError(f"Outputs must be a multiple of the {channels // taken} groups, "
                             f"not {outputs}")


class DepthwiseConv2d(Conv2d):
    """2-D convolution in which each channel has its own kernel.

    Parameters as in ``Conv2d``, with weight shape (Kh, Kw, 1, C).
    Source: embARC MLI 2.0, kernels/convolution, ``mli_krn_depthwise_conv2d_hwcn_*``.
    """

    work_unit = WorkUnit.LANES

    def _check_channels(self, channels, taken, outputs):
        if taken != 1:
            raise ValueError(f"Depthwise weights must have 1 input channel, not {taken}")
        if outputs != channels:
            raise ValueError(f"Depthwise weights have {outputs} channels, input has {channels}")


class TransposeConv2d(Conv2d):
    """Transposed 2-D convolution: every input element adds its scaled kernel to the output.

    Parameters as in ``Conv2d``; ``stride`` is the output stride, ``pad`` the rows and columns to
    cut from the output edges, each less than the kernel. There is no dilation.
    Source: embARC MLI 2.0, kernels/convolution, ``mli_krn_transpose_conv2d_hwcn_*``.
    """

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, int, int]:
        """Output shape for the input shape ``x_shape``."""
        rows, cols = ((x_shape[axis] - 1) * self.stride[axis] + self.weights.shape[axis]
                      - sum(self.pad[2 * axis:2 * axis + 2]) for axis in (0, 1))
        return rows, cols, self.weights.shape[3]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Number of products within the output."""
        *taps, channels, outputs = self.weights.shape
        rows, cols = (
            count_inside(size, -self.pad[2 * axis], (x_shape[axis], self.stride[axis]),
                         (taps[axis], 1))
            for axis, size in enumerate(self.output_shape(x_shape)[:2]))
        return rows * cols * channels * outputs

    def _check_windows(self, x):
        if self.dilation != (1, 1):
            raise ValueError(f"Dilation of a transposed convolution must be (1, 1), "
                             f"not {self.dilation}")
        if min(self.stride) < 1:
            raise ValueError(f"Stride must be at least 1, not {min(self.stride)}")
        for axis, name in enumerate(("rows", "columns")):
            size = self.weights.shape[axis]
            for side in self.pad[2 * axis:2 * axis + 2]:
                if not 0 <= side < size:
                    raise ValueError(f"Padding of {name} must be between 0 and {size - 1}, less "
                                     f"than the kernel, not {side}")
            if self.output_shape(x.shape)[axis] < 1:
                raise ValueError(f"The output must have at least 1 of {name}, "
                                 f"not {self.output_shape(x.shape)[axis]}")

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``.

        The image, with ``stride - 1`` zeros between its elements, is convolved with the mirrored
        kernel.
        """
        rows, cols, channels = x.shape
        down, right = self.stride
        spread = np.zeros(((rows - 1) * down + 1, (cols - 1) * right + 1, channels), np.int64)
        spread[::down, ::right] = x.centred
        sizes = (size for size in self.weights.shape[:2] for _ in range(2))
        pad   = tuple(size - 1 - side for size, side in zip(sizes, self.pad, strict=True))
        sums  = _products(spread, self.weights.centred[::-1, ::-1], pad, (1, 1), (1, 1))
        return finish(self, x, sums, self.relu)

