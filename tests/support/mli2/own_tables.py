# SPDX-License-Identifier: Apache-2.0
"""Tables of any values for kernels of MLI 2.0."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import TABLE_ENTRIES, Table, TablePlace

__all__ = ["CONTENTS", "clear_tables", "own_table"]

_EXTREMES = [-32768, 32767, 0, -1, 16384, -16384]


def _steps(rng, size):
    return np.cumsum(rng.integers(0, 1 << 16, size) // size) - 32768


#: Functions of a Generator and a size to entries.
CONTENTS = {
    "noise":    lambda rng, size: rng.integers(-32768, 32768, size),
    "extremes": lambda rng, size: rng.choice(_EXTREMES, size),
    "falling":  lambda rng, size: -1 - _steps(rng, size),
    "rising":   _steps,
    "constant": lambda rng, size: np.full(size, int(rng.choice(_EXTREMES))),
}


def own_table(rng, like, content, *, positive=False):
    """A golden Table of the size of ``like`` with a content of ``CONTENTS``.

    ``positive`` is for sums that something is divided by.
    """
    values = CONTENTS[content](rng, len(like.values))
    values = np.maximum(np.abs(np.clip(values, -32767, 32767)), 1) if positive else values
    return replace(like, values=tuple(values.tolist()))


def clear_tables(device):
    """Leave a Device as one whose block RAM has no initial values: zeros, every table at the first
    two entries."""
    device.write_table(0, np.zeros(TABLE_ENTRIES, np.int16))
    for table in [*Table][1:]:
        device.place_table(table, TablePlace(0, 2, 0))
