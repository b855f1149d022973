# SPDX-License-Identifier: Apache-2.0
"""Formats for quantised elements: fixed point, and scale with zero point."""

from __future__ import annotations

from dataclasses import dataclass

from .fixed import container
from .ints import PlainInts

__all__ = ["RANK_MAX", "Affine", "Fixed", "Format", "as_affine", "as_fixed"]

RANK_MAX = 4  #: Largest tensor rank. Source: embARC MLI 2.0, ``MLI_MAX_RANK``.


def _check_int(name, value, low, high):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {value}")


@dataclass(frozen=True)
class Fixed(PlainInts):
    """Values ``data / 2**frac_bits``.

    Parameters
    ----------
    frac_bits : int, -128 .. 127, may exceed the element width
    """

    frac_bits: int

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_int("frac_bits", self.frac_bits, *container(8))


@dataclass(frozen=True)
class Affine(PlainInts):
    """Values ``(data - zero_point) * scale / 2**scale_frac_bits``.

    A field has one value for the whole tensor, or a tuple with a value for every index along the
    dimension ``dim``.
    Source: embARC MLI 2.0, ``mli_element_params``, ``MLI_EL_PARAM_SC16_ZP16``.

    Parameters
    ----------
    zero_point : int or tuple of int, 16 bits
    scale : int or tuple of int, 1 .. 32767
    scale_frac_bits : int or tuple of int, 8 bits
    dim : int, -1 for the whole tensor
    """

    zero_point:      int | tuple[int, ...]
    scale:           int | tuple[int, ...]
    scale_frac_bits: int | tuple[int, ...]
    dim:             int = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_int("dim", self.dim, -1, RANK_MAX - 1)
        for name, low, high in (("zero_point", *container(16)), ("scale", 1, container(16)[1]),
                                ("scale_frac_bits", *container(8))):
            for value in self._values(name):
                _check_int(name, value, low, high)

    def _values(self, name):
        """Field values as a tuple, with their count checked."""
        value = getattr(self, name)
        if self.dim < 0:
            if isinstance(value, tuple):
                raise TypeError(f"{name} of a whole tensor must be an int, not a tuple")
            return (value,)
        if not isinstance(value, tuple):
            raise TypeError(f"{name} along dimension {self.dim} must be a tuple, "
                            f"not {type(value).__name__}")
        if isinstance(self.scale, tuple) and len(value) != len(self.scale):
            raise ValueError(f"scale has {len(self.scale)} values, {name} has {len(value)}")
        return value

    @property
    def zero_points(self) -> tuple[int, ...]:
        """All zero points, a tuple."""
        return self._values("zero_point")

    @property
    def scales(self) -> tuple[int, ...]:
        """All scales, a tuple."""
        return self._values("scale")

    @property
    def fractions(self) -> tuple[int, ...]:
        """Fractional bits for each scale."""
        return self._values("scale_frac_bits")


Format = Fixed | Affine | None  #: None for floating point.


def as_affine(kind: Format) -> Affine:
    """``kind`` as Affine; TypeError for formats without a scale."""
    if not isinstance(kind, Affine):
        raise TypeError(f"Format must have a scale, not be {kind}")
    return kind


def as_fixed(kind: Format) -> Fixed:
    """``kind`` as Fixed; TypeError for formats without fractional bits."""
    if not isinstance(kind, Fixed):
        raise TypeError(f"Format must have fractional bits, not be {kind}")
    return kind
