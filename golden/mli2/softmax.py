# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 kernels that divide by a sum: softmax and L2 normalisation."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.parameters.mli2.activation import argument_frac_bits
from xymac.golden.result import Result
from xymac.golden.table import Table, check_table

from .arithmetic import Build, cast, norm, shift_round
from .checks import check_axis, check_build, check_elements, check_whole
from .layer import QuantLayer
from .lut import (
    EXP,
    OUT_FRAC_BITS,
    ROOT,
    ROOT_FRAC_BITS,
    affine_argument,
    interpolate,
    look_up,
)
from .tensor import Affine, Element, Fixed, QuantTensor

if TYPE_CHECKING:
    from xymac.golden.formats import Format
    pass

__all__ = ["SOFTMAX_MAX", "L2Normalize", "Softmax", "divisor_flaw"]

SOFTMAX_MAX       = 1 << 16  #: Elements a slice: a sum of exponentials < 2**15 is < 2**31.
_SQUARE_FRAC_BITS = 8        #: Fractional bits of the 16-bit sum of squares.


def divisor_flaw(values: tuple[int, ...], offset: int) -> str | None:
    """Reason why a sum of table exponentials may be 0 or negative, a str; None if it stays
    positive.

    Every sum includes the entry for the argument 0.
    """
    low = min(values)
    if low < 0:
        return f"an entry {low}"
    last = len(values) - 1
    zero = min(values[min(max(offset, 0), end)] for end in (last - 1, last))
    return None if zero > 0 else "an entry 0 for the argument 0"


class _ByTable(QuantLayer):
    """Members that both layers add: their table, and the SA_8 output format."""

    table: Table
    out:   ClassVar[Affine]

    @abstractmethod
    def divide(self, data: np.ndarray, x: int | np.ndarray | QuantTensor) -> np.ndarray:
        """Output values for ``data``, a 1-D int64 slice of ``x`` with the zero point subtracted."""


@dataclass(frozen=True)
class _Divided(_ByTable):
    """Base for softmax and L2 normalisation.

    Parameters
    ----------
    axis : int, dimension whose every index is summed on its own; -1 for one sum over the tensor
    """

    axis:  int = -1
    build: Build = Build.UP_REDUCED

    def output_format(self, x: QuantTensor) -> Format:
        """Output format: for FX all bits but the sign fractional, for SA_8 the library's fixed
        format.
        """
        return self.out if x.is_affine else Fixed(x.bits - 1)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, Element.FX_16, Element.SA_8)
        check_whole("Input", x)
        check_build(self.build)
        check_axis(self.axis, x)
        check_table("table", self.table)

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        if self.axis < 0:
            values = self.divide(x.centred.reshape(-1), x).reshape(x.shape)
        else:
            slices = np.moveaxis(x.centred, self.axis, 0)
            flat   = slices.reshape(slices.shape[0], -1)
            values = np.stack([self.divide(column, x) for column in flat.T], axis=1)
            values = np.moveaxis(values.reshape(slices.shape), 0, self.axis)
        return Result(QuantTensor(values.astype(x.data.dtype), x.element, self.output_format(x)),
                      overflow=False)


@dataclass(frozen=True)
class Softmax(_Divided):
    """``exp(x)`` divided by the sum of ``exp(x)``; an SA_8 output has zero point -128, scale 2**-8.

    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_softmax_ref.h.

    Parameters as in ``_Divided``, and

    table : Table of exponentials with 15 fractional bits; no entry is negative, the entry for 0 is
        positive
    """

    table: Table = EXP

    out = Affine(-128, 1, 8)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        count = x.data.size if self.axis < 0 else x.shape[self.axis]
        if count > SOFTMAX_MAX:
            raise ValueError(f"Softmax takes at most {SOFTMAX_MAX} elements, not {count}")
        flaw = divisor_flaw(self.table.values, self.table.offset)
        if flaw is not None:
            raise ValueError(f"Exponentials must have a positive sum, not {flaw}")

    def divide(self, data: np.ndarray, x: QuantTensor) -> np.ndarray:
        """Output values for ``data``, a 1-D int64 slice of ``x``."""
        mode, table = self.build.rounding, self.table
        below       = data - data.max()
        if x.is_affine:
            argument = affine_argument(table, below, x.affine, mode)
            powers   = interpolate(table, argument, argument_frac_bits(table), mode)
        else:
            powers = look_up(table, below, x.fixed.frac_bits, mode)
        total    = int(powers.sum())
        places   = int(norm(total, 32))
        mantissa = int(cast(total, 16 - places, 32, 16, mode))
        inverse  = min((1 << 29) // mantissa, (1 << 15) - 1)
        out_bits = self.out.fractions[0] if x.is_affine else x.bits - 1
        shift    = min(3 * OUT_FRAC_BITS - places - out_bits, 31)
        values   = shift_round(powers * inverse, shift, 32, mode)
        return saturate(values + self.out.zero_points[0] if x.is_affine else values, x.bits)


@dataclass(frozen=True)
class L2Normalize(_Divided):
    """``x`` divided by the square root of the sum of squares; an SA_8 output has scale 2**-7.

    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_l2_normalize_ref.h; the library does not
    use its epsilon there.

    Parameters as in ``_Divided``, and

    table : Table, values with ``ROOT_FRAC_BITS`` fractional bits
    """

    table: Table = ROOT

    out = Affine(0, 1, 7)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        if self.table.frac_bits >= _SQUARE_FRAC_BITS:
            raise ValueError(f"frac_bits of table must be less than {_SQUARE_FRAC_BITS}, "
                             f"not {self.table.frac_bits}")

    def divide(self, data: np.ndarray, x: QuantTensor) -> np.ndarray:
        """Output values for ``data``, a 1-D int64 slice of ``x`` with the zero point subtracted."""
        mode, squares = self.build.rounding, int((data * data).sum())
        shift   = squares.bit_length() - 15
        shift  += shift & 1
        inverse = interpolate(self.table, cast(squares, shift, 64, 16, mode), _SQUARE_FRAC_BITS,
                              mode)
        shift   = ROOT_FRAC_BITS + (shift + _SQUARE_FRAC_BITS >> 1)
        shift  -= self.out.fractions[0] if x.is_affine else x.bits - 1
        return cast(data * inverse, shift, 32, x.bits, mode)
