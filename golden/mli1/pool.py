"""Pooling kernels."""

from dataclasses import dataclass

import numpy as np

from golden.checks import check_ints, check_kind, check_windows
from golden.fixed import container, in_range, wrap
from golden.ints import PlainInts
from golden.result import Result
from hdl.isa import ACC_BITS, AccumulatorRange, RoundMode

from .arithmetic import ACC_RANGE_BITS, shift_round
from .checks import check_image
from .layer import Layout
from .tensor import Tensor

__all__ = ["AvePool", "MaxPool", "ave_pool", "max_pool", "reciprocal", "run_ave_pool",
           "run_max_pool"]

_ACC_RANGE = {8: AccumulatorRange.BITS32, 16: AccumulatorRange.BITS40}


@dataclass(frozen=True)
class MaxPool(PlainInts):
    """Largest element of every window; elements of the padding do not take part.

    Parameters
    ----------
    kernel : (rows, columns), elements
    stride : (rows, columns), elements, at least 1
    pad : (top, bottom, left, right), elements, each less than the kernel
    layout : Layout, of input and output
    """

    kernel: tuple
    stride: tuple
    pad:    tuple = (0, 0, 0, 0)
    layout: Layout = Layout.CHW

    def output_shape(self, x_shape):
        """Shape of the output for a legal input of ``x_shape``."""
        channels, *sizes = self._image(x_shape)
        rows, cols = ((size + sum(self.pad[2 * axis:2 * axis + 2]) - self.kernel[axis])
                      // self.stride[axis] + 1 for axis, size in enumerate(sizes))
        return (channels, rows, cols) if self.layout is Layout.CHW else (rows, cols, channels)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        check_kind("layout", self.layout, Layout)
        check_ints("kernel", self.kernel, 2)
        check_ints("stride", self.stride, 2)
        check_ints("pad", self.pad, 4)
        check_image(x)
        for name, size in zip(("rows", "columns"), self.kernel, strict=True):
            if size < 1:
                raise ValueError(f"Kernel must have at least 1 of {name}, not {size}")
        check_windows(self.kernel, self.stride, self.pad, self._image(x.shape)[1:])

    def _image(self, shape):
        """Channels, rows and columns of ``shape``."""
        return shape if self.layout is Layout.CHW else (shape[2], *shape[:2])


@dataclass(frozen=True)
class AvePool(MaxPool):
    """Mean of every window; elements of the padding neither take part nor count.

    Parameters are those of ``MaxPool``, and

    rounding : RoundMode
    """

    rounding: RoundMode = RoundMode.CONVERGENT

    def acc_range(self, x):
        """Range of the library's accumulator: 40 bits for fx16, 32 for fx8."""
        return _ACC_RANGE[x.bits]

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the Tensor ``x``."""
        super().check(x)
        check_kind("rounding", self.rounding, RoundMode)


def reciprocal(count):
    """Multiplier and right shift that divide a sum of ``count`` elements.

    Powers of two below 32 shift only. Else the multiplier is ``1 / count`` cut (not rounded) to 15
    bits, so a mean may come out one below the exactly rounded one.
    Source: embARC MLI 1.1, kernels/pooling/mli_krn_reduce_sum2d.h.
    """
    if count < 32 and count & count - 1 == 0:
        return 1, count.bit_length() - 1
    quotient = (1 << 31) // count
    zeros    = 32 - quotient.bit_length()
    return quotient << zeros >> 17, 14 + zeros


def _reduce(reduce, layer, image, fill):
    """``reduce`` of every window of an int64 image (C, H, W) whose padding holds ``fill``."""
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
    """Tensor of the layout, type and fractional bits of ``x`` that holds an image (C, H, W)."""
    image = image.transpose(1, 2, 0) if layer.layout is Layout.HWC else image
    return Tensor(image.astype(x.data.dtype), x.frac_bits)


def run_max_pool(layer, x):
    """Apply a ``MaxPool`` to the Tensor ``x``; see ``max_pool``."""
    layer.check(x)
    lowest, _ = container(x.bits)
    return Result(_output(layer, x, _reduce(np.max, layer, _channels_first(layer, x), lowest)),
                  overflow=False)


def run_ave_pool(layer, x):
    """Apply an ``AvePool`` to the Tensor ``x``; see ``ave_pool``."""
    layer.check(x)
    image    = _channels_first(layer, x)
    sums     = _reduce(np.sum, layer, image, 0)
    counts   = _reduce(np.sum, layer, np.ones_like(image[:1]), 0)[0]
    overflow = False
    for count in np.unique(counts).tolist():
        multiplier, shift = reciprocal(count)
        scaled    = sums[:, counts == count] * multiplier
        overflow |= not in_range(scaled, ACC_RANGE_BITS[layer.acc_range(x)])
        sums[:, counts == count] = shift_round(wrap(scaled, ACC_BITS), shift, layer.rounding,
                                               container(x.bits))
    return Result(_output(layer, x, sums), overflow)


def max_pool(x, kernel, stride, pad=(0, 0, 0, 0), *, layout=Layout.CHW):
    """Largest element of every window, fx8 or fx16.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    kernel, stride, pad, layout : see ``MaxPool``

    Returns a Result with an output of the layout, dtype and fractional bits of ``x``; ValueError or
    TypeError for a call that ``MaxPool.check`` refuses.
    Source: embARC MLI 1.1, kernels/pooling, ``mli_krn_maxpool_chw_*``, ``mli_krn_maxpool_hwc_*``.
    """
    return run_max_pool(MaxPool(kernel, stride, pad, layout), x)


def ave_pool(x, kernel, stride, pad=(0, 0, 0, 0), *, layout=Layout.CHW,
             rounding=RoundMode.CONVERGENT):
    """Mean of every window, fx8 or fx16.

    Parameters
    ----------
    x : Tensor, shape (C, H, W) for CHW, (H, W, C) for HWC
    kernel, stride, pad, layout, rounding : see ``AvePool``

    Returns a Result with an output of the layout, dtype and fractional bits of ``x``; its overflow
    flag is that of sum times multiplier, which only windows of more than 1024 elements can raise.
    ValueError or TypeError for a call that ``AvePool.check`` refuses.
    Source: embARC MLI 1.1, kernels/pooling, ``mli_krn_avepool_chw_*``, ``mli_krn_avepool_hwc_*``.
    """
    return run_ave_pool(AvePool(kernel, stride, pad, layout, rounding), x)
