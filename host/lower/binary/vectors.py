# SPDX-License-Identifier: Apache-2.0
"""Sums with a channel vector or a single element as the small operand.

Passes write the scaled small operand to the bias addresses of the image pass. A bias has 48 bits,
in three 16-bit words. For a scaled element ``k``, the lowest word is ``k - 2**16 * high``, with
``high = k + 2**15 >> 16``; the middle word is ``k >> 16``, and the highest word is the sign.
"""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, Access, Memory, RoundMode, Shape, Width, bias_rows
from xymac.host.ir.elementwise import ElementMaps, split
from xymac.host.ir.pair import Pair
from xymac.host.lower.elementwise.maps import map_passes, pack_maps
from xymac.host.lower.orders import refuse_apart
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.packing import pack_records

from .broadcast import default_whole, is_single, is_whole, lower
from .passes import BinaryLowering

__all__ = ["VectorSumLowering"]

_FEW      = 2048  #: Fewest output elements for which the bias passes save time.
_CELL     = 16    #: Bits per bias word.
_ROUND    = {"shift": _CELL, "rounding": RoundMode.UP}
_CUT      = {"shift": _CELL, "rounding": RoundMode.FLOOR}


class VectorSumLowering(BinaryLowering):
    """A single-pass sum whose small operand is broadcast along all dimensions but the last."""

    forms = (Pair,)

    @classmethod
    def takes(cls, form, inputs):
        """Whether exactly one operand is small, and the sum takes a single pass."""
        if not form.is_plain_sum:
            return False
        shape = np.broadcast_shapes(*(x.shape for x in inputs))
        small = [x for x in inputs if not is_whole(x, shape)]
        pays  = len(small) == 1 and prod(shape) >= _FEW
        return pays and prod(small[0].shape) == prod(small[0].shape[-1:])

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [self._small] = self._partial
        [map_]        = self._form.maps
        *scale, bias  = map_.records
        count   = prod(inputs[self._small].shape)
        weights = map_.weights[:, :, 0].astype(int).sum(axis=1).tolist()
        share   = split([weights[self._small]])[0, :, 0].tolist()
        #: Weights for a copy, for the operand's scale (two parts), and for the lowest word's
        #: correction.
        self._weights = np.array([1, *(*share, 0)[:2], -1 << 15, -1 << 15], np.int16)
        self._bias    = bias
        self._form = ElementMaps((replace(
            map_, weights=split([weights[1 - self._small]]), reads=("ab"[1 - self._small],),
            records=(*scale, np.zeros(count, np.int64))),),
            None if count == 1 else len(self.output.shape) - 1)

    def source_layouts(self, preferred):
        """The output layout preferred by the next layer, if its runs are channels."""
        whole = None if preferred is None else preferred.like(self.output)
        if whole is None or not self._suits(whole):
            whole = default_whole(self.output, self.inputs, self.ways)
        return tuple(lower(whole, x) for x in self.inputs)

    def _suits(self, whole):
        last = len(whole.shape) - 1
        return self._form.axis is None or (whole.inner, whole.order[-1]) == (1, last)

    def refuses(self, sources):
        """Inputs in different layouts, or a vector that does not lie along the runs."""
        refusal = super().refuses(sources)
        if refusal is None and not self._suits(self._whole(sources)):
            return refuse_apart(*(source.arrangement for source in sources))
        return refusal

    def target_layout(self, sources):
        """The inputs' common layout."""
        return with_room(self._whole(sources), self._words(sources))

    def _words(self, sources):
        """TensorLayouts of two 16-bit intermediates of the vector, not placed."""
        source = sources[self._small]
        return [replace(source, bits=_CELL, memory=Memory.X, row=0, before=0, behind=0,
                        offset=0)] * 2

    def constants(self, sources):
        """The sum's weights and parameters, then the vector's."""
        main    = pack_maps(self._form, self._whole(sources))
        weights = np.zeros((len(self._weights), self.ways), np.int16)
        weights[:, 0] = self._weights  # a single element is the first in its vector
        bias    = pack_records([np.repeat(self._bias, BANKS * self.ways)], self.ways)
        return replace(main, bias=np.concatenate([main.bias, bias]), weights=np.concatenate(
            [main.weights, lane_words(weights.ravel(), self.ways).weights]))

    def passes(self, sources, target, constants):
        """Passes to write the biases, then the pass over the image."""
        layouts = dict(zip("ab", sources, strict=True)) | {"out": target}
        return [*self._make_biases(sources, target, constants),
                *map_passes(self._form, layouts, constants)]

    def _make_biases(self, sources, target, constants):
        """Passes to write two intermediates in X, then the bias words.

        The lowest bias word depends on both intermediates.
        """
        source     = sources[self._small]
        copy, high = place_behind(target, self._words(sources))
        share      = self._pass(source, target, constants, 1, (1, 1, 2))
        lowest     = self._pass(copy, target, constants, 1, (1, 2, 2), high)
        step       = BANKS, 0, BANKS
        passes = sweep(replace(self._pass(source, target, constants, 0, (1, 1, 1)),
                               bias_row=None, z=copy.access()), source.groups, step)
        passes += sweep(replace(share, z=high.access(), **_ROUND), source.groups, step)
        for pass_, place, fields in ((share, 1, _CUT), (share, 2, _CUT | {"clip": (-1, 0)}),
                                     (lowest, 0, {})):
            passes += self._write(replace(pass_, **fields), place, source, target, constants)
        return passes

    def _pass(self, source, target, constants, first, taps, last=None):
        """Pass over ``source`` with 16-bit results and no output address.

        Its taps also read the TensorLayout ``last``, placed after ``source``. ``first`` is the
        index of its first weight.
        """
        main = pack_maps(self._form, target)
        x    = source.access(taps=(0, last.base - source.base if last else 0, 0))
        word = main.weights.size // main.row_cells * self.ways + first * self.ways
        y    = constants.word(word, _CELL, self.ways, (prod(taps) - 1) * self.ways + 1,
                              taps=(0, 2 * self.ways, self.ways))
        return elementwise(
            source.bits, _CELL, taps=taps, x=replace(x, high=last.access().high) if last else x,
            y=y, y_width=Width.BITS16, z=None,
            bias_row=constants.y_row + main.bias.size // main.row_cells)

    def _write(self, pass_, place, source, target, constants):
        """Passes to write word ``place`` in all biases; the lowest word is 0."""
        single = is_single(source, target)
        rows   = bias_rows(self.ways) * len(self._form.maps[0].records)
        row    = constants.y_row + rows - 1 - place // self.ways
        first  = BANKS * (row * self.ways + place % self.ways)
        step   = BANKS * self.ways * rows
        groups = BANKS if single else source.groups
        z      = Access(base=first, low=first, high=first + (-(-groups // BANKS) - 1) * step
                        + BANKS - 1)
        shape  = Shape.VECTOR if single else Shape.LANES
        return sweep(replace(pass_, z=z, z_memory=Memory.Y, x_shape=shape), groups,
                     (0 if single else BANKS, 0, step))
