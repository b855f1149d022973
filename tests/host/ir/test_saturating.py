# SPDX-License-Identifier: Apache-2.0
"""Forms of sums that saturate on their way, against golden: windows, lanes, borders and strides."""

import numpy as np
import pytest

from tests.host.ir.test_calls import evaluate
from tests.support.seed import random_of
from xymac import golden
from xymac.golden import xs3
from xymac.golden.xs3 import Integers, Window
from xymac.host.ir.saturating import SaturatingSum
from xymac.host.lower.registry import find_lowering

_HIGH = 32767  #: High half of a bias just below the limit of 32 bits.


def _numbers(rng, *shape):
    return Integers(rng.integers(-128, 128, shape, np.int8))


def _bso(rng, channels, shift2):
    """A bias at an end for every third channel, and small biases, whose sums are seen closely."""
    rows = np.zeros((-(-channels // 16), 7, 16), np.int16)
    rows[:, 0, ::3] = rng.choice([-_HIGH - 1, _HIGH], 6)
    rows[:, 1] = rng.integers(0, 4096, 16)
    rows[:, 2] = np.where(rows[:, 0], 16, 3)
    rows[:, 3] = rng.integers(9000, 32767, 16)
    rows[:, 6] = shift2
    return Integers(rows)


#: Layers by name, from a random generator and whether their outputs are rounded twice.
_LAYERS = {
    "a matrix": lambda rng, twice: (
        xs3.FullyConnected(_numbers(rng, 21, 40), _bso(rng, 21, 12 if twice else 20),
                           final_shift=twice), _numbers(rng, 40)),
    "pixels": lambda rng, twice: (
        xs3.Conv2d1x1(_numbers(rng, 20, 32), _bso(rng, 20, 12 if twice else 20),
                      final_shift=twice), _numbers(rng, 3, 5, 32)),
    "windows": lambda rng, twice: (
        xs3.Conv2dDeep(_numbers(rng, 20, 3, 2, 8), _bso(rng, 20, 12 if twice else 20),
                       Window((4, 3), (-1, -1), (2, 3)), final_shift=twice),
        _numbers(rng, 8, 7, 8)),
    "windows of a channel": lambda rng, twice: (
        xs3.Conv2dDepthwise(_numbers(rng, 3, 2, 20), _bso(rng, 20, 12 if twice else 20),
                            Window((4, 3), (0, 0), (2, 2)), final_shift=twice),
        _numbers(rng, 10, 7, 20)),
}


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("name", _LAYERS)
def test_saturating_sums_equal_golden(name, twice):
    for key in range(8):
        layer, x = _LAYERS[name](random_of((key, *name.encode())), twice)
        lowering = find_lowering(layer, [x], 4)
        expected = golden.run(layer, x).output.data

        assert isinstance(lowering.form, SaturatingSum)
        assert len(np.unique(expected)) > 8
        np.testing.assert_array_equal(evaluate(lowering.form, lowering.output, [x]), expected)
