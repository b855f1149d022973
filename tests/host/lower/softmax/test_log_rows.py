# SPDX-License-Identifier: Apache-2.0
"""Thresholds of LOG_SOFTMAX: what passes add up to makes an output less at the very sum"""

import numpy as np
import pytest

from xymac.golden.parameters.tflm.exponent import log_softmax_argument
from xymac.golden.tflm import LogSoftmax, Quantisation, Tensor
from xymac.golden.tflm.arithmetic import divide_by_power, multiply_quantized
from xymac.golden.tflm.curves.logarithm import logarithm
from xymac.host.lower.registry import find_lowering

LEAST = 1 << 19


@pytest.mark.parametrize("scale", [0.0625, 0.1171875, 0.0078125, 2.0])
@pytest.mark.parametrize("count", [2, 10, 35])
def test_thresholds(scale, count):
    multiplier, exponent, least, *_ = log_softmax_argument(scale)

    def outputs(place, sums):
        """Outputs of the difference ``-place``, as golden has them."""
        scaled = multiply_quantized(max(-place, least), multiplier, exponent)
        values = divide_by_power(scaled - logarithm(np.array(sums)), 22) + 127
        return np.where(-place < least, -128, np.clip(values, -128, 127))

    lowering = find_lowering(LogSoftmax(Quantisation((2.0 ** -4,), (127,))), [
        Tensor(np.zeros((1, count), np.int8), Quantisation((scale,), (0,)))], 4)
    upper, lower = np.split(lowering._steps.astype(np.int64), 2)
    steps = np.cumsum((upper << 12) + lower, axis=0)
    sums  = lowering._start + np.concatenate([steps[:1] * 0, steps])
    first = lowering.tables[2].values
    tried = 0
    for place in range(0, len(sums), 7):
        place = min(place, 255)
        start = first[255 - place]
        assert start == outputs(place, [LEAST])[0]
        for step, limit in enumerate(sums[place].tolist(), 1):
            if limit <= count * LEAST:
                assert outputs(place, [limit - 1, limit]).tolist() == [
                    start - step + 1, start - step], (place, step)
                tried += 1
            else:
                assert outputs(place, [count * LEAST])[0] >= start - step + 1
    assert tried > 8
