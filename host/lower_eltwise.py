"""Two tensors combined element by element as passes."""

from dataclasses import replace

import numpy as np

from golden import EltwiseOp
from hdl.config import BANKS
from hdl.isa import Access, Memory, Op

from .constants import lane_words
from .formats import blank_output
from .image import Image
from .placement import width_of
from .shifts import shift_fields
from .sweep import combine, copy, elementwise, fill, sweep

__all__ = ["constants", "lower", "source_images", "target_image"]

_STEP = (BANKS, 0, BANKS)
_OPS  = {EltwiseOp.MAX: Op.MAX, EltwiseOp.MIN: Op.MIN}


def _single(xs):
    """Index of the operand that is a single element combined with all of the other, or None."""
    sizes = [x.data.size for x in xs]
    return sizes.index(1) if 1 in sizes and max(sizes) > 1 else None


def source_images(layer, xs, wish, ways):
    """As the next layer wants the output; a second factor lies in Y."""
    single = _single(xs)
    images = [Image.flat(x, ways) if wish is None or index == single or x.shape != wish.shape
              else wish.like(x) for index, x in enumerate(xs)]
    if layer.op is EltwiseOp.MUL and single is None:
        images[1] = replace(images[1], memory=Memory.Y)
    return tuple(images)


def target_image(layer, xs, sources):
    """The output lies as the inputs do; ValueError if they lie in different ways."""
    single = _single(xs)
    if single is not None:
        return sources[1 - single].like(blank_output(layer, *xs))
    a, b = sources
    if xs[0].data.size > 1 and a.arrangement != b.arrangement:
        raise ValueError(f"The first input lies as {a.arrangement}, the second one as "
                         f"{b.arrangement}")
    return a.like(blank_output(layer, *xs))


def constants(layer, xs, sources):
    """Weights 1 and, for a difference, -1; for a product room for a factor that is not in Y."""
    ways, room = sources[0].ways, 0
    if layer.op is EltwiseOp.MUL and sources[1].memory is Memory.X:
        room = 1 if _single(xs) is not None else sources[1].at(0, Memory.Y).rows
    return lane_words(np.array([1, -1], np.int8), ways, room)


def lower(layer, xs, sources, target, values):
    """Passes of an elementwise operation; see ``host.lowering.lower``."""
    single = _single(xs)
    if layer.op is EltwiseOp.MUL:
        return _product(layer, xs, sources, target, values, single)
    ways, (a, b) = target.ways, sources
    one, passes = values.word(0, 8, ways), []
    if single is not None:
        passes = fill(sources[single], target, one, target.groups)
        a, b = (target, b) if single == 0 else (a, target)
    if layer.op is EltwiseOp.SUB:
        one = values.word(0, 8, ways, count=2, taps=(0, 0, 1))
    pass_ = combine(a, b, target, y=one, op=_OPS.get(layer.op, Op.MAC))
    return passes + sweep(pass_, target.groups, _STEP)


def _product(layer, xs, sources, target, values, single):
    """Product of a factor in X and one in Y, which passes before it bring there if need be."""
    factor, other = sources if single != 0 else reversed(sources)
    passes, other = _bring_to_y(other, target.ways, values, single is not None)
    a, b  = xs
    shift = a.frac_bits + b.frac_bits - blank_output(layer, a, b).frac_bits
    first = other.base // BANKS
    word  = Access(base=first, low=first, high=first + -(-other.groups // BANKS) - 1)
    pass_ = elementwise(factor.bits, target.bits, x=factor.access(), y=word, z=target.access(),
                        y_width=width_of(other.bits), **shift_fields(shift, layer.rounding))
    return passes + sweep(pass_, target.groups, (BANKS, int(single is None), BANKS))


def _bring_to_y(factor, ways, values, single):
    """Passes, and the Image in Y: where the factor is, a copy, or one element in all lanes."""
    if factor.memory is Memory.Y:
        return [], factor
    one, room = values.word(0, 8, ways), factor.at(values.room_row, Memory.Y)
    if not single:
        return copy(factor, room, one, factor.groups), room
    lanes = BANKS * ways
    room  = replace(room, shape=(lanes,), order=(0,), inner=1, parts=(lanes,))
    return fill(factor, room, one, BANKS), room
