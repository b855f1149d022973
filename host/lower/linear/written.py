# SPDX-License-Identifier: Apache-2.0
"""Convolutions with few channels on host-packed windows, several taps per vector.

A vector normally holds the same tap for all channels; if the channels do not fill it, every step
leaves ways idle. Instead, a vector can pack taps from a window row, from a column, or from both,
and also neighbouring pixels' windows, see ``side``. An element in several windows is written
several times; the cycle counts include this, see ``writing_cost``.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.windows import WindowRange, window_ranges
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.quads import QuadLayout
from xymac.host.memory.windows import AxisWindows, WindowLayout

from .quads import quad_forms
from .side import put_side_by_side, widen
from .strips import strip_forms
from .windowed import Written

__all__ = ["written_forms"]


def written_forms(linear, x, output, ways):
    """Every Written and Strips with fewer cycles than a pixel-by-pixel image.

    They are sorted by cycles, then by layout vectors. Four-pixel windows precede the first other
    windows that are not faster, because strips that are faster may save more in later layers.

    Parameters
    ----------
    linear : Linear
    x, output : Tensors like its input and its output
    ways : int
    """
    if linear.window is None or linear.groups > 1:
        return []
    plain = TensorLayout.of(x, linear.order, ways)
    best  = Written(put_side_by_side(linear, plain), plain).cycles
    gains = _gains(linear, ways)
    forms = [*(_forms(linear, x, ways) if gains else ()),
             *strip_forms(linear, partial(_pack, linear, x, 1, ways), x, output, ways)]
    forms = sorted((form for form in forms if form.cycles < best),
                   key=lambda form: (form.cycles, form.layout.groups))
    quads = [form for form in forms if isinstance(form.layout, QuadLayout)]
    rest  = [form for form in forms if not isinstance(form.layout, QuadLayout)]
    place = next((place for place, form in enumerate(rest) if isinstance(form, Written)
                  and quads and form.cycles >= quads[0].cycles), len(rest))
    return [*rest[:place], *quads, *rest[place:]]


def _gains(linear, ways):
    """Whether packing taps into vectors can save steps."""
    return not linear.lanes and linear.weights.shape[3] % ways != 0


def _forms(linear, x, ways):
    """All Written forms: each pixel count with ``rows``, ``cols`` or both packed."""
    window = linear.window[1]
    pitch  = -(-len(linear.weights) // ways)
    most   = min(BANKS // pitch, window.outputs) if pitch <= BANKS and window.dilation == 1 else 1
    for count in range(1, most + 1):
        for rows, cols in ((False, True), (True, False), (True, True)):
            made, down, across = _pack(linear, x, count, ways, rows=rows, cols=cols)
            yield Written(made, WindowLayout.of_windows(x, linear.order, ways, down, across,
                                                        fill=linear.output.get("x_zero", 0)))
        if (dense := _dense(linear, x, count, ways)) is not None:
            yield dense
    if pitch == 1 < ways:
        yield from quad_forms(linear, partial(_pack, linear, x, 1, ways), x, ways)


def _pack(linear, x, count, ways, *, rows, cols):
    """The Linear with packed ``rows`` or ``cols`` taps, or both, and ``count`` packed pixels; and
    its window AxisWindows along rows and columns.
    """
    wide = widen(linear, count, ways) if count > 1 else linear
    down, across = linear.window
    outputs, height, width, channels = wide.weights.shape
    weights = wide.weights
    if rows:
        weights = weights.transpose(0, 2, 1, 3).reshape(outputs, 1, width, height * channels)
    if cols:  # if both are packed, window rows precede columns
        order   = weights.reshape(outputs, -1, width, height if rows else 1, channels)
        weights = order.transpose(0, 1, 3, 2, 4).reshape(outputs, order.shape[1], 1, -1)
    image = [x.shape[axis] for axis in linear.order]
    made  = replace(
        wide, weights=weights, window=None,
        rows=(WindowRange(count=down.outputs),) if rows else window_ranges(**vars(down)),
        cols=_pixels(across.outputs, count) if cols else wide.cols)
    return (made,
            AxisWindows(down.outputs, height, down.stride, down.dilation, down.start) if rows
            else AxisWindows(image[-3]),
            AxisWindows(-(-across.outputs // count), width, count * across.stride, across.dilation,
                        across.start) if cols else AxisWindows(image[-2]))


def _dense(linear, x, count, ways):
    """The Written with ``count`` packed pixels on unpacked image rows, whose vectors span pixels.

    None if windows begin at different positions in their vectors.
    """
    *images, rows, cols, channels = x.shape
    window = linear.window[1]
    apart  = count * window.stride * channels
    if (linear.order != tuple(range(len(x.shape))) or window.dilation > 1 or apart % ways
            or cols * channels % ways or window.outputs % count):
        return None
    wide    = widen(linear, count, ways) if count > 1 else linear
    lead    = window.start * channels % ways
    weights = wide.weights.reshape(*wide.weights.shape[:2], -1)
    size    = lead + weights.shape[-1]
    weights = np.pad(weights, ((0, 0), (0, 0), (lead, -size % ways)))
    weights = weights.reshape(*weights.shape[:2], -1, ways)
    ranges  = window_ranges(cols * channels // ways, window.outputs // count, weights.shape[2],
                            apart // ways, 1, (window.start * channels - lead) // ways)
    made    = replace(wide, weights=weights, window=None, cols=tuple(
        replace(own, first=own.first * count, step=count, width=count) for own in ranges))
    image   = (*images, rows, cols * channels // ways, ways)
    return Written(made, WindowLayout.of_windows(
        x, linear.order, ways, AxisWindows(rows), AxisWindows(image[-2]), image=image))


def _pixels(outputs, count):
    """WindowRanges of ``count`` outputs per window, and the fewer outputs of the last window."""
    full, rest = divmod(outputs, count)
    ranges = [WindowRange(0, count, full, width=count)] * (full > 0)
    ranges += [WindowRange(full * count, count, 1, at=full, width=rest)] * (rest > 0)
    return tuple(ranges)
