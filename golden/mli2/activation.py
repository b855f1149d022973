# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 activation kernels, element by element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.kinds import Relu
from xymac.golden.parameters.mli2.activation import (
    SHIFT_MAX,
    affine_slopes,
    argument_frac_bits,
    fixed_slope,
)
from xymac.golden.parameters.mli2.limits import relu_limits
from xymac.golden.result import Result
from xymac.golden.table import Table, check_table

from .arithmetic import Build, cast, shift_round
from .checks import check_axis, check_build, check_elements, check_format, check_whole
from .layer import Formatted, QuantLayer
from .limits import check_relu, clip
from .lut import OUT_FRAC_BITS, SIGMOID, TANH, affine_argument, interpolate, look_up
from .tensor import Affine, Element, Fixed, QuantTensor

if TYPE_CHECKING:
    from xymac.golden.formats import Format
    pass

__all__ = ["LeakyRelu", "Prelu", "Rectify", "Sigmoid", "Tanh"]

_ELEMENTS = (Element.FX_8, Element.FX_16, Element.SA_8)


def _result(x, values, kind):
    return Result(QuantTensor(np.asarray(values).astype(x.data.dtype), x.element, kind),
                  overflow=False)


def _fixed_leaky(layer, x):
    mode, data    = layer.build.rounding, x.centred
    slopes, shift = layer.fixed_slopes()
    below = cast(np.minimum(data, 0) * slopes, shift, 32, x.bits, mode)
    return saturate(np.maximum(data, 0) + below, x.bits)


def _affine_leaky(layer, x):
    mode, data = layer.build.rounding, saturate(x.centred, 16)
    (multiplier, shift), slopes = affine_slopes(layer, x)
    shape  = layer.slope.shape if layer.slope.data.ndim == data.ndim else (-1,)
    below, below_shift = (np.array(values).reshape(shape) for values in zip(*slopes, strict=True))
    scaled = np.where(data >= 0, shift_round(data * multiplier, shift, 32, mode),
                      shift_round(data * below, below_shift, 32, mode))
    return saturate(saturate(scaled + layer.out.zero_points[0], 32), 8)


class _Elementwise(QuantLayer):
    """Base for the activations: one input, an output with the input's shape."""

    build: Build

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        check_elements("Input", x, *_ELEMENTS)
        check_whole("Input", x)
        if hasattr(self, "build"):
            check_build(self.build)


@dataclass(frozen=True)
class Rectify(_Elementwise):
    """Clip to the limits that a Relu sets; the output keeps the input format.

    Source: embARC MLI 2.0, kernels/transform, ``mli_krn_relu_*``.
    """

    relu: Relu

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        check_relu(self.relu, x.format)

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        return _result(x, clip(x.data.astype(np.int64), relu_limits(self.relu, x.format, x.bits)),
                       x.format)


@dataclass(frozen=True)
class LeakyRelu(Formatted, _Elementwise):
    """``x`` for ``x >= 0``, ``slope * x`` below.

    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_leaky_relu_ref.h.

    Parameters
    ----------
    slope : QuantTensor with one element, in the input type
    out : Affine, output format for SA_8; None for FX, whose output has the input format
    """

    slope: QuantTensor
    out:   Affine | None = None
    build: Build = Build.UP_REDUCED

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        check_elements("Slope", self.slope, x.element)
        check_whole("Slope", self.slope)
        self._check_slopes(x)
        if x.is_affine:
            check_format("out", self.out, x.element)
        elif self.out is not None:
            raise ValueError(f"out must be None for {x.element.name}, not {self.out}")

    def _check_slopes(self, x):
        if self.slope.data.size != 1:
            raise ValueError(f"Slope must have 1 element, not {self.slope.data.size}")

    def fixed_slopes(self) -> tuple[int, int]:
        """FX slope factors, an int or a broadcastable array, and a right shift in bits."""
        return fixed_slope(self.slope)

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        if x.is_affine:
            return _result(x, _affine_leaky(self, x), self.out)
        return _result(x, _fixed_leaky(self, x), x.format)


@dataclass(frozen=True)
class Prelu(LeakyRelu):
    """``x`` for ``x >= 0``, ``slope * x`` below, with one slope per index along a dimension.

    Source: embARC MLI 2.0, kernels/transform/impl/mli_krn_prelu_ref.h.

    Parameters as in ``LeakyRelu``; the slope has the input's rank and size 1 in all dimensions but
    ``axis``. Also

    axis : int, dimension with individual slopes, -1 for a common slope
    """

    axis: int = -1

    def _check_slopes(self, x):
        check_axis(self.axis, x)
        wanted = [1] * x.data.ndim
        if self.axis >= 0:
            wanted[self.axis] = x.shape[self.axis]
        if self.slope.shape != tuple(wanted):
            raise ValueError(f"Slope must have shape {tuple(wanted)}, not {self.slope.shape}")

    def fixed_slopes(self) -> tuple[int | np.ndarray, int]:
        """FX slope factors along ``axis`` and their shift; for ``axis`` -1 as in ``LeakyRelu``."""
        if self.axis < 0:
            return super().fixed_slopes()
        return self.slope.centred, min(self.slope.fixed.frac_bits, SHIFT_MAX)


class _Lookup(_Elementwise):
    """Base for the activations that only read ``table``; ``out`` is the SA_8 output format."""

    table: Table
    out:   ClassVar[Affine]

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the kernel can process the QuantTensor ``x``."""
        super().check(x)
        check_table("table", self.table)

    def output_format(self, x: QuantTensor) -> Format:
        """Output format: for FX all bits but the sign fractional, for SA_8 the library's fixed
        format.
        """
        return self.out if x.is_affine else Fixed(x.bits - 1)

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        mode, table, out = self.build.rounding, self.table, self.out
        if x.is_affine:
            argument = affine_argument(table, x.centred, x.affine, mode)
            values   = interpolate(table, argument, argument_frac_bits(table), mode)
            values   = shift_round(values, OUT_FRAC_BITS - out.fractions[0], 32, mode)
            return _result(x, saturate(values + out.zero_points[0], 8), out)
        values = look_up(table, x.centred, x.fixed.frac_bits, mode)
        return _result(x, cast(values, 16 - x.bits, 16, x.bits, mode), self.output_format(x))


@dataclass(frozen=True)
class Sigmoid(_Lookup):
    """``1 / (1 + exp(-x))`` by table; an SA_8 output has zero point -128 and scale 2**-8.

    Source: embARC MLI 2.0, kernels/transform, ``mli_krn_sigm_*``.
    table : Table, values with 15 fractional bits
    """

    build: Build = Build.UP_REDUCED
    table: Table = SIGMOID

    out = Affine(-128, 1, 8)


@dataclass(frozen=True)
class Tanh(_Lookup):
    """Hyperbolic tangent by table; an SA_8 output has zero point 0 and scale 2**-7.

    Source: embARC MLI 2.0, kernels/transform, ``mli_krn_tanh_*``.
    table : Table, values with 15 fractional bits
    """

    build: Build = Build.UP_REDUCED
    table: Table = TANH

    out = Affine(0, 1, 7)
