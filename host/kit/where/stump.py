# SPDX-License-Identifier: Apache-2.0
"""The fewest questions that separate wrong from right: a decision stump, twice refined."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Found", "separate"]

_MISSED = 0.02  #: Share of the wrong rows that the answer may leave out.
_LESS   = 0.5   #: A further question must halve the right rows.
_DEPTH  = 3
_ROWS   = 4     #: Wrong rows for the first question, times more for each further one.


@dataclass(frozen=True, eq=False)
class Found:
    """Questions that all wrong rows answer with yes.

    Parameters
    ----------
    words : list of str, one for each question
    missed : weight of wrong rows that answer one with no
    false : weight of right rows that answer all with yes
    precision : share of wrong rows in those that answer all with yes
    mask : bool array, rows that answer all with yes
    """

    words:     list
    missed:    float
    false:     float
    precision: float
    mask:      np.ndarray


def separate(tests, wrong, weight, least=_ROWS):
    """Found for rows, None if no question halves the right rows or there are too few wrong ones.

    Parameters
    ----------
    tests : list of (words, bool array), plain ones first
    wrong : bool array
    weight : array
    least : wrong rows that the first question needs, and their multiple for each further one
    """
    mask, words = np.ones(len(wrong), bool), []
    total  = float(weight[wrong].sum())
    false  = float(weight[~wrong].sum())
    bad, good = np.where(wrong, weight, 0.0), np.where(wrong, 0.0, weight)
    missed = 0.0
    for depth in range(_DEPTH):
        if not false or np.count_nonzero(wrong) < least ** (depth + 1):
            break
        best = min(((float(good[mask & test].sum()), name, test) for name, test in tests
                    if total - float(bad[mask & test].sum()) <= _MISSED * total),
                   key=lambda each: each[0], default=None)
        if best is None or best[0] > _LESS * false:
            break
        false, name, test = best
        mask, words = mask & test, [*words, name]
        missed = total - float(bad[mask].sum())
    if not words:
        return None
    kept = total - missed
    return Found(words, missed, false, kept / (kept + false), mask)
