"""Layers cut into tiles: what each makes of which part of the input."""

from dataclasses import dataclass, replace
from itertools import pairwise

from golden import mli1, mli2
from golden.mli1 import Layout

from .view_cuts import VIEWS, cut_view

__all__ = ["Tile", "cut_layer"]

_IMAGES   = (mli1.Conv2d, mli1.DepthwiseConv2d, mli1.MaxPool, mli1.AvePool, mli2.Conv2d,
             mli2.GroupConv2d, mli2.DepthwiseConv2d, mli2.MaxPool, mli2.AvePool)
_MATRICES = (mli1.FullyConnected,)
_ELEMENTS = (mli1.Rectify, mli1.LeakyRelu, mli1.Sigmoid, mli1.Tanh, mli1.Eltwise,
             mli1.ConvertTensor, mli2.Rectify, mli2.LeakyRelu, mli2.Sigmoid, mli2.Tanh,
             mli2.Eltwise)


@dataclass(frozen=True)
class Tile:
    """A part of a layer.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of slices of each input, a tuple of slices an input
    target : tuple of slices of the output
    """

    layer:   object
    sources: tuple
    target:  tuple


def cut_layer(layer, inputs, output, count):
    """A layer as ``count`` Tiles of about the same size, or None if it has not so many.

    Images are cut along rows of the output, of which each has the rows of the input that it needs;
    matrices along outputs; what works element by element along the first dimension that is long
    enough.
    """
    if isinstance(layer, VIEWS):
        tiles = cut_view(layer, inputs, count)
        return tiles and [Tile(*tile) for tile in tiles]
    if isinstance(layer, _IMAGES):
        return _cut_rows(layer, inputs[0], output, count)
    if isinstance(layer, _MATRICES):
        return _cut_outputs(layer, inputs[0], output, count)
    if layer.by_element or isinstance(layer, _ELEMENTS):
        return _cut_elements(layer, inputs, output, count)
    return None


def _differs_along(x):
    """Whether elements have other parameters along a dimension."""
    return getattr(getattr(x, "format", None), "dim", -1) >= 0


def _ranges(size, count):
    """``count`` ranges of about the same size."""
    bounds = [size * index // count for index in range(count + 1)]
    return list(pairwise(bounds))


def _cut_rows(layer, x, output, count):
    axis = 1 if getattr(layer, "layout", Layout.HWC) is Layout.CHW else 0
    rows, (top, _, *sides) = x.shape[axis], layer.pad
    stride = layer.stride[0]
    reach  = (layer.kernel[0] - 1) * getattr(layer, "dilation", (1, 1))[0] + 1
    if output.shape[axis] < count:
        return None
    tiles = []
    for first, end in _ranges(output.shape[axis], count):
        begin, stop = first * stride - top, (end - 1) * stride - top + reach
        part  = slice(max(begin, 0), min(stop, rows))
        whole = (slice(None),) * axis
        pad   = (max(-begin, 0), max(stop - rows, 0), *sides)
        tiles.append(Tile(replace(layer, pad=pad), ((*whole, part),), (*whole, slice(first, end))))
    return tiles


def _cut_outputs(layer, x, output, count):
    if len(output.data) < count:
        return None
    weights, bias = layer.weights, layer.bias
    return [Tile(replace(layer, weights=replace(weights, data=weights.data[first:end]),
                         bias=replace(bias, data=bias.data[first:end])),
                 ((),), (slice(first, end),)) for first, end in _ranges(len(output.data), count)]


def _cut_elements(layer, inputs, output, count):
    axis = next((axis for axis, size in enumerate(output.shape) if size >= count), None)
    if axis is None or any(x.shape != output.shape or _differs_along(x) for x in inputs):
        return None
    parts = [(*(slice(None),) * axis, slice(first, end))
             for first, end in _ranges(output.shape[axis], count)]
    return [Tile(layer, (part,) * len(inputs), part) for part in parts]
