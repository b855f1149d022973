"""Convolutions and matrices as passes."""

from dataclasses import replace

import numpy as np

from golden import mli2, xs3
from golden.mli1.layer import Conv2d, DepthwiseConv2d, FullyConnected, Layout
from hdl.isa import BANKS, CELL_BITS, Access, Pass, Shape, bias_rows, records
from host.lower.scratch import place_behind, wide, with_room
from host.lower.sweep import narrowed
from host.memory.constants import Constants
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import pack_lanes, pack_records, pack_vectors, width_of

from . import mli1 as linear_mli1
from . import mli2 as linear_mli2
from . import xs3 as linear_xs3
from .windows import Span

__all__ = ["DESCRIBED", "check_pixels", "constants", "layout_of", "lower", "pixel_order",
           "source_layouts", "split_outputs", "strides", "target_layout"]

#: Layers of one form, and the module that describes them in it.
DESCRIBED = {
    **dict.fromkeys((Conv2d, DepthwiseConv2d, FullyConnected), linear_mli1),
    **dict.fromkeys((mli2.Conv2d, mli2.GroupConv2d, mli2.DepthwiseConv2d, mli2.TransposeConv2d,
                     mli2.FullyConnected), linear_mli2),
    **dict.fromkeys((xs3.FullyConnected, xs3.FcDeepin,
                     xs3.Conv2dDeep, xs3.Conv2dShallowin,
                     xs3.Conv2d1x1, xs3.Conv2dDepthwise), linear_xs3),
}
_MATRICES  = (FullyConnected, mli2.FullyConnected, xs3.FullyConnected,
              xs3.FcDeepin)
_DEPTHWISE = (DepthwiseConv2d, mli2.DepthwiseConv2d, xs3.Conv2dDepthwise)


def pixel_order(layout):
    """Order of the dimensions with the channels of a pixel innermost."""
    return (1, 2, 0) if layout is Layout.CHW else (0, 1, 2)


def layout_of(layer):
    """Layout of the input of ``layer``; that of the later libraries is always HWC."""
    return getattr(layer, "layout", Layout.HWC)


def check_pixels(layer, source):
    """Raise ValueError unless ``source`` lies pixel by pixel in the layout of ``layer``."""
    layout = layout_of(layer)
    if source.order != pixel_order(layout) or source.inner != 1:
        raise ValueError(f"The layer takes layout {layout.name}, its input lies in the order "
                         f"{source.order}, {source.inner} of them in a run")


def source_layouts(layer, xs, preferred, ways):
    """Where an input that the host uploads goes; a fully connected layer takes it flattened."""
    [x] = xs
    if isinstance(layer, _MATRICES):
        return (TensorLayout.flat(x, ways),)
    return (TensorLayout.of(x, pixel_order(layout_of(layer)), ways),)


def target_layout(layer, xs, sources):
    """Where the output goes; ValueError if the input lies in another layout than that taken."""
    out, [source] = blank_output(layer, *xs), sources
    if isinstance(layer, _MATRICES):
        target = TensorLayout.flat(out, source.ways)
    else:
        check_pixels(layer, source)
        target = (source.like(out) if isinstance(layer, _DEPTHWISE)
                  else TensorLayout.of(out, source.order, source.ways))
    return target if _describe(layer, xs[0]).narrow is None else with_room(target, [wide(target)])


def constants(layer, xs, sources):
    """Pack weights and records of ``layer`` for its input."""
    [x], [source] = xs, sources
    ways, linear = source.ways, _describe(layer, x)
    weights, records = linear.weights, linear.records
    if isinstance(layer, _DEPTHWISE):
        cells   = pack_lanes(source.spread(weights.reshape(len(weights), -1).T).T, ways)
        records = [source.spread(record) for record in records]
    elif isinstance(layer, _MATRICES):
        places = source.places()
        taps   = np.where(places < 0, 0, weights[:, 0, 0, places]).astype(weights.dtype)
        cells  = pack_vectors(taps[:, None], ways)
    else:
        taps   = weights.reshape(len(weights), -1, weights.shape[-1])
        cells  = pack_vectors(source.spread(taps), ways)
    if linear.narrow is not None:
        cells = np.concatenate([cells, np.ones(BANKS * ways * ways, np.uint16)])
    return Constants(cells, BANKS * ways * ways, bias=pack_records(records, ways))


def _describe(layer, x):
    return DESCRIBED[type(layer)].describe(layer, x)


def lower(layer, xs, sources, target, values):
    """Passes of a convolution or matrix; see ``host.lower.registry.lower``."""
    [x], [source] = xs, sources
    linear = _describe(layer, x)
    if linear.narrow is None:
        return _sums(layer, x, linear, source, target, values)
    [exact] = place_behind(target, [wide(target)])
    row     = values.weights_row + values.weights.size // values.row_cells - 1
    ones    = Access(base=row * target.ways, low=row * target.ways, high=row * target.ways)
    return (_sums(layer, x, linear, source, exact, values)
            + narrowed(exact, target, ones, linear.narrow))


def _sums(layer, x, linear, source, target, values):
    build  = _loops_of_lanes if isinstance(layer, _DEPTHWISE) else _loops_of_vectors
    flat   = isinstance(layer, _MATRICES)
    common = {"x_width": width_of(x.bits), "y_width": width_of(8 * linear.weights.itemsize),
              "z_width": width_of(target.bits), "bias_row": values.y_row, **linear.output}
    return [part for down in linear.rows for across in linear.cols
            for part in split_outputs(Pass(**common, **build(
                linear, (down, across), flat, source, target, values)), target)]


def _loops_of_vectors(linear, spans, flat, source, target, values):
    """Loops of a convolution: a group of inputs a step, for as many outputs as there are lanes."""
    kernel = linear.weights.shape[1:3]
    if flat:  # all elements of the image are inputs of one output
        in_cols, cols, pitch = 1, 1, source.groups
    else:
        in_cols, cols, pitch = source.dims[1], target.dims[1], source.pitch
    down, across = spans if flat else _joined(spans, source, target)
    row_pitch, out_pitch = in_cols * pitch, cols * target.distance
    outer  = (-(-target.pitch // BANKS), down.count, across.count)
    taps   = (down.taps, across.taps, pitch)
    word   = kernel[0] * kernel[1] * pitch
    units  = CELL_BITS // (8 * linear.weights.itemsize)
    return {
        "outer": outer, "taps": taps, "rows": down.axis, "cols": across.axis,
        "x": source.access(strides(outer, 0, down.stride * row_pitch, across.stride * pitch),
                           strides(taps, down.pitch * row_pitch, across.pitch * pitch, 1),
                           down.at * row_pitch + across.at * pitch),
        "y": _weights_access(values, units, outer[0] * word, strides(outer, word, 0, 0),
                             strides(taps, down.tap_step * kernel[1] * pitch,
                                     across.tap_step * pitch, 1),
                             (down.tap * kernel[1] + across.tap) * pitch),
        "z": target.access(strides(outer, BANKS, down.step * out_pitch,
                                   across.step * target.distance),
                           offset=down.first * out_pitch + across.first * target.distance)}


def _joined(spans, source, target):
    """Rows that follow one another without a gap, as columns of a single one."""
    down, across = spans
    if source.dims != target.dims or spans != tuple(Span(count=size) for size in target.dims):
        return spans
    return replace(down, count=1), replace(across, count=down.count * across.count)


def _loops_of_lanes(linear, spans, flat, source, target, values):
    """Loops of a depthwise convolution: one tap a step, a channel to every lane."""
    kernel, (down, across) = linear.weights.shape[1:3], spans
    pitch, row_pitch = source.pitch, source.dims[1] * source.pitch
    out_pitch = target.dims[1] * target.distance
    outer = (-(-pitch // BANKS), down.count, across.count)
    taps  = (down.taps, across.taps, 1)
    word  = kernel[0] * kernel[1]
    units = CELL_BITS // (8 * linear.weights.itemsize) * source.ways
    return {
        "outer": outer, "taps": taps, "rows": down.axis, "cols": across.axis,
        "x_shape": Shape.LANES, "y_shape": Shape.LANES,
        "x": source.access(strides(outer, BANKS, down.stride * row_pitch, across.stride * pitch),
                           strides(taps, down.pitch * row_pitch, across.pitch * pitch, 0),
                           down.at * row_pitch + across.at * pitch),
        "y": _weights_access(values, units, outer[0] * word, strides(outer, word, 0, 0),
                             strides(taps, down.tap_step * kernel[1], across.tap_step, 0),
                             down.tap * kernel[1] + across.tap),
        "z": target.access(strides(outer, BANKS, down.step * out_pitch,
                                   across.step * target.distance),
                           offset=down.first * out_pitch + across.first * target.distance)}


def strides(counts, *values):
    """Strides, 0 for loops that run once, whose stride need not fit its field."""
    return tuple(stride if count > 1 else 0 for count, stride in zip(counts, values, strict=True))


def _weights_access(values, units, count, outer, taps, offset):
    """Access to ``count`` words of weights from ``offset`` on; a row of Y has ``units`` of them."""
    base = values.weights_row * units
    return Access(base=base + offset, low=base, high=base + count - 1, outer=outer, taps=taps)


def split_outputs(whole, target):
    """Passes of full groups of outputs and, with fewer beats, of those that are left over."""
    full, rest = divmod(target.pitch, BANKS)
    passes = []
    if full:
        passes.append(replace(whole, outer=(full, *whole.outer[1:])))
    if rest:
        moved = {name: replace(access, base=access.base + full * access.outer[0])
                 for name, access in (("x", whole.x), ("y", whole.y), ("z", whole.z))}
        passes.append(replace(whole, **moved, outer=(1, *whole.outer[1:]), beats=rest,
                              bias_row=whole.bias_row
                              + full * records(whole) * bias_rows(target.ways)))
    return passes
