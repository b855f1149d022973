# SPDX-License-Identifier: Apache-2.0
"""Layers whose windows lie elsewhere: another stride, dilation, kernel or padding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.tflm import Padding
from xymac.host.kit.operands import operands_of

from .axes import axes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xymac.host.kit.case import Case

__all__ = ["moved_windows"]

_POOLS = ("average_pool", "max_pool")
_CANON = ("batch", "row", "column", "channel")


@dataclass(frozen=True)
class _Geometry:
    """Window positions; pairs are (rows, columns), ``first`` is the padding above and left."""

    stride:   tuple
    dilation: tuple
    kernel:   tuple
    first:    tuple


def moved_windows(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for the
    operation in ``case``, whose layers have windows; the device has other windows.
    """
    for name in ("stride", "dilation"):
        yield f"the {name} is ignored and counts as 1", partial(_run, _set(name, (1, 1)))
        yield from _pairs(name)
        yield f"the {name} height counts as 1", partial(_run, _part(name, 0, lambda size: 1))
        yield f"the {name} width counts as 1", partial(_run, _part(name, 1, lambda size: 1))
    yield "the top and the left padding are exchanged", partial(_run, _turned("first"))
    if case.operation in _POOLS:
        yield from _pairs("kernel")
        for axis, line in enumerate(("row", "column")):
            yield (f"the last {line} of every window is missing",
                   partial(_run, _part("kernel", axis, lambda size: max(size - 1, 1))))
            yield (f"every window has a {line} more",
                   partial(_run, _part("kernel", axis, lambda size: size + 1)))
        yield "padding is left out, windows start at the first element", partial(
            _run, _set("first", (0, 0)))
        yield "top and bottom, left and right padding are exchanged", partial(_run, _mirrored)


def _pairs(name):
    yield (f"the {name} width counts for both directions",
           partial(_run, lambda old, pad: replace(old, **{name: (getattr(old, name)[1],) * 2})))
    yield (f"the {name} height counts for both directions",
           partial(_run, lambda old, pad: replace(old, **{name: (getattr(old, name)[0],) * 2})))
    yield f"the {name} height and width are exchanged", partial(_run, _turned(name))


def _set(name, pair):
    return lambda old, pad: replace(old, **{name: pair})


def _turned(name):
    return lambda old, pad: replace(old, **{name: getattr(old, name)[::-1]})


def _part(name, axis, change):
    def other(old, pad):
        pair = list(getattr(old, name))
        pair[axis] = change(pair[axis])
        return replace(old, **{name: tuple(pair)})
    return other


def _mirrored(old, pad):
    return replace(old, first=(pad[1], pad[3]))


def _run(change, case, want):
    """The output with windows changed by a function from a _Geometry and the padding."""
    operands = operands_of(case)
    pad   = operands["pad"]
    start = operands.get("start")
    stride, dilation, kernel = (tuple(map(int, operands.get(name, (1, 1))))
                                for name in ("stride", "dilation", "kernel"))
    first = (pad[0], pad[2]) if start is None else tuple(-place for place in start)
    old   = _Geometry(stride, dilation, kernel, first)
    new = change(old, pad)
    if new == old:
        return want
    if start is not None:
        return _of_window(case, new)
    data  = case.inputs[0].data
    names = axes_of(case, data.shape)
    axes  = [names.index(name) for name in _CANON if name in names]
    sizes = dict(zip(names, want.shape, strict=True))
    image = data.transpose(axes)
    lines = [_lines(new, axis, sizes[name], data.shape[names.index(name)])
             for axis, name in enumerate(("row", "column"))]
    return (_pool if case.operation in _POOLS else _convolve)(case, image, lines, axes)


def _of_window(case, new):
    """A lib_nn layer's output; its window has these fields."""
    layer   = case.layer
    window  = replace(layer.window, stride=new.stride, start=tuple(-size for size in new.first))
    changes = {"kernel": new.kernel} if case.operation in _POOLS else {}
    return replace(case, layer=replace(layer, window=window, **changes)).expected()


def _lines(new, axis, count, size):
    """Rows or columns under each window (windows, taps), and which lie inside the image."""
    lines = (np.arange(count)[:, np.newaxis] * new.stride[axis] - new.first[axis]
             + np.arange(new.kernel[axis]) * new.dilation[axis])
    return lines, (lines >= 0) & (lines < size)


def _convolve(case, image, lines, axes):
    """The output for an image with all windows side by side."""
    (rows, on_rows), (columns, on_columns) = lines
    zero = operands_of(case).get("x_zero", 0)
    wide = _take(image, rows.ravel() % image.shape[-3], columns.ravel() % image.shape[-2])
    on   = on_rows.ravel()[:, np.newaxis] & on_columns.ravel()
    wide = np.where(on[..., np.newaxis], wide, image.dtype.type(zero))
    return _alone(case, wide, axes, (rows.shape[1], columns.shape[1]))


def _pool(case, image, lines, axes):
    """The output, all windows with equal sizes at a time, without their padding.

    Windows outside the image have the lowest maximum, and mean 0, within the limits.
    """
    (rows, on_rows), (columns, on_columns) = lines
    operands = operands_of(case)
    ends  = np.iinfo(image.dtype)
    empty = np.clip(0 if case.operation == "average_pool" else ends.min,
                    operands.get("low", ends.min), operands.get("high", ends.max))
    out   = np.full((*image.shape[:-3], len(rows), len(columns), image.shape[-1]), empty,
                    image.dtype)
    for high in np.unique(on_rows.sum(axis=1)):
        for wide in np.unique(on_columns.sum(axis=1)):
            if not high or not wide:
                continue
            down   = np.flatnonzero(on_rows.sum(axis=1) == high)
            across = np.flatnonzero(on_columns.sum(axis=1) == wide)
            part = _take(image, rows[down][on_rows[down]], columns[across][on_columns[across]])
            held = _alone(case, part, axes, (int(high), int(wide)), is_pool=True)
            out[..., down[:, np.newaxis], across, :] = held.transpose(axes)
    return out.transpose(np.argsort(axes))


def _take(image, rows, columns):
    return image.take(rows, axis=-3).take(columns, axis=-2)


def _alone(case, image, axes, kernel, *, is_pool=False):
    """The output for windows side by side in ``image``, whose axes are in canonical order."""
    layer   = case.layer
    changes = {"padding": Padding.VALID} if hasattr(layer, "padding") else {"pad": (0, 0, 0, 0)}
    changes |= {"stride": kernel} | ({"kernel": kernel} if is_pool else {})
    changes |= {"dilation": (1, 1)} if hasattr(layer, "dilation") else {}
    x    = case.inputs[0]
    data = np.ascontiguousarray(image.transpose(np.argsort(axes)))
    return replace(case, layer=replace(layer, **changes), inputs=(
        replace(x, data=data), *case.inputs[1:])).expected()
