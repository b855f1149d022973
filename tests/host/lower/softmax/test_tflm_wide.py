# SPDX-License-Identifier: Apache-2.0
"""Softmax of 16-bit elements of TensorFlow Lite as passes against the golden operator."""

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_size, rarely
from xymac.golden.tflm import Quantisation, Softmax, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.host.errors import Refusal
from xymac.host.plan.tiling.tiled import make_plan

OUT    = Quantisation((2.0**-15,), (0,))
SCALES = [1e-6, 2.0**-15, 2.0**-12, 3e-4, 2.0**-8, 0.1]


def words_of(data, scale):
    return Tensor(np.asarray(data, np.int16), Quantisation((float(np.float32(scale)),), (0,)))


def noise(key, shape, scale):
    """Words as random as can be, and rows nearer to one another."""
    rng  = random_of(key)
    span = rng.choice([1, 40, 3000, 65535], (*shape[:-1], 1))
    top  = rng.integers(-32768, 32768, (*shape[:-1], 1))
    return words_of(np.clip(top - rng.integers(0, span + 1, shape), -32768, 32767), scale)


@each_size
@pytest.mark.parametrize("shape", [
    (1, 1), (1, 2), (1, 3), (4, 10), (12,), (3, 16), (2, 3, 17), (1, 64), (2, 65), (1, 100),
    (20, 5), (1, 1001)])
def test_rows(config, shape):
    for key, scale in enumerate(SCALES):
        assert_equals_golden(config, Softmax(OUT), noise(key, shape, scale))


@pytest.mark.parametrize("config", [TINY, BASE], ids=lambda config: config.name)
@pytest.mark.parametrize("count", [1, 7, 70, *rarely(2, 12)])
@pytest.mark.parametrize("beta", [*rarely(0.25), 1.0, 3.0])
def test_extremes(config, count, beta):
    """All alike, at each end and around 0; one that is largest, next to others or far from them."""
    rows = [np.full(count, value) for value in (-32768, -32767, -1, 0, 1, 32767)]
    for low, high in ((-32768, 32767), (-32768, -32767), (32766, 32767), (-1, 0), (-32768, 0)):
        for place in (0, count - 1):
            rows.append(np.full(count, low))
            rows[-1][place] = high
    for scale in SCALES:
        assert_equals_golden(config, Softmax(OUT, beta), words_of(rows, scale))


def test_all_differences():
    """Halves between two entries of both tables."""
    x = np.stack([np.full(9000, 32767), 32767 - 7 * np.arange(9000)], axis=1)[::9]

    assert_equals_golden(BASE, Softmax(OUT), words_of(x, 10.0 / 65535))


def test_a_factor_that_shifts_differences_out_of_their_bits():
    x = noise(1, (1, 4), 8.0)

    with pytest.raises(Refusal, match="Sums must stay within 2147483647 for every input"):
        make_plan(BASE, [Softmax(OUT)], x)
