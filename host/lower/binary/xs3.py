"""Elementwise kernels of the XS3 library as maps."""

import numpy as np

from golden import xs3
from golden.xs3.instructions import vlashr
from hdl.isa import RoundMode
from host.lower.elementwise.form import Map, Recipe, split
from host.lower.fields.shift import shift_fields

__all__ = ["describe", "peak", "prescaled"]

_LIMITS = (-32767, 32767)  #: Of 16 bits.


def describe(layer, *xs):
    """The ``Recipe`` of a layer for Integers like ``xs``."""
    if isinstance(layer, xs3.Requantize16To8):
        return Recipe((Map.of(1, output=_rounded(layer, 8)),))
    factors = _factors(layer)
    if factors:
        return Recipe((_sum(layer, factors, ("a", "b")),))
    operands = [Map.of(1, reads=(read,), writes=name, output=prescaled(shift))
                for read, name, shift in zip("ab", ("s0", "s1"), layer.shifts, strict=True)]
    return Recipe((*operands, _sum(layer, layer.scales, ("s0", "s1"))), scratch=(16, 16))


def _sum(layer, weights, reads):
    return Map(split(weights), reads, records=(np.array([layer.bias]),),
               output=_rounded(layer, layer.shift))


def _rounded(layer, shift):
    return {"shift": shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}


def prescaled(shift):
    """Fields of passes that write an operand of a sum, shifted, with 16 bits."""
    return {"clip": _LIMITS, **shift_fields(shift, RoundMode.FLOOR)}


def peak(layer):
    """The largest magnitude of a sum of ``add_elementwise``, the bias and both products."""
    ends = np.array([-128, 127])
    return abs(layer.bias) + sum(int(np.abs(vlashr(ends, shift, 16)).max()) * abs(scale)
                                 for shift, scale in zip(layer.shifts, layer.scales, strict=True))


def _factors(layer):
    """Factors of the operands as they are, or None where these are to be shifted first."""
    factors = []
    for shift, scale in zip(layer.shifts, layer.scales, strict=True):
        factor = scale << min(max(-shift, 0), 15)
        # From 8 bits on a left shift can saturate.
        if not -8 < shift <= 0 or not -(1 << 15) <= factor < 1 << 15:
            return None
        factors.append(factor)
    return factors
