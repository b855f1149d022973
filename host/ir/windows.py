# SPDX-License-Identifier: Apache-2.0
"""Windows along an image axis: outputs, taps and elements of each pass."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import gcd

import numpy as np

from xymac.hdl.isa import Axis

__all__ = ["Window", "WindowRange", "count_taps", "reach", "transposed_ranges", "transposed_reach",
           "window_ranges"]


@dataclass(frozen=True)
class WindowRange:
    """Outputs along an axis computed by a single pass; counts and steps are in elements.

    Parameters
    ----------
    first, step, count : output range
    tap, tap_step, taps : kernel tap range
    at : element under the first output's first tap, negative in the padding
    stride, pitch : element distance between outputs, and between taps
    axis : Axis, padding clip
    width : adjacent outputs per output counted here
    """

    first:    int = 0
    step:     int = 1
    count:    int = 1
    tap:      int = 0
    tap_step: int = 1
    taps:     int = 1
    at:       int = 0
    stride:   int = 1
    pitch:    int = 1
    axis:     Axis = field(default_factory=Axis)
    width:    int = 1


@dataclass(frozen=True)
class Window:
    """Arguments for ``window_ranges``."""

    size:     int
    outputs:  int
    kernel:   int
    stride:   int
    dilation: int
    start:    int


def window_ranges(size: int, outputs: int, kernel: int, stride: int, dilation: int,
                  start: int) -> tuple[WindowRange, ...]:
    """WindowRanges on an axis of ``size`` elements; the first window begins at ``start``.

    Padding is counted in taps. A dilated kernel that extends into the padding takes one pass per
    distance from its taps to the first element, modulo the dilation, so that padding counts are
    whole taps. If a pass has no tap on the image, it reads the first element with the last tap,
    which is 0 (see ``reach``).
    """
    last = start + (outputs - 1) * stride + (kernel - 1) * dilation
    if start >= 0 and last < size:
        return (WindowRange(count=outputs, taps=kernel, at=start, stride=stride, pitch=dilation),)
    phases = dilation // gcd(dilation, stride)
    ranges = []
    for phase in range(min(phases, outputs)):
        at, count  = start + phase * stride, -(-(outputs - phase) // phases)
        top, under = divmod(at, dilation)
        if under >= size:
            ranges.append(WindowRange(phase, phases, count, kernel - 1, stride=0))
            continue
        held = -(-(size - under) // dilation)
        axis = Axis(pad=max(0, -top), step=phases * stride // dilation * (count > 1),
                    size=held - max(0, top))
        ranges.append(WindowRange(phase, phases, count, 0, 1, kernel, at, phases * stride, dilation,
                                  axis))
    return tuple(ranges)


def count_taps(window: WindowRange) -> np.ndarray:
    """Taps on the image per WindowRange output, an int array."""
    first = np.arange(window.count) * window.axis.step - window.axis.pad
    return np.minimum(window.taps, window.axis.size - first) - np.maximum(0, -first)


def transposed_ranges(size: int, outputs: int, kernel: int, stride: int,
                      start: int) -> tuple[WindowRange, ...]:
    """WindowRanges on an axis with ``stride - 1`` zeros between its elements.

    Outputs at distance ``stride`` use the same taps: the taps on elements, not on zeros.
    """
    ranges = []
    for phase in range(min(stride, outputs)):
        tap   = -(start + phase) % stride
        taps  = -(-(kernel - tap) // stride)
        [own] = window_ranges(size, -(-(outputs - phase) // stride), taps, 1, 1,
                             (start + phase + tap) // stride)
        ranges.append(replace(own, first=phase, step=stride, tap=tap, tap_step=stride))
    return tuple(ranges)


def reach(size: int, outputs: int, kernel: int, stride: int, dilation: int,
          start: int) -> tuple[int, int]:
    """Taps to add before and after a kernel so every window has a tap on the image.

    If the tap distance exceeds the image length, some windows have none; a single added tap after
    the kernel serves them.
    """
    front = behind = 0
    for output in range(outputs):
        top  = start + output * stride
        low  = -(top // dilation)
        high = (size - 1 - top) // dilation
        if low > high:
            behind = max(behind, 1)
            continue
        front  = max(front, -high)
        behind = max(behind, low - kernel + 1)
    return front, behind


def transposed_reach(size: int, outputs: int, kernel: int, stride: int,
                     start: int) -> tuple[int, int]:
    """``reach`` for an axis with ``stride - 1`` zeros between its elements."""
    front = behind = 0
    for output in range(outputs):
        low  = -(start + output)
        high = low + (size - 1) * stride
        if high < 0:
            front = max(front, -high)
        else:  # The first tap on an element.
            behind = max(behind, (low if low >= 0 else low % stride) - kernel + 1)
    return front, behind
