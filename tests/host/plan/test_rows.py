# SPDX-License-Identifier: Apache-2.0
"""Rows of a memory, taken and released in any order, against a list of their owners."""

from itertools import groupby

import pytest

from tests.support.seed import random_of
from xymac.hdl.config import TINY
from xymac.hdl.isa import Memory
from xymac.host.errors import Refusal
from xymac.host.plan.rows import Rows


def _free(owners):
    """(first row, row count) of every free run."""
    first = 0
    for owner, run in groupby(owners):
        count = len(list(run))
        if owner is None:
            yield first, count
        first += count


def _expected(owners, rows, top, align):
    """First row of the run that ``take`` must give, or None."""
    runs = [*_free(owners)]
    for start, count in reversed(runs) if top else runs:
        first = start + count - rows if top else -(-start // align) * align
        if first >= start and first + rows <= start + count:
            return first
    return None


@pytest.mark.parametrize("memory", [Memory.X, Memory.Y])
@pytest.mark.parametrize("key", range(6))
def test_rows_are_the_first_that_fit_and_each_has_one_owner(memory, key):
    rng, rows = random_of(key), Rows(TINY, memory)
    owners, held = [None] * rows.rows, []
    for turn in range(400):
        if held and rng.integers(5) < 2:
            first = held.pop(rng.integers(len(held)))
            rows.release(first)
            owners = [None if owner == first else owner for owner in owners]
        else:
            count, top = int(rng.integers(0, 1 + rows.rows // 8)), bool(rng.integers(2))
            align = int(rng.choice([1, 1, 4, 16])) if not top else 1
            below = int(rng.integers(rows.rows)) if rng.integers(4) == 0 else rows.rows
            wanted, found = _expected(owners[:below], count, top, align), rows.take(
                count, "A value", top=top, align=align, below=below)
            if wanted is None:
                assert isinstance(found, Refusal)
                assert f"needs {count * rows.row_bytes} bytes" in str(found)
            else:
                assert found == wanted
            if wanted is not None and count:
                owners[found:found + count] = [found] * count
                held.append(found)
        assert rows.free_rows == owners.count(None)
        assert rows.longest[1] == max((count for _, count in _free(owners)), default=0)
        if turn == 200:
            kept = rows.copy()
            kept.take(1, "A value")  # of the copy alone


def test_rows_that_nobody_took_cannot_be_released():
    rows = Rows(TINY, Memory.X)
    rows.take(4, "A value")

    with pytest.raises(KeyError):
        rows.release(1)
