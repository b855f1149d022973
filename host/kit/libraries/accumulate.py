# SPDX-License-Identifier: Apache-2.0
"""Sums of a device that gives them."""

import numpy as np

from xymac.golden.fixed import container
from xymac.host.kit.accumulate import Accumulate
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.rounding import Rounding
from xymac.host.kit.sums import Sums

__all__ = ["LAYERS"]

_BITS = 32


def _accumulate(layer, inputs, places):
    [x] = inputs
    outputs   = len(layer.weights)
    elements  = x.astype(np.int64)[places // outputs].T - layer.zero_point
    weights   = layer.weights.astype(np.int64)[places % outputs].T
    low, high = container(_BITS)
    narrowing = Narrowing(Rounding.FLOOR, _BITS, input_bits=8)
    return Sums.of(narrowing, elements, weights, bias=layer.bias.astype(np.int64)[places % outputs],
                   input_zero=layer.zero_point, low=low, high=high, index=places)


LAYERS = {Accumulate: _accumulate}
