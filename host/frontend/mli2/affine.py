# SPDX-License-Identifier: Apache-2.0
"""ElementMaps for elements with a scale and a zero point, MLI 2.0."""

import numpy as np

from xymac.hdl.isa import Scale
from xymac.host.ir.elementwise import ElementMap
from xymac.host.ir.fields import container_clip
from xymac.host.ir.sums import first_record

from .fields import narrow

__all__ = ["affine_map", "saturate_once"]

_ONE = np.ones((1, 1, 1), np.int8)


def affine_map(zeros, multipliers, shifts, output, **fields):
    """ElementMap for ``(x - zero) * multiplier / 2**shift``, all arrays [n].

    The difference is limited to 16 bits; ``output`` are fields beyond the scale.
    """
    multipliers, posts = narrow(multipliers, shifts)
    records = first_record(multipliers, posts * 0, posts), -np.asarray(zeros)
    return ElementMap(_ONE, records=records, output={"scale": Scale.BITS16, **output}, **fields)


def saturate_once(rounding, zero):
    """Fields for SA_8 outputs saturated once, with their zero point."""
    low, high = container_clip(8)
    return {"rounding": rounding, "clip": (low - zero, high - zero), "zero": zero}
