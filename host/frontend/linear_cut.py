# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices cut into tiles: row or column image tiles, or output ranges."""

from dataclasses import replace
from math import lcm, prod

from xymac.golden import mli1, mli2, tflm, xs3
from xymac.host.frontend.mli1.pixels import pixel_order
from xymac.host.frontend.tflm.bands import cut_image
from xymac.host.ir.tile import Tile, along, cut_evenly, whole

from .bands import cut_bands, cut_spread_bands

__all__ = ["cut_linear"]

_BLOCK = 16  #: Channels per block of XS3 biases, scales and offsets.
#: Output dimension of the weights.
_OUTPUTS = {mli1.FullyConnected: 0, mli1.Conv2d: 0, mli1.DepthwiseConv2d: 0,
            mli2.FullyConnected: 1, mli2.Conv2d: 3, mli2.DepthwiseConv2d: 3, mli2.GroupConv2d: 3,
            mli2.TransposeConv2d: 3, xs3.FullyConnected: 0, xs3.Conv2d1x1: 0, xs3.Conv2dDeep: 0,
            xs3.Conv2dShallowin: 0, xs3.Conv2dDepthwise: 2}
_TFLM       = tflm.Conv2d, tflm.DepthwiseConv2d, tflm.TransposeConv, tflm.FullyConnected
_BY_CHANNEL = mli1.DepthwiseConv2d, mli2.DepthwiseConv2d, xs3.Conv2dDepthwise


def cut_linear(layer, x, output, count, *, constants, lanes=1):
    """List of ``count`` Tiles of a layer, or None.

    With ``constants`` each tile has fewer outputs, and thus fewer constants; otherwise the tiles
    divide the image while it has enough rows or columns. Tile outputs fill the ``lanes`` if there
    are enough.
    """
    if isinstance(layer, _TFLM):
        return cut_tflm(layer, x, output, count, constants=constants, lanes=lanes)
    image = len(output.shape) == 3
    if not constants and image:
        order = pixel_order(getattr(layer, "layout", mli1.Layout.HWC))
        if isinstance(layer, mli2.TransposeConv2d):
            if tiles := cut_spread_bands(layer, x, output, count):
                return tiles
        elif max(output.shape[axis] for axis in order[:2]) > 1:
            return cut_bands(layer, order, x, output, count)
    if type(layer) not in _OUTPUTS:
        return None
    axis  = pixel_order(getattr(layer, "layout", mli1.Layout.HWC))[2] if image else 0
    each  = _count_inputs(layer, x)
    unit  = _BLOCK if hasattr(layer, "bso") else each[1] if each else 1
    parts = _cut_outputs(output.shape[axis], count, unit, lanes)
    if parts is None:
        return None
    return [Tile(_take_outputs(layer, first, end),
                 (along(x.shape, axis, first // each[1] * each[0], end // each[1] * each[0])
                  if each else whole(x.shape),),
                 along(output.shape, axis, first, end)) for first, end in parts]


def cut_tflm(layer, x, output, count, *, constants, lanes=1):
    """``cut_linear`` for a TensorFlow Lite layer: images, image tiles, matrix rows or outputs."""
    matrix = isinstance(layer, tflm.FullyConnected)
    last   = len(output.shape) - 1
    if not constants and prod(output.shape[:-1]) > 1:
        return (_cut_rows(layer, x, output, count) if matrix
                else cut_image(layer, x, output, count))
    if matrix:
        each = None
    elif isinstance(layer, tflm.DepthwiseConv2d):
        each = 1, output.shape[3] // x.shape[3]
    else:
        held = layer.weights.shape[3]
        each = None if held == x.shape[3] else (held, output.shape[3] * held // x.shape[3])
    parts = _cut_outputs(output.shape[last], count, each[1] if each else 1, lanes)
    return parts and [Tile(_take_channels(layer, first, end),
                           (along(x.shape, 3, first // each[1] * each[0],
                                  end // each[1] * each[0]) if each else whole(x.shape),),
                           along(output.shape, last, first, end)) for first, end in parts]


def _cut_outputs(size, count, unit, lanes):
    """Ranges over ``size`` outputs like ``cut_evenly``.

    Each length is a multiple of ``lanes`` if there are enough outputs, else of ``unit``.
    """
    return cut_evenly(size, count, lcm(unit, lanes)) or cut_evenly(size, count, unit)


def _cut_rows(layer, x, output, count):
    """Tiles along a matrix's input rows.

    None if there are fewer than ``count``, or if a row does not start at an index of the first
    dimension with size above 1.
    """
    depth = layer.weights.shape[1]
    axis  = next(axis for axis, size in enumerate(x.shape) if size > 1)
    rows, odd = divmod(prod(x.shape[axis + 1:]), depth)
    parts = cut_evenly(x.shape[axis], count)
    if parts is None or odd:
        return None
    to, times = (axis, 1) if layer.keep_num_dims else (0, rows)
    return [Tile(layer, (along(x.shape, axis, first, end),),
                 along(output.shape, to, first * times, end * times)) for first, end in parts]


def _take_channels(layer, first, end):
    """A TensorFlow Lite layer with only outputs ``first`` to ``end``."""
    axis    = 3 if isinstance(layer, tflm.DepthwiseConv2d) else 0
    weights = layer.weights.take(along(layer.weights.shape, axis, first, end))
    bias    = None if layer.bias is None else layer.bias.take((slice(first, end),))
    return replace(layer, weights=weights, bias=bias)


def _count_inputs(layer, x):
    """Input channels read by a single output group only, as (inputs, outputs), or None."""
    if isinstance(layer, _BY_CHANNEL):
        return 1, 1
    if isinstance(layer, mli2.GroupConv2d):
        *_, inputs, outputs = layer.weights.shape
        return inputs, outputs // (x.shape[2] // inputs)
    return None


def _take_outputs(layer, first, end):
    """The layer with outputs ``first`` to ``end`` alone."""
    axis    = _OUTPUTS[type(layer)]
    weights = layer.weights.take(along(layer.weights.shape, axis, first, end))
    if hasattr(layer, "bso"):
        blocks = slice(first // _BLOCK, -(-end // _BLOCK))
        return replace(layer, weights=weights, bso=layer.bso.take((blocks,)))
    return replace(layer, weights=weights, bias=layer.bias.take((slice(first, end),)))
