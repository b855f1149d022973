# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite comparisons and logic as maps.

Both operands are scaled and rounded to 16 bits: their range is less than ``2**16``, and a zero
point moves it into 16 bits. A comparison result is their difference, clipped to a single step.
Equality also needs the maximum or minimum over the difference and its negative.
"""

import numpy as np

from xymac.golden.parameters.tflm.pairs import COMPARE_SHIFT
from xymac.golden.tflm import (
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalOr,
    NotEqual,
)
from xymac.hdl.isa import Op
from xymac.host.ir.elementwise import ElementMap
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale, rescale_fields, rescale_records

from .maps import make_maps

__all__ = ["FORMS"]

_LOW, _HIGH = container_clip(16)
#: Both operands' weights, and the addend to their difference before the clip.
_ORDERS = {Greater: (1, -1, 0), GreaterEqual: (1, -1, 1), Less: (-1, 1, 0), LessEqual: (-1, 1, 1)}


def form_of_comparison(layer, a, b):
    """ElementMaps for a comparison on Tensors like ``a`` and ``b``."""
    maps, moved = [], []
    for name, x, factor in zip("ab", (a, b), layer.factors(a, b), strict=True):
        map_, zero = _scale(name, x, factor, f"s{len(maps)}")
        maps.append(map_)
        moved.append(zero)
    if type(layer) in _ORDERS:
        one, other, more = _ORDERS[type(layer)]
        bias = more - one * moved[0] - other * moved[1]
        return make_maps((*maps, _difference((one, other), bias, "out", (0, 1))), None, (16, 16))
    step = _difference((1, -1), moved[1] - moved[0], "s0", (-1, 1))
    last = ElementMap.of(1, -1, reads=("s0", "s0"), output={
        "op": Op.MAX, "clip": (0, 1)} if isinstance(layer, NotEqual) else {
        "op": Op.MIN, "clip": (-1, 0), "zero": 1})
    return make_maps((*maps, step, last), None, (16, 16))


def _scale(name, x, factor, writes):
    """Map from an operand to 16 bits, in the comparison's units, and its zero point."""
    zero = x.quantisation.zero_point
    low, high = (int(rescale(limit - zero << COMPARE_SHIFT, *factor))
                 for limit in container_clip(8))
    moved = min(max(0, _LOW - low), _HIGH - low) if low < _LOW else min(0, _HIGH - high)
    bias  = -zero << COMPARE_SHIFT
    return ElementMap.of(1 << COMPARE_SHIFT, reads=(name,), writes=writes,
                         records=tuple(map(np.atleast_1d, (*rescale_records(*factor), bias))),
                         output=rescale_fields(moved, (_LOW, _HIGH))), moved


def _difference(weights, bias, writes, clip):
    """Map for a difference between both scaled operands."""
    return ElementMap.of(*weights, reads=("s0", "s1"), writes=writes,
                         records=(np.array([bias]),), output={"clip": clip})


def form_of_logic(layer, a, b):
    """ElementMaps for a LOGICAL_AND or LOGICAL_OR: minimum or maximum over the truth values."""
    op = Op.MIN if isinstance(layer, LogicalAnd) else Op.MAX
    return make_maps((ElementMap.of(1, 1, reads=("a", "b"), output={"op": op}),))


FORMS = dict.fromkeys((LogicalAnd, LogicalOr), form_of_logic) | dict.fromkeys(
    (Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual), form_of_comparison)
