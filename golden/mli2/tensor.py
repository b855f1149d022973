# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 quantised tensors: fixed point, scale with zero point, floating point."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from xymac.golden.array import Array
from xymac.golden.fixed import container
from xymac.golden.formats import RANK_MAX, Affine, Fixed, Format, as_affine, as_fixed

__all__ = ["RANK_MAX", "Affine", "Element", "Fixed", "Format", "QuantTensor"]

_FX4_MIN, _FX4_MAX = container(4)


class Element(Enum):
    """Element type. Source: embARC MLI 2.0, ``mli_element_type``."""

    FX_4  = 0x004  #: 4-bit values, one per byte.
    FX_8  = 0x008
    FX_16 = 0x010
    SA_8  = 0x108
    SA_32 = 0x120
    FP_16 = 0x210
    FP_32 = 0x220

    @property
    def dtype(self) -> np.dtype:
        """Numpy data type."""
        return _DTYPES[self]

    @property
    def bits(self) -> int:
        """Element width in bits."""
        return self.value & 0xff

    @property
    def format(self) -> type[Fixed] | type[Affine] | type[None]:
        """Format class: ``Fixed``, ``Affine``, or NoneType for floating point."""
        return (Fixed, Affine, type(None))[self.value >> 8]


_DTYPES = {Element.FX_4: np.dtype(np.int8), Element.FX_8: np.dtype(np.int8),
           Element.FX_16: np.dtype(np.int16), Element.SA_8: np.dtype(np.int8),
           Element.SA_32: np.dtype(np.int32), Element.FP_16: np.dtype(np.float16),
           Element.FP_32: np.dtype(np.float32)}


@dataclass(frozen=True, eq=False, repr=False)
class QuantTensor(Array):
    """Quantised data with their element type and format.

    Parameters
    ----------
    data : numpy array of the element's type, 1 to 4 dimensions or a scalar, not empty
    format : Fixed for FX_*, Affine for SA_*, None for FP_*
    """

    data:    np.ndarray
    element: Element
    format:  Format = None

    def __post_init__(self) -> None:
        if not isinstance(self.element, Element):
            raise TypeError(f"element must be an Element, not {type(self.element).__name__}")
        if not isinstance(self.data, np.ndarray) or self.data.dtype != self.element.dtype:
            kind = getattr(self.data, "dtype", type(self.data).__name__)
            raise TypeError(f"Data of {self.element.name} must be a numpy array of "
                            f"{self.element.dtype}, not {kind}")
        if not isinstance(self.format, self.element.format):
            raise TypeError(f"Format of {self.element.name} must be "
                            f"{self.element.format.__name__}, not {type(self.format).__name__}")
        if self.data.ndim > RANK_MAX:
            raise ValueError(f"A tensor has at most {RANK_MAX} dimensions, not {self.data.ndim}")
        if not self.data.size:
            raise ValueError(f"A tensor must not be empty, but has shape {self.shape}")
        self._check_values()

    @classmethod
    def zeros(cls, shape: tuple[int, ...], element: Element,
              kind: Format) -> QuantTensor:
        """Zeros, as they are in memory, for an Element in the format ``kind``."""
        return cls(np.zeros(shape, element.dtype), element, kind)

    @property
    def type_name(self) -> str:
        """Element type as the library's function names spell it, such as ``fx16``."""
        return self.element.name.lower().replace("_", "")

    def _check_values(self):
        if self.element is Element.FX_4 and not (_FX4_MIN <= self.data.min()
                                                 and self.data.max() <= _FX4_MAX):
            raise ValueError(f"Data of FX_4 must be between {_FX4_MIN} and {_FX4_MAX}, "
                             f"not {self.data.min()} to {self.data.max()}")
        dim = getattr(self.format, "dim", -1)
        if dim >= self.data.ndim:
            raise ValueError(f"dim must be less than the {self.data.ndim} dimensions, not {dim}")
        if dim >= 0 and len(self.affine.scales) != self.shape[dim]:
            raise ValueError(f"Dimension {dim} has {self.shape[dim]} elements, the format "
                             f"{len(self.affine.scales)} scales")

    def take(self, slices: tuple[slice, ...]) -> QuantTensor:
        """The elements under ``slices``, with their scales and zero points."""
        kind = self.format
        if isinstance(kind, Affine) and 0 <= (dim := kind.dim) < len(slices):
            kind = replace(kind, zero_point=kind.zero_points[slices[dim]],
                           scale=kind.scales[slices[dim]],
                           scale_frac_bits=kind.fractions[slices[dim]])
        return replace(self, data=self.data[slices], format=kind)

    @property
    def bits(self) -> int:
        """Element width in bits."""
        return self.element.bits

    @property
    def is_affine(self) -> bool:
        """Whether elements have a scale and a zero point."""
        return isinstance(self.format, Affine)

    @property
    def affine(self) -> Affine:
        """SA element format; TypeError for other elements."""
        return as_affine(self.format)

    @property
    def fixed(self) -> Fixed:
        """FX element format; TypeError for other elements."""
        return as_fixed(self.format)

    @property
    def centred(self) -> np.ndarray:
        """Data less their zero points, int64."""
        data = self.data.astype(np.int64)
        if not self.is_affine:
            return data
        shape = [1] * self.data.ndim
        if self.affine.dim >= 0:
            shape[self.affine.dim] = -1
        return data - np.array(self.affine.zero_points, np.int64).reshape(shape)

    def part(self, index: int) -> QuantTensor:
        """Slice ``index`` along the first dimension, with its scale and zero point."""
        kind = self.format
        if isinstance(kind, Affine) and kind.dim == 0:
            kind = Affine(kind.zero_points[index], kind.scales[index], kind.fractions[index])
        elif isinstance(kind, Affine) and kind.dim > 0:
            kind = replace(kind, dim=kind.dim - 1)
        return QuantTensor(self.data[index], self.element, kind)
