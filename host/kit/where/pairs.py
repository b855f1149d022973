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
_BITS   = range(1, 14)  #: Tried differences of the left shift of the inputs, the least first.


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
    for bits in _BITS:
        yield (f"the left shift of the inputs is shorter than the library's by {bits} or more bits",
               by(partial(_shifted, bits)))
    for bits in _BITS[:3]:
        yield (f"the left shift of the inputs is longer than the library's by {bits} or more bits",
               by(partial(_shifted, -bits)))


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


def _shifted(less, sums):
    """Sums with ``less`` bits of the left shift of both inputs, where the library has a shift; the
    shift of the sum takes them back.
    """
    if not len(sums.raw) or sums.narrowing.terms < 2:
        return sums
    raw   = sums.raw >> less if less > 0 else sums.raw << -less
    shift = sums.shift - sums.left - less
    return replace(sums, raw=raw, left=np.maximum(-shift, 0), shift=np.maximum(shift, 0))


def _signed(place, change, sums):
    weights = np.array(sums.weights)
    weights[place] = change(weights[place])
    return replace(sums, weights=weights)
