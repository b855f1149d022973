# SPDX-License-Identifier: Apache-2.0
"""Row and column tiles of TensorFlow Lite convolutions, with paddings that no option describes."""

from dataclasses import dataclass, fields

from xymac.golden.tflm import Add, Conv2d, DepthwiseConv2d, Mul, Sub, TransposeConv
from xymac.host.ir.tile import Tile, along, cut_evenly

__all__ = ["ConvBand", "DepthwiseBand", "TransposeBand", "cut_image", "take_rows"]


@dataclass(frozen=True)
class ConvBand(Conv2d):
    """A Conv2d with explicit padding ``sides``: (top, bottom, left, right), elements."""

    sides: tuple = (0, 0, 0, 0)

    def pads(self, x_shape):
        """Padding in elements for input shape ``x_shape``."""
        return self.sides


@dataclass(frozen=True)
class DepthwiseBand(DepthwiseConv2d):
    """A DepthwiseConv2d with explicit padding, as in ConvBand."""

    sides: tuple = (0, 0, 0, 0)

    def pads(self, x_shape):
        """Padding in elements for input shape ``x_shape``."""
        return self.sides


@dataclass(frozen=True)
class TransposeBand(TransposeConv):
    """A TransposeConv whose ``sides`` are the elements cut from each side of its output."""

    sides: tuple = (0, 0, 0, 0)

    def pads(self, x_shape):
        """Output padding, elements."""
        return self.sides


_BANDS = {Conv2d: ConvBand, DepthwiseConv2d: DepthwiseBand, TransposeConv: TransposeBand}


def cut_image(layer, x, output, count):
    """Convolution tiles: image groups, or image tiles along the larger of output rows and columns.

    None if there are fewer than ``count``.

    Parameters
    ----------
    layer : golden Conv2d, DepthwiseConv2d, TransposeConv or a band of such a layer
    x, output : Tensors in the input and output formats
    count : int
    """
    if output.shape[0] > 1:
        parts = cut_evenly(output.shape[0], count)
        return parts and [Tile(layer, (along(x.shape, 0, *part),), along(output.shape, 0, *part))
                          for part in parts]
    axis  = int(output.shape[2] > output.shape[1])
    bands = cut_evenly(output.shape[1 + axis], count)
    if bands is None:
        return None
    cut_band = _cut_spread if isinstance(layer, TransposeConv) else _cut_windows
    tiles    = []
    for first, end in bands:
        taken, sides = cut_band(layer, x, axis, first, end)
        tiles.append(Tile(_band(layer, x, axis, sides, end - first),
                          (along(x.shape, 1 + axis, *taken),),
                          along(output.shape, 1 + axis, first, end)))
    return tiles


def take_rows(layer, inputs, output, first, end):
    """A layer that computes its output rows ``first`` to ``end``, and the rows it reads from each
    input, as (first, end) or None for a whole input.

    None for a layer that is not cut by rows: all but single-image convolutions, sums, products and
    element functions.

    Parameters
    ----------
    layer : golden layer
    inputs, output : Tensors in the input and output formats, four dimensions: image, rows ...
    first, end : int
    """
    if len(output.shape) != 4 or output.shape[0] != 1:
        return None
    if isinstance(layer, Conv2d | DepthwiseConv2d):
        [x] = inputs
        taken, sides = _cut_windows(layer, x, 0, first, end)
        return _band(layer, x, 0, sides, end - first), (taken,)
    if isinstance(layer, Add | Sub | Mul) or layer.by_element:
        ranges = [(first, end) if x.shape[-3:-2] == output.shape[1:2] else None for x in inputs]
        fits   = all(span is not None or x.shape[-3:-2] in ((), (1,))
                     for span, x in zip(ranges, inputs, strict=True))
        return (layer, tuple(ranges)) if fits else None
    return None


def _cut_windows(layer, x, axis, first, end):
    """Input range (first, end) for outputs ``first`` to ``end``, and the padding around it."""
    size  = x.shape[1 + axis]
    begin = first * layer.stride[axis] - layer.pads(x.shape)[2 * axis]
    stop  = begin + (end - first - 1) * layer.stride[axis] + layer.kernel[axis]
    return (max(begin, 0), min(stop, size)), (max(-begin, 0), max(stop - size, 0))


def _cut_spread(layer, x, axis, first, end):
    """Input range for a transposed convolution's outputs, and the elements to cut from its output.

    The range contains at least one element, even if the outputs use none.
    """
    step, reach = layer.stride[axis], layer.weights.shape[1 + axis]
    before = layer.pads(x.shape)[2 * axis]
    high   = max(min((end - 1 + before) // step, x.shape[1 + axis] - 1), 0)
    low    = max(min(-(-(first + before - reach + 1) // step), (first + before) // step, high), 0)
    return (low, high + 1), (first + before - low * step, 0)


def _band(layer, x, axis, sides, outputs):
    """A part of ``layer`` with other padding along an axis, and its own output count there."""
    kind   = next(band for whole, band in _BANDS.items() if isinstance(layer, whole))
    values = {each.name: getattr(layer, each.name) for each in fields(layer)}
    pads   = list(layer.pads(x.shape))
    pads[2 * axis:2 * axis + 2] = sides
    if isinstance(layer, TransposeConv):
        values["sizes"] = tuple(outputs if at == axis else size
                                for at, size in enumerate(layer.sizes))
    return kind(**values | {"sides": tuple(pads)})
