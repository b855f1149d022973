# SPDX-License-Identifier: Apache-2.0
"""Several tensors combined element by element; what has a single element along a dimension repeats
along it, as in numpy."""

from dataclasses import dataclass, field, replace

import numpy as np

from xymac.golden.array import Array

from .elementwise import ElementMap, ElementMaps
from .product import Product
from .requantiser import Requantiser

__all__ = ["Pair", "SaturatingPair", "ScaledPair", "Selection", "Slopes", "SquaredPair",
           "SumOfMany", "TabledPair"]


@dataclass(frozen=True)
class Pair:
    """Two tensors, ``a`` and ``b``, combined by ``each``: ElementMaps or a Product."""

    each: ElementMaps | Product

    def evaluate(self, bits, a, b):
        """Outputs of ``bits`` each, of two arrays of signed integers."""
        a, b = np.broadcast_arrays(a, b)
        return (self.each.evaluate(bits, a, b) if isinstance(self.each, Product)
                else self.each.evaluate(bits, a=a, b=b))

    @property
    def is_plain_sum(self):
        """Whether it is a scaled sum of both that no flag tells of, made by a single map."""
        return (isinstance(self.each, ElementMaps) and not self.each.flags
                and len(self.each.maps) == 1 and bool(self.each.maps[0].records))

    @property
    def is_plain_product(self):
        """Whether it is a product that no flag tells of."""
        return isinstance(self.each, Product) and not self.each.flags


@dataclass(frozen=True)
class TabledPair(Pair):
    """A Pair whose maps look up in tables of their own, ``TabledMaps``."""


@dataclass(frozen=True)
class ScaledPair(Pair):
    """A Product of which ``after``, ElementMaps, make the output out of ``s0``."""

    after: ElementMaps

    def evaluate(self, bits, a, b):
        """Outputs of ``bits`` each, of two arrays of signed integers."""
        return self.after.evaluate(bits, s0=super().evaluate(16, a, b))


@dataclass(frozen=True)
class SquaredPair(Pair):
    """ElementMaps that leave a difference in ``s0``, and the output out of its square: ``records``
    of a scaled pass, the bias last, and its fields ``output``."""

    records: tuple
    output:  dict

    def evaluate(self, bits, a, b):
        """Outputs of ``bits`` each, of two arrays of signed integers."""
        maps = replace(self.each, maps=(*self.each.maps, ElementMap.of(1, reads=("s0",))))
        difference = Pair(maps).evaluate(16, a, b)
        return Requantiser(bits, self.records, self.output).compute(difference * difference)


@dataclass(frozen=True)
class SaturatingPair(Pair):
    """A sum that saturates at 32 bits after each product.

    Parameters
    ----------
    each : ElementMaps of the sum as if it never saturated
    bias : int
    scales : factors of both operands
    shifts : tuple of dict, of each operand the fields of a pass that shifts it to 16 bits
    output : dict, fields of a pass from the sum to the output
    """

    bias:   int
    scales: tuple
    shifts: tuple
    output: dict


@dataclass(frozen=True)
class Selection:
    """Elements of one of two tensors, as a first one says: ElementMaps of all three in ``s0``,
    ``s1`` and ``s2``."""

    each: ElementMaps

    def evaluate(self, bits, *inputs):
        """Outputs of ``bits`` each, of three arrays of signed integers."""
        rooms = (each.astype(np.int16) for each in np.broadcast_arrays(*inputs))
        return self.each.evaluate(bits, **{f"s{slot}": each for slot, each in enumerate(rooms)})


@dataclass(frozen=True)
class Slopes:
    """Elements that are scaled from 0 on, and below 0 by slopes of their own.

    Parameters
    ----------
    maps : ElementMaps: what is from 0 on to ``out``, what is below 0 to ``s0``, and the sum of
        ``out`` and the product of ``s0`` with the slopes, ``s1``
    alpha : Array of the slopes, which repeat as those of a Pair
    slopes : int16 array, those less their zero point
    records : tuple of int, parameters of a scaled pass over the products, the bias last
    output : dict of the fields of that pass
    """

    maps:    ElementMaps
    alpha:   Array
    slopes:  np.ndarray
    records: tuple
    output:  dict

    def evaluate(self, bits, a):
        """Outputs of ``bits`` each, of an array of signed integers."""
        above, below, last = self.maps.maps
        least = below.evaluate(16, {"a": a}, None, ())
        held  = {"out": above.evaluate(bits, {"a": a}, None, ()),
                 "s1": Requantiser(bits, self.records, self.output).compute(least * self.slopes)}
        return last.evaluate(bits, held, None, ())

    def split(self, slices):
        """The same of the slopes under ``slices``."""
        return replace(self, alpha=self.alpha.take(slices), slopes=self.slopes[slices])


@dataclass(frozen=True)
class SumOfMany:
    """The sum of any number of tensors: ``records`` of a scaled pass over it, the bias last, and
    its fields ``output``."""

    records: tuple
    output:  dict = field(default_factory=dict)

    def evaluate(self, bits, *inputs):
        """Outputs of ``bits`` each, of arrays of signed integers."""
        return Requantiser(bits, self.records, self.output).compute(
            sum(each.astype(np.int64) for each in inputs))
