# SPDX-License-Identifier: Apache-2.0
"""Image strips with overlapping rows, copied from strips without overlap."""

from dataclasses import replace
from itertools import groupby

import numpy as np

from xymac.hdl.isa import BANKS, Pass
from xymac.host.ir.fields import container_clip
from xymac.host.lower.base import Lowering
from xymac.host.lower.groups import strides
from xymac.host.memory.constants import Constants
from xymac.host.memory.packing import pack_vectors, width_of
from xymac.host.memory.windows import AxisWindows

__all__ = ["RestripLowering", "can_restrip"]


def can_restrip(source, target):
    """Whether a StripLayout can be copied into another: the same strips, plus the target's overlap
    rows. Passes subtract no 16-bit zero point, so the padding of 16-bit elements must be 0.
    """
    plain = AxisWindows(source.image[source.axes[-2]])
    return (source.in_banks and target.in_banks and source.strip.start == 0
            and (source.bits == 8 or target.fill == 0)
            and source.strip.taps == source.strip.stride == target.strip.stride
            and (source.array, source.image, source.axes) == (target.array, target.image,
                                                              target.axes)
            and source.across == target.across == plain
            and source.down == target.down == AxisWindows(source.image[source.axes[-3]]))


class RestripLowering(Lowering):
    """Conversion between two layers on strips, inserted by the planner.

    The windows of the second layer extend beyond the first layer's strips.

    Parameters
    ----------
    x : Tensor in the input format; its values are unused
    ways : int, elements per vector
    target : StripLayout of the output, not placed; see ``can_restrip``
    end : int, image row from which on nothing is read, possibly after the image
    """

    takes_strips = True

    def __init__(self, x, ways, target, end):
        self.layer, self.inputs, self.ways = None, (x,), ways
        self.output  = replace(x, data=np.zeros_like(x.data))
        self._target, self._end = target, end

    def source_layouts(self, preferred):
        """The output's layout."""
        return (self._target,)

    def target_layout(self, sources):
        """The requested StripLayout."""
        return self._target

    def inputs_in_place(self, sources, target):
        """The input as its own strip rows inside the output."""
        [source] = sources
        before = -target.strip.start
        if not 0 <= before <= target.strip.taps - source.strip.taps:
            return (None,)
        return (replace(source, offset=before * source.dims[-1] * source.pitch),)

    def constants(self, sources):
        """A word per strip to select its bank's vector, then a word of zeros."""
        lane, way = np.arange(BANKS * self.ways), np.arange(self.ways)
        words = (lane[:, None, None] == np.arange(BANKS)[:, None] * self.ways + way).astype(np.int8)
        words = np.pad(words, ((0, 0), (0, 1), (0, 0)))
        return Constants(pack_vectors(words, self.ways), BANKS * self.ways ** 2, shared=True)

    def passes(self, sources, target, constants):
        """Passes over rows that come from the same rows in equally many strips, a vector per pixel.
        """
        [source] = sources
        height, strip = source.strip.stride, target.strip
        rows   = source.image[source.axes[-3]]
        kinds  = [(*self._kind(strip.start + row, height, rows),
                   self._is_read(strip.start + row, height, rows)) for row in range(strip.taps)]
        inside = source.base - target.base == -strip.start * source.dims[-1] * source.pitch
        passes, first = [], 0
        for kind, run in groupby(kinds):
            count = len(list(run))
            place = (strip.start + first) % height
            *kind, read = kind
            if not inside or kind[:2] != [0, 0] or read:
                passes += [self._pass(source, target, constants, (first, count, place), kind,
                                      chunk) for chunk in range(source.shape[-3])]
            first += count
        return passes

    @staticmethod
    def _kind(row, height, rows):
        """(strip distance back, first strip, end strip) for a row of the first strip.

        The strips from the first to the end, exclusive, have this row inside the image.
        """
        back   = row // height
        inside = [strip for strip in range(BANKS) if 0 <= row + strip * height < rows]
        return back, inside[0] if inside else 0, inside[-1] + 1 if inside else 0

    def _is_read(self, row, height, rows):
        """Whether any strip reads this row outside the image; ``row`` counts from the first strip.
        """
        return any(rows <= row + strip * height < self._end for strip in range(BANKS))

    def _pass(self, source, target, constants, rows, kind, chunk):
        """Pass over a chunk of every pixel in ``rows``: (first row, row count, first source row).
        """
        (first, count, place), (back, start, end) = rows, kind
        cols  = source.dims[-1]
        outer = 1, count, cols
        taps  = 1, 1, max(1, end - start)
        own   = start + back if end else 0
        word  = start if end else BANKS
        fill  = target.fill
        clip  = tuple(limit - fill for limit in container_clip(target.bits))
        x = source.access(strides(outer, 0, cols * source.pitch, source.pitch),
                          strides(taps, 0, 0, 1), place * cols * source.pitch
                          + chunk * BANKS + own)
        y = constants.word(word, 8, 1, taps[2], taps=strides(taps, 0, 0, 1))
        z = target.access(strides(outer, 0, cols * target.pitch, target.pitch),
                          offset=first * cols * target.pitch + chunk * BANKS)
        return Pass(outer=outer, taps=taps, x=x, y=y, z=z, x_width=width_of(source.bits),
                    z_width=width_of(target.bits), clip=clip, zero=fill,
                    x_zero=fill if source.bits == 8 else 0)
