# SPDX-License-Identifier: Apache-2.0
"""Pooling as passes: a channel in every lane, a tap per step."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from xymac.hdl.isa import BANKS, Axis, Pass, Shape, bias_rows
from xymac.host.ir.pixels import NHWC
from xymac.host.ir.pool import Pool
from xymac.host.lower.base import Lowering
from xymac.host.lower.groups import strides
from xymac.host.lower.orders import refuse_layout, refuse_pixels
from xymac.host.memory.constants import Constants, lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_lanes, pack_records, width_of
from xymac.host.memory.strips import StripLayout

from .form import pool_form
from .images import refuse_images, repeat_images
from .strips import follow_strips, strip_forms
from .wrap import own_words, wrap_passes

__all__ = ["PoolLowering"]

_FACTORS = {8: np.int8, 16: np.int16}


class PoolLowering(Lowering):
    """Window maxima or means."""

    forms        = (Pool,)
    writes_runs  = True
    takes_strips = True
    takes_turns  = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._form = pool_form(self.form)

    def source_layouts(self, preferred):
        """Pixel by pixel."""
        return (TensorLayout.of(self.inputs[0], self._form.order, self.ways),)

    def written_layouts(self):
        """Image strips whose channels share the lanes."""
        return tuple(strips.layout for strips in self._written)

    @cached_property
    def _written(self):
        return strip_forms(self._form, self.inputs[0], self.output,
                           self.ways) if self.parallel else []

    def _strips(self, source):
        """The PoolStrips for the input StripLayout ``source``, or None."""
        return next((strips for strips in self._written
                     if strips.layout.arrangement == source.arrangement), None) or follow_strips(
                         self._form, source, self.output)

    def refuses(self, sources):
        """Strips without passes, or images that are not pixel by pixel."""
        [source] = sources
        if not isinstance(source, StripLayout):
            return (refuse_images(source) if self._form.order == NHWC
                    else refuse_pixels(self._form.order, source))
        if self._strips(source) is None:
            return refuse_layout(f"The layer has no passes on strips of {source.shape}")
        return None

    def target_layout(self, sources):
        """The input layout."""
        [source] = sources
        if isinstance(source, StripLayout):
            return self._strips(source).target
        if len(self.output.shape) == 1:  # a single output of every channel
            return TensorLayout.flat(self.output, source.ways, source.parts)
        return source.like(self.output)

    def tile_axes(self):
        """Rows, columns of a single row, or channels of a single pixel; a batch is divided into
        images, rows or channels, the first with enough indices.
        """
        form, shape = self.form, self.output.shape
        down, across, channel = form.order[-3:]
        units = 4, 1  # channel multiples, by preference
        if len(form.order) > 3:
            return [*((0, unit) for unit in units), (down, 1), *((channel, unit) for unit in units)]
        if max(form.outputs) > 1 and len(shape) == 3:
            return [(across if form.outputs[0] == 1 else down, 1)]
        return [(channel if len(shape) == 3 else 0, units[0])]

    def constants(self, sources):
        """Factors for all regions in sequence, and their records.

        If sums wrap, an all-zeros word and the words for these sums follow the factors.
        """
        [source], regions = sources, self._form_of(sources[0]).regions
        factors = [mean.factor for region in regions for mean in region.means]
        wrapped = [mean.factor for region in regions for mean in region.means if mean.wraps]
        values  = self._words([*factors, *[0] * bool(wrapped)], source)
        if wrapped:
            values = replace(values, weights=np.concatenate(
                [values.weights, own_words(wrapped, self.ways)]))
        records = [pack_records([np.full(BANKS * self.ways * self._indices(source, region), record)
                                 for record in region.means[0].records], self.ways)
                   for region in regions if region.means[0].records]
        return replace(values, bias=np.concatenate(records)) if records else values

    def _words(self, factors, source):
        """``Constants`` with a word for each factor, an int or a sequence with a value per
        ``source`` strip.
        """
        dtype = _FACTORS[self._form.factor_bits]
        if all(isinstance(factor, int) for factor in factors):
            return lane_words(np.array(factors, dtype), self.ways)
        lanes = BANKS * self.ways
        strip = np.minimum(np.arange(lanes) // source.held, source.strip.count - 1)
        words = np.array([np.broadcast_to(factor, source.strip.count)[strip]
                          for factor in factors], dtype)
        return Constants(pack_lanes(words.T, self.ways), lanes * self.ways)

    def _form_of(self, source):
        """The PoolForm for the input layout ``source``."""
        return self._strips(source).form if isinstance(source, StripLayout) else self._form

    @staticmethod
    def _indices(source, region):
        """Number of outermost indices in the region passes; each has its own records."""
        return source.pitch if region.means[0].wraps else -(-source.pitch // BANKS)

    def passes(self, sources, target, constants):
        """Passes for an image; a loop over them for several images."""
        [source] = sources
        if isinstance(source, StripLayout):
            return self._image(source, target, constants)
        if len(target.shape) == 1:
            target = replace(target, shape=(1, 1, *target.shape), order=(0, 1, 2), inner=1)
        return repeat_images(self._image(source, target, constants), source, target)

    def _image(self, source, target, constants):
        """Passes for the first image, region by region.

        Two means of a region differ only in their factors; each factor is a word.
        """
        form, bits = self._form_of(source), self._form.factor_bits
        passes, first, row = [], 0, constants.y_row
        factors = sum(len(region.means) for region in form.regions)
        zero    = constants.word(factors, bits, self.ways)
        word    = constants.weights_row + factors // self.ways + 1
        for region in form.regions:
            count, [mean, *_] = len(region.means), region.means
            bias_row = row if mean.records else None
            row += self._indices(source, region) * len(mean.records) * bias_rows(self.ways)
            if mean.wraps:
                passes += wrap_passes(form, source, target, region, word, zero, bias_row)
                first += count
                word  += count
                continue
            fields  = {"x_width": width_of(source.bits), "z_width": width_of(target.bits),
                       "y": constants.word(first, bits, self.ways, count=count,
                                           outer=(0, 0, int(count > 1))),
                       "y_width": width_of(bits), "bias_row": bias_row,
                       **mean.output}
            passes += _window_passes(form, source, target, region, fields)
            first += count
        return passes


def _window_passes(form, source, target, region, fields):
    """Passes over the output windows in ``region``."""
    (top, bottom), (left, right) = region.rows, region.cols
    steps  = [source.step(axis) for axis in source.outer_axes[-2:]]
    counts = (bottom - top, right - left)
    starts = [start * form.stride[axis] - form.pad[2 * axis]
              for axis, start in enumerate((top, left))]
    axes   = [Axis(pad=max(0, -start), step=form.stride[axis] * (counts[axis] > 1),
                   size=source.dims[axis - 2] - max(0, start))
              if form.pad[2 * axis] or form.pad[2 * axis + 1] else Axis()
              for axis, start in enumerate(starts)]
    out_steps = [target.step(axis) for axis in target.outer_axes[-2:]]
    offset    = starts[0] * steps[0] + starts[1] * steps[1]
    z_offset  = top * out_steps[0] + left * out_steps[1]
    full, rest = divmod(source.pitch, BANKS)
    for count, beats, behind in ((full, BANKS, 0), (1, rest, full * BANKS)):
        if not count or not beats:
            continue
        outer, taps = (count, *counts), (*form.kernel, 1)
        yield Pass(
            outer=outer, taps=taps, beats=beats, rows=axes[0], cols=axes[1],
            x_shape=Shape.LANES, y_shape=Shape.LANES,
            x=source.access(strides(outer, BANKS, *(stride * step for stride, step
                                                    in zip(form.stride, steps, strict=True))),
                            strides(taps, *steps, 0), offset + behind),
            z=target.access(strides(outer, BANKS, *out_steps), offset=z_offset + behind), **fields)
