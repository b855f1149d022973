"""Convolutions and matrices as passes."""

from dataclasses import replace

import numpy as np

from golden.layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout
from hdl.config import BANKS, CELL_BITS
from hdl.isa import SHIFT_MAX, SHIFT_MIN, Access, Axis, Pass, Shape, bias_rows

from .constants import Constants
from .formats import blank_output
from .image import Image
from .placement import pack_bias, pack_lanes, pack_vectors, width_of

__all__ = ["aligned_bias", "check_pixels", "constants", "lower", "pixel_order", "source_images",
           "strides", "target_image"]


def pixel_order(layout):
    """Order of the dimensions with the channels of a pixel innermost."""
    return (1, 2, 0) if layout is Layout.CHW else (0, 1, 2)


def check_pixels(layer, source):
    """Raise ValueError unless ``source`` lies pixel by pixel in the layout of ``layer``."""
    if source.order != pixel_order(layer.layout) or source.inner != 1:
        raise ValueError(f"The layer takes layout {layer.layout.name}, its input lies in the order "
                         f"{source.order}, {source.inner} of them in a run")


def source_images(layer, xs, wish, ways):
    """Where an input that the host uploads goes; a fully connected layer takes it flattened."""
    [x] = xs
    if isinstance(layer, FullyConnected):
        return (Image.flat(x, ways),)
    return (Image.of(x, pixel_order(layer.layout), ways),)


def target_image(layer, xs, sources):
    """Where the output goes; ValueError if the input lies in another layout than that taken."""
    out, [source] = blank_output(layer, *xs), sources
    if isinstance(layer, FullyConnected):
        return Image.flat(out, source.ways)
    check_pixels(layer, source)
    if isinstance(layer, DepthwiseConv2d):
        return source.like(out)
    return Image.of(out, source.order, source.ways)


def constants(layer, xs, sources):
    """Pack weights and bias of ``layer`` for its input."""
    [x], [source] = xs, sources
    ways, weights = source.ways, layer.weights.data
    bias = aligned_bias(layer.bias, layer.bias_shift(x))
    if isinstance(layer, DepthwiseConv2d):
        cells = pack_lanes(source.spread(weights.reshape(len(weights), -1).T).T, ways)
        bias  = source.spread(bias)
    elif isinstance(layer, Conv2d):
        taps  = weights.transpose(0, 2, 3, 1) if layer.layout is Layout.CHW else weights
        taps  = taps.reshape(len(weights), -1, taps.shape[-1])
        cells = pack_vectors(source.spread(taps), ways)
    else:
        places = source.places()
        taps   = np.where(places < 0, 0, weights[:, places]).astype(weights.dtype)
        cells  = pack_vectors(taps[:, None], ways)
    return Constants(cells, BANKS * ways * ways, bias=pack_bias(bias, ways))


def aligned_bias(bias, shift):
    """Bias in the position of the products: 8-bit ones saturate at 32 bits, others are exact."""
    data = bias.data.astype(np.int64)
    if bias.bits == 8:
        return np.clip(data << min(shift, 32), -(1 << 31), (1 << 31) - 1)
    return data << shift


def lower(layer, xs, sources, target, values):
    """Passes of a convolution or matrix; see ``host.lowering.lower``."""
    [x], [source] = xs, sources
    build = _loops_of_lanes if isinstance(layer, DepthwiseConv2d) else _loops_of_vectors
    common = {
        "x_width": width_of(x.bits), "y_width": width_of(layer.weights.bits),
        "z_width": width_of(x.bits), "bias_row": values.y_row, "clip": layer.limits(x),
        "shift": min(max(layer.out_shift(x), SHIFT_MIN), SHIFT_MAX), "rounding": layer.rounding,
        "acc_range": layer.acc_range(x), **build(layer, source, target, values)}
    return _split(Pass(**common), target)


def _geometry(layer, source, target):
    """Kernel, stride, padding at top and left, and both border axes of a layer."""
    if isinstance(layer, FullyConnected):
        return (1, 1), (1, 1), (0, 0), (Axis(), Axis())
    axes = tuple(
        Axis(pad=layer.pad[2 * index], step=layer.stride[index] * (count > 1),
             size=source.dims[index])
        if any(layer.pad[2 * index:2 * index + 2]) else Axis()
        for index, count in enumerate(target.dims))
    return layer.kernel, layer.stride, layer.pad[::2], axes


def _loops_of_vectors(layer, source, target, values):
    """Loops of a convolution: a group of inputs a step, for as many outputs as there are lanes."""
    kernel, stride, pad, axes = _geometry(layer, source, target)
    if isinstance(layer, FullyConnected):  # all elements of the image are inputs of one output
        rows, cols, in_cols, pitch = 1, 1, 1, source.groups
    else:
        rows, cols, in_cols, pitch = *target.dims, source.dims[1], source.pitch
    row_pitch, out_pitch = in_cols * pitch, cols * target.pitch
    if kernel == stride == (1, 1):  # no padding either, so that rows follow without a gap
        rows, cols = 1, rows * cols
    outer  = (-(-target.pitch // BANKS), rows, cols)
    taps   = (*kernel, pitch)
    word   = kernel[0] * kernel[1] * pitch
    units  = CELL_BITS // layer.weights.bits
    return {
        "outer": outer, "taps": taps, "rows": axes[0], "cols": axes[1],
        "x": source.access(strides(outer, 0, stride[0] * row_pitch, stride[1] * pitch),
                           strides(taps, row_pitch, pitch, 1),
                           -pad[0] * row_pitch - pad[1] * pitch),
        "y": _weights_access(values, units, outer[0] * word, strides(outer, word, 0, 0),
                             strides(taps, kernel[1] * pitch, pitch, 1)),
        "z": target.access(strides(outer, BANKS, out_pitch, target.pitch))}


def _loops_of_lanes(layer, source, target, values):
    """Loops of a depthwise convolution: one tap a step, a channel to every lane."""
    kernel, stride, pad, axes = _geometry(layer, source, target)
    pitch, row_pitch = source.pitch, source.dims[1] * source.pitch
    outer = (-(-pitch // BANKS), *target.dims)
    taps  = (*kernel, 1)
    word  = kernel[0] * kernel[1]
    units = CELL_BITS // layer.weights.bits * source.ways
    return {
        "outer": outer, "taps": taps, "rows": axes[0], "cols": axes[1],
        "x_shape": Shape.LANES, "y_shape": Shape.LANES,
        "x": source.access(strides(outer, BANKS, stride[0] * row_pitch, stride[1] * pitch),
                           strides(taps, row_pitch, pitch, 0),
                           -pad[0] * row_pitch - pad[1] * pitch),
        "y": _weights_access(values, units, outer[0] * word, strides(outer, word, 0, 0),
                             strides(taps, kernel[1], 1, 0)),
        "z": target.access(strides(outer, BANKS, target.dims[1] * target.pitch, target.pitch))}


def strides(counts, *values):
    """Strides, 0 for loops that run once, whose stride need not fit its field."""
    return tuple(stride if count > 1 else 0 for count, stride in zip(counts, values, strict=True))


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
