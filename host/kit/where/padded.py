# SPDX-License-Identifier: Apache-2.0
"""Layers with changed padding: other sides, other numbers, other elements."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.tflm import Padding
from xymac.host.kit.operands import operands_of

from .axes import axes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.case import Case

__all__ = ["padded_layers"]

_OPERATIONS = ("conv2d", "depthwise_conv2d", "max_pool")
#: Sides of an image that a device may pad otherwise.
_SIDES = (("at the right",), ("at the bottom",), ("at the left",), ("at the top",),
          ("at the bottom", "at the right"), ("at the top", "at the left"),
          ("at the top", "at the bottom"), ("at the left", "at the right"), ("in the corners",))


def padded_layers(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a wrongly padding device's
    output); none for an operation without padding.
    """
    if case.operation in _OPERATIONS and "pad" in operands_of(case):
        for words, change, fill in _pads():
            yield words, partial(_padded, change, fill)


def _pads():
    """Triples (words, function from (top, bottom, left, right) to other numbers, fill), a word or
    the sides with 0.
    """
    yield ("padding is only at the bottom and at the right",
           lambda pad: (0, pad[0] + pad[1], 0, pad[2] + pad[3]), "zero")
    yield ("padding is only at the top and at the left",
           lambda pad: (pad[0] + pad[1], 0, pad[2] + pad[3], 0), "zero")
    yield ("top and bottom, left and right padding are exchanged",
           lambda pad: (pad[1], pad[0], pad[3], pad[2]), "zero")
    yield ("padding is only at the right, not at the left",
           lambda pad: (pad[0], pad[1], 0, pad[2] + pad[3]), "zero")
    yield ("padding is only at the bottom, not at the top",
           lambda pad: (0, pad[0] + pad[1], pad[2], pad[3]), "zero")
    for places in _SIDES:
        yield f"padding {' and '.join(places)} is 0", lambda pad: pad, places
    for words, fill in (("the lowest element", "lowest"), ("the highest element", "highest"),
                        ("the elements at the border", "edge"), ("0", "none"),
                        ("elements of the other side", "wrap")):
        yield f"padding is {words}", lambda pad: pad, fill


def _padded(change, fill, case, want):
    """The output for an image with its padding in it, at other sides or with other elements."""
    x, layer = case.inputs[0], case.layer
    operands = operands_of(case)
    pad      = change(operands["pad"])
    if not any(operands["pad"]):
        return want
    names = axes_of(case, x.shape)
    sides = {"row": pad[:2], "column": pad[2:]}
    sides = [sides.get(name, (0, 0)) for name in names]
    ends  = np.iinfo(x.data.dtype)
    zero  = operands.get("x_zero", 0)
    value: dict[str, int] = {"lowest": ends.min, "highest": ends.max, "none": 0}
    data  = np.pad(x.data, sides, mode=fill) if fill in ("edge", "wrap") else np.pad(
        x.data, sides, constant_values=value[fill] if fill in value else zero)
    if isinstance(fill, tuple):
        data = np.where(_outside(data.shape, names, pad, fill), 0, data).astype(data.dtype)
    changes = {"padding": Padding.VALID} if hasattr(layer, "padding") else {"pad": (0, 0, 0, 0)}
    return replace(case, layer=replace(layer, **changes), inputs=(
        replace(x, data=data), *case.inputs[1:])).expected()


def _outside(shape, names, pad, places):
    """Whether padded image elements lie at ``places`` outside the image: bool array."""
    top, bottom, left, right = (np.zeros(shape, bool) for _ in pad)
    for name, before, behind, first, last in (("row", top, bottom, *pad[:2]),
                                              ("column", left, right, *pad[2:])):
        axis  = names.index(name)
        lines = np.arange(shape[axis]).reshape([-1 if each == axis else 1
                                                for each in range(len(shape))])
        before |= lines < first
        behind |= lines >= shape[axis] - last
    sides = {"at the top": top, "at the bottom": bottom, "at the left": left,
             "at the right": right, "in the corners": (top | bottom) & (left | right)}
    return np.logical_or.reduce([sides[place] for place in places])
