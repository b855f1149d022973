# SPDX-License-Identifier: Apache-2.0
"""The line of a simulated board that fails, and transfers that go on until they are right."""

import numpy as np

from tests.support.seed import random_of
from xymac.host.device.device import DeviceError, Memory
from xymac.sim.board.process import DIRECTIONS, FAULTS

__all__ = ["Storm", "cells_of", "count_faults", "inject", "settled"]


def cells_of(rng, count):
    return rng.integers(0, 1 << 16, count, dtype=np.uint16)


def count_faults(board):
    report = board.report()
    return {name: report[name] for name in (f"{direction}_{fault}" for direction in DIRECTIONS
                                            for fault in FAULTS)}


def settled(action, connect):
    """Returns ``action(device)`` when no error is told any more, and how many sentences were."""
    for errors in range(100):
        try:
            with connect() as device:
                return action(device), errors
        except DeviceError:
            continue
    raise AssertionError("No transfer gets through")


def inject(board, every, seed=0):
    for number, direction in enumerate(DIRECTIONS):
        board.inject(direction, every=every, seed=seed + number)


class Storm:
    """Cells of Y memory, written and read while the line fails."""

    def __init__(self):
        self.expected  = np.zeros(600, np.uint16)
        self.transfers = 0
        self._rng      = random_of(2)
        self._span     = None  # written, or about to be, and not read yet

    def __call__(self, device):
        """Transfers, from the one on in which the last error was told."""
        for _ in range(5):
            if self._span is None:
                start, count = int(self._rng.integers(0, 500)), int(self._rng.integers(1, 100))
                self._span, self._written = slice(start, start + count), False
                self.expected[self._span] = cells_of(self._rng, count)
            part = self.expected[self._span]
            if not self._written:
                device.write_cells(Memory.Y, self._span.start, part)
                self._written = True
            contents = device.read_cells(Memory.Y, self._span.start, part.size)
            np.testing.assert_array_equal(contents, part)
            self._span, self.transfers = None, self.transfers + 2
