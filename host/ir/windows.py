# SPDX-License-Identifier: Apache-2.0
"""Windows along one axis of an image: which outputs, taps and elements one pass takes."""

from dataclasses import dataclass, field, replace
from math import gcd

import numpy as np

from xymac.hdl.isa import Axis

__all__ = ["Window", "WindowRange", "count_taps", "reach", "transposed_ranges", "transposed_reach",
           "window_ranges"]


@dataclass(frozen=True)
class WindowRange:
    """Outputs along an axis that one pass can make, all counts and steps in elements.

    Parameters
    ----------
    first, step, count : outputs
    tap, tap_step, taps : of the kernel
    at : element under the first tap of the first output, negative in front of the image
    stride, pitch : elements from output to output, and from tap to tap
    axis : Axis, the border
    width : outputs side by side of which each is one
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
    """Windows along an axis: what ``window_ranges`` takes."""

    size:     int
    outputs:  int
    kernel:   int
    stride:   int
    dilation: int
    start:    int


def window_ranges(size, outputs, kernel, stride, dilation, start):
    """WindowRanges on an axis of ``size`` elements, the first of them at ``start``.

    The border is counted in taps. So that it is the same count of elements for all outputs of a
    pass, a dilated kernel that reaches out of the image takes a pass for each distance of its taps
    to the first element, modulo the dilation. Where none of these is on the image the pass takes
    the last tap, which is a 0 (see ``reach``), on the first element.
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


def count_taps(window):
    """Taps inside of the border, of every output of a WindowRange: an array."""
    first = np.arange(window.count) * window.axis.step - window.axis.pad
    return np.minimum(window.taps, window.axis.size - first) - np.maximum(0, -first)


def transposed_ranges(size, outputs, kernel, stride, start):
    """WindowRanges on an axis spread with ``stride - 1`` zeros between its elements.

    Outputs that differ by ``stride`` meet the same taps: those on elements, not on zeros.
    """
    ranges = []
    for phase in range(min(stride, outputs)):
        tap   = -(start + phase) % stride
        taps  = -(-(kernel - tap) // stride)
        [own] = window_ranges(size, -(-(outputs - phase) // stride), taps, 1, 1,
                             (start + phase + tap) // stride)
        ranges.append(replace(own, first=phase, step=stride, tap=tap, tap_step=stride))
    return tuple(ranges)


def reach(size, outputs, kernel, stride, dilation, start):
    """Taps that a kernel lacks in front and behind for every window to have one on the image.

    Where the taps of a window are further apart than the image is long none may ever be there: for
    these the kernel lacks one behind.
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


def transposed_reach(size, outputs, kernel, stride, start):
    """The same for windows on an axis spread with zeros."""
    front = behind = 0
    for output in range(outputs):
        low  = -(start + output)
        high = low + (size - 1) * stride
        if high < 0:
            front = max(front, -high)
        else:  # The first tap on an element.
            behind = max(behind, (low if low >= 0 else low % stride) - kernel + 1)
    return front, behind
