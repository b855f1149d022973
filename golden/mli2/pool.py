# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 pooling kernels, layout HWC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints, check_windows
from xymac.golden.fixed import container, in_range, saturate, wrap
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.mli2.pool import affine_scale, fixed_scale
from xymac.golden.result import Result
from xymac.golden.windows import count_taps, count_windows

from .arithmetic import Build, cast, shift_round
from .checks import check_build, check_format, check_image
from .layer import Formatted, QuantLayer
from .tensor import Affine, Element, Fixed, QuantTensor

__all__ = ["AvePool", "MaxPool"]

_ELEMENTS = (Element.FX_8, Element.FX_16, Element.SA_8)


def _reduce(reduce, layer, image, fill):
    """``reduce`` every window in an int64 image (H, W, C) with padding ``fill``.

    Returns an array with shape (rows, columns, C).
    """
    top, bottom, left, right = layer.pad
    image = np.pad(image, ((top, bottom), (left, right), (0, 0)), constant_values=fill)
    windows = np.lib.stride_tricks.sliding_window_view(image, layer.kernel, axis=(0, 1))
    return reduce(windows[::layer.stride[0], ::layer.stride[1]], axis=(3, 4))


def _fixed_mean(x, out, sums, count, build):
    """Means from sums over ``count`` FX elements each, and whether a sum overflowed."""
    bits = 64 if x.bits == 16 else 32
    multiplier, shift = fixed_scale(x.format, out, count)
    scaled = sums * multiplier
    values = cast(wrap(scaled, bits) if bits == 32 else scaled, shift, bits, x.bits,
                  build.rounding)
    return values, not in_range(scaled, 32 if x.bits == 8 else 40)


def _affine_mean(x, out, sums, count, build):
    """Means from sums over ``count`` SA_8 elements each, and whether a sum overflowed."""
    multiplier, shift, start = affine_scale(x.format, out, count, build)
    acc = start + multiplier * sums
    return (saturate(shift_round(wrap(acc, 32), shift, 32, build.rounding), 8),
            not in_range(acc, 32))


@dataclass(frozen=True)
class MaxPool(QuantLayer):
    """Maximum over every window; padding is ignored.

    Source: embARC MLI 2.0, kernels/pooling, ``mli_krn_maxpool_hwc_*``.

    Parameters
    ----------
    kernel : (rows, columns), elements
    stride : (rows, columns), elements, at least 1
    pad : (top, bottom, left, right), elements, each less than the kernel
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    pad:    tuple[int, ...] = (0, 0, 0, 0)

    work_unit = WorkUnit.LANES

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return (*count_windows(x_shape[:2], self.kernel, self.stride, self.pad), x_shape[2])

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Elements that the windows read, without the padding."""
        return x_shape[2] * count_taps(x_shape[:2], self.kernel, self.stride, self.pad)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        for name, count in (("kernel", 2), ("stride", 2), ("pad", 4)):
            check_ints(name, getattr(self, name), count)
        check_image(x, *_ELEMENTS)
        for name, size in zip(("rows", "columns"), self.kernel, strict=True):
            if size < 1:
                raise ValueError(f"Kernel must have at least 1 of {name}, not {size}")
        check_windows(self.kernel, self.stride, self.pad, x.shape[:2])

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        values = _reduce(np.max, self, x.data.astype(np.int64), container(x.bits)[0])
        return Result(QuantTensor(values.astype(x.data.dtype), x.element, x.format), overflow=False)


@dataclass(frozen=True)
class AvePool(Formatted, MaxPool):
    """Mean over every window; padding is not counted.

    Source: embARC MLI 2.0, kernels/pooling, ``mli_krn_avepool_hwc_*``.

    Parameters as in ``MaxPool``, and

    out : Fixed or Affine, output format; None for the input format
    """

    out:   Fixed | Affine | None = None
    build: Build = Build.UP_REDUCED

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        check_build(self.build)
        if self.out is not None:
            check_format("out", self.out, x.element)

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        out      = self.output_format(x)
        mean     = _affine_mean if x.is_affine else _fixed_mean
        sums     = _reduce(np.sum, self, x.data.astype(np.int64), 0)
        counts   = _reduce(np.sum, self, np.ones((*x.shape[:2], 1), np.int64), 0)[..., 0]
        overflow = False
        for count in np.unique(counts).tolist():
            sums[counts == count], left = mean(x, out, sums[counts == count], count, self.build)
            overflow |= left
        return Result(QuantTensor(sums.astype(x.data.dtype), x.element, out), overflow)

