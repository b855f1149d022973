# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tensor conversion to another type or format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import saturate
from xymac.golden.parameters.mli2.convert import conversion, format_at
from xymac.golden.result import Result

from .arithmetic import Build, norm, shift_round
from .checks import check_build, check_elements
from .layer import QuantLayer
from .tensor import Affine, Element, Fixed, QuantTensor

__all__ = ["ConvertTensor"]

_INTEGERS = (Element.FX_8, Element.FX_16, Element.SA_8, Element.SA_32)
_ELEMENTS = (*_INTEGERS, Element.FP_32)


def _narrow(centred, multiplier, shift, mode):
    """Scaled values if no tensor has 32 bits, from the zero point."""
    return shift_round(saturate(centred, 16) * multiplier, min(shift, 31), 32, mode)


def _wide(centred, multiplier, shift, mode):
    """Scaled values if a tensor has 32 bits: upper half of the product of normalised factors."""
    centred = saturate(centred, 32)
    places, more = norm(centred, 32), int(norm(multiplier, 32))
    # Each factor is below 2**31 in magnitude, or -2**31: the product has 63 bits.
    high = (centred << places) * (multiplier << more) >> 32
    return shift_round(high, shift + places + more - 32, 32, mode)


def _integers(data, kind, layer, index, wide):
    """Requantise integer elements with the parameters for slice ``index``."""
    scaling = conversion(kind, layer.out, index, layer.build)
    scale   = _wide if wide else _narrow
    scaled  = scale(data.astype(np.int64) - scaling.in_zero, scaling.multiplier, scaling.shift,
                    layer.build.rounding)
    return saturate(saturate(scaled + scaling.out_zero, 32), layer.element.bits)


def _quantise(data, layer, index):
    """Quantise FP_32 elements with the parameters for slice ``index``."""
    zero, scale, frac_bits = format_at(layer.out, index)
    scaled = data * (np.float32(2.0 ** frac_bits) / np.float32(scale))
    halves = np.where(data > 0, np.float32(0.5), np.float32(-0.5))
    values = np.clip(np.trunc((scaled + halves).astype(np.float64)), -2 ** 31, 2 ** 31 - 1)
    return saturate(saturate(values.astype(np.int64) + zero, 32), layer.element.bits)


def _dequantise(data, kind, index):
    """Integer elements in slice ``index``, as FP_32."""
    zero, scale, frac_bits = format_at(kind, index)
    centred = saturate(data.astype(np.int64) - zero, 32).astype(np.float32)
    return centred * (np.float32(scale) / np.float32(2.0 ** frac_bits))


@dataclass(frozen=True)
class ConvertTensor(QuantLayer):
    """Convert elements to another type or format: scale, round, saturate.

    Converts between FX_8, FX_16, SA_8, SA_32 and FP_32. Floating-point values are rounded to the
    nearest integer, halves away from zero, in the library's single precision.
    Source: embARC MLI 2.0, helpers/src/impl/mli_hlp_convert_tensor_ref.h.

    Parameters
    ----------
    element : Element, output type
    out : Fixed, Affine or None, output format; if input and output both have scales along a
        dimension, it must be the same dimension
    """

    element: Element
    out:     Fixed | Affine | None
    build:   Build = Build.UP_REDUCED

    def output_like(self, x: QuantTensor) -> QuantTensor:
        """Zeros in the output format."""
        return QuantTensor.zeros(x.shape, self.element, self.out)

    def check(self, x: QuantTensor) -> None:
        """Raise ValueError or TypeError unless the helper can process the QuantTensor ``x``."""
        check_kind("element", self.element, Element)
        check_build(self.build)
        check_elements("Input", x, *_ELEMENTS)
        if self.element not in _ELEMENTS:
            raise ValueError(f"Output must be {' or '.join(kind.name for kind in _ELEMENTS)}, "
                             f"not {self.element.name}")
        if Element.FP_32 is x.element is self.element:
            raise ValueError("Input or output must be of integers, not both FP_32")
        self.output_like(x)  # Raises unless ``out`` fits the element type and the shape.
        dims = {getattr(kind, "dim", -1): None for kind in (x.format, self.out)}
        first, *others = [dim for dim in dims if dim >= 0] or (-1,)
        if others:
            raise ValueError(f"Input has scales along dimension {first}, output along {others[0]}")

    def run(self, x: QuantTensor) -> Result:
        """Result on the QuantTensor ``x``."""
        dim   = max(getattr(kind, "dim", -1) for kind in (x.format, self.out))
        parts = [x.data] if dim < 0 else np.moveaxis(x.data, dim, 0)
        wide  = Element.SA_32 in (x.element, self.element)
        if x.element is Element.FP_32:
            done = [_quantise(part, self, index) for index, part in enumerate(parts)]
        elif self.element is Element.FP_32:
            done = [_dequantise(part, x.format, index) for index, part in enumerate(parts)]
        else:
            done = [_integers(part, x.format, self, index, wide)
                    for index, part in enumerate(parts)]
        data = done[0] if dim < 0 else np.moveaxis(np.stack(done), 0, dim)
        data = np.asarray(data).astype(self.element.dtype)
        return Result(QuantTensor(data, self.element, self.out), overflow=False)
