# SPDX-License-Identifier: Apache-2.0
"""Newer XS3 library kernels on int16 tensors: sum, product, requantisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.parameters.xs3 import ADD_SHIFT, SCALE_SHIFT
from xymac.golden.result import Result

from .eltwise import check_pair
from .instructions import ACC_BITS, shift_round
from .integers import Integers, check_integers, check_range
from .layer import IntegerLayer

__all__ = ["ADD_SHIFT", "SCALE_SHIFT", "AddInt16", "MultiplyInt16", "RequantizeInt16"]

_FACTOR = -1 << 15, (1 << 15) - 1


def _result(values, shift):
    """Result from ``values / 2**shift``, halves up, saturated to 16 bits."""
    rounded = np.clip(shift_round(values, shift), -1 << 15, (1 << 15) - 1)
    return Result(Integers(rounded.astype(np.int16)), overflow=False)


class _Pair(IntegerLayer):
    """Base for the layers with two inputs."""

    inputs       = 2
    by_element   = True
    output_dtype = np.int16

    def check(self, a: Integers, b: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers."""
        check_integers("First input", a, (np.int16,))
        check_integers("Second input", b, (np.int16,))
        if a.shape != b.shape:
            raise ValueError(f"First input has shape {a.shape}, second input has {b.shape}")


@dataclass(frozen=True)
class AddInt16(_Pair):
    """``a * scales[0] + b * scales[1]`` without 14 bits, halves up: ``add_int16_tensor``.

    Parameters
    ----------
    scales : (for a, for b), 16 bits

    Source: lib_nn, src/c/add_int16.c.
    """

    scales: tuple[int, ...]

    def check(self, a: Integers, b: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers."""
        super().check(a, b)
        check_pair("scales", self.scales, *_FACTOR)

    def run(self, a: Integers, b: Integers) -> Result:
        """Result on the Integers ``a`` and ``b``, int16, of equal shape."""
        first, other = (x.data.astype(np.int64) * scale
                        for x, scale in zip((a, b), self.scales, strict=True))
        return _result(first + other, ADD_SHIFT)


@dataclass(frozen=True)
class MultiplyInt16(_Pair):
    """``a * b * scale`` without ``shift`` bits, halves up: ``multiply_int16_tensor``.

    Parameters
    ----------
    scale : int, 16 bits
    shift : int, 1 .. 32, bits

    Source: lib_nn, src/c/multiply_int16.c, whose C is not defined for other shifts.
    """

    scale: int
    shift: int

    def check(self, a: Integers, b: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers."""
        super().check(a, b)
        check_range("scale", self.scale, *_FACTOR)
        check_range("shift", self.shift, 1, ACC_BITS)

    def run(self, a: Integers, b: Integers) -> Result:
        """Result on the Integers ``a`` and ``b``, int16, of equal shape."""
        return _result(a.data.astype(np.int64) * b.data * self.scale, self.shift)


@dataclass(frozen=True)
class RequantizeInt16(IntegerLayer):
    """``x * (1 + scale / 2**15)``, halves up: ``requantize_int16_tensor``.

    Parameters
    ----------
    scale : int, 16 bits

    Source: lib_nn, src/c/requantize.c.
    """

    scale: int

    by_element   = True
    output_dtype = np.int16

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        check_integers("Input", x, (np.int16,))
        check_range("scale", self.scale, *_FACTOR)

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int16, of any shape."""
        return _result(x.data.astype(np.int64) * ((1 << SCALE_SHIFT) + self.scale), SCALE_SHIFT)
