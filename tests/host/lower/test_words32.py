# SPDX-License-Identifier: Apache-2.0
"""Words that add up the halves of integers of 32 bits."""

import numpy as np
import pytest

from xymac.golden.xs3 import Integers
from xymac.host.lower.words32 import FACTORS32
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout


@pytest.mark.parametrize("value", [-1 << 31, -1, 0, 32767, 32768, 65535, 65536, (1 << 31) - 1])
def test_words_add_the_halves_up(value):
    x     = Integers(np.array([value], np.int32))
    image = TensorLayout.flat(x, 1)
    cells = image.cells(x.data).view(np.int16).astype(int)
    parts = len(FACTORS32) // 2

    total = sum(word * half for word, half in zip(
        FACTORS32, np.repeat([cells[0], cells[image.apart]], parts), strict=True))

    assert total + LOW_OFFSET == value
