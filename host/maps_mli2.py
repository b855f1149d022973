"""Maps of elements that have a scale and a zero point, MLI 2.0."""

import numpy as np

from golden.fx import container
from hdl.isa import Scale

from .linear import first_record
from .maps import Map
from .refuse import NoPassesError
from .scaling_mli2 import ZERO_MAX, affine_clip, narrow

__all__ = ["affine_map", "check_zero", "saturated_once"]

_ONE = np.ones((1, 1, 1), np.int8)


def affine_map(zeros, multipliers, shifts, output, **fields):
    """Map of ``(x - zero) * multiplier / 2**shift``, all of them arrays [n], the difference limited
    to 16 bits; ``output`` are fields beyond the scale."""
    multipliers, posts = narrow(multipliers, shifts)
    records = first_record(multipliers, posts * 0, posts), -np.asarray(zeros)
    return Map(_ONE, records=records, output={"scale": Scale.BITS16, **output}, **fields)


def saturated_once(rounding, zero):
    """Fields of SA_8 outputs that are saturated once, with their zero point."""
    check_zero(zero)
    return {"rounding": rounding, **affine_clip(container(8), zero)}


def check_zero(zero):
    """Raise NoPassesError unless a zero point can be added to a limited element of 16 bits."""
    if abs(zero) > ZERO_MAX:
        raise NoPassesError(f"Zero point of the output must be between {-ZERO_MAX} and "
                            f"{ZERO_MAX}, not {zero}")
