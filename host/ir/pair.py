# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations on several tensors; a dimension of size 1 is broadcast as in numpy."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from xymac.golden.array import Array

from .elementwise import ElementMap, ElementMaps
from .product import Product
from .requantiser import Requantiser
from .tile import along, broadcast_along

if TYPE_CHECKING:
    pass

__all__ = ["Pair", "SaturatingPair", "ScaledPair", "Selection", "Slopes", "SquaredPair",
           "SumOfMany", "TabledPair"]


class _Broadcast:
    """Base for forms with equal parameters for all elements."""

    def split(self, axis: int, first: int, end: int,
              *shapes: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and all inputs' slices.
        """
        rank = max(map(len, shapes))
        return self, tuple(broadcast_along(shape, rank, axis, first, end) for shape in shapes)


@dataclass(frozen=True)
class Pair(_Broadcast):
    """Two tensors, ``a`` and ``b``, combined by ``each``: ElementMaps or a Product."""

    each: ElementMaps | Product

    def evaluate(self, bits: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for two signed-integer arrays."""
        a, b = np.broadcast_arrays(a, b)
        return (self.each.evaluate(bits, a, b) if isinstance(self.each, Product)
                else self.each.evaluate(bits, a=a, b=b))

    @property
    def is_plain_sum(self) -> bool:
        """Whether the operation is a scaled sum in a single map, without overflow report."""
        return (isinstance(self.each, ElementMaps) and not self.each.flags
                and len(self.each.maps) == 1 and bool(self.each.maps[0].records))

    @property
    def is_plain_product(self) -> bool:
        """Whether the operation is a product without overflow report."""
        return isinstance(self.each, Product) and not self.each.flags


@dataclass(frozen=True)
class TabledPair(Pair):
    """A Pair with TabledMaps, whose maps have their own tables."""


@dataclass(frozen=True)
class ScaledPair(Pair):
    """A Product in ``s0``, from which ``after``, ElementMaps, computes the output."""

    after: ElementMaps

    def evaluate(self, bits: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for two signed-integer arrays."""
        return self.after.evaluate(bits, s0=super().evaluate(16, a, b))


@dataclass(frozen=True)
class SquaredPair(Pair):
    """Squared difference: ElementMaps compute the difference, and a scaled pass its square.

    ``records`` are that pass's parameters, the bias last, and ``output`` its fields.
    """

    records: tuple[int, ...]
    output:  dict[str, Any]

    def evaluate(self, bits: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for two signed-integer arrays."""
        each = cast("ElementMaps", self.each)
        maps = replace(each, maps=(*each.maps, ElementMap.of(1, reads=("s0",))))
        difference = Pair(maps).evaluate(16, a, b)
        return Requantiser(bits, self.records, self.output).compute(difference * difference)


@dataclass(frozen=True)
class SaturatingPair(Pair):
    """A sum that saturates at 32 bits after each product.

    Parameters
    ----------
    each : ElementMaps for the sum without saturation
    bias : int
    scales : factor per operand
    shifts : tuple of dict, per operand the fields for the pass shifting it to 16 bits
    output : dict, fields for the pass from the sum to the output
    """

    bias:   int
    scales: tuple[int, ...]
    shifts: tuple[dict[str, Any], ...]
    output: dict[str, Any]


@dataclass(frozen=True)
class Selection(_Broadcast):
    """Elements from the second or third tensor, selected by the first: ElementMaps for ``s0``,
    ``s1``, ``s2``.
    """

    each: ElementMaps

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for three signed-integer arrays."""
        rooms = (each.astype(np.int16) for each in np.broadcast_arrays(*inputs))
        return self.each.evaluate(bits, **{f"s{slot}": each for slot, each in enumerate(rooms)})


@dataclass(frozen=True)
class Slopes:
    """PReLU: one scale for elements from 0 on, and a slope per element below 0.

    Parameters
    ----------
    maps : three ElementMaps: elements from 0 on to ``out``; elements below 0 to ``s0``; the sum
        ``out`` plus ``s1``, the product of ``s0`` with the slopes
    alpha : slope Array, broadcast as in a Pair
    slopes : int16 array, ``alpha`` minus its zero point
    records : tuple of int, parameters for a scaled pass over the products, the bias last
    output : dict, fields for that pass
    """

    maps:    ElementMaps
    alpha:   Array
    slopes:  np.ndarray
    records: tuple[int, ...]
    output:  dict[str, Any]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        above, below, last = self.maps.maps
        least = below.evaluate(16, {"a": a}, None, ())
        held  = {"out": above.evaluate(bits, {"a": a}, None, ()),
                 "s1": Requantiser(bits, self.records, self.output).compute(least * self.slopes)}
        return last.evaluate(bits, held, None, ())

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for indices ``first`` to ``end`` along ``axis``, and the input slices."""
        own = broadcast_along(self.alpha.shape, len(shape), axis, first, end)
        return replace(self, alpha=self.alpha.take(own), slopes=self.slopes[own]), (
            along(shape, axis, first, end),)


@dataclass(frozen=True)
class SumOfMany(_Broadcast):
    """Sum over any number of tensors.

    ``records`` are the parameters for a scaled pass on the sum, the bias last; ``output`` are its
    fields.
    """

    records: tuple[int, ...]
    output:  dict[str, Any] = field(default_factory=dict)

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for signed-integer arrays."""
        return Requantiser(bits, self.records, self.output).compute(
            cast("np.ndarray", sum(each.astype(np.int64) for each in inputs)))
