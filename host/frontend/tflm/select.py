# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite SELECT_V2 as maps.

For 16 bits, each operand is moved to the minimum, or beyond it, where it is not selected. The
larger operand is then the output.
"""

import numpy as np

from xymac.golden.tflm import SelectV2
from xymac.hdl.isa import Op
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip
from xymac.host.ir.pair import Selection

__all__ = ["FORMS"]

_WEIGHT = (1 << 15) - 1
_TIMES  = 3  #: Products that move any 16-bit element below the minimum.


def _move_away(name, sign):
    """Map for an operand in place: where the condition is not as chosen it becomes the least value.

    ``sign`` is 1 where the operand is chosen by a true condition, else -1.
    """
    weights = np.array([[1] + [0] * (_TIMES - 1), [sign * _WEIGHT] * _TIMES], np.int16)
    bias    = min(0, -sign * _WEIGHT * _TIMES)
    return ElementMap(weights[..., None], reads=(name, "s0"), writes=name,
                      records=(np.array([bias]),), output={"clip": container_clip(16)})


_FORM = Selection(ElementMaps((_move_away("s1", 1), _move_away("s2", -1),
                     ElementMap.of(1, 1, reads=("s1", "s2"), output={"op": Op.MAX})),
                    None, (16, 16, 16)))


def form_of(layer, condition, a, b):
    """The ``Selection`` for 8-bit or 16-bit elements, else None."""
    return _FORM if a.type_name in ("INT8", "INT16") else None


FORMS = {SelectV2: form_of}
