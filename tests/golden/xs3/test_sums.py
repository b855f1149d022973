# SPDX-License-Identifier: Apache-2.0
"""Where XS3 kernels saturate their sums: order and size of the blocks that are added at once."""

import numpy as np
import pytest

from tests.support.calls.xs3 import TOP
from xymac.golden import run, xs3
from xymac.golden.xs3 import Integers, Window

#: Outputs of ``probe``: at the upper limit, and 16 or 32 products of 127 * 127 below it.
FULL, LOST_16, LOST_32 = 127, 124, 120


def probe():
    """BSO of 4 channels that starts at the upper limit; outputs tell steps of 2**16 below it."""
    columns = np.array([TOP >> 16, TOP & 0xFFFF, 16, 1, -1, 32640, 0]) & 0xFFFF
    return Integers(np.tile(columns[:, np.newaxis], (1, 1, 16)).astype(np.uint16))


def loud(*shape, sign=1):
    return np.full(shape, sign * 127, np.int8)


def outputs_of(layer, x):
    """The values of the 4 channels, which are equal, as one."""
    return set(run(layer, Integers(x)).output.data.ravel().tolist())


def signed_blocks(signs, size=32):
    """Weights (4, ...): ``size`` times plus or minus 127 for every sign."""
    return np.concatenate([loud(4, size, sign=sign) for sign in signs], axis=1)


@pytest.mark.parametrize(("signs", "expected"), [((1, -1), LOST_32), ((-1, 1), FULL)])
def test_saturation_in_the_middle_of_a_sum(signs, expected):
    weights = signed_blocks(signs)

    assert outputs_of(xs3.FullyConnected(Integers(weights), probe()), loud(64)) == {expected}
    assert outputs_of(xs3.Conv2d1x1(Integers(weights), probe()), loud(1, 1, 64)) == {expected}
    assert outputs_of(xs3.Conv2dDeep(Integers(weights.reshape(4, 1, 1, 64)), probe(),
                                    Window((1, 1))), loud(1, 1, 64)) == {expected}


def test_one_saturation_for_32_products():
    layer = xs3.FullyConnected(Integers(signed_blocks((1, -1), size=16)), probe())
    assert outputs_of(layer, loud(32)) == {FULL}


def test_one_saturation_for_every_product_of_a_depthwise_kernel():
    weights = np.concatenate([loud(16, 1, 4), loud(16, 1, 4, sign=-1)])
    layer   = xs3.Conv2dDepthwise(Integers(weights), probe(), Window((1, 1)))
    assert outputs_of(layer, loud(32, 1, 4)) == {LOST_16}


def test_short_block_of_a_fully_connected_comes_first():
    """In the other grouping, 32 and 28, the sum of the first block would be 0."""
    weights = np.concatenate([loud(4, 16), loud(4, 16, sign=-1), loud(4, 16, sign=-1)], axis=1)
    layer   = xs3.FullyConnected(Integers(weights), probe())
    assert outputs_of(layer, loud(48)) == {LOST_32}


def test_short_block_of_a_convolution_comes_last():
    weights = np.concatenate([loud(4, 16), loud(4, 16, sign=-1), loud(4, 16, sign=-1)], axis=1)
    layer   = xs3.Conv2d1x1(Integers(weights), probe())
    assert outputs_of(layer, loud(1, 1, 48)) == {LOST_16}


@pytest.mark.parametrize(("signs", "expected"), [
    ((1, -1, 0), LOST_32), ((-1, 1, 0), FULL),   # above before inside
    ((1, 0, -1), LOST_32), ((-1, 0, 1), FULL),   # above before below
    ((0, -1, 1), LOST_32), ((0, 1, -1), FULL)])  # below before inside
@pytest.mark.parametrize("kind", [xs3.Conv2dDeep, xs3.Conv2dShallowin])
def test_rows_outside_of_the_image_come_first(kind, signs, expected):
    """Three kernel rows, above, inside of and below an image of one row."""
    weights = np.stack([loud(4, 1, 32, sign=sign) for sign in signs], axis=1)
    options = {"columns": 1} if kind is xs3.Conv2dShallowin else {}
    layer   = kind(Integers(weights), probe(), Window((1, 1), (-1, 0)), 127, **options)
    assert outputs_of(layer, loud(1, 1, 32)) == {expected}
