# SPDX-License-Identifier: Apache-2.0
"""Wrong results at equal distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["find_period"]

_LEAST = 3     #: Wrong places that make a period.
_SHARE = 0.95  #: Places of the period that are wrong, at least.


def find_period(places: Sequence[int] | np.ndarray, count: int) -> tuple[int, int] | None:
    """(distance, first place) of wrong ``places`` among ``count``; None if they have no common
    distance of at least 2, or places between them are right.
    """
    places = np.asarray(places)
    if len(places) < _LEAST:
        return None
    step = int(np.gcd.reduce(np.diff(places)))
    if step < 2:
        return None
    first = int(places[0]) % step
    if len(places) < _SHARE * len(range(first, count, step)):
        return None
    return step, first
