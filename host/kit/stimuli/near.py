# SPDX-License-Identifier: Apache-2.0
"""Curve scales with results near a tie: floating point and the library's integers round apart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden import tflm
from xymac.host.kit.case import Case
from xymac.host.kit.floats.curves import exact_curve, nearest
from xymac.host.kit.operations import dialect_of, operation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.golden.tflm import Tensor
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["near_tie", "telling_one"]

_TRIES  = 48  #: Scales that are tried for a case,
_HALVES = 60  #: and steps of a search for the scale of a row.
_TELLING = 0.25  #: Share of elements whose results tell.
_INVERSES: dict[type, tuple[Callable, int, int]] = {
    tflm.Logistic: (lambda value: np.log(value / (256 - value)), 129, 255),
    tflm.Tanh:     (lambda value: np.arctanh(value / 128), 1, 127)}
_FARTHEST = 4.0  #: Largest scale.


def near_tie(draw: Draw, layer: Any, x: Tensor) -> Tensor:
    """An int8 Tensor with the shape and zero point of ``x`` within the limits. With its scale a
    tflm curve or softmax, ``layer``, has another result than floating point.

    If no tried scale does, the Tensor keeps the scale of ``x``.
    """
    tries = _rows if isinstance(layer, tflm.Softmax) else _elements
    found = next((each for each in tries(draw, layer, x)
                  if _differs(layer, _scaled(x, each[0], each[2]))), None)
    if found is None:
        return replace(x, data=draw.spread("input", x.shape, x.data.dtype))
    data, telling, scale = found
    if telling is None:
        return _scaled(x, draw.rng.permuted(np.broadcast_to(data, x.shape), axis=-1), scale)
    spots = draw.rng.random(x.shape) < _TELLING
    spots.flat[draw.rng.integers(spots.size)] = True
    return _scaled(x, np.where(spots, telling, draw.spread("input", x.shape, x.data.dtype)), scale)


def _scaled(x, data, scale):
    return replace(x, data=np.asarray(data, x.data.dtype), quantisation=replace(
        x.quantisation, scales=(scale,)))


def telling_one(draw: Draw, layer: Any, make: Callable[[], Any]) -> Any:
    """A Tensor from ``make`` for which ``layer``, a curve or softmax, gives another result than
    floating point; the last Tensor if no tried Tensor does.
    """
    for _ in range(_TRIES):
        x = make()
        if _differs(layer, x):
            break
    return x


def _differs(layer, x):
    """Whether a floating-point result differs from the library's."""
    case = Case(str(operation_of(layer)), dialect_of(layer), "", layer, (x,))
    want = case.expected()
    return not np.array_equal(nearest(exact_curve(case), want.dtype), want)


def _elements(draw, layer, x) -> Iterator[tuple]:
    """Triples (data, telling element, scale): an element whose result is near a tie."""
    inverse, low, high = _INVERSES[type(layer)]
    for _ in range(_TRIES):
        telling  = draw.spread("input", (1,), x.data.dtype)
        distance = abs(int(telling[0]) - x.quantisation.zero_point)
        tie      = int(draw.integers(low, high - 1)) + 0.5
        yield telling, telling[0], _scale(inverse(tie) / distance if distance else 1.0)


def _rows(draw, layer, x) -> Iterator[tuple]:
    """Triples (row, None, scale): a row whose largest result is near a tie."""
    for _ in range(_TRIES):
        row   = draw.spread("input", x.shape[-1:], x.data.dtype)
        below = row.astype(np.float64) - row.max()
        least, most = 256 / below.size, 256 / np.count_nonzero(below == 0)
        tie   = int(draw.integers(int(least), max(int(most) - 1, int(least)))) + 0.5
        low, high = 0.0, _FARTHEST
        for _ in range(_HALVES):
            middle    = (low + high) / 2
            is_low    = 256 / np.exp(below * middle).sum() < tie
            low, high = (middle, high) if is_low else (low, middle)
        yield row, None, _scale(high)


def _scale(value):
    return float(np.float32(value))
