# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite PRELU with slopes along several dimensions."""

import numpy as np

from xymac.golden.tflm import Prelu
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip
from xymac.host.ir.pair import Slopes
from xymac.host.ir.rescale import rescale_fields, rescale_records

from .elementwise import peak_of, rescale_map
from .slopes import check_factor

__all__ = ["FORMS"]


def form_of(layer, x):
    """The ``Slopes`` for a PRELU with different slopes along more than one dimension, else None."""
    if sum(size > 1 for size in layer.alpha.shape) < 2:
        return None
    zero, limits = layer.out.zero_point, container_clip(x.bits)
    slopes       = layer.alpha.centred.astype(np.int16)
    above, below = layer.factors(x)
    least = limits[0] - x.quantisation.zero_point
    if least < -(1 << 15):
        raise Refusal(RefusalKind.VALUE, "Elements less their zero point must have 16 bits, not "
                      f"be {least}")
    check_factor(peak_of(x) * int(np.abs(slopes).max()), below[1])
    centre = np.array([-x.quantisation.zero_point])
    maps   = ElementMaps((
        rescale_map(x, above, zero, (zero, limits[1])),
        ElementMap.of(1, writes="s0", records=(centre,), output={"clip": (-(1 << 15), 0)}),
        ElementMap.of(1, 1, reads=("s1", "out"), records=(np.array([-zero]),))),
        scratch=(16, x.bits))
    return Slopes(maps, layer.alpha, slopes, (*rescale_records(*below), 0),
                  rescale_fields(zero, limits))


FORMS = {Prelu: form_of}
