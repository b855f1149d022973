# SPDX-License-Identifier: Apache-2.0
"""Lists of places as sequences with equal distances, which are loops of a pass."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Comb", "comb_places"]


@dataclass(frozen=True)
class Comb:
    """``count`` indices of a target from ``z`` on, ``z_step`` apart, and the indices of the source
    that belong there: from ``x`` on, ``x_step`` apart."""

    x:      int
    z:      int
    x_step: int
    z_step: int
    count:  int


def comb_places(places):
    """As few Combs of one step as there can be that take ``places[z]`` of a source to each ``z``.
    """
    places = np.array(places)
    period = next(period for period in range(1, places.size + 1)
                  if np.unique(places[period:] - places[:-period]).size < 2)
    step   = int(places[period] - places[0]) if period < places.size else 0
    return [Comb(int(places[first]), first, step, period, -(-(places.size - first) // period))
            for first in range(period)]
