"""Pooling as passes: a channel to every lane, one tap a step."""

from dataclasses import replace
from itertools import groupby

import numpy as np

from golden import mli2
from golden.mli1 import AvePool, MaxPool
from hdl.isa import BANKS, Axis, Op, Pass, Shape, bias_rows
from host.lower.linear.passes import check_pixels, layout_of, pixel_order, strides
from host.lower.sweep import container_clip
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import pack_records, width_of

from . import mli1 as pool_mli1
from . import mli2 as pool_mli2

__all__ = ["DESCRIBED", "constants", "lower", "source_layouts", "target_layout", "window_passes"]

#: Means, and the module that describes them in one form; a maximum needs no description.
DESCRIBED = {AvePool: pool_mli1, mli2.AvePool: pool_mli2, MaxPool: None, mli2.MaxPool: None}
WORD_BITS = 16  #: Of the factors.


def source_layouts(layer, xs, preferred, ways):
    """Pixel by pixel."""
    return (TensorLayout.of(xs[0], pixel_order(layout_of(layer)), ways),)


def target_layout(layer, xs, sources):
    """As the input; ValueError if that lies in another layout than the layer takes."""
    check_pixels(layer, sources[0])
    return sources[0].like(blank_output(layer, *xs))


def _spans(counts):
    """Runs of equal values: (value, start, stop)."""
    start = 0
    for value, run in groupby(counts):
        stop = start + len(list(run))
        yield value, start, stop
        start = stop


def _valid(layer, size, axis):
    """Taps of every output along ``axis`` that are not on the padding."""
    before, after = layer.pad[2 * axis:2 * axis + 2]
    kernel = layer.kernel[axis]
    return [min(top + kernel, size) - max(top, 0)
            for top in range(-before, size + after - kernel + 1, layer.stride[axis])]


def _regions(layer, x, source):
    """Rectangles of outputs of a mean that differ in nothing but a factor: rows, columns, Means.

    The Means are one for each column, or a single one for all.
    """
    rows, cols = (_valid(layer, size, axis) for axis, size in enumerate(source.dims))
    describe, regions = DESCRIBED[type(layer)].describe, []
    for height, top, bottom in _spans(rows):
        found = [describe(layer, x, height * width) for width in cols]
        for _, left, right in _spans([(mean.records, mean.output) for mean in found]):
            means = found[left:right]
            alike = all(mean == means[0] for mean in means)
            regions.append(((top, bottom), (left, right), means[:1] if alike else means))
    return regions


def constants(layer, xs, sources):
    """A word of ones, or the factors of all regions one after the other, and their records."""
    [x], [source] = xs, sources
    if DESCRIBED[type(layer)] is None:
        return lane_words(np.array([1], np.int8), source.ways)
    regions = [means for *_, means in _regions(layer, x, source)]
    factors = [mean.factor for means in regions for mean in means]
    values  = lane_words(np.array(factors, np.int16), source.ways)
    outputs = BANKS * source.ways * -(-source.pitch // BANKS)
    records = [pack_records([np.full(outputs, record) for record in means[0].records], source.ways)
               for means in regions if means[0].records]
    return replace(values, bias=np.concatenate(records)) if records else values


def lower(layer, xs, sources, target, values):
    """Passes of a pooling kernel; see ``host.lower.registry.lower``."""
    [x], [source], ways = xs, sources, target.ways
    common = {"x_width": width_of(source.bits), "z_width": width_of(target.bits)}
    if DESCRIBED[type(layer)] is None:
        every  = tuple((0, size) for size in target.dims)
        fields = {"y": values.word(0, 8, ways), "op": Op.MAX, "clip": container_clip(target.bits)}
        return list(window_passes(layer, source, target, every, common | fields))
    passes, first, row = [], 0, values.y_row
    for rows, cols, means in _regions(layer, x, source):
        records = means[0].records
        fields  = {"y": values.word(first, WORD_BITS, ways, count=len(means),
                                    outer=(0, 0, int(len(means) > 1))),
                   "y_width": width_of(WORD_BITS), "bias_row": row if records else None}
        passes += window_passes(layer, source, target, (rows, cols),
                                 common | fields | means[0].output)
        first += len(means)
        row   += -(-source.pitch // BANKS) * len(records) * bias_rows(ways)
    return passes


def window_passes(layer, source, target, region, fields):
    """Passes over the windows of the outputs in ``region``: (start, stop) of rows and columns."""
    (top, bottom), (left, right) = region
    steps  = [source.step(axis) for axis in source.outer_axes]
    counts = (bottom - top, right - left)
    starts = [start * layer.stride[axis] - layer.pad[2 * axis]
              for axis, start in enumerate((top, left))]
    axes   = [Axis(pad=max(0, -start), step=layer.stride[axis] * (counts[axis] > 1),
                   size=source.dims[axis] - max(0, start))
              if layer.pad[2 * axis] or layer.pad[2 * axis + 1] else Axis()
              for axis, start in enumerate(starts)]
    out_steps = [target.step(axis) for axis in target.outer_axes]
    offset    = starts[0] * steps[0] + starts[1] * steps[1]
    z_offset  = top * out_steps[0] + left * out_steps[1]
    full, rest = divmod(source.pitch, BANKS)
    for count, beats, behind in ((full, BANKS, 0), (1, rest, full * BANKS)):
        if not count or not beats:
            continue
        outer, taps = (count, *counts), (*layer.kernel, 1)
        yield Pass(
            outer=outer, taps=taps, beats=beats, rows=axes[0], cols=axes[1],
            x_shape=Shape.LANES, y_shape=Shape.LANES,
            x=source.access(strides(outer, BANKS, *(stride * step for stride, step
                                                    in zip(layer.stride, steps, strict=True))),
                            strides(taps, *steps, 0), offset + behind),
            z=target.access(strides(outer, BANKS, *out_steps), offset=z_offset + behind), **fields)
