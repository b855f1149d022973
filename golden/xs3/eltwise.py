# SPDX-License-Identifier: Apache-2.0
"""Element-wise XS3 kernels, and the largest element's index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.parameters.xs3 import DEPTH, PRODUCT_SHIFT, SCALE_BITS, product_factors
from xymac.golden.result import Result

from .bso import check_low, clip8
from .instructions import SHIFT_MAX, saturate, shift_round, vlashr
from .integers import Integers, check_integers, check_range
from .layer import IntegerLayer
from .sums import accumulate

__all__ = ["AddElementwise", "Argmax16", "Lookup8", "MulElementwise", "Requantize16To8",
           "check_pair"]


def check_pair(name: str, values: tuple[int, ...], low: int, high: int) -> None:
    """Raise unless ``values`` is a tuple with two ints from ``low`` to ``high``."""
    if not isinstance(values, tuple) or len(values) != 2:
        raise ValueError(f"{name} must be a tuple of 2 ints, not {values!r}")
    for index, value in enumerate(values):
        check_range(f"{name}[{index}]", value, low, high)


@dataclass(frozen=True)
class Requantize16To8(IntegerLayer):
    """High 8 bits of 16-bit elements, rounded, halves up: ``requantize_16_to_8``.

    Parameters
    ----------
    low : int, -128 or -127, the lowest output

    Source: lib_nn 96bd67c, src/c/nn_operator.c.
    """

    low: int = -128

    by_element = True

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        check_integers("Input", x, (np.int16,))
        check_low(self.low)

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int16, of any shape."""
        return Result(Integers(clip8(shift_round(x.data.astype(np.int64), 8), self.low)),
                      overflow=False)


@dataclass(frozen=True)
class Lookup8(IntegerLayer):
    """Table elements: ``lookup8``.

    Parameters
    ----------
    table : Integers, uint8 or int8, shape (256,), indexed by a byte without a sign

    Source: lib_nn 96bd67c, src/c/nn_operator.c.
    """

    table: Integers

    by_element = True

    @property
    def output_dtype(self) -> np.dtype:
        """Numpy type of the output elements: the table's."""
        return self.table.data.dtype

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        check_integers("Input", x, (np.uint8, np.int8))
        check_integers("Table", self.table, (np.uint8, np.int8), 1)
        if self.table.shape != (256,):
            raise ValueError(f"Table must have 256 elements, not {self.table.shape[0]}")

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, uint8 or int8 read as uint8; its type is the table's."""
        return Result(Integers(self.table.data[x.data.astype(np.uint8)]), overflow=False)


@dataclass(frozen=True)
class Argmax16(IntegerLayer):
    """The first largest element's index: ``argmax_16``; int32, shape (1,).

    The library leaves its output unchanged for an empty input; this layer refuses empty inputs.
    Source: lib_nn 96bd67c, src/c/nn_operator.c.
    """

    output_dtype = np.int32

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int]:
        """Output shape; it does not depend on the input shape."""
        return (1,)

    def check(self, x: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers ``x``."""
        check_integers("Input", x, (np.int16,), 1)

    def run(self, x: Integers) -> Result:
        """Result on the Integers ``x``, int16, shape (elements,)."""
        return Result(Integers(np.array([x.data.argmax()], self.output_dtype)), overflow=False)


@dataclass(frozen=True)
class AddElementwise(IntegerLayer):
    """Scaled sum of two vectors: ``add_elementwise``.

    ``acc = bias + vlashr(a, shifts[0]) * scales[0] + vlashr(b, shifts[1]) * scales[1]`` in mode
    16, saturated after each product; then ``shift`` bits dropped, rounded, halves up. The library's
    C saturates at the end only.

    Parameters
    ----------
    shifts : (for a, for b), bits, -31 .. 31: right, not rounded; negative ones left, saturated to
        plus or minus 32767
    scales : (for a, for b), 16 bits
    bias : int, 32 bits
    shift : int, 1 .. 31, bits: the library's C shifts by ``shift - 1`` first; others are refused as
        by ``check_shifts``
    low : int, -128 or -127, the lowest output

    Source: lib_nn 96bd67c, asm/add_elementwise.S, src/c/add_elementwise.c.
    """

    shifts: tuple[int, ...]
    scales: tuple[int, ...]
    bias:   int
    shift:  int
    low:    int = -128

    inputs     = 2
    by_element = True

    def check(self, a: Integers, b: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers."""
        check_integers("First input", a, (np.int8,))
        check_integers("Second input", b, (np.int8,))
        if a.shape != b.shape:
            raise ValueError(f"First input has shape {a.shape}, second input has {b.shape}")
        check_pair("shifts", self.shifts, -SHIFT_MAX, SHIFT_MAX)
        check_pair("scales", self.scales, -1 << 15, (1 << 15) - 1)
        check_range("bias", self.bias, -1 << 31, (1 << 31) - 1)
        check_range("shift", self.shift, 1, SHIFT_MAX)
        check_low(self.low)

    def run(self, a: Integers, b: Integers) -> Result:
        """Result on the Integers ``a`` and ``b``, int8, of equal shape."""
        products = [vlashr(x.data, shift, 16) * scale
                    for x, shift, scale in zip((a, b), self.shifts, self.scales, strict=True)]
        acc = accumulate(self.bias, np.stack(products))
        return Result(Integers(clip8(shift_round(acc, self.shift), self.low)), overflow=False)


@dataclass(frozen=True)
class MulElementwise(IntegerLayer):
    """Scaled product of two vectors: the newer library's ``mul_elementwise``.

    ``v = (a + zeros[0] + 1) * (b + zeros[1] + 1) >> 1``; then in 16-bit mode ``v = vlashr(sat(v *
    scale / 2**14 + bias), shift)`` with the quotient rounded, halves up; then 8 bits are dropped,
    rounded, halves up. The vector unit also saturates the quotient; parameters from
    ``product_factors`` never reach that limit.

    Parameters
    ----------
    zeros : (for a, for b), 8-bit ints: -1 minus the zero point
    scale, bias : int, 16 bits
    shift : int, -31 .. 31, bits: right without rounding; negative left, saturated

    Source: lib_nn 0.4.0, src/c/mul_elementwise.c, ``mul_elementwise_ref``.
    """

    zeros: tuple[int, ...]
    scale: int
    bias:  int
    shift: int

    low        = -128
    inputs     = 2
    by_element = True

    @classmethod
    def fit(cls, a_zero: int, b_zero: int, ratio: float, out_zero: int) -> MulElementwise:
        """The layer for three zero points and a scale ratio; see ``product_factors``."""
        scale, bias, left = product_factors(a_zero, b_zero, ratio, out_zero)
        return cls((-a_zero - 1, -b_zero - 1), scale, bias, -left)

    def check(self, a: Integers, b: Integers) -> None:
        """Raise ValueError or TypeError unless the kernel can process the Integers."""
        check_integers("First input", a, (np.int8,))
        check_integers("Second input", b, (np.int8,))
        if a.shape != b.shape:
            raise ValueError(f"First input has shape {a.shape}, second input has {b.shape}")
        check_pair("zeros", self.zeros, -128, 127)
        for name in ("scale", "bias"):
            check_range(name, getattr(self, name), -1 << 15, (1 << 15) - 1)
        check_range("shift", self.shift, -SHIFT_MAX, SHIFT_MAX)

    def run(self, a: Integers, b: Integers) -> Result:
        """Result on the Integers ``a`` and ``b``, int8, of equal shape."""
        x, y = (values.data.astype(np.int64) + zero + 1
                for values, zero in zip((a, b), self.zeros, strict=True))
        scaled = shift_round((x * y >> PRODUCT_SHIFT) * self.scale, SCALE_BITS) + self.bias
        values = vlashr(saturate(scaled, 16), self.shift, 16)
        return Result(Integers(clip8(shift_round(values, DEPTH), self.low)), overflow=False)
