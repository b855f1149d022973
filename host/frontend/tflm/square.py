# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite squared differences: maps to the difference, and its square.

The INT16 element difference has 17 bits, but its negative magnitude has 16: the sum of the negative
parts of the difference and of its negation.
"""

import numpy as np

from xymac.golden.parameters.tflm.pairs import difference_shift
from xymac.golden.tflm import SquaredDifference
from xymac.host.frontend.tflm.functions.slopes import check_factor
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip
from xymac.host.ir.pair import SquaredPair
from xymac.host.ir.rescale import rescale_fields, rescale_records

__all__ = ["FORMS"]

_WORD = 16


def form_of(layer, a, b):
    """The ``SquaredPair`` for a SQUARED_DIFFERENCE on Tensors like ``a`` and ``b``."""
    *factors, last = layer.factors(a, b)
    check_factor(1 << 30, last[1])
    maps = [_scale(name, x, factor, f"s{slot}") for slot, (name, x, factor) in enumerate(
        zip("ab", (a, b), factors, strict=True))]
    if a.bits == 8:
        form = ElementMaps((*maps, _difference((1, -1), "s0")), None, (_WORD,) * 2)
    else:
        top  = {"clip": (container_clip(_WORD)[0], 0)}
        form = ElementMaps((*maps, _difference((1, -1), "s2", output=top),
                            _difference((-1, 1), "s3", output=top),
                            _difference((1, 1), "s0", ("s2", "s3"))), None, (_WORD,) * 4)
    return SquaredPair(form, (*rescale_records(*last), 0),
                       rescale_fields(layer.out.zero_point, container_clip(a.bits)))


def _scale(name, x, factor, writes):
    """Map from an operand to half the larger scale, 16 bits."""
    weight = 1 << difference_shift(x.bits)
    bias   = -x.quantisation.zero_point * weight
    return ElementMap.of(weight, reads=(name,), writes=writes,
                         records=tuple(map(np.atleast_1d, (*rescale_records(*factor), bias))),
                         output=rescale_fields(0, container_clip(_WORD)))


def _difference(weights, writes, reads=("s0", "s1"), output=None):
    return ElementMap.of(*weights, reads=reads, writes=writes, output=output or {})


FORMS = {SquaredDifference: form_of}
