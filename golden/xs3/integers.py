# SPDX-License-Identifier: Apache-2.0
"""XS3 library integer tensors, and argument checks that its kernels share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.array import Array
from xymac.golden.checks import check_kind

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Integers", "check_channels", "check_count", "check_integers", "check_range"]

_DTYPES = tuple(map(np.dtype, (np.int8, np.uint8, np.int16, np.uint16, np.int32)))


@dataclass(frozen=True, eq=False, repr=False)
class Integers(Array):
    """Integers without fractional bits, as the library has them.

    Parameters
    ----------
    data : numpy array of int8, uint8, int16, uint16 or int32, native byte order; TypeError for
        anything else
    """

    data: np.ndarray

    def __post_init__(self) -> None:
        if not isinstance(self.data, np.ndarray) or self.data.dtype not in _DTYPES:
            kind = getattr(self.data, "dtype", type(self.data).__name__)
            raise TypeError(f"Integers must be a numpy array of {', '.join(map(str, _DTYPES))}, "
                            f"not {kind}")

    @classmethod
    def zeros(cls, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Integers:
        """Zeros of a numpy type."""
        return cls(np.zeros(shape, dtype))


def check_integers(name: str, value: Integers, dtypes: tuple[npt.DTypeLike, ...],
                   rank: int | None = None) -> None:
    """Raise unless ``value`` is non-empty Integers with a type in ``dtypes`` and ``rank``
    dimensions.
    """
    check_kind(name, value, Integers)
    if value.data.dtype not in dtypes:
        allowed = " or ".join(np.dtype(dtype).name for dtype in dtypes)
        raise ValueError(f"{name} must be {allowed}, not {value.data.dtype}")
    if rank is not None and value.data.ndim != rank:
        raise ValueError(f"{name} must have {rank} dimensions, not {value.data.ndim}")
    if 0 in value.shape:
        raise ValueError(f"{name} must not be empty, but has shape {value.shape}")


def check_channels(name: str, count: int) -> None:
    """Raise ValueError unless ``count`` channels fill 4-byte words, as the library asks."""
    if count % 4:
        raise ValueError(f"{name} channels must be a multiple of 4, not {count}")


def check_count(name: str, count: int, other: str, other_count: int) -> None:
    """Raise ValueError unless ``name`` and ``other`` have as many channels."""
    if count != other_count:
        raise ValueError(f"{name} have {count} channels, {other} has {other_count}")


def check_range(name: str, value: int, low: int, high: int) -> None:
    """Raise unless ``value`` is an int from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {value}")
