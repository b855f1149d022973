"""Output transform of the XS3 library as passes: accumulators of 32 bits to 8 bits.

Shift, scale, bias and the last shift are rounded or saturated each, so that every one is a pass.
"""

from dataclasses import replace
from math import prod

import numpy as np

from hdl.isa import BANKS, RoundMode, Scale, bias_rows
from host.lower.fields.shift import shift_fields
from host.lower.linear.form import first_record
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import HALF, TensorLayout
from host.memory.packing import pack_records

from .channels import over_channels
from .scratch import place_behind, wide, with_room
from .sweep import narrowed
from .words32 import HALVES_WORDS, sums_of_halves

__all__ = ["constants", "lower", "source_layouts", "target_layout"]

SCALE_SHIFT = 14              #: Fractional bits of a scale.
_SATURATED  = {"rounding": RoundMode.UP, "clip": (-32767, 32767)}


def source_layouts(layer, xs, preferred, ways):
    """Pixel by pixel, in halves."""
    return (_pixels(xs[0], ways),)


def _pixels(x, ways):
    return TensorLayout.of(x, range(len(x.shape)), ways)


def target_layout(layer, xs, sources):
    """Pixel by pixel; ValueError if the input does not lie so, in halves."""
    out, [source] = blank_output(layer, *xs), sources
    pixels = _pixels(xs[0], source.ways)
    if source.bits != pixels.bits or source.arrangement != pixels.arrangement:
        raise ValueError(f"The input must lie in halves of {pixels.bits} bits pixel by pixel, not "
                         f"with {source.bits} bits as {source.arrangement}")
    target = _pixels(out, source.ways)
    return with_room(target, [wide(target)] * 2)


def constants(layer, xs, sources):
    """Factors of the halves and a 1; the records of one pass after the other."""
    ways   = sources[0].ways
    values = lane_words(np.array([*HALVES_WORDS, 1], np.int16), ways)
    return replace(values, bias=np.concatenate([pack_records(records, ways)
                                                for records in _records(layer)]))


def _records(layer):
    """Records of the passes: of a left shift, if there is one, of the scale, of the bias."""
    *shifts, scales, biases = layer.columns()
    start = np.full(layer.channels, HALF)
    left  = _left_shift(layer)
    early = shifts[0] if shifts else np.full(layer.channels, max(layer.initial_shift, 0))
    scale = (first_record(scales, early, SCALE_SHIFT), start * (not left))
    return [*([(start,)] if left else []), scale, (biases,)]


def _left_shift(layer):
    """Bits by which accumulators are shifted to the left, saturated, before they are scaled."""
    return max(-(layer.initial_shift or 0), 0)


def lower(layer, xs, sources, target, values):
    """Passes of an output transform; see ``host.lower.registry.lower``."""
    [source], ways = sources, target.ways
    first, second  = place_behind(target, [wide(target)] * 2)
    one    = values.word(len(HALVES_WORDS), 16, ways)
    groups = -(-target.pitch // BANKS) * bias_rows(ways)
    pixels = prod(source.dims)
    row, passes, left = values.y_row, [], _left_shift(layer)
    sums   = sums_of_halves(source, values)
    if left:
        passes += over_channels(sums, first, pixels, bias_row=row, **_SATURATED,
                                shift=shift_fields(-left, RoundMode.UP)["shift"])
        sums, row = {"x": first, "y": one}, row + groups
    passes += over_channels(sums, second, pixels, scale=Scale.SYMMETRIC16, bias_row=row,
                            **_SATURATED)
    passes += over_channels({"x": second, "y": one}, first, pixels, **_SATURATED,
                            bias_row=row + 2 * groups)
    return passes + narrowed(first, target, one, (layer.low, 127), layer.final_shr)
