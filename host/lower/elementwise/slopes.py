"""Rectifiers of TensorFlow Lite with a slope below zero, as maps.

Where two factors of 16 bits and a multiplier can be found that are exact for every element, a pass
scales the larger of two products of an element. Else elements from 0 on and those below are scaled
by themselves, to 0 where it is the other one that counts, and added up.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hdl.isa import Op
from host.lower.refuse import NoPassesError
from host.lower.sweep import container_clip

from .fit import WEIGHT_MAX, find_fit, find_pairs
from .form import ElementMap, ElementMaps
from .rescale import rescale, rescale_fields, rescale_records, wraps

__all__ = ["Slope", "check_factor", "find_larger", "slope_maps"]


@dataclass(frozen=True)
class Slope:
    """What becomes of elements less their zero point: times ``above`` from 0 on, and below 0
    ``sign`` times what ``below`` makes of them times ``weight``.

    Parameters
    ----------
    above, below : multiplier and exponent
    weight : int of 9 bits and a sign
    sign : int, 1 or -1; with -1 the weight is 1
    """

    above:  tuple
    below:  tuple
    weight: int = 1
    sign:   int = 1

    def apply(self, values):
        """Outputs for int64 values, without limits."""
        below = self.sign * rescale(values * self.weight, *self.below)
        return np.where(values >= 0, rescale(values, *self.above), below)

    @property
    def ratio(self):
        """What a step below 0 makes, in parts of what one from 0 on makes; inf if that is 0."""
        (one, places), (other, more) = self.above, self.below
        return self.sign * self.weight * other / one * 2.0 ** (more - places) if one else np.inf


def check_factor(peak, exponent):
    """Raise NoPassesError where the library's left shift of integers up to ``peak`` wraps."""
    if wraps(peak, exponent):
        raise NoPassesError(f"A factor must keep {peak} within 32 bits, not one of about "
                            f"2**{exponent}")


@lru_cache(maxsize=4096)
def find_larger(slope, bits, zero, limits):
    """Factors of both products and the Fit of the larger one, or None.

    Parameters
    ----------
    slope : Slope
    bits : int, of an element; zero : int, its zero point, 0 if it has 16 bits
    limits : lowest and highest output, less the zero point
    """
    if not -1 <= slope.ratio <= 1:
        return None
    low, high = container_clip(bits)
    values  = np.arange(low, high + 1, dtype=np.int64) - zero
    outputs = np.clip(slope.apply(values), *limits)
    gain    = slope.above[0] * 2.0 ** (slope.above[1] - 31)
    for one, other in find_pairs(slope.ratio, WEIGHT_MAX):
        fit = find_fit(np.maximum(values * one, values * other), gain / one, outputs, limits)
        if fit is not None:
            return (one, other), fit
    return None


def slope_maps(x, slopes, zero, axis=None):
    """The ``ElementMaps`` of a rectifier of the elements of ``x``, of which there are one or all
    Slopes along a dimension; ``zero`` is the zero point of the output."""
    low, high = container_clip(x.bits)
    in_zero   = x.quantisation.zero_point
    peak      = max(abs(low - in_zero), abs(high - in_zero))
    for slope in set(slopes):
        check_factor(peak, slope.above[1])
        check_factor(peak * abs(slope.weight), slope.below[1])
    if x.bits == 8 or not in_zero:
        limits = low - zero, high - zero
        pairs  = [find_larger(slope, x.bits, in_zero, limits) for slope in slopes]
        if None not in pairs:
            return ElementMaps((_larger(pairs, in_zero, rescale_fields(zero, (low, high))),), axis)
    if low - in_zero < -(1 << 15):
        raise NoPassesError(f"Elements less their zero point must have 16 bits, not be "
                            f"{low - in_zero}")
    return ElementMaps(_two_sides(x, slopes, zero), axis, (16, x.bits))


def _larger(pairs, in_zero, output):
    """Map of the larger one of two products."""
    weights = np.array([weights for weights, _ in pairs], np.int16).T[:, None]
    first, addend = np.array([fit.records for _, fit in pairs]).T
    fields  = {"x_zero": in_zero} if in_zero else {}
    return ElementMap(weights, ("a", "a"), records=(first, addend, first * 0),
                      output={**output, **fields, "op": Op.MAX})


def _two_sides(x, slopes, zero):
    """Maps of what is from 0 on, what is below 0, and of their sum."""
    low, high = container_clip(x.bits)
    in_zero   = np.array([x.quantisation.zero_point])
    one       = ElementMap.of(1).weights
    sign      = slopes[0].sign
    below     = zero if sign > 0 else -1 - zero
    limits    = (low, high) if sign > 0 else (below - high + zero, below)
    weights   = np.array([[[slope.weight for slope in slopes]]], np.int16)
    above     = _records(slopes[0].above)
    return (
        ElementMap(one, records=(*above, -in_zero), output=rescale_fields(zero, (zero, high))),
        ElementMap(one, writes="s0", records=(-in_zero,), output={"clip": (-(1 << 15), 0)}),
        ElementMap(weights, ("s0",), "s1", (*_records(slopes[0].below), in_zero * 0),
                   rescale_fields(below, limits)),
        ElementMap.of(sign, 1, reads=("s1", "out"), records=(np.array([-sign * below]),)))


def _records(factor):
    return tuple(map(np.atleast_1d, rescale_records(*factor)))
