"""Activations of MLI 2.0 that are looked up in a table, as passes."""

from dataclasses import replace

import numpy as np

from golden.mli2 import Sigmoid
from hdl.isa import BANKS
from host.lower.fields.mli2 import affine_clip
from host.lower.sweep import container_clip, elementwise, sweep
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import pack_records

from .mli2 import CODES, affine_argument, table_fields

__all__ = ["constants", "lower", "source_layouts", "target_layout"]

_STEP = (BANKS, 0, BANKS)
_WIDE = 16  #: Bits of a value of a table.


def source_layouts(layer, xs, preferred, ways):
    """Where the next layer wants the output, else as it comes."""
    [x] = xs
    return (TensorLayout.flat(x, ways) if preferred is None else preferred.like(x),)


def target_layout(layer, xs, sources):
    """The output lies as the input does; behind it are values that are to be rounded again."""
    [x], [source] = xs, sources
    image = source.like(blank_output(layer, x))
    return replace(image, behind=_wide(image).rows) if _rounds_again(layer, x) else image


def _rounds_again(layer, x):
    """Whether the output is rounded by other than the 8 bits that a look-up rounds by."""
    return x.is_affine and isinstance(layer, Sigmoid)


def _wide(image):
    return replace(image, bits=_WIDE, behind=0)


def constants(layer, xs, sources):
    """A word of ones; of an SA_8 argument its scale and its zero point."""
    [x], ways = xs, sources[0].ways
    words = lane_words(np.ones(1, np.int8), ways)
    if not x.is_affine:
        return words
    record, _ = affine_argument(layer.table, CODES[layer.table], x.format, layer.build.rounding)
    return replace(words, bias=pack_records([np.full(BANKS * ways, value) for value in (
        record, -x.format.zero_point)], ways))


def lower(layer, xs, sources, target, values):
    """Passes of a look-up; see ``host.lower.registry.lower``."""
    [x], [source] = xs, sources
    one, mode = values.word(0, 8, source.ways), layer.build.rounding
    table = CODES[layer.table]
    if not x.is_affine:
        return sweep(elementwise(x.bits, x.bits, x=source.access(), y=one, z=target.access(),
                                 **table_fields(table, x.format.frac_bits, mode)),
                     source.groups, _STEP)
    _, fields = affine_argument(layer.table, table, x.format, mode)
    found  = _wide(target).at(target.row + target.rows) if _rounds_again(layer, x) else target
    passes = sweep(elementwise(x.bits, found.bits, x=source.access(), y=one, z=found.access(),
                               bias_row=values.y_row, **fields), source.groups, _STEP)
    if found is target:
        return passes
    zero   = layer.out.zero_point
    narrow = elementwise(found.bits, target.bits, x=found.access(), y=one, z=target.access(),
                         shift=_WIDE - 1 - layer.out.scale_frac_bits, rounding=mode,
                         **affine_clip(container_clip(target.bits), zero))
    return passes + sweep(narrow, target.groups, _STEP)
