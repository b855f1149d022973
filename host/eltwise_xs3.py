"""Elementwise kernels of the XS3 library as passes."""

from dataclasses import replace

import numpy as np

from golden.xs3 import vlashr
from golden.xs3_kernels import Xs3AddElementwise
from hdl.config import BANKS
from hdl.isa import RoundMode, Width

from .constants import lane_words
from .formats import blank_output
from .image import Image
from .placement import pack_records
from .scratch import place_behind, wide, with_room
from .shifts import shift_fields
from .sweep import combine, elementwise, narrowed, sweep

__all__ = ["constants", "like_sources", "lower", "peak", "prescaled", "source_images",
           "target_image"]

_STEP   = (BANKS, 0, BANKS)
_LIMITS  = (-32767, 32767)  #: Of 16 bits.


def source_images(layer, xs, wish, ways):
    """Where the next layer wants the output, else as they come."""
    return tuple(Image.flat(x, ways) if wish is None else replace(wish.like(x), bits=x.bits)
                 for x in xs)


def target_image(layer, xs, sources):
    """As the inputs; ValueError if they lie in different ways."""
    target = like_sources(layer, xs, sources)
    return with_room(target, _scratch(layer, target))


def like_sources(layer, xs, sources):
    """Image of the output as the inputs lie; ValueError if they lie in different ways."""
    first, *rest = sources
    for source in rest:
        if source.arrangement != first.arrangement:
            raise ValueError(f"The first input lies as {first.arrangement}, the second one as "
                             f"{source.arrangement}")
    return first.like(blank_output(layer, *xs))


def constants(layer, xs, sources):
    """The factor 1, and those of a sum, with the bias in all lanes."""
    ways = sources[0].ways
    if not isinstance(layer, Xs3AddElementwise):
        return lane_words(np.ones(1, np.int16), ways)
    values = lane_words(np.array([1, *(_factors(layer) or layer.scales)], np.int16), ways)
    return replace(values, bias=pack_records([np.full(BANKS * ways, layer.bias)], ways))


def lower(layer, xs, sources, target, values):
    """Passes of an elementwise kernel; see ``host.lowering.lower``."""
    one = values.word(0, 16, target.ways)
    if not isinstance(layer, Xs3AddElementwise):
        return narrowed(sources[0], target, one, clip=(layer.low, 127))
    scratch, passes = place_behind(target, _scratch(layer, target)), []
    if scratch:
        passes  = prescaled(layer, sources, scratch, one)
        sources = scratch
    words = values.word(1, 16, target.ways, count=2, taps=(0, 0, 1))
    total = combine(*sources, target, y=words, y_width=Width.BITS16, bias_row=values.y_row,
                    shift=layer.shift, rounding=RoundMode.UP, clip=(layer.low, 127))
    return passes + sweep(total, target.groups, _STEP)


def prescaled(layer, sources, targets, one):
    """Passes that write the shifted operands of a sum to images of 16 bits."""
    return [part for source, target, shift in zip(sources, targets, layer.shifts, strict=True)
            for part in sweep(elementwise(
                source.bits, target.bits, x=source.access(), z=target.access(), y=one,
                y_width=Width.BITS16, clip=_LIMITS, **shift_fields(shift, RoundMode.FLOOR)),
                source.groups, _STEP)]


def peak(layer):
    """The largest magnitude of a sum of ``add_elementwise``, the bias and both products."""
    ends = np.array([-128, 127])
    return abs(layer.bias) + sum(int(np.abs(vlashr(ends, shift, 16)).max()) * abs(scale)
                                 for shift, scale in zip(layer.shifts, layer.scales, strict=True))


def _factors(layer):
    """Factors of the operands as they are, or None where these are to be shifted first."""
    factors = []
    for shift, scale in zip(layer.shifts, layer.scales, strict=True):
        factor = scale << min(max(-shift, 0), 15)
        # From 8 bits on a left shift can saturate.
        if not -8 < shift <= 0 or not -(1 << 15) <= factor < 1 << 15:
            return None
        factors.append(factor)
    return factors


def _scratch(layer, target):
    """Images of the shifted operands, if there must be any; not placed."""
    if not isinstance(layer, Xs3AddElementwise) or _factors(layer):
        return []
    return [wide(target)] * 2
