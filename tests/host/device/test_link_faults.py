# SPDX-License-Identifier: Apache-2.0
"""Faults by the thousand on the host link: nothing is written or read other than it was meant."""

from collections import Counter

import numpy as np
import pytest

from tests.support.fake.board import FakeBoard
from tests.support.fake.core import SparseCore
from tests.support.fake.port import FAULTS, FakePort, Line, numbers, opened
from tests.support.seed import random_of
from xymac.hdl.link.frames import WORDS_MAX
from xymac.host.device.link import Link, LinkError

FAULTS_A_RUN = 640  #: With every fault in both directions, more than 10,000 in all.
WORDS = 3000        #: Words of the core that the transfers are in.


def transfer(link, core, rng, expected):
    """Write or read some words, as they should be in ``expected`` ({address: word}) afterwards.

    What is read and every single write must be as meant.
    """
    count = int(rng.integers(1, rng.choice([4, 70, 700])))
    start = int(rng.integers(0, WORDS - count))
    addresses = range(4 * start, 4 * (start + count), 4)
    if rng.random() < 0.4:
        assert link.read(4 * start, count).tolist() == [expected[at] for at in addresses]
        return
    words, low, high = numbers(count, rng), *(int(mask) for mask in rng.integers(0, 16, 2))
    strobes = np.full(count, 0xF)
    strobes[0]  &= low
    strobes[-1] &= high
    core.writes.clear()
    link.write(4 * start, words, low, high)
    assert core.writes == [*zip(addresses, words.tolist(), strobes.tolist(), strict=True)]
    for address, word, strobe in core.writes:
        for byte in range(4) if strobe < 0xF else ():
            if not strobe >> byte & 1:
                word = word & ~(0xFF << 8 * byte) | expected[address] & 0xFF << 8 * byte
        expected[address] = word


def storm(there, back, seed, faults):
    """Transfers until ``faults`` faults have happened; returns how many did, by kind."""
    link, _, core = opened(SparseCore(), there, back)
    rng, expected = random_of(seed), dict.fromkeys(range(0, 4 * WORDS, 4), 0)
    core.words = dict(expected)
    while sum(there.counts.values()) + sum(back.counts.values()) < faults:
        transfer(link, core, rng, expected)
        assert core.words == expected
    return Counter(there.counts) + Counter(back.counts)


@pytest.mark.parametrize("there", [True, False], ids=["to the board", "to the host"])
@pytest.mark.parametrize("fault", FAULTS)
def test_one_kind_of_fault(fault, there):
    rate  = 0.05 if fault == "late" else 0.2  # The line must be able to catch up.
    lines = Line(rate, [fault], seed=FAULTS.index(fault)), Line()
    counts = storm(*(lines if there else lines[::-1]), seed=there, faults=FAULTS_A_RUN)
    assert counts[fault] >= FAULTS_A_RUN


def test_there_are_enough_faults():
    assert 2 * len(FAULTS) * FAULTS_A_RUN >= 10_000


@pytest.mark.parametrize("seed", range(4))
def test_all_faults_in_both_directions(seed):
    counts = storm(Line(0.1, seed=seed), Line(0.1, seed=-1 - seed), seed, faults=500)
    assert min(counts.values()) > 20


@pytest.mark.parametrize("seed", range(300))
def test_reset_in_a_transfer(seed):
    """It is told; what was written is the beginning of what was meant; a new link works."""
    rng  = random_of(seed)
    rate = 0.1 * (seed % 2)
    link, port, core = opened(SparseCore(), Line(rate, seed=seed), Line(rate, seed=seed + 1))
    words  = numbers(WORDS, seed)
    passed = iter(range(1 << 30))
    reset  = int(rng.integers(0, 4 * WORDS))  # before the last frame

    def fail():
        if next(passed) == reset:
            port.board.reset()
            port.before = None

    port.before = fail
    with pytest.raises(LinkError, match=r"^The board on fake0 was reset, or another program took"
                                        r" it, while writing 3,000 words from 0x0 on$"):
        link.write(0, words)

    done = len(core.writes)
    assert 0 <= done < WORDS
    assert done % WORDS_MAX == 0
    assert [data for _, data, _ in core.writes] == words[:done].tolist()
    again = Link(port, clock=port.clock)
    again.write(0, words)
    np.testing.assert_array_equal(again.read(0, WORDS), words)


def test_bulk_data_fill_the_line():
    """64 KiB of random data, each way: 9 of 10 bytes of both directions together are data."""
    link, port, _ = opened()
    words = numbers(1 << 14)
    for number, call in enumerate((lambda: link.write(0, words), lambda: link.read(0, words.size))):
        before = port.there.passed, port.back.passed
        call()
        there, back = port.there.passed - before[0], port.back.passed - before[1]
        assert words.nbytes / (there, back)[number] >= 0.94
        assert words.nbytes / (there + back) >= 0.9
    assert port.now == 0


def test_noise_alone():
    """What a line picks up while nobody sends changes nothing, whatever its length."""
    core = SparseCore()
    port = FakePort(FakeBoard(core))
    rng  = random_of(1)
    for _ in range(200):
        for byte in rng.integers(0, 256, 500, dtype=np.uint8):
            assert not port.board.receive(byte.tobytes())
    assert not core.writes
    Link(port, clock=port.clock).write(0, [1, 2, 3])
    assert [data for _, data, _ in core.writes] == [1, 2, 3]
