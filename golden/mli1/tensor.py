# SPDX-License-Identifier: Apache-2.0
"""Fixed-point tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.array import Array
from xymac.golden.ints import plain

__all__ = ["FRAC_BITS_MAX", "Tensor", "check_frac_bits"]

FRAC_BITS_MAX = 255  #: The library keeps the fractional bits in a uint8.
_DTYPES = (np.dtype(np.int8), np.dtype(np.int16))


@dataclass(frozen=True, eq=False, repr=False)
class Tensor(Array):
    """Fixed-point values ``data / 2**frac_bits``.

    Parameters
    ----------
    data : int8 or int16 numpy array, native byte order; TypeError for other types
    frac_bits : int, 0 .. 255, can exceed the element width; ValueError outside the range
    """

    data: np.ndarray
    frac_bits: int

    def __post_init__(self) -> None:
        if not isinstance(self.data, np.ndarray) or self.data.dtype not in _DTYPES:
            kind = getattr(self.data, "dtype", type(self.data).__name__)
            raise TypeError(f"Tensor data must be a numpy array of int8 or int16, not {kind}")
        object.__setattr__(self, "frac_bits", plain(self.frac_bits))
        check_frac_bits("frac_bits", self.frac_bits)

    @classmethod
    def zeros(cls, shape: tuple[int, ...], bits: int, frac_bits: int) -> Tensor:
        """Zeros of ``bits``, 8 or 16, each."""
        return cls(np.zeros(shape, f"int{bits}"), frac_bits)

    @property
    def type_name(self) -> str:
        """Element type as the library's function names spell it, ``fx8`` or ``fx16``."""
        return f"fx{self.bits}"


def check_frac_bits(name: str, frac_bits: int) -> None:
    """Raise TypeError or ValueError unless ``frac_bits`` is an int from 0 to ``FRAC_BITS_MAX``."""
    if isinstance(frac_bits, bool) or not isinstance(frac_bits, int):
        raise TypeError(f"{name} must be an int, not {type(frac_bits).__name__}")
    if not 0 <= frac_bits <= FRAC_BITS_MAX:
        raise ValueError(f"{name} must be between 0 and {FRAC_BITS_MAX}, not {frac_bits}")
