"""Integers of 32 bits in two images of 16 bits."""

import numpy as np
import pytest

from host.halves import HALVES_BIAS, HALVES_WORDS, Halves


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 6), (2, 3, 4)])
def test_cells_hold_what_is_read_from_them(shape):
    rng   = np.random.default_rng(len(shape))
    data  = rng.integers(-1 << 31, 1 << 31, shape).astype(np.int32)
    data.flat[0] = -1 << 31
    image = Halves.over(shape, 4)

    cells = image.cells(data)

    assert cells.size == image.rows * image.row_cells
    np.testing.assert_array_equal(image.data(cells), data)


@pytest.mark.parametrize("value", [-1 << 31, -1, 0, 32767, 32768, 65535, 65536, (1 << 31) - 1])
def test_words_add_the_halves_up(value):
    image = Halves.over((1,), 1)
    cells = image.cells(np.array([value], np.int32)).view(np.int16).astype(int)
    high, low = cells[0], cells[image.half]

    total = sum(word * half for word, half in zip(HALVES_WORDS, [high, low] * 3, strict=True))

    assert total + HALVES_BIAS == value
