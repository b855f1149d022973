# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite rectifiers with a slope below zero, as maps.

If two 16-bit factors and a multiplier are exact for every 8-bit element, a single pass scales the
larger of two element products. Otherwise, separate passes scale elements from 0 on and elements
below 0; each gives 0 for the other elements, and their results are added.

Results for elements below 0 are computed as magnitudes, so their common limit is 0. Negative
products are therefore negated; an addend 1 less than the library's rounds them like the library.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from xymac.hdl.isa import Op, RoundMode
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.frontend.tflm.maps import make_maps
from xymac.host.ir.elementwise import ElementMap
from xymac.host.ir.fields import container_clip
from xymac.host.ir.fit import WEIGHT_MAX, find_fit, find_pairs
from xymac.host.ir.rescale import rescale, rescale_fields, rescale_records, wraps
from xymac.host.ir.sums import first_record

__all__ = ["Slope", "check_factor", "find_larger", "slope_maps"]


_TRIES = 3  #: Number of factor pairs tried.


@dataclass(frozen=True)
class Slope:
    """Scale per side of 0: elements minus their zero point times ``above`` from 0 on; below 0,
    ``sign`` times the element times ``weight``, scaled by ``below``.

    Parameters
    ----------
    above, below : multiplier and exponent
    weight : int of 9 bits and a sign
    sign : int, 1 or -1
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
        """Ratio between the scale below 0 and the scale from 0 on; inf if the latter is 0."""
        (one, places), (other, more) = self.above, self.below
        return self.sign * self.weight * other / one * 2.0 ** (more - places) if one else np.inf


def check_factor(peak, exponent):
    """Raise Refusal where the library's left shift wraps for integers up to ``peak``."""
    if wraps(peak, exponent):
        raise Refusal(RefusalKind.VALUE, f"A factor must keep {peak} within 32 bits, not one of "
                      f"about 2**{exponent}")


@lru_cache(maxsize=1024)
def find_larger(slope, zero, limits):
    """Factors for both products of an 8-bit element and the Fit for the larger product, or None.

    Parameters
    ----------
    slope : Slope
    zero : int, element zero point
    limits : lowest and highest output, minus the zero point
    """
    if not -1 <= slope.ratio <= 1:
        return None
    values  = np.arange(-128, 128, dtype=np.int64) - zero
    outputs = np.clip(slope.apply(values), *limits)
    gain    = slope.above[0] * 2.0 ** (slope.above[1] - 31)
    for one, other in find_pairs(slope.ratio, WEIGHT_MAX, _TRIES):
        fit = find_fit(np.maximum(values * one, values * other), gain / one, outputs, limits)
        if fit is not None:
            return (one, other), fit
    return None


def slope_maps(x, slopes, zero, axis=None):
    """ElementMaps for a rectifier of ``x`` with the output zero point ``zero``.

    ``slopes`` is a single Slope, or a Slope per index along dimension ``axis``.
    """
    low, high = container_clip(x.bits)
    in_zero   = x.quantisation.zero_point
    peak      = max(abs(low - in_zero), abs(high - in_zero))
    for slope in set(slopes):
        check_factor(peak, slope.above[1])
        check_factor(peak * abs(slope.weight), slope.below[1])
    pairs = _find_all(slopes, in_zero, (low - zero, high - zero)) if x.bits == 8 else None
    if pairs is not None:
        return make_maps((_larger(pairs, in_zero, rescale_fields(zero, (low, high))),), axis)
    return make_maps(_two_sides(x, slopes, zero), axis, (x.bits,))


def _find_all(slopes, zero, limits):
    """``find_larger`` results for all slopes, or None if any slope has no result."""
    pairs = []
    for slope in slopes:
        pairs.append(find_larger(slope, zero, limits))
        if pairs[-1] is None:
            return None
    return pairs


def _larger(pairs, in_zero, output):
    """Map for the larger of two products."""
    weights = np.array([weights for weights, _ in pairs], np.int16).T[:, None]
    first, addend = np.array([fit.records for _, fit in pairs]).T
    return ElementMap(weights, ("a", "a"), records=(first, addend, first * 0),
                      output={**output, "addend": True, "x_zero": in_zero, "op": Op.MAX})


def _two_sides(x, slopes, zero):
    """Maps for elements from 0 on, for magnitudes below 0, and for their sum."""
    low, high = container_clip(x.bits)
    in_zero   = np.array([x.quantisation.zero_point])
    weights   = np.array([slope.weight for slope in slopes])
    signs     = slopes[0].sign * np.where(weights < 0, 1, -1)
    above     = map(np.atleast_1d, rescale_records(*slopes[0].above))
    return (
        ElementMap.of(1, records=(*above, -in_zero), output=rescale_fields(zero, (zero, high))),
        ElementMap(weights.astype(np.int16)[None, None], ("a",), "s0",
                   (*_records_below(slopes[0].below, weights), -in_zero * weights),
                   {**rescale_fields(low, (low, high)), "addend": True,
                    "rounding": RoundMode.UP}),
        ElementMap(np.stack([signs, signs * 0 + 1])[:, None].astype(np.int8), ("s0", "out"),
                   records=(-low * signs,)))


def _records_below(factor, weights):
    """Parameters for the magnitudes below 0, elements times ``weights`` [n]."""
    multiplier, exponent = factor
    negated = weights >= 0
    half    = 1 << 30 if exponent < 0 else 0
    return (first_record(np.where(negated, -multiplier, multiplier), 0, 31 - exponent),
            half - negated)
