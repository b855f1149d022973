# SPDX-License-Identifier: Apache-2.0
"""Paths say of every place in turn which element it has, in few numbers."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.host.c.paths import FILL, ZERO, encode_path


def follow(numbers, last=0):
    """Elements of the path ``numbers``, and the last that is one, by the words of the header."""
    elements, place = [], 0
    while place < len(numbers):
        count, kind = numbers[place] >> 2, numbers[place] & 3
        if kind == 0:
            jump, step = numbers[place + 1:place + 3]
            elements += [last + jump + step * index for index in range(count)]
            last, place = elements[-1], place + 3
        elif kind == 3:
            body   = numbers[place + 2:place + 2 + numbers[place + 1]]
            place += 2 + len(body)
            for _ in range(count):
                inner, last = follow(body, last)
                elements += inner
        else:
            elements += [-kind] * count
            place += 1
    return elements, last


def depth(numbers):
    """Loops in loops."""
    place, deepest = 0, 0
    while place < len(numbers):
        kind = numbers[place] & 3
        if kind == 3:
            size    = numbers[place + 1]
            deepest = max(deepest, 1 + depth(numbers[place + 2:place + 2 + size]))
            place  += size
        place += (3, 1, 1, 2)[kind]
    return deepest


@pytest.mark.parametrize("elements", [
    [0], [ZERO], [FILL, ZERO], [7, 7, 7], [0, 16, 1, 17, 2, 18, 3], [ZERO, 0, 1, ZERO, 2, 3, ZERO],
    [0, 1, 2, ZERO, FILL, FILL, 9, 7, 5], [5, ZERO, 5, ZERO, 5, ZERO]])
def test_small_paths(elements):
    assert follow(encode_path(elements).tolist())[0] == elements


def test_random_paths():
    rng = random_of(1)
    for _ in range(200):
        block    = rng.integers(-2, 6, rng.integers(1, 12))
        elements = np.concatenate([np.tile(block, rng.integers(1, 5)), rng.integers(-2, 4, 3)])
        path     = encode_path(elements).tolist()
        assert follow(path)[0] == elements.tolist(), elements
        assert depth(path) <= 4


def test_a_padded_image_has_a_short_path():
    """Three channels of four, two rows a cell, from planes."""
    image = np.full((64, 64, 4), ZERO)
    image[..., :3] = np.arange(3 * 64 * 64).reshape(3, 64, 64).transpose(1, 2, 0)
    elements = image.reshape(-1, 2, 16).swapaxes(1, 2).ravel()

    path = encode_path(elements).tolist()

    assert follow(path)[0] == elements.tolist()
    assert len(path) < 100
