# SPDX-License-Identifier: Apache-2.0
"""PRELU of TensorFlow Lite with slopes along several dimensions: elements times slopes in Y.

What is from 0 on and what is below 0 are scaled by themselves and added up.
"""

from dataclasses import replace

import numpy as np

from xymac.golden.tflm import Prelu
from xymac.hdl.isa import BANKS, Access, Memory, Width
from xymac.host.frontend.tflm.elementwise import peak_of, rescale_map
from xymac.host.frontend.tflm.slopes import check_factor
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip
from xymac.host.ir.refuse import NoPassesError
from xymac.host.ir.rescale import rescale_fields, rescale_records
from xymac.host.ir.tile import Tile, along, cut_evenly, whole
from xymac.host.lower.base import Lowering
from xymac.host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

from .broadcast import default_whole, is_single, lower
from .product import repeat_product

__all__ = ["PreluLowering"]


class PreluLowering(Lowering):
    """A PRELU with slopes along several dimensions."""

    layers = (Prelu,)

    @classmethod
    def takes(cls, layer, inputs):
        """Slopes that differ along more than one dimension."""
        return sum(size > 1 for size in layer.alpha.shape) > 1

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x]  = inputs
        zero = layer.out.zero_point
        self._alpha = layer.alpha.centred.astype(np.int16)
        self._above, self._below = layer.factors(x)
        least = container_clip(x.bits)[0] - x.quantisation.zero_point
        if least < -(1 << 15):
            raise NoPassesError(f"Elements less their zero point must have 16 bits, not be {least}")
        check_factor(peak_of(x) * int(np.abs(self._alpha).max()), self._below[1])
        centre = np.array([-x.quantisation.zero_point])
        self._form = ElementMaps((
            rescale_map(x, self._above, zero, (zero, container_clip(x.bits)[1])),
            ElementMap.of(1, writes="s0", records=(centre,), output={"clip": (-(1 << 15), 0)}),
            ElementMap.of(1, 1, reads=("s1", "out"), records=(np.array([-zero]),))),
            scratch=(16, x.bits))

    def source_layouts(self, preferred):
        """Where the next layer wants the output, if slopes can lie in step with it."""
        [x] = self.inputs
        if preferred is None or lower(preferred.like(self.output), self.layer.alpha) is None:
            preferred = default_whole(self.output, (x, self.layer.alpha), self.ways)
        return (preferred.like(x),)

    def target_layout(self, sources):
        """The output lies as the input; ValueError if no slopes can lie in step with it."""
        [source] = sources
        target = source.like(self.output)
        if lower(target, self.layer.alpha) is None:
            raise ValueError(f"The first input lies as {source.arrangement}, the second one as "
                             f"{self.layer.alpha.shape}")
        return with_room(target, scratch_layouts(self._form, target))

    def cut(self, count, *, constants=False):
        """Along the longest dimension, with the slopes of each part."""
        shape = self.output.shape
        axis  = int(np.argmax(shape))
        alpha = self.layer.alpha
        own   = axis - len(shape) + len(alpha.shape)
        if shape[axis] < count or (constants and (own < 0 or alpha.shape[own] == 1)):
            return None

        def part(first, end):
            slices = (along(alpha.shape, own, first, end) if own >= 0 and alpha.shape[own] > 1
                      else whole(alpha.shape))
            slices = along(shape, axis, first, end), slices
            return Tile(replace(self.layer, alpha=alpha.take(slices[1])), slices[:1], slices[0])

        return [part(*each) for each in cut_evenly(shape[axis], count)]

    def constants(self, sources):
        """Weights and records of the maps, records of the products, and slopes."""
        [source]  = sources
        constants = pack_maps(self._form, source)
        lanes     = np.ones(BANKS * self.ways, np.int64)
        records   = pack_records([record * lanes for record in (*rescale_records(*self._below), 0)],
                                 self.ways)
        runs, room = self._slopes(source)
        return replace(constants, bias=np.concatenate([constants.bias, records]),
                       weights=np.concatenate([constants.weights, room.cells(runs)]))

    def _slopes(self, source):
        """Slopes in runs as the words of Y hold them, int16, and their TensorLayout, not placed."""
        layout = lower(source, self.layer.alpha)
        lanes  = BANKS * self.ways
        single = is_single(layout, source)
        words  = 1 if single else -(-source.pitch // BANKS)
        runs   = self._alpha.transpose(layout.order).reshape(layout.groups // layout.pitch, -1)
        spread = np.zeros((len(runs), words * lanes), np.int16)
        if single:
            spread[:] = runs
        else:
            spread[:, layout.slots()] = runs
        return spread, TensorLayout(spread.shape, 16, self.ways, (0, 1), 1, (words * lanes,),
                                    Memory.Y)

    def passes(self, sources, target, constants):
        """A sweep for each map, and products before the last one."""
        [source] = sources
        scratch  = place_behind(target, scratch_layouts(self._form, target))
        maps     = map_passes(self._form, {"a": source, "out": target}, constants)
        row_cells = constants.row_cells
        _, room  = self._slopes(source)
        others   = pack_maps(self._form, source)
        first    = (constants.weights_row + others.weights.size // row_cells) * self.ways
        slopes   = lower(source, self.layer.alpha)
        zero     = self.layer.out.zero_point
        products = repeat_product(elementwise(
            16, target.bits, x=scratch[0].access(), y_width=Width.BITS16,
            y=Access(base=first, low=first, high=first + room.rows * self.ways - 1),
            z=scratch[1].access(), bias_row=constants.y_row + others.bias.size // row_cells,
            **rescale_fields(zero, container_clip(target.bits))),
            scratch[0], slopes, target, is_single(slopes, target))
        last = len(maps) // len(self._form.maps)
        return [*maps[:-last], *products, *maps[-last:]]
