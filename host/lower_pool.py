"""Pooling as passes: a channel to every lane, one tap a step."""

from itertools import groupby

import numpy as np

from golden import AvePool
from golden.pool import reciprocal
from hdl.config import BANKS
from hdl.isa import Axis, Op, Pass, Shape

from .constants import lane_words
from .formats import blank_output
from .image import Image
from .lower_linear import check_pixels, layout_of, pixel_order, strides
from .placement import width_of
from .sweep import container_clip

__all__ = ["constants", "lower", "source_images", "target_image", "window_passes"]

WORD_BITS = 16  #: Of the multipliers.


def source_images(layer, xs, wish, ways):
    """Pixel by pixel."""
    return (Image.of(xs[0], pixel_order(layout_of(layer)), ways),)


def target_image(layer, xs, sources):
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


def _regions(layer, source):
    """Rectangles of outputs of a mean with one shift: rows, columns, shift and multipliers.

    The multipliers are one for each column, or a single one for all.
    """
    rows, cols = (_valid(layer, size, axis) for axis, size in enumerate(source.dims))
    regions = []
    for height, top, bottom in _spans(rows):
        found = [_scaled(height * width) for width in cols]
        for shift, left, right in _spans([shift for _, shift in found]):
            words = [multiplier for multiplier, _ in found[left:right]]
            regions.append(((top, bottom), (left, right), shift,
                            words[:1] if len(set(words)) == 1 else words))
    return regions


def _scaled(count):
    """Multiplier of 15 bits and shift that divide by ``count``: those of the library, of which a
    1 becomes the equal multiplier of full length so that neighbours can share a shift."""
    multiplier, shift = reciprocal(count)
    return (1 << 14, shift + 14) if multiplier == 1 else (multiplier, shift)


def constants(layer, xs, sources):
    """A word of ones, or the multipliers of all regions one after the other."""
    [source] = sources
    if not isinstance(layer, AvePool):
        return lane_words(np.array([1], np.int8), source.ways)
    words = [word for region in _regions(layer, source) for word in region[-1]]
    return lane_words(np.array(words, np.int16), source.ways)


def lower(layer, xs, sources, target, values):
    """Passes of a pooling kernel; see ``host.lowering.lower``."""
    [source], ways = sources, target.ways
    common = {"x_width": width_of(source.bits), "z_width": width_of(target.bits),
              "clip": container_clip(target.bits)}
    every = tuple((0, size) for size in target.dims)
    if not isinstance(layer, AvePool):
        fields = {"y": values.word(0, 8, ways), "op": Op.MAX} | common
        return list(window_passes(layer, source, target, every, fields))
    passes, first = [], 0
    for rows, cols, shift, words in _regions(layer, source):
        fields = {"y": values.word(first, WORD_BITS, ways, count=len(words),
                                   outer=(0, 0, int(len(words) > 1))),
                  "y_width": width_of(WORD_BITS), "shift": shift, "rounding": layer.rounding,
                  "acc_range": layer.acc_range(xs[0])} | common
        passes += window_passes(layer, source, target, (rows, cols), fields)
        first  += len(words)
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
