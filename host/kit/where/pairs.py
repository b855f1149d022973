# SPDX-License-Identifier: Apache-2.0
"""Sums and differences of two tensors with scales or signs mixed up."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .summed import by

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["changed_pairs"]

_SCALES = {"multiplier and shift": ("scale", "places", "rest"), "multiplier": ("scale",),
           "shift": ("places", "rest")}


def changed_pairs() -> Iterator[tuple[str, Any]]:
    """Pairs (words, function from compared outputs to Sums) for tensor sums."""
    for name, fields in _SCALES.items():
        yield (f"both inputs have the {name} of the first one",
               by(partial(_taken, fields, [0, 0])))
        yield (f"both inputs have the {name} of the second one",
               by(partial(_taken, fields, [1, 1])))
        yield f"the inputs have each other's {name}", by(partial(_taken, fields, [1, 0]))
    for place, words in ((0, "first"), (1, "second")):
        yield f"the shift of the {words} input is ignored", by(partial(_unshifted, place))
        yield f"the {words} input counts as 0", by(partial(_signed, place, lambda sign: 0 * sign))
        yield (f"the {words} input has the opposite sign",
               by(partial(_signed, place, lambda sign: -sign)))


def _taken(fields, order, sums):
    """Sums with the rows of ``fields`` in another order; the same without scaled inputs."""
    return replace(sums, **{name: getattr(sums, name)[order] for name in fields}) if len(
        sums.raw) == len(order) else sums


def _unshifted(place, sums):
    """Sums with an input that is multiplied but not shifted, where the library shifts twice."""
    if not len(sums.raw) or sums.narrowing.terms < 2:
        return sums
    rest = sums.rest.copy()
    rest[place] = 0
    return replace(sums, rest=rest)


def _signed(place, change, sums):
    weights = np.array(sums.weights)
    weights[place] = change(weights[place])
    return replace(sums, weights=weights)
