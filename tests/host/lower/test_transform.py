# SPDX-License-Identifier: Apache-2.0
"""The output transform of the XS3 library as passes against the golden kernel."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden, sizes
from tests.support.seed import examples, random_of
from xymac.golden import xs3
from xymac.golden.xs3 import Integers
from xymac.hdl.config import TINY
from xymac.host.errors import accept
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout


def layer_of(rng, channels, final, initial, low=-128):
    """A transform with random parameters; ``initial`` None is channelwise."""
    groups = []
    for first in range(0, channels, 16):
        count = min(16, channels - first)
        if initial is None:
            groups.append(rng.integers(0, 32, count))
        groups.append(rng.integers(-1 << 15, 1 << 15, 2 * count))
    return xs3.OutputTransform(Integers(np.concatenate(groups).astype(np.int16)), channels, final,
                              initial, low)


def sums(rng, shape):
    """Accumulators of all magnitudes, both ends among them."""
    data = rng.integers(-1 << 31, 1 << 31, shape) >> rng.integers(0, 31, shape)
    data.flat[:2] = [-1 << 31, (1 << 31) - 1][:data.size]
    return Integers(data.astype(np.int32))


@settings(max_examples=examples(120), **SETTINGS)
@given(sizes, st.integers(1, 70), st.integers(-31, 31), st.none() | st.integers(-31, 31),
       st.sampled_from([(), (1,), (3,), (2, 3)]), st.booleans(), st.integers(0, 999))
def test_equals_golden(config, channels, final, initial, outer, padded, seed):
    rng   = random_of(seed)
    layer = layer_of(rng, channels, final, initial, -127 - seed % 2)
    width = -(-channels // 16) * 16 if padded else channels
    assert_equals_golden(config, layer, sums(rng, (*outer, width)))


@pytest.mark.parametrize("initial", [-31, -16, -1, 0, 1, 16, 31])
@pytest.mark.parametrize("final", [-31, -8, -7, 0, 1, 31])
def test_shifts_at_their_ends(initial, final):
    rng = random_of(initial + 31)
    assert_equals_golden(TINY, layer_of(rng, 20, final, initial), sums(rng, (4, 20)))


def test_other_images_are_refused():
    rng = random_of(0)
    x   = sums(rng, (2, 16))
    flat, pixels = TensorLayout.flat(x, 4), TensorLayout.of(x, (0, 1), 4)
    for bits, source in ((32, flat), (16, replace(pixels, bits=16))):
        with pytest.raises(ValueError, match=r"^The input must lie in halves of 32 bits pixel by "
                                             rf"pixel, not with {bits} bits as "):
            accept(find_lowering(layer_of(rng, 16, 0, 0), [x], 4).find_target([source]))
