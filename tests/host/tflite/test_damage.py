# SPDX-License-Identifier: Apache-2.0
"""Damaged files: a Model or one sentence, soon and in little memory."""

import time
import tracemalloc

import pytest

from tests.support.damage import damage_bytes
from tests.support.seed import random_of
from tests.support.tflite.networks import conv_network
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.writer import write_model

SECONDS, BYTES = 1.0, 4 << 20  #: A file of some kilobytes takes at most.


def check_damage(count, key):
    """Read ``count`` damaged files; returns how many were refused."""
    data, rng, sentences = write_model(conv_network()), random_of(key), []
    tracemalloc.start()
    try:
        for _ in range(count):
            changed = damage_bytes(data, rng)
            start   = time.process_time()
            try:
                read_model(changed)
            except ValueError as error:
                sentences.append(str(error))
            assert time.process_time() - start < SECONDS
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()
    assert not [text for text in sentences if "\n" in text or len(text) > 1000]
    return len(sentences)


def test_damaged_files():
    assert 500 < check_damage(1000, 1) < 1000


@pytest.mark.long
def test_many_damaged_files():
    assert 5000 < check_damage(10000, 2) < 10000


def test_every_length():
    data = write_model(conv_network())

    for size in range(0, len(data), 7):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            read_model(data[:size])
