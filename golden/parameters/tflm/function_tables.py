# SPDX-License-Identifier: Apache-2.0
"""The library's function tables, int16 and uint16."""

from math import exp

import numpy as np

__all__ = ["EXPONENTIALS", "RECIPROCALS", "SIGMOIDS"]

_STEPS = 512

#: Indices of SIGMOIDS where the library's entry is the nearest integer plus 1.
_LARGER = {4, 8, 12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31, 33, 34, 35, 37, 39, 40,
           41, 43, 44, 45, 46, 49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255}

#: ``1 / (1 + exp(-index / 24))``, 16 bits behind the point.
#: Source: tensorflow/lite/kernels/internal/common.h, ``sigmoid_table_uint16``.
SIGMOIDS = tuple(min(int(65536 / (1 + exp(-index / 24)) + 0.5), 65535) + (index in _LARGER)
                 for index in range(256))


def _nearest(value):
    """The nearest integer, halves away from zero."""
    return int(abs(value) + 0.5) * (-1 if value < 0 else 1)


def _sample(function, low, high):
    """513 samples from ``low`` to ``high``, 15 fractional bits.

    Each sample but the last is corrected by half the linear interpolation error at the middle of
    its interval. Samples and sums are float32.
    Source: tensorflow/lite/kernels/internal/common.h, ``LUTPopulate`` for int16_t.
    """
    step   = (high - low) / _STEPS
    values = [float(np.float32(function(low + place * step / 2))) * 32768
              for place in range(2 * _STEPS + 1)]
    table  = []
    for place in range(_STEPS):
        sample, middle, end = values[2 * place:2 * place + 3]
        error = _nearest(float(np.float32(end + _nearest(sample))) / 2) - _nearest(middle)
        table.append(_nearest(sample) - _nearest(error / 2))
    return tuple(min(value, 32767) for value in (*table, _nearest(values[-1])))


EXPONENTIALS = _sample(exp, -10.0, 0.0)
RECIPROCALS  = _sample(lambda value: 1 / (1 + value), 0.0, 1.0)  #: 1 / (1 + x).
