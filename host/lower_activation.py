"""Activations and conversions as passes: an element in, an element out, where it lies."""

import numpy as np

from golden import ConvertTensor, LeakyRelu, Rectify, Sigmoid
from hdl.config import BANKS
from hdl.isa import SHIFT_MAX, SHIFT_MIN, TABLES, Op, RoundMode, Table

from .constants import lane_words
from .formats import blank_output
from .image import Image
from .placement import width_of
from .sweep import combine, elementwise, sweep

__all__ = ["constants", "lower", "shift_fields", "source_images", "table_fields", "target_image"]

TABLE_SHIFT_MAX = 15  #: Bits of the argument that take part between two entries.


def source_images(layer, xs, wish, ways):
    """Where the next layer wants the output, else as it comes."""
    [x] = xs
    return (Image.flat(x, ways) if wish is None else wish.like(x),)


def target_image(layer, xs, sources):
    """The output lies as the input does."""
    return sources[0].like(blank_output(layer, *xs))


def constants(layer, xs, sources):
    """The factors of the elements: 1, and before it a slope."""
    dtype = layer.slope.data.dtype if isinstance(layer, LeakyRelu) else np.int8
    slope = [layer.slope.data.item()] if isinstance(layer, LeakyRelu) else []
    return lane_words(np.array([*slope, 1], dtype), sources[0].ways)


def lower(layer, xs, sources, target, values):
    """Passes of an activation or conversion; see ``host.lowering.lower``."""
    [x], [source] = xs, sources
    if isinstance(layer, LeakyRelu):
        return _leaky_relu(layer, source, target, values)
    if isinstance(layer, Rectify):
        fields = {"clip": layer.relu.limits(x.frac_bits, x.bits)}
    elif isinstance(layer, ConvertTensor):
        fields = shift_fields(x.frac_bits - layer.frac_bits, layer.rounding)
    else:
        table  = Table.SIGM if isinstance(layer, Sigmoid) else Table.TANH
        fields = table_fields(table, x.frac_bits, layer.rounding)
    return sweep(elementwise(source.bits, target.bits, x=source.access(), z=target.access(),
                             y=values.word(0, 8, source.ways), **fields),
                 source.groups, (BANKS, 0, BANKS))


def shift_fields(shift, rounding):
    """Fields of a right shift by any number of bits; beyond the limits nothing changes."""
    return {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": rounding}


def table_fields(table, frac_bits, rounding):
    """Fields of a look-up at ``element / 2**frac_bits``: cut to what the table takes, or widened
    to 16 bits."""
    shift  = frac_bits - TABLES[table].frac_bits
    before = shift - min(max(shift, 0), TABLE_SHIFT_MAX)
    return {"clip": (-(1 << 15), (1 << 15) - 1), **shift_fields(before, RoundMode.FLOOR),
            "table": table, "table_shift": shift - before, "table_rounding": rounding}


def _leaky_relu(layer, source, target, values):
    """``slope * x`` to the target, then the larger or smaller of that and ``x``."""
    bits, step = layer.slope.bits, (BANKS, 0, BANKS)
    slope, one = (values.word(index, bits, source.ways) for index in range(2))
    scaled = elementwise(source.bits, target.bits, x=source.access(), z=target.access(), y=slope,
                         y_width=width_of(bits),
                         **shift_fields(layer.slope.frac_bits, layer.rounding))
    chosen = combine(source, target, target, y=one, y_width=width_of(bits),
                     op=Op.MAX if layer.takes_larger else Op.MIN)
    return [*sweep(scaled, source.groups, step), *sweep(chosen, source.groups, step)]
