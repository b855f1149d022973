# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensors: elements, scales and zero points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.array import Array
from xymac.golden.ints import plain

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["RANK_MAX", "TYPES", "Quantisation", "Tensor"]

RANK_MAX = 8  #: Largest tensor rank of the element-wise operators.

_TYPES = {np.dtype(name): name.upper() for name in (
    "int8", "int16", "int32", "int64", "float32", "uint8", "bool")}
TYPES  = tuple(_TYPES.values())  #: As the schema spells them.
_PLAIN = ("FLOAT32", "BOOL")  #: Types whose elements stand for themselves.


def _plain_float(value):
    """Convert a Python or numpy number with an exact float32 value to float.

    TypeError for other types; ValueError for negative, infinite, NaN or inexact values.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"Scales must be numbers, not {type(value).__name__}")
    number = float(value)
    if not (isfinite(number) and number >= 0):
        raise ValueError(f"Scales must be finite and at least 0, not {number}")
    with np.errstate(over="ignore"):
        if float(np.float32(number)) != number:
            raise ValueError(f"Scales must be float32, not {number!r}")
    return number


@dataclass(frozen=True)
class Quantisation:
    """Real values ``(element - zero point) * scale``; a pair per tensor, or per index of ``axis``.

    Source: tensorflow/lite/schema/schema.fbs, ``QuantizationParameters``.

    Parameters
    ----------
    scales : tuple of float, >= 0, float32 values
    zero_points : tuple of int, as many as scales
    axis : int, dimension with a scale per index; -1 for a single scale
    """

    scales:      tuple[float, ...]
    zero_points: tuple[int, ...]
    axis:        int = -1

    def __post_init__(self) -> None:
        for name in ("scales", "zero_points"):
            if not isinstance(getattr(self, name), tuple):
                raise TypeError(f"{name} must be a tuple, not {type(getattr(self, name)).__name__}")
        object.__setattr__(self, "scales", tuple(map(_plain_float, self.scales)))
        for name in ("zero_points", "axis"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        for value in (*self.zero_points, self.axis):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"zero_points and axis must be ints, not {type(value).__name__}")
        if len(self.scales) != len(self.zero_points):
            raise ValueError(f"There are {len(self.scales)} scales, but "
                             f"{len(self.zero_points)} zero points")
        if not -1 <= self.axis < RANK_MAX:
            raise ValueError(f"axis must be between -1 and {RANK_MAX - 1}, not {self.axis}")
        if not self.scales or (self.axis < 0 and len(self.scales) > 1):
            raise ValueError(f"There must be 1 scale for a whole tensor, not {len(self.scales)}")

    @property
    def scale(self) -> float:
        """The first scale, which is the only scale if ``axis`` is -1."""
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The first zero point, which is the only zero point if ``axis`` is -1."""
        return self.zero_points[0]


@dataclass(frozen=True, eq=False, repr=False)
class Tensor(Array):
    """Elements with an optional quantisation.

    Parameters
    ----------
    data : numpy array of int8, int16, int32, int64, float32, uint8 or bool, a scalar or up to 5
        dimensions, not empty; a numpy scalar, as arithmetic makes of arrays without dimensions,
        becomes such an array
    quantisation : Quantisation; None for float32, bool and integers without a scale
    """

    data:         np.ndarray
    quantisation: Quantisation | None = None

    def __post_init__(self) -> None:
        if isinstance(self.data, np.generic):
            object.__setattr__(self, "data", np.asarray(self.data))
        if not isinstance(self.data, np.ndarray) or self.data.dtype not in _TYPES:
            kind = getattr(self.data, "dtype", type(self.data).__name__)
            raise TypeError(f"Data must be a numpy array of {', '.join(map(str, _TYPES))}, "
                            f"not {kind}")
        if self.data.ndim > RANK_MAX:
            raise ValueError(f"A tensor has at most {RANK_MAX} dimensions, not {self.data.ndim}")
        if not self.data.size:
            raise ValueError(f"A tensor must not be empty, but has shape {self.shape}")
        if self.quantisation is not None:
            self._check_quantisation()

    def _check_quantisation(self):
        kind = self.quantisation
        if not isinstance(kind, Quantisation):
            raise TypeError(f"quantisation must be a Quantisation or None, "
                            f"not {type(kind).__name__}")
        if self.type_name in _PLAIN:
            raise ValueError(f"Data of {self.type_name} have no scale, but there is "
                             f"{kind.scale:g}")
        if kind.axis >= self.data.ndim:
            raise ValueError(f"axis must be less than the {self.data.ndim} dimensions, "
                             f"not {kind.axis}")
        if kind.axis >= 0 and len(kind.scales) != self.shape[kind.axis]:
            raise ValueError(f"Dimension {kind.axis} has {self.shape[kind.axis]} elements, but "
                             f"there are {len(kind.scales)} scales")
        limits = np.iinfo(self.data.dtype)
        for value in kind.zero_points:
            if not limits.min <= value <= limits.max:
                raise ValueError(f"Zero points of {self.type_name} must be between {limits.min} "
                                 f"and {limits.max}, not {value}")

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: npt.DTypeLike,
              quantisation: Quantisation | None = None) -> Tensor:
        """A Tensor whose elements are all 0, with a numpy type."""
        return cls(np.zeros(shape, dtype), quantisation)

    @property
    def scaling(self) -> Quantisation:
        """The Quantisation; TypeError without one."""
        if self.quantisation is None:
            raise TypeError(f"A tensor of {self.type_name} without scale has no scaling")
        return self.quantisation

    @property
    def type_name(self) -> str:
        """Name of the element type in the schema."""
        return _TYPES[self.data.dtype]

    def take(self, slices: tuple[slice, ...]) -> Tensor:
        """The Tensor under ``slices``, with its scales and zero points."""
        kind = self.quantisation
        if kind is not None and 0 <= kind.axis < len(slices):
            kind = replace(kind, scales=kind.scales[slices[kind.axis]],
                           zero_points=kind.zero_points[slices[kind.axis]])
        return replace(self, data=self.data[(*slices, ...)], quantisation=kind)

    @property
    def centred(self) -> np.ndarray:
        """Data, integers, less their zero points, int64."""
        if self.type_name in _PLAIN:
            raise TypeError(f"Zero points are of integers, not of {self.type_name}")
        data = self.data.astype(np.int64)
        if self.quantisation is None:
            return data
        shape = [1] * self.data.ndim
        if self.quantisation.axis >= 0:
            shape[self.quantisation.axis] = -1
        zeros = np.array(self.quantisation.zero_points, np.int64)
        return data - (zeros.reshape(shape) if shape else zeros[0])
