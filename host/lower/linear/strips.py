# SPDX-License-Identifier: Apache-2.0
"""Convolutions with few outputs or channels on image strips, a lane bank for each strip.

Outputs that do not fill the lanes are computed for ``BANKS`` strips at once. A step reads a vector
from each strip (``Op.CROSS``), and a lane bank holds a single strip's outputs. A depthwise kernel
has all strips' channels in its lanes. The host also writes the rows that strips share and the
padding.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.contraction import Linear
from xymac.host.ir.windows import WindowRange
from xymac.host.memory.strips import StripLayout
from xymac.host.memory.windows import AxisWindows, writing_cost

from .side import window_cost

__all__ = ["Strips", "follow_strips", "strip_forms"]

_UNITS = 1, 2, 4  #: Multiples for the strip height: a pool may follow.


@dataclass(frozen=True)
class Strips:
    """A convolution on strips.

    Parameters
    ----------
    linear : Linear on the strips
    layout, target : StripLayouts: input, output
    """

    linear: Linear
    layout: StripLayout
    target: StripLayout

    @property
    def cycles(self):
        """Cycles to write the input and compute all outputs."""
        return writing_cost(self.layout) + self.made

    @property
    def made(self):
        """Cycles to compute all outputs."""
        linear, pitch = self.linear, self.layout.pitch
        if linear.lanes:
            return -(-pitch // BANKS) * window_cost(linear, 1)
        blocks = len(linear.weights) // (BANKS * self.layout.ways)
        return window_cost(linear, pitch // BANKS, blocks)


def strip_forms(linear, packed, x, output, ways):
    """All Strips for a convolution whose input the host writes.

    Parameters
    ----------
    linear : Linear
    packed : function that takes two flags, whether ``rows`` and ``cols`` taps are packed in a
        vector, and returns the Linear on such windows and their AxisWindows
    x, output : Tensors like its input and its output
    ways : int
    """
    if linear.window is None or linear.groups > 1 or linear.batch > 1 or ways == 1:
        return
    if linear.weights.shape[0] == linear.weights.shape[3] == 1 and not linear.lanes:
        yield from strip_forms(replace(linear, lanes=True), packed, x, output, ways)
    outputs = linear.window[0].outputs
    heights = {-(-outputs // (count * unit)) * unit for unit in _UNITS
               for count in {BANKS, _count(linear, ways)}}
    for height in sorted(heights):
        if height >= outputs:
            continue
        if linear.lanes:
            yield _of_lanes(linear, x, output, ways, height)
            continue
        packs = (False, True) if linear.weights.shape[3] % ways else (False,)
        for rows, cols in product(packs, repeat=2):
            yield _of_banks(linear, packed(rows=rows, cols=cols), x, output, ways, height,
                            rows=rows)


def follow_strips(linear, source, output):
    """Strips for a single-pixel convolution whose input layout is strips, ``source``; otherwise
    None.
    """
    window = linear.window
    if (window is None or linear.groups > 1 or linear.lanes or not source.in_banks
            or linear.weights.shape[1:3] != (1, 1)
            or any((each.stride, each.start, each.outputs) != (1, 0, each.size)
                   for each in window)):
        return None
    return _make(linear, linear.weights, source, output, source.shape[-5])


def _count(linear, ways):
    """Strip count for a depthwise kernel with a lane for every channel of each strip."""
    channels = len(linear.weights)
    return BANKS * ways // channels if linear.lanes and channels < ways else BANKS


def _steps(window, count, height):
    """AxisWindows for strips with ``height`` output rows each, along the image rows."""
    span = (window.kernel - 1) * window.dilation + 1
    return AxisWindows(count, (height - 1) * window.stride + span, height * window.stride, 1,
                 window.start)


def _of_banks(linear, packed, x, output, ways, height, *, rows):
    """Strips for a convolution with an output vector and a strip for every bank."""
    windows, down, across = packed
    layout = StripLayout.of_strips(
        x, linear.order, ways, down=down, across=across, held=ways,
        strip=(AxisWindows(BANKS, height, height) if rows
               else _steps(linear.window[0], BANKS, height)),
        fill=linear.output.get("x_zero", 0))
    return _make(windows, windows.weights, layout, output, height,
                 None if rows else linear.window[0])


def _make(linear, weights, layout, output, height, window=None):
    """Strips with the weights and records repeated for every bank; ``window`` is the row window."""
    def repeat(values):
        values = np.pad(values, [(0, -len(values) % layout.ways)] + [(0, 0)] * (values.ndim - 1))
        groups = values.reshape(-1, 1, layout.ways, *values.shape[1:])
        return np.repeat(groups, BANKS, axis=1).reshape(-1, *values.shape[1:])

    made = replace(linear, weights=repeat(weights), window=None, strips=True,
                   records=tuple(map(repeat, linear.records)), rows=(_rows(window, height),))
    return Strips(made, layout, _target(linear, layout, output, height, layout.ways))


def _of_lanes(linear, x, output, ways, height):
    """Strips for a depthwise convolution with a strip channel for every lane."""
    held   = min(len(linear.weights), ways)
    count  = BANKS if held == ways else BANKS * ways // held
    layout = StripLayout.of_strips(
        x, linear.order, ways, down=AxisWindows(linear.window[0].size),
        across=AxisWindows(linear.window[1].size), held=held,
        strip=_steps(linear.window[0], count, height), fill=linear.output.get("x_zero", 0))
    lane    = np.arange(layout.shape[-3] * count * held)
    channel = lane // (count * held) * held + lane % held

    def spread(values):
        padded = np.pad(values, [(0, -len(values) % held)] + [(0, 0)] * (values.ndim - 1))
        return padded[channel]

    made = replace(linear, weights=spread(linear.weights), window=None,
                   records=tuple(map(spread, linear.records)),
                   rows=(_rows(linear.window[0], height),))
    return Strips(made, layout, _target(linear, layout, output, height, held))


def _rows(window, height):
    """WindowRange along the strip rows."""
    if window is None:
        return WindowRange(count=height)
    return WindowRange(count=height, taps=window.kernel, stride=window.stride,
                       pitch=window.dilation)


def _target(linear, layout, output, height, held):
    """The output's StripLayout."""
    rows, cols = (output.shape[axis] for axis in linear.order[-3:-1])
    return StripLayout.of_strips(
        output, linear.order, layout.ways, down=AxisWindows(rows), across=AxisWindows(cols),
        held=held,
        strip=AxisWindows(layout.strip.count, height, height), filled=False)
