# SPDX-License-Identifier: Apache-2.0
"""Sums and products with a channel vector: several image pixels are processed as a single pixel.

A pixel of ``pitch`` vectors can end inside a row of ``BANKS`` vectors, which leaves idle beats in a
pass output. As many pixels as fill whole rows become a single pixel with more channels, padding
included. The channel vector is repeated to match.
"""

from dataclasses import replace
from functools import partial
from math import lcm, prod

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.operation import Operation
from xymac.host.ir.pair import Pair
from xymac.host.lower.base import Lowering
from xymac.host.lower.sweep import Loop, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout

from .passes import BinaryLowering
from .vectors import VectorSumLowering

__all__ = ["ChannelLowering"]

_WAIT = 64  #: Approximate delay before the image passes, cycles.


class ChannelLowering(Lowering):
    """A sum or product whose small operand is broadcast along all dimensions but the last."""

    forms = (Pair,)

    @classmethod
    def takes(cls, form, inputs):
        """Whether the small operand is a channel vector, and ``form`` a product or a single-pass
        sum.
        """
        if not form.is_plain_product and not form.is_plain_sum:
            return False
        shape = np.broadcast_shapes(*(x.shape for x in inputs))
        small = [x for x in inputs if prod(x.shape) < prod(shape)]
        return (len(small) == 1 and prod(small[0].shape) == shape[-1] > 1
                and small[0].shape[-1] == shape[-1]
                and _kind_of(form, inputs) is not None)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        make   = partial(_kind_of(self.form, inputs).for_core, self.core, form=self.form)
        pitch  = -(-self.output.shape[-1] // ways)
        groups = lcm(pitch, BANKS)
        pixels = prod(self.output.shape[:-1])
        self._small = min(range(2), key=lambda index: prod(inputs[index].shape))
        self._times = groups // pitch
        self._plain = make(layer, inputs, ways)
        self._wide  = None
        idle = -(-pitch // BANKS) * BANKS - pitch  # idle beats per pixel
        if pixels % self._times == 0 and pixels * idle > groups + _WAIT:
            self._shape = pixels // self._times, groups * ways
            blanks = [replace(x, data=np.zeros(self._shape[index == self._small:], x.data.dtype))
                      for index, x in enumerate(inputs)]
            self._wide = make(Operation(self.form, self._shape, self.output, len(inputs)), blanks,
                              ways)

    def source_layouts(self, preferred):
        """The output layout preferred by the next layer."""
        return self._plain.source_layouts(preferred)

    def refuses(self, sources):
        """Inputs in different layouts."""
        return self._plain.refuses(sources) or (
            self._wide.refuses(self._widen(sources)) if self._is_wide(sources) else None)

    def target_layout(self, sources):
        """The inputs' common layout."""
        target = self._plain.target_layout(sources)
        if not self._is_wide(sources):
            return target
        wide = self._wide.target_layout(self._widen(sources))
        return replace(target, behind=wide.behind + self._repeat(sources).rows)

    def constants(self, sources):
        """Sum or product constants, then a weight 1 to repeat the vector."""
        if not self._is_wide(sources):
            return self._plain.constants(sources)
        constants = self._wide.constants(self._widen(sources))
        one = lane_words(np.array([1], np.int8), self.ways).weights
        return replace(constants, weights=np.concatenate([constants.weights, one]))

    def passes(self, sources, target, constants):
        """Passes to repeat the vector, then the sum or product passes."""
        if not self._is_wide(sources):
            return self._plain.passes(sources, target, constants)
        wide   = self._wide.target_layout(self._widen(sources)).at(target.row)
        row    = target.row + target.rows + wide.behind
        layouts = self._widen(sources, row)
        source, room = sources[self._small], layouts[self._small]
        rows   = constants.weights.size // constants.row_cells
        one    = constants.word((rows - 1) * 2 * self.ways, 8, self.ways)
        copies = sweep(elementwise(source.bits, room.bits, x=source.access(), y=one,
                                   z=room.access()), source.pitch, (BANKS, 0, BANKS),
                       [Loop(self._times, 0, 0, source.pitch)])
        return copies + self._wide.passes(layouts, wide, constants)

    def _is_wide(self, sources):
        """Whether the image is in pixel order without gaps between pixels."""
        image = sources[1 - self._small]
        rank  = len(image.shape)
        return (self._wide is not None and image.order == tuple(range(rank)) and image.inner == 1
                and len(image.parts) == 1 and not image.gap and not image.offset
                and sources[self._small].parts == image.parts)

    def _repeat(self, sources):
        """TensorLayout of the repeated vector, not placed."""
        return TensorLayout(self._shape[1:], sources[self._small].bits, self.ways, (0,), 1,
                            self._shape[1:])

    def _widen(self, sources, row=0):
        """TensorLayouts: the image with fewer, wider pixels, and the repeated vector at ``row``."""
        image = sources[1 - self._small]
        both  = [TensorLayout(self._shape, image.bits, self.ways, (0, 1), 1, self._shape[1:],
                              image.memory, image.row), self._repeat(sources).at(row)]
        return tuple(both[::-1] if self._small == 0 else both)


def _kind_of(form, inputs):
    """Lowering class for a product or a single-pass sum; None for other forms."""
    if form.is_plain_product:
        return BinaryLowering
    return VectorSumLowering if VectorSumLowering.takes(form, inputs) else None
