"""Kernels of MLI 2.0 that divide by a sum: softmax and L2 normalisation."""

from dataclasses import dataclass

import numpy as np

from golden.fixed import saturate
from golden.parameters.mli2.activation import argument_frac_bits
from golden.result import Result
from golden.table import Table, check_table

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

__all__ = ["SOFTMAX_MAX", "L2Normalize", "Softmax", "divisor_flaw"]

SOFTMAX_MAX       = 1 << 16  #: Exponentials, each below 2**15, that add up to below 2**31.
_SQUARE_FRAC_BITS = 8        #: Of the sum of squares once it has 16 bits.


def divisor_flaw(values, offset):
    """What entries of a table have that may make a sum of exponentials 0 or negative, or None.

    Every sum has the entry for 0.
    """
    low = min(values)
    if low < 0:
        return f"an entry {low}"
    last = len(values) - 1
    zero = min(values[min(max(offset, 0), end)] for end in (last - 1, last))
    return None if zero > 0 else "an entry 0 for the argument 0"


@dataclass(frozen=True)
class _Divided(QuantLayer):
    """What both kernels have.

    Parameters
    ----------
    axis : int, dimension along which to sum, -1 for the whole tensor
    build : Build
    """

    axis:  int = -1
    build: Build = Build.UP_REDUCED

    def output_format(self, x):
        """Format of the output: all bits fractional, or the one that the library has for SA_8."""
        return self.out if x.is_affine else Fixed(x.bits - 1)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, Element.FX_16, Element.SA_8)
        check_whole("Input", x)
        check_build(self.build)
        check_axis(self.axis, x)
        check_table("table", self.table)

    def run(self, x):
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
    """``exp(x)`` over the sum of all of them; SA_8 is from -128 on, in steps of 2**-8.

    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_softmax_ref.h.

    Parameters are those of ``_Divided``, and

    table : Table, of exponentials with 15 fractional bits; none is negative, that for 0 positive
    """

    table: Table = EXP

    out = Affine(-128, 1, 8)

    def check(self, x):
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        count = x.data.size if self.axis < 0 else x.shape[self.axis]
        if count > SOFTMAX_MAX:
            raise ValueError(f"Softmax takes at most {SOFTMAX_MAX} elements, not {count}")
        flaw = divisor_flaw(self.table.values, self.table.offset)
        if flaw is not None:
            raise ValueError(f"Exponentials must have a positive sum, not {flaw}")

    def divide(self, data, x):
        """Output of the 1-D int64 ``data`` of ``x``."""
        mode, table = self.build.rounding, self.table
        below       = data - data.max()
        if x.is_affine:
            argument = affine_argument(table, below, x.format, mode)
            powers   = interpolate(table, argument, argument_frac_bits(table), mode)
        else:
            powers = look_up(table, below, x.format.frac_bits, mode)
        total    = int(powers.sum())
        places   = int(norm(total, 32))
        mantissa = int(cast(total, 16 - places, 32, 16, mode))
        inverse  = min((1 << 29) // mantissa, (1 << 15) - 1)
        out_bits = self.out.scale_frac_bits if x.is_affine else x.bits - 1
        shift    = min(3 * OUT_FRAC_BITS - places - out_bits, 31)
        values   = shift_round(powers * inverse, shift, 32, mode)
        return saturate(values + self.out.zero_point if x.is_affine else values, x.bits)


@dataclass(frozen=True)
class L2Normalize(_Divided):
    """``x`` over the square root of the sum of all squares; SA_8 is in steps of 2**-7.

    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_l2_normalize_ref.h; the epsilon of the
    library is not used there.

    Parameters are those of ``_Divided``, and

    table : Table, of values with ``ROOT_FRAC_BITS``
    """

    table: Table = ROOT

    out = Affine(0, 1, 7)

    def divide(self, data, x):
        """Output of the 1-D int64 ``data`` of ``x``, its zero point taken off."""
        mode, squares = self.build.rounding, int((data * data).sum())
        shift   = squares.bit_length() - 15
        shift  += shift & 1
        inverse = interpolate(self.table, cast(squares, shift, 64, 16, mode), _SQUARE_FRAC_BITS,
                              mode)
        shift   = ROOT_FRAC_BITS + (shift + _SQUARE_FRAC_BITS >> 1)
        shift  -= self.out.scale_frac_bits if x.is_affine else x.bits - 1
        return cast(data * inverse, shift, 32, x.bits, mode)
