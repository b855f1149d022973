# SPDX-License-Identifier: Apache-2.0
"""2-D convolution kernels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints, check_kind, check_rank, check_windows
from xymac.golden.fixed import matmul
from xymac.golden.kinds import Relu, WorkUnit
from xymac.golden.layer import run
from xymac.golden.parameters.mli1 import relu_limits
from xymac.golden.windows import count_taps, count_windows
from xymac.hdl.isa import RoundMode

from .arithmetic import align_bias, finish
from .checks import check_image, check_types
from .layout import Layout
from .linear import Linear

if TYPE_CHECKING:
    from xymac.golden.result import Result

    from .tensor import Tensor

__all__ = ["Conv2d", "DepthwiseConv2d", "conv2d", "depthwise_conv2d"]


def _windows(x, kernel, stride, pad):
    """Taps for every output of an image (C, H, W): shape (C, Kh, Kw, rows, columns).

    Taps on the padding are 0.
    """
    top, bottom, left, right = pad
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
    return windows[:, ::stride[0], ::stride[1]].transpose(0, 3, 4, 1, 2)


@dataclass(frozen=True)
class Conv2d(Linear):
    """2-D convolution.

    Parameters
    ----------
    weights : Tensor, shape (N, C, H, W) for CHW, (N, H, W, C) for HWC
    bias : Tensor, shape (N,)
    out_frac_bits : int, 0 .. 255
    stride : (rows, columns), elements, at least 1
    pad : (top, bottom, left, right), elements of zero, each less than the kernel
    layout : Layout, for input, weights and output
    """

    stride:   tuple[int, ...] = (1, 1)
    pad:      tuple[int, ...] = (0, 0, 0, 0)
    relu:     Relu = Relu.NONE
    layout:   Layout = Layout.CHW
    rounding: RoundMode = RoundMode.CONVERGENT

    @property
    def kernel(self) -> tuple[int, ...]:
        """Kernel rows and columns."""
        return self.layout.split_shape(self.weights.shape[1:])[1:]

    def limits(self, x: Tensor) -> tuple[int, int]:
        """Lowest and highest output, inclusive."""
        return relu_limits(self.relu, self.out_frac_bits, x.bits)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        _, *sizes = self.layout.split_shape(x_shape)
        windows   = count_windows(sizes, self.kernel, self.stride, self.pad)
        return self.layout.join_shape(self.weights.shape[0], *windows)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Product count, without taps on the padding."""
        _, *sizes = self.layout.split_shape(x_shape)
        taps      = count_taps(sizes, self.kernel, self.stride, self.pad)
        return taps * self.weights.data.size // prod(self.kernel)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_types(x, self.weights, self.bias)
        self._check_kinds()
        check_image(x)
        check_rank("Weights", self.weights, 4)
        self._check_channels(x)
        check_windows(self.kernel, self.stride, self.pad, self.layout.split_shape(x.shape)[1:])
        self._check_bias(x)

    def _check_kinds(self):
        check_kind("relu", self.relu, Relu)
        check_kind("layout", self.layout, Layout)
        check_ints("stride", self.stride, 2)
        check_ints("pad", self.pad, 4)

    def _check_channels(self, x):
        taken, channels = (self.layout.split_shape(shape)[0]
                           for shape in (self.weights.shape[1:], x.shape))
        if taken != channels:
            raise ValueError(f"Weights have {taken} input channels, input has {channels}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``conv2d``."""
        image, weights = x.data, self.weights.data
        if self.layout is Layout.HWC:
            image, weights = image.transpose(2, 0, 1), weights.transpose(0, 3, 1, 2)
        windows = _windows(image, self.kernel, self.stride, self.pad)
        outputs, rows, cols = len(weights), *windows.shape[3:]
        sums = matmul(weights.reshape(outputs, -1), windows.reshape(-1, rows * cols))
        sums += align_bias(self.bias, self.bias_shift(x))[:, np.newaxis]
        sums = sums.reshape(outputs, rows, cols)
        return finish(self, x, sums.transpose(1, 2, 0) if self.layout is Layout.HWC else sums)


@dataclass(frozen=True)
class DepthwiseConv2d(Conv2d):
    """2-D convolution in which each channel has its own kernel.

    Parameters as in ``Conv2d``, with weight shape (C, 1, H, W) and layout CHW only.
    """

    work_unit = WorkUnit.LANES

    def _check_channels(self, x):
        if self.layout is not Layout.CHW:
            raise ValueError(f"Layout of a depthwise convolution must be CHW, "
                             f"not {self.layout.name}")
        channels, ones = self.weights.shape[:2]
        if ones != 1:
            raise ValueError(f"Depthwise weights must have 1 input channel, not {ones}")
        if channels != x.shape[0]:
            raise ValueError(f"Depthwise weights have {channels} channels, input has "
                             f"{x.shape[0]}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``depthwise_conv2d``."""
        windows = _windows(x.data, self.kernel, self.stride, self.pad)
        channels, rows, cols = x.shape[0], *windows.shape[3:]
        sums = matmul(self.weights.data.reshape(channels, 1, -1),
                      windows.reshape(channels, -1, rows * cols))
        sums = sums.reshape(channels, rows, cols)
        sums += align_bias(self.bias, self.bias_shift(x))[:, np.newaxis, np.newaxis]
        return finish(self, x, sums)


def conv2d(x: Tensor, weights: Tensor, bias: Tensor, *, out_frac_bits: int,
           stride: tuple[int, ...] = (1, 1), pad: tuple[int, ...] = (0, 0, 0, 0),
           relu: Relu = Relu.NONE, layout: Layout = Layout.CHW,
           rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """2-D convolution, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    weights, bias, out_frac_bits, stride, pad, relu, layout, rounding : see ``Conv2d``

    Returns a Result; its output has the layout and dtype of ``x``. ValueError or TypeError if
    ``Conv2d.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/convolution, ``mli_krn_conv2d_chw_*``, ``mli_krn_conv2d_hwc_*``.
    """
    return run(Conv2d(weights, bias, out_frac_bits, stride, pad, relu, layout, rounding), x)


def depthwise_conv2d(x: Tensor, weights: Tensor, bias: Tensor, *, out_frac_bits: int,
                     stride: tuple[int, ...] = (1, 1), pad: tuple[int, ...] = (0, 0, 0, 0),
                     relu: Relu = Relu.NONE, rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """2-D convolution in which each channel has its own kernel, fx8, fx16 or fx8w16d.

    Parameters
    ----------
    x : Tensor, shape (C, H, W)
    weights : Tensor, shape (C, 1, H, W)
    bias, out_frac_bits, stride, pad, relu, rounding : see ``Conv2d``

    Returns a Result; its output has the dtype of ``x``. ValueError or TypeError if
    ``DepthwiseConv2d.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/convolution, ``mli_krn_depthwise_conv2d_chw_*``.
    """
    layer = DepthwiseConv2d(weights, bias, out_frac_bits, stride, pad, relu, Layout.CHW, rounding)
    return run(layer, x)
