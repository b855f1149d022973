# SPDX-License-Identifier: Apache-2.0
"""Index lists as equally spaced sequences, the loops of a pass."""

from dataclasses import dataclass

import numpy as np

__all__ = ["Comb", "comb_places"]


@dataclass(frozen=True)
class Comb:
    """``count`` target indices from ``z``, ``z_step`` apart, with their source indices.

    The source indices start at ``x`` and are ``x_step`` apart.
    """

    x:      int
    z:      int
    x_step: int
    z_step: int
    count:  int


def comb_places(places):
    """Fewest Combs with a common target step that map source index ``places[z]`` to every ``z``."""
    places = np.array(places)
    period = next(period for period in range(1, places.size + 1)
                  if np.unique(places[period:] - places[:-period]).size < 2)
    step   = int(places[period] - places[0]) if period < places.size else 0
    return [Comb(int(places[first]), first, step, period, -(-(places.size - first) // period))
            for first in range(period)]
