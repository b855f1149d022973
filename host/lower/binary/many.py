# SPDX-License-Identifier: Apache-2.0
"""Sums of several tensors, ADD_N of TensorFlow Lite, as passes.

All tensors are copied one behind the other, so that a pass adds them up. What the library makes of
a sum, it makes of one integer: one multiplier is exact for every sum that there can be.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from xymac.golden.tflm import AddN
from xymac.hdl.isa import BANKS
from xymac.host.ir.fields import container_clip
from xymac.host.ir.fit import find_fit
from xymac.host.ir.refuse import NoPassesError
from xymac.host.ir.rescale import RESCALED, rescale
from xymac.host.ir.tile import cut_elements
from xymac.host.lower.base import Lowering
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import copy, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

__all__ = ["AddNLowering", "find_scale", "sum_fields"]

_HALF = 19  #: Left shift of an element in a sum of the library, where its factor is a half.


@lru_cache(maxsize=256)
def find_scale(low, high, zero, factor, out_zero):
    """The Fit of sums from ``low`` to ``high`` to which the library adds ``-zero``.

    NoPassesError where sums leave 32 bits, or no multiplier makes all outputs.
    """
    if max(-low, high) + abs(zero) >= 1 << 31 - _HALF:
        raise NoPassesError(f"Sums must stay within {(1 << 31 - _HALF) - 1} for every input, "
                            f"not {max(-low, high) + abs(zero)}")
    sums   = np.arange(low, high + 1, dtype=np.int64) - zero
    limits = tuple(limit - out_zero for limit in container_clip(8))
    scaled = rescale(sums << _HALF, *factor)
    gain   = factor[0] * 2.0 ** (factor[1] - 31 + _HALF)
    fit    = find_fit(sums, gain, np.clip(scaled, *limits), limits)
    if fit is None:
        raise NoPassesError(f"Sums from {low} to {high} must have one multiplier that makes every "
                            f"output, not none")
    return fit


def sum_fields(out_zero):
    """Fields of a pass whose records are those of ``find_scale`` and a bias."""
    low, high = container_clip(8)
    return {**RESCALED, "addend": True, "clip": (low - out_zero, high - out_zero),
            "zero": out_zero}


class AddNLowering(Lowering):
    """A sum of two or more tensors in one format."""

    layers = (AddN,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        x, zero = inputs[0], inputs[0].quantisation.zero_point
        count   = len(inputs)
        ends    = [count * (limit - zero) for limit in container_clip(8)]
        fit     = find_scale(*ends, zero, layer.factor(x), layer.out.zero_point)
        self._records = (*fit.records, -zero * (count + 1))

    def source_layouts(self, preferred):
        """All alike: where the next layer wants the output, else as they come."""
        [x, *_] = self.inputs
        layout  = TensorLayout.flat(x, self.ways) if preferred is None else preferred.like(x)
        return (layout,) * len(self.inputs)

    def target_layout(self, sources):
        """The output lies as the inputs do; ValueError if they lie in different ways."""
        first, *others = sources
        for source in others:
            if source.arrangement != first.arrangement:
                raise ValueError(f"The first input lies as {first.arrangement}, the second one as "
                                 f"{source.arrangement}")
        target = first.like(self.output)
        return with_room(target, self._copies(target))

    def _copies(self, target):
        return [replace(target, behind=0)] * len(self.inputs)

    def cut(self, count, *, constants=False):
        """Elements, wherever."""
        return None if constants else cut_elements(self.layer, self.inputs, self.output, count)

    def constants(self, sources):
        """A word of ones and the parameters of the sums."""
        lanes = np.ones(BANKS * self.ways, np.int64)
        return replace(lane_words(np.ones(1, np.int8), self.ways), bias=pack_records(
            [record * lanes for record in self._records], self.ways))

    def passes(self, sources, target, constants):
        """Copies of all inputs, and their sum."""
        copies = place_behind(target, self._copies(target))
        one    = constants.word(0, 8, self.ways)
        passes = [pass_ for source, room in zip(sources, copies, strict=True)
                  for pass_ in copy(source, room, one, source.groups)]
        apart  = copies[1].base - copies[0].base
        x      = copies[0].access(taps=(0, 0, apart))
        return passes + sweep(elementwise(
            8, 8, x=replace(x, high=copies[-1].access().high), taps=(1, 1, len(copies)), y=one,
            z=target.access(), bias_row=constants.y_row,
            **sum_fields(self.layer.out.zero_point)), target.groups, (BANKS, 0, BANKS))
