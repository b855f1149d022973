# SPDX-License-Identifier: Apache-2.0
"""XS3 library pooling kernels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from xymac.golden.checks import check_ints, check_kind
from xymac.golden.kinds import WorkUnit
from xymac.golden.parameters.xs3 import mean_factor
from xymac.golden.result import Result

from .bso import check_low, clip8
from .instructions import SHIFT_MAX, shift_round
from .integers import Integers, check_channels, check_integers, check_range
from .layer import IntegerLayer
from .sums import accumulate
from .window import Window

__all__ = ["AvgPool2d", "AvgPool2dGlobal", "MaxPool2d"]


def _check_image(x):
    check_integers("Input", x, (np.int8,), 3)
    check_channels("Input", x.shape[2])


@dataclass(frozen=True)
class MaxPool2d(IntegerLayer):
    """Maximum over every window: ``maxpool2d``; -128 stays -128.

    Parameters
    ----------
    kernel : (rows, columns), elements, at least 1
    window : Window inside the image

    Source: lib_nn 96bd67c, src/c/maxpool2d.c.
    """

    kernel: tuple[int, ...]
    window: Window

    work_unit = WorkUnit.LANES

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape (rows, columns, channels) for the input shape ``x_shape``."""
        return (*self.window.out, x_shape[2])

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Elements that the windows read."""
        return self.window.count_taps(self.kernel, x_shape[:2]) * x_shape[2]

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        _check_image(x)
        check_ints("kernel", self.kernel, 2)
        for name, size in zip(("rows", "columns"), self.kernel, strict=True):
            if size < 1:
                raise ValueError(f"Kernel must have at least 1 of {name}, not {size}")
        check_kind("window", self.window, Window)
        self.window.check()
        self.window.check_inside(self.kernel, x.shape[:2])

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int8, shape (rows, columns, channels)."""
        rows = [self._row(self.window.taps(x.data, row, self.kernel, 0))
                for row in range(self.window.out[0])]
        return Result(Integers(np.stack(rows).astype(np.int8)), overflow=False)

    def _row(self, taps):
        """Outputs (columns, channels) from ``taps`` (kernel rows, columns, kernel columns, ...)."""
        return taps.max(axis=(0, 2))


@dataclass(frozen=True)
class AvgPool2d(MaxPool2d):
    """Mean over every window: ``avgpool2d``.

    Parameters as in ``MaxPool2d``, and

    low : int, -128 or -127, the lowest output

    Each product of an element and the factor from ``mean_factor`` is a separate addition, row by
    row.
    Source: lib_nn 96bd67c, src/c/avgpool2d.c.
    """

    low: int = -128

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        super().check(x)
        check_low(self.low)
        mean_factor(self.kernel[0] * self.kernel[1])

    def _row(self, taps):
        """Outputs (columns, channels) from ``taps`` (kernel rows, columns, kernel columns, ...)."""
        factor, shift = mean_factor(self.kernel[0] * self.kernel[1])
        products = taps.transpose(0, 2, 1, 3) * factor
        acc = accumulate(0, products.reshape(-1, *products.shape[2:]))
        return clip8(shift_round(acc, shift), self.low)


@dataclass(frozen=True)
class AvgPool2dGlobal(IntegerLayer):
    """Scaled sum over every channel: ``avgpool2d_global``.

    Each product of an element and the scale is a separate addition, pixel by pixel. The library's C
    wraps at 32 bits; the vector unit saturates.

    Parameters
    ----------
    bias : int, 32 bits, initial accumulator
    scale : int, -128 .. 127
    shift : int, 0 .. 31, bits; ``check_shifts`` refuses negative shifts
    low : int, -128 or -127, the lowest output

    Source: lib_nn 96bd67c, src/c/avgpool2d.c.
    """

    bias:  int
    scale: int
    shift: int
    low:   int = -128

    work_unit = WorkUnit.LANES

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape (channels,) for the input shape ``x_shape``."""
        return x_shape[2:]

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Input element count."""
        return prod(x_shape)

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        _check_image(x)
        check_range("bias", self.bias, -1 << 31, (1 << 31) - 1)
        check_range("scale", self.scale, -128, 127)
        check_range("shift", self.shift, 0, SHIFT_MAX)
        check_low(self.low)

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int8, shape (rows, columns, channels)."""
        pixels = x.data.reshape(-1, x.shape[2]).astype(np.int64)
        acc = accumulate(self.bias, pixels * self.scale)
        return Result(Integers(clip8(shift_round(acc, self.shift), self.low)), overflow=False)
