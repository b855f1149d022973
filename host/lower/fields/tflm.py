"""Factors of TensorFlow Lite, which rounds twice, as fields and records of a scaled pass."""

import numpy as np

from hdl.isa import RoundMode, Scale
from host.lower.products import first_record

__all__ = ["TWICE", "factor_records"]

_PLACES = 31  #: Of a multiplier.

#: Fields of a pass whose records ``factor_records`` begin.
TWICE = {"scale": Scale.BITS32, "rounding": RoundMode.TWICE}


def factor_records(multiplier, exponent):
    """What stands in front of the bias for ``quantize_multiplier`` of a factor, ints or arrays: a
    tuple of one record."""
    return (first_record(np.asarray(multiplier, np.int64), 0,
                         _PLACES - np.asarray(exponent, np.int64)),)
