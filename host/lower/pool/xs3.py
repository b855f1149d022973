"""Pooling of the XS3 library: windows inside of the image, as passes."""

from dataclasses import dataclass, replace

import numpy as np

from golden import xs3
from golden.xs3.pool import mean_factor
from hdl.isa import BANKS, Op, RoundMode
from host.lower.linear.passes import check_pixels
from host.lower.sweep import container_clip
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import pack_records

from .passes import window_passes

__all__ = ["constants", "lower", "source_layouts", "target_layout"]


@dataclass(frozen=True)
class _Windows:
    """Where windows lie, as the loops of pooling take it; see ``mli1.MaxPool``."""

    kernel: tuple
    stride: tuple
    pad:    tuple


@dataclass(frozen=True)
class _Mean:
    """What becomes of the sum of a window: a factor of its elements, a bias, fields of the pass."""

    factor: int
    bias:   int
    output: dict


def source_layouts(layer, xs, preferred, ways):
    """Pixel by pixel."""
    return (TensorLayout.of(xs[0], (0, 1, 2), ways),)


def target_layout(layer, xs, sources):
    """Pixel by pixel, as the input; ValueError if that lies in another way."""
    check_pixels(layer, sources[0])
    out = blank_output(layer, *xs)
    if isinstance(layer, xs3.AvgPool2dGlobal):
        return TensorLayout.flat(out, sources[0].ways, sources[0].parts)
    return sources[0].like(out)


def constants(layer, xs, sources):
    """The factor of the elements, and the bias of their sum in all lanes."""
    [source], mean = sources, _describe(layer)
    values = lane_words(np.array([mean.factor], np.int8), source.ways)
    if not mean.bias:
        return values
    outputs = -(-source.pitch // BANKS) * BANKS * source.ways
    return replace(values, bias=pack_records([np.full(outputs, mean.bias)], source.ways))


def _describe(layer):
    if isinstance(layer, xs3.AvgPool2dGlobal):
        return _Mean(layer.scale, layer.bias, _rounded(layer, layer.shift))
    if isinstance(layer, xs3.AvgPool2d):
        factor, shift = mean_factor(layer.kernel[0] * layer.kernel[1])
        return _Mean(factor, 0, _rounded(layer, shift))
    return _Mean(1, 0, {"op": Op.MAX, "clip": container_clip(8)})


def _rounded(layer, shift):
    return {"shift": shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}


def lower(layer, xs, sources, target, values):
    """Passes of a pooling kernel; see ``host.lower.registry.lower``.

    No sum of products reaches 32 bits: X memory has too few elements for that.
    """
    [source], mean = sources, _describe(layer)
    if isinstance(layer, xs3.AvgPool2dGlobal):
        windows = _Windows(source.dims, (1, 1), (0,) * 4)
        target  = replace(target, shape=(1, 1, *target.shape), order=(0, 1, 2), inner=1)
    else:
        top, left = layer.window.start
        windows = _Windows(layer.kernel, layer.window.stride, (-top, 0, -left, 0))
    fields = {"y": values.word(0, 8, target.ways), **mean.output,
              "bias_row": values.y_row if mean.bias else None}
    region = tuple((0, size) for size in target.dims)
    return list(window_passes(windows, source, target, region, fields))
