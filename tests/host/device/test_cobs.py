# SPDX-License-Identifier: Apache-2.0
"""Stuffing against published examples and an implementation byte by byte."""

import numpy as np
import pytest

from tests.support.fake.board import stuffed, unstuffed
from tests.support.seed import random_of
from xymac.host.device import cobs


@pytest.mark.parametrize(("data", "encoded"), [  # Of the article and its authors' later examples.
    ("00", "01 01"), ("00 00", "01 01 01"), ("00 11 00", "01 02 11 01"),
    ("11 22 00 33", "03 11 22 02 33"), ("11 22 33 44", "05 11 22 33 44"),
    ("11 00 00 00", "02 11 01 01 01"), ("", "01"),
    (bytes(range(1, 255)).hex(), "ff" + bytes(range(1, 255)).hex()),
    (bytes(range(255)).hex(), "01 ff" + bytes(range(1, 255)).hex()),
    (bytes(range(1, 256)).hex(), "ff" + bytes(range(1, 255)).hex() + "02 ff"),
    (bytes([*range(2, 256), 0]).hex(), "ff" + bytes(range(2, 256)).hex() + "01 01"),
    (bytes([*range(3, 256), 0, 1]).hex(), "fe" + bytes(range(3, 256)).hex() + "02 01")])
def test_stuffing_of_published_examples(data, encoded):
    data, encoded = bytes.fromhex(data), bytes.fromhex(encoded)
    assert cobs.encode(data) == stuffed(data) == encoded
    assert cobs.decode(encoded) == unstuffed(encoded) == data


def test_stuffing_of_random_bytes():
    rng = random_of(1)
    for length in (*range(0, 12), *range(250, 260), *range(505, 512)):
        for zeros in (0.0, 0.01, 0.5, 1.0):
            data = rng.integers(1, 256, length, dtype=np.uint8)
            data[rng.random(length) < zeros] = 0
            encoded = cobs.encode(data.tobytes())
            assert 0 not in encoded
            assert encoded == stuffed(data.tobytes())
            assert cobs.decode(encoded) == data.tobytes()
            if encoded[-1] > 1 or len(encoded) > 1:
                assert cobs.decode(encoded[:-1]) == unstuffed(encoded[:-1])
