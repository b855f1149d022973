# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite sums over many elements: ADD_N and CUMSUM.

The library's output is a function of an integer sum: a single multiplier is exact for every
possible sum.
"""

from functools import lru_cache

import numpy as np

from xymac.golden.tflm import AddN, CumSum
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.fields import container_clip
from xymac.host.ir.fit import find_fit
from xymac.host.ir.pair import SumOfMany
from xymac.host.ir.pool import CumulativeSum
from xymac.host.ir.rescale import RESCALED, rescale

__all__ = ["CUMULATIVE", "FORMS"]

_HALF = 19  #: Left shift of an element in the library's sum, whose factor is 1/2.


@lru_cache(maxsize=256)
def _find_scale(low, high, zero, factor, out_zero):
    """Fit for sums from ``low`` to ``high``, to which the library adds ``-zero``."""
    if max(-low, high) + abs(zero) >= 1 << 31 - _HALF:
        raise Refusal(RefusalKind.VALUE, f"Sums must stay within {(1 << 31 - _HALF) - 1} for "
                      f"every input, not {max(-low, high) + abs(zero)}")
    sums   = np.arange(low, high + 1, dtype=np.int64) - zero
    limits = tuple(limit - out_zero for limit in container_clip(8))
    scaled = rescale(sums << _HALF, *factor)
    gain   = factor[0] * 2.0 ** (factor[1] - 31 + _HALF)
    fit    = find_fit(sums, gain, np.clip(scaled, *limits), limits)
    if fit is None:
        raise Refusal(RefusalKind.VALUE, f"Sums from {low} to {high} must have one multiplier "
                      "that makes every output, not none")
    return fit


def _sum_fields(out_zero):
    """Fields for a pass with the ``_find_scale`` parameters and a bias."""
    low, high = container_clip(8)
    return {**RESCALED, "addend": True, "clip": (low - out_zero, high - out_zero),
            "zero": out_zero}


def form_of(layer, *inputs):
    """SumOfMany for an ADD_N on Tensors like ``inputs``."""
    x, zero = inputs[0], inputs[0].quantisation.zero_point
    count   = len(inputs)
    ends    = [count * (limit - zero) for limit in container_clip(8)]
    fit     = _find_scale(*ends, zero, layer.factor(x), layer.out.zero_point)
    return SumOfMany((*fit.records, -zero * (count + 1)), _sum_fields(layer.out.zero_point))


def form_of_cumulative(layer, x):
    """The ``CumulativeSum`` for a CUMSUM on a Tensor like ``x``; its bias begins as the library
    does."""
    axis = layer.axis % len(x.shape)
    zero, size = x.quantisation.zero_point, x.shape[axis]
    ends = [min(0, size * (-128 - zero)), max(0, size * (127 - zero))]
    fit  = _find_scale(*ends, zero, layer.factor(x), layer.out.zero_point)
    return CumulativeSum(axis, layer.exclusive, layer.reverse, (*fit.records, -zero),
                         {**_sum_fields(layer.out.zero_point), "x_zero": zero})


FORMS = {AddN: form_of}
CUMULATIVE = {CumSum: form_of_cumulative}
