# SPDX-License-Identifier: Apache-2.0
"""Weights lost by a device: of some inputs, at a kernel place, or beyond the device's memory."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["lost_products"]

_COUNTS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)  #: Input channels that a device may have.
_SINGLE = 32  #: Inputs of which a single one may be lost,
_LANES  = (2, 4, 8, 16)  #: Inputs that a device may take at once.
_LINES  = 7   #: and rows and columns of a kernel with a lost place.
_HELD   = (64, 128, 256, 512, 1024, 2048, 4096)  #: Weights that a device's memory may hold.


def lost_products(axes: dict[str, int]) -> Iterator[tuple[str, Callable]]:
    """Pairs (words, change of weights) for weights with ``axes``, {meaning: axis}.

    A change is a function from weights and their iinfo to weights of the same shape. Only images
    lose several inputs at once: for a matrix, faults of its sums include this fault.
    """
    for count in _HELD:
        yield (f"places of weights in memory count modulo {count}", partial(_wrapped, count))
    is_image = "row" in axes
    if "input" in axes:
        yield from _lost_channels(axes["input"]) if is_image else ()
        name = "channels" if is_image else "elements"
        for count in _LANES:
            for lane in range(count):
                yield (f"products of input {name} {lane} modulo {count} are missing",
                       partial(_without_lane, axes["input"], lane, count))
        for number in range(_SINGLE):
            yield (f"products of input {'channel ' if is_image else ''}{number} are missing",
                   partial(_without_place, {axes["input"]: number}))
    if is_image:
        for row, column in product(range(_LINES), repeat=2):
            yield (f"products of row {row}, column {column} of the kernel are missing",
                   partial(_without_place, {axes["row"]: row, axes["column"]: column}))


def _lost_channels(axis):
    for count in _COUNTS:
        yield (f"products of input channels from {count} on are missing",
               partial(_first_channels, axis, lambda size, count=count: min(size, count)))
        yield (f"products of input channels after the last multiple of {count} are missing",
               partial(_first_channels, axis, lambda size, count=count: size // count * count))
        yield (f"the number of input channels counts modulo {count}",
               partial(_first_channels, axis, lambda size, count=count: size % count))


def _wrapped(count, w, ends):
    return w.reshape(-1)[np.arange(w.size) % count].reshape(w.shape)


def _without_place(places, w, ends):
    """Weights with 0 at some indices, {axis: index}; the same weights if there are none."""
    if any(index >= w.shape[axis] for axis, index in places.items()):
        return w
    other = w.copy()
    other[tuple(places.get(axis, slice(None)) for axis in range(w.ndim))] = 0
    return other


def _without_lane(axis, lane, lanes, w, ends):
    other = np.moveaxis(w.copy(), axis, 0)
    other[lane::lanes] = 0
    return np.moveaxis(other, 0, axis)


def _first_channels(axis, count, w, ends):
    """Weights that are 0 but for the first input channels, ``count`` of their number."""
    other = np.moveaxis(w.copy(), axis, 0)
    other[count(len(other)):] = 0
    return np.moveaxis(other, 0, axis)
