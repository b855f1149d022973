# SPDX-License-Identifier: Apache-2.0
"""Pooling kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints, check_kind, check_windows
from xymac.golden.fixed import container, in_range, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.layer import LayerBase, run
from xymac.golden.parameters.mean import reciprocal
from xymac.golden.parameters.mli1 import acc_range
from xymac.golden.result import Result
from xymac.golden.windows import count_taps, count_windows
from xymac.hdl.isa import ACC_BITS, RoundMode

from .arithmetic import ACC_RANGE_BITS, shift_round
from .checks import check_image, check_rounding
from .layout import Layout
from .tensor import Tensor

if TYPE_CHECKING:
    from xymac.hdl.isa import AccumulatorRange

__all__ = ["AvePool", "MaxPool", "ave_pool", "max_pool"]


@dataclass(frozen=True)
class MaxPool(LayerBase):
    """Maximum over every window; padding is ignored.

    Parameters
    ----------
    kernel : (rows, columns), elements
    stride : (rows, columns), elements, at least 1
    pad : (top, bottom, left, right), elements, each less than the kernel
    layout : Layout, for input and output
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    pad:    tuple[int, ...] = (0, 0, 0, 0)
    layout: Layout = Layout.CHW

    work_unit = WorkUnit.LANES

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        channels, *sizes = self.layout.split_shape(x_shape)
        windows = count_windows(sizes, self.kernel, self.stride, self.pad)
        return self.layout.join_shape(channels, *windows)

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Elements that the windows read, without the padding."""
        channels, *sizes = self.layout.split_shape(x_shape)
        return channels * count_taps(sizes, self.kernel, self.stride, self.pad)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_kind("layout", self.layout, Layout)
        check_ints("kernel", self.kernel, 2)
        check_ints("stride", self.stride, 2)
        check_ints("pad", self.pad, 4)
        check_image(x)
        for name, size in zip(("rows", "columns"), self.kernel, strict=True):
            if size < 1:
                raise ValueError(f"Kernel must have at least 1 of {name}, not {size}")
        check_windows(self.kernel, self.stride, self.pad, self.layout.split_shape(x.shape)[1:])

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``max_pool``."""
        lowest, _ = container(x.bits)
        return Result(_output(self, x, _reduce(np.max, self, _channels_first(self, x), lowest)),
                      overflow=False)


@dataclass(frozen=True)
class AvePool(MaxPool):
    """Mean over every window; padding is not counted.

    Parameters as in ``MaxPool``, and

    """

    rounding: RoundMode = RoundMode.CONVERGENT

    def acc_range(self, x: Tensor) -> AccumulatorRange:
        """The library's accumulator range: 40 bits for fx16, 32 for fx8."""
        return acc_range(x.bits)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        super().check(x)
        check_rounding(self.rounding)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; see ``ave_pool``."""
        image    = _channels_first(self, x)
        sums     = _reduce(np.sum, self, image, 0)
        counts   = _reduce(np.sum, self, np.ones_like(image[:1]), 0)[0]
        overflow = False
        for count in np.unique(counts).tolist():
            multiplier, shift = reciprocal(count)
            scaled    = sums[:, counts == count] * multiplier
            overflow |= not in_range(scaled, ACC_RANGE_BITS[self.acc_range(x)])
            sums[:, counts == count] = shift_round(wrap(scaled, ACC_BITS), shift, self.rounding,
                                                   container(x.bits))
        return Result(_output(self, x, sums), overflow)


def _reduce(reduce, layer, image, fill):
    """``reduce`` every window in an int64 image (C, H, W) with padding ``fill``: (C, rows,
    columns).
    """
    top, bottom, left, right = layer.pad
    image = np.pad(image, ((0, 0), (top, bottom), (left, right)), constant_values=fill)
    for axis in (1, 2):
        windows = np.lib.stride_tricks.sliding_window_view(image, layer.kernel[axis - 1], axis)
        every   = (slice(None),) * axis + (slice(None, None, layer.stride[axis - 1]),)
        image   = reduce(windows[every], axis=-1)
    return image


def _channels_first(layer, x):
    image = x.data.astype(np.int64)
    return image.transpose(2, 0, 1) if layer.layout is Layout.HWC else image


def _output(layer, x, image):
    """Tensor with the layout, type and fractional bits of ``x`` from an image (C, H, W)."""
    image = image.transpose(1, 2, 0) if layer.layout is Layout.HWC else image
    return Tensor(image.astype(x.data.dtype), x.frac_bits)


def max_pool(x: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...],
             pad: tuple[int, ...] = (0, 0, 0, 0), *, layout: Layout = Layout.CHW) -> Result:
    """Maximum over every window, fx8 or fx16.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    kernel, stride, pad, layout : see ``MaxPool``

    Returns a Result; its output has the layout, dtype and fractional bits of ``x``. ValueError or
    TypeError if ``MaxPool.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/pooling, ``mli_krn_maxpool_chw_*``, ``mli_krn_maxpool_hwc_*``.
    """
    return run(MaxPool(kernel, stride, pad, layout), x)


def ave_pool(x: Tensor, kernel: tuple[int, ...], stride: tuple[int, ...],
             pad: tuple[int, ...] = (0, 0, 0, 0), *, layout: Layout = Layout.CHW,
             rounding: RoundMode = RoundMode.CONVERGENT) -> Result:
    """Mean over every window, fx8 or fx16.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    kernel, stride, pad, layout, rounding : see ``AvePool``

    Returns a Result; its output has the layout, dtype and fractional bits of ``x``. Its overflow
    flag tells whether sum times multiplier overflowed, which needs windows with more than 1024
    elements.
    ValueError or TypeError if ``AvePool.check`` refuses the call.
    Source: embARC MLI 1.1, kernels/pooling, ``mli_krn_avepool_chw_*``, ``mli_krn_avepool_hwc_*``.
    """
    return run(AvePool(kernel, stride, pad, layout, rounding), x)
