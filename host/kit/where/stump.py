# SPDX-License-Identifier: Apache-2.0
"""The fewest questions to separate wrong from right: a decision stump, twice refined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Separation", "separate"]

_MISSED = 0.05  #: Largest share of wrong rows without the answer.
_LESS   = 0.5   #: A further question must halve the right rows.
_DEPTH  = 3
_ROWS   = 4     #: Fewest wrong rows for the first question; the factor for each further question.


@dataclass(frozen=True, eq=False)
class Separation:
    """Questions with the answer yes in all wrong rows.

    Parameters
    ----------
    words : list of str, for each question
    missed : weight of wrong rows with an answer no
    false : weight of right rows without an answer no
    precision : share of wrong rows among all rows in ``mask``
    mask : bool array, rows without an answer no
    """

    words:     list
    missed:    float
    false:     float
    precision: float
    mask:      np.ndarray


def separate(tests: Sequence[tuple[str, np.ndarray]], wrong: np.ndarray, weight: np.ndarray,
             least: int = _ROWS) -> Separation | None:
    """Separation for rows, None if no question halves the right rows or too few rows are wrong.

    Parameters
    ----------
    tests : list of (words, bool array), plain tests first
    wrong : bool array
    weight : array
    least : fewest wrong rows for the first question; the factor for each further question
    """
    mask, words = np.ones(len(wrong), bool), []
    total  = float(weight[wrong].sum())
    false  = float(weight[~wrong].sum())
    bad, good = np.where(wrong, weight, 0.0), np.where(wrong, 0.0, weight)
    missed = 0.0
    for depth in range(_DEPTH):
        if not false or np.count_nonzero(wrong) < least ** (depth + 1):
            break
        sides = ((float(good[mask & test].sum()), total - float(bad[mask & test].sum()), name, test)
                 for name, test in tests)
        best  = min((each for each in sides if each[1] <= _MISSED * total),
                    key=lambda each: (each[0] + each[1], each[1]), default=None)
        if best is None or best[0] > _LESS * false:
            break
        false, _, name, test = best
        mask, words = mask & test, [*words, name]
        missed = total - float(bad[mask].sum())
    if not words:
        return None
    kept = total - missed
    return Separation(words, missed, false, kept / (kept + false), mask)
