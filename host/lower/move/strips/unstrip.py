# SPDX-License-Identifier: Apache-2.0
"""Image strips converted to pixel order: an output takes a vector from every strip."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Op
from xymac.host.lower.base import Lowering
from xymac.host.lower.groups import strides
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

__all__ = ["UnstripLowering"]


class UnstripLowering(Lowering):
    """Conversion from strips to pixels, inserted by the planner before a layer without strips.

    Parameters
    ----------
    x : Tensor in the input format; its values are unused
    ways : int, elements per vector
    """

    takes_strips = True

    def __init__(self, x, ways):
        self.layer, self.inputs, self.ways = None, (x,), ways
        self.output = replace(x, data=np.zeros_like(x.data))

    def source_layouts(self, preferred):
        """The layout ``preferred``; the planner never requests it."""
        return (preferred,)

    def refuses(self, sources):
        """Banks without a strip of the same image."""
        [source] = sources
        if not source.in_banks or source.array != source.image or source.down.taps > 1:
            return refuse_layout(f"Strips of shape {source.shape} cannot become pixels")
        return None

    def target_layout(self, sources):
        """Pixel order."""
        [source] = sources
        return TensorLayout.of(self.inputs[0], source.axes, self.ways)

    def constants(self, sources):
        """Weight 1."""
        return replace(lane_words(np.ones(1, np.int8), self.ways), shared=True)

    def passes(self, sources, target, constants):
        """Passes over the rows present in equally many strips, for every pixel vector."""
        [source] = sources
        height, cols, chunks, _, _ = source.shape[-5:]
        rows  = target.dims[-2]
        steps = cols * source.pitch, source.pitch
        one   = constants.word(0, 8, self.ways)
        passes, first = [], 0
        while first < min(height, rows):
            held  = min(BANKS, (rows - 1 - first) // height + 1)
            end   = min(height, rows - (held - 1) * height)
            outer = 1, end - first, cols
            ahead = strides(outer, 0, cols * target.pitch, target.pitch)[1:]
            passes += [elementwise(
                source.bits, target.bits, op=Op.SPREAD, outer=outer, beats=held, y=one,
                x=source.access(strides(outer, 0, *steps),
                                offset=first * steps[0] + chunk * BANKS),
                z=target.access((height * cols * target.pitch * (held > 1), *ahead),
                                offset=first * cols * target.pitch + chunk))
                for chunk in range(chunks)]
            first = end
        return passes
