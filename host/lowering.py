"""Layers to passes: which loops, which addresses, which constants."""

from dataclasses import dataclass, replace

import numpy as np

from golden.layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout
from hdl.config import BANKS, CELL_BITS
from hdl.isa import SHIFT_MAX, SHIFT_MIN, Access, Axis, Pass, Shape, bias_rows, pack

from .placement import Image, pack_bias, pack_lanes, pack_vectors, width_of

__all__ = ["LOWERED", "Constants", "constants", "input_image", "lower", "output_image"]

LOWERED = (Conv2d, DepthwiseConv2d, FullyConnected)  #: Kinds of layers that ``lower`` takes.


@dataclass(frozen=True)
class Constants:
    """What a layer keeps in Y: whole rows of cells, biases first.

    Parameters
    ----------
    bias, weights : arrays of uint16
    row_cells : int, cells of a row of Y
    y_row : int, first row of Y memory
    """

    bias:      np.ndarray
    weights:   np.ndarray
    row_cells: int
    y_row:     int = 0

    @property
    def y_rows(self):
        """Rows of Y memory."""
        return self.cells.size // self.row_cells

    @property
    def cells(self):
        """Everything in the order of the rows."""
        return np.concatenate([self.bias, self.weights])

    @property
    def weights_row(self):
        """First row of the weights."""
        return self.y_row + self.bias.size // self.row_cells


def input_image(layer, shape, bits, ways):
    """Where the input of a first layer goes in X; a fully connected layer takes it flattened."""
    layout = None if isinstance(layer, FullyConnected) else layer.layout
    return Image.of(shape, layout, bits, ways)


def output_image(layer, source):
    """Where the output of ``layer`` on the image ``source`` goes in X."""
    layout = None if isinstance(layer, FullyConnected) else layer.layout
    return Image.of(layer.output_shape(source.shape), layout, source.bits, source.ways)


def constants(layer, x, source):
    """Pack weights and bias of ``layer`` for its input, the Tensor ``x`` that lies at ``source``.

    Returns ``Constants``. ValueError if the input lies in another layout than the layer takes.
    """
    ways = source.ways
    if isinstance(layer, Conv2d) and source.layout is not layer.layout:
        raise ValueError(f"The layer takes layout {layer.layout.name}, its input has "
                         f"{'none' if source.layout is None else source.layout.name}")
    weights = layer.weights.data
    if isinstance(layer, DepthwiseConv2d):
        cells = pack_lanes(weights.reshape(len(weights), -1), ways)
    elif isinstance(layer, Conv2d):
        taps  = weights.transpose(0, 2, 3, 1) if layer.layout is Layout.CHW else weights
        cells = pack_vectors(taps.reshape(len(weights), -1, source.channels), ways)
    else:
        order = source.order()
        taps  = np.where(order < 0, 0, weights[:, order]).astype(weights.dtype)
        cells = pack_vectors(taps[:, None], ways)
    return Constants(pack_bias(_bias(layer, x), ways), cells, BANKS * ways * ways)


def _bias(layer, x):
    """Bias in the position of the products: 8-bit ones saturate at 32 bits, others are exact."""
    shift = layer.bias_shift(x)
    bias  = layer.bias.data.astype(np.int64)
    if layer.bias.bits == 8:
        return np.clip(bias << min(shift, 32), -(1 << 31), (1 << 31) - 1)
    return bias << shift


def lower(layer, x, source, target, values):
    """Passes that apply ``layer`` to the Tensor ``x``; only its type and frac_bits matter.

    Parameters
    ----------
    source, target : Image, placed in X
    values : Constants, placed in Y

    Returns a list of Pass without ``wait`` and ``last``. ValueError naming the field if a loop or
    a stride does not fit.
    """
    build = _loops_of_lanes if isinstance(layer, DepthwiseConv2d) else _loops_of_vectors
    low, high = layer.limits(x)
    common = {
        "x_width": width_of(x.bits), "y_width": width_of(layer.weights.bits),
        "z_width": width_of(x.bits), "bias_row": values.y_row, "clip": (low, high),
        "shift": min(max(layer.out_shift(x), SHIFT_MIN), SHIFT_MAX), "rounding": layer.rounding,
        "acc_range": layer.acc_range(x), **build(layer, source, target, values)}
    passes = _split(Pass(**common), target)
    for pass_ in passes:
        pack(pass_)
    return passes


def _geometry(layer, source, target):
    """Kernel, stride, padding at top and left, and both border axes of a layer."""
    if isinstance(layer, FullyConnected):
        return (1, 1), (1, 1), (0, 0), (Axis(), Axis())
    sizes = (source.rows, source.cols)
    axes  = tuple(
        Axis(pad=layer.pad[2 * index], step=layer.stride[index] * (count > 1), size=sizes[index])
        if any(layer.pad[2 * index:2 * index + 2]) else Axis()
        for index, count in enumerate((target.rows, target.cols)))
    return layer.kernel, layer.stride, layer.pad[::2], axes


def _loops_of_vectors(layer, source, target, values):
    """Loops of a convolution: a group of inputs a step, for as many outputs as there are lanes."""
    if isinstance(layer, FullyConnected):  # all elements of the image are inputs of one output
        source = replace(source, rows=1, cols=1, channels=source.groups * source.ways)
    kernel, stride, pad, axes = _geometry(layer, source, target)
    rows, cols, pitch = target.rows, target.cols, source.pitch
    if kernel == stride == (1, 1):  # no padding either, so that rows follow without a gap
        rows, cols = 1, rows * cols
    row_pitch = source.cols * pitch
    outer  = (-(-target.pitch // BANKS), rows, cols)
    taps   = (*kernel, pitch)
    word   = kernel[0] * kernel[1] * pitch
    units  = CELL_BITS // layer.weights.bits
    return {
        "outer": outer, "taps": taps, "rows": axes[0], "cols": axes[1],
        "x": source.access(_strides(outer, 0, stride[0] * row_pitch, stride[1] * pitch),
                           _strides(taps, row_pitch, pitch, 1),
                           -pad[0] * row_pitch - pad[1] * pitch),
        "y": _weights_access(values, units, outer[0] * word, _strides(outer, word, 0, 0),
                             _strides(taps, kernel[1] * pitch, pitch, 1)),
        "z": target.access(_strides(outer, BANKS, target.cols * target.pitch, target.pitch))}


def _loops_of_lanes(layer, source, target, values):
    """Loops of a depthwise convolution: one tap a step, a channel to every lane."""
    kernel, stride, pad, axes = _geometry(layer, source, target)
    pitch, row_pitch = source.pitch, source.cols * source.pitch
    outer = (-(-pitch // BANKS), target.rows, target.cols)
    taps  = (*kernel, 1)
    word  = kernel[0] * kernel[1]
    units = CELL_BITS // layer.weights.bits * source.ways
    return {
        "outer": outer, "taps": taps, "rows": axes[0], "cols": axes[1],
        "x_shape": Shape.LANES, "y_shape": Shape.LANES,
        "x": source.access(_strides(outer, BANKS, stride[0] * row_pitch, stride[1] * pitch),
                           _strides(taps, row_pitch, pitch, 0),
                           -pad[0] * row_pitch - pad[1] * pitch),
        "y": _weights_access(values, units, outer[0] * word, _strides(outer, word, 0, 0),
                             _strides(taps, kernel[1], 1, 0)),
        "z": target.access(_strides(outer, BANKS, target.cols * target.pitch, target.pitch))}


def _strides(counts, *strides):
    """Strides, 0 for loops that run once, whose stride need not fit its field."""
    return tuple(stride if count > 1 else 0 for count, stride in zip(counts, strides, strict=True))


def _weights_access(values, units, count, outer, taps):
    """Access to ``count`` words of weights; a row of Y is ``units`` addresses."""
    base = values.weights_row * units
    return Access(base=base, low=base, high=base + count - 1, outer=outer, taps=taps)


def _split(whole, target):
    """Passes of full groups of outputs and, with fewer beats, of those that are left over."""
    full, rest = divmod(target.pitch, BANKS)
    passes = []
    if full:
        passes.append(replace(whole, outer=(full, *whole.outer[1:])))
    if rest:
        moved = {name: replace(access, base=access.base + full * access.outer[0])
                 for name, access in (("x", whole.x), ("y", whole.y), ("z", whole.z))}
        passes.append(replace(whole, **moved, outer=(1, *whole.outer[1:]), beats=rest,
                              bias_row=whole.bias_row + full * bias_rows(target.ways)))
    return passes
