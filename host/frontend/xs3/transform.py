# SPDX-License-Identifier: Apache-2.0
"""XS3 library output transform."""

import numpy as np

from xymac.golden.xs3 import OutputTransform as Layer
from xymac.host.ir.contraction import OutputTransform
from xymac.host.ir.sums import first_record
from xymac.host.memory.layout import LOW_OFFSET

__all__ = ["FORMS"]

_SCALE_SHIFT = 14  #: Fractional bits of a scale.


def form_of(layer, x):
    """A layer's ``OutputTransform``."""
    left  = max(-(layer.initial_shift or 0), 0)
    start = np.full(layer.channels, LOW_OFFSET)
    *shifts, scales, biases = layer.columns()
    early = shifts[0] if shifts else np.full(layer.channels, max(layer.initial_shift, 0))
    scale = first_record(scales, early, _SCALE_SHIFT), start * (not left)
    return OutputTransform(left, [*[(start,)] * bool(left), scale, (biases,)], layer.final_shr,
                           (layer.low, 127))


FORMS = {Layer: form_of}
