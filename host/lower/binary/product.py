# SPDX-License-Identifier: Apache-2.0
"""Elementwise products of two tensors as passes: one factor is in X, the other in Y."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Access, Memory, Shape, bias_rows
from xymac.host.ir.fields import ZERO_MAX
from xymac.host.lower.scratch import place_behind
from xymac.host.lower.sweep import Loop, copy, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records, width_of

from .broadcast import is_single, repeats

__all__ = ["far_rooms", "pack_product", "place_factors", "product_passes",
           "repeat_product"]


def place_factors(form, layouts):
    """TensorLayouts of whole factors; the second is in Y if it has no zero point."""
    if form.zeros[form.second]:
        return layouts
    return [replace(layout, memory=Memory.Y) if index == form.second else layout
            for index, layout in enumerate(layouts)]


def far_rooms(form, sources):
    """TensorLayouts in X, not placed, of factors whose zero point exceeds ``ZERO_MAX``.

    A pass cannot subtract such a zero point from 8-bit elements; copies subtract it, saturated at
    16 bits.
    """
    return [replace(source, bits=16, memory=Memory.X, row=0, before=0, behind=0, offset=0)
            for zero, source in zip(form.zeros, sources, strict=True) if abs(zero) > ZERO_MAX]


def _near(form, sources, rooms):
    """(Product without the zero points of factors in ``far_rooms``, all TensorLayouts)."""
    rooms, far = iter(rooms), [abs(zero) > ZERO_MAX for zero in form.zeros]
    return (replace(form, zeros=tuple(0 if away else zero
                                      for away, zero in zip(far, form.zeros, strict=True))),
            [next(rooms) if away else source for away, source in zip(far, sources, strict=True)])


def _index_in_y(form, sources, target, partial):
    """Index of the factor in Y: a broadcast factor, preferably broadcast along runs."""
    if not partial:
        return form.second
    return max(partial, key=lambda index: is_single(sources[index], target))


def _room(form, index, source, target, partial):
    """TensorLayout of factor ``index`` in Y, minus its zero point.

    A broadcast factor has runs in whole words.
    """
    bits = 16 if form.zeros[index] else source.bits
    if not partial:
        # The copy in Y starts at the first lane, whatever the row offset in X.
        return source if source.memory is Memory.Y else replace(source, bits=bits, offset=0,
                                                                memory=Memory.Y)
    lanes = BANKS * source.ways
    words = 1 if is_single(source, target) else -(-target.pitch // BANKS)
    runs  = source.groups // source.pitch
    return TensorLayout((runs, words * lanes), bits, source.ways, (0, 1), 1, (words * lanes,),
                        Memory.Y)


def pack_product(form, sources, target, partial):
    """A weight 1, the parameters, far zero points, and free space for a factor outside Y.

    ``partial`` lists the indices of broadcast factors.
    """
    zeros  = [zero for zero in form.zeros if abs(zero) > ZERO_MAX]
    index  = _index_in_y(form, sources, target, partial)
    form, sources = _near(form, sources, far_rooms(form, sources))
    room, ways = _room(form, index, sources[index], target, partial), target.ways
    values = lane_words(np.array([1], np.int8), ways, 0 if room == sources[index] else room.rows)
    if not form.records:
        return values
    lanes   = np.ones(BANKS * ways, np.int64)
    records = [[record * lanes for record in form.records], *([-zero * lanes] for zero in zeros)]
    return replace(values, bias=np.concatenate([pack_records(each, ways) for each in records]))


def product_passes(form, sources, target, constants, partial):
    """Passes to copy a factor to Y if necessary, then multiply.

    ``partial`` lists the indices of broadcast factors.
    """
    index = _index_in_y(form, sources, target, partial)
    centred, form, sources = _take_off(form, sources, target, constants)
    passes, other = _bring_to_y(form, sources[index], index, target, constants, partial)
    factor = sources[1 - index]
    first  = other.base // BANKS
    word   = Access(base=first, low=first, high=first + -(-other.groups // BANKS) - 1)
    pass_  = elementwise(factor.bits, target.bits, x=factor.access(), y=word, z=target.access(),
                         y_width=width_of(other.bits), x_zero=form.zeros[1 - index],
                         bias_row=constants.y_row if form.records else None, **form.output)
    if not partial:
        return centred + passes + sweep(pass_, target.groups, (BANKS, 1, BANKS))
    single = is_single(sources[index], target)
    return centred + passes + repeat_product(pass_, factor, sources[index], target, single)


def repeat_product(pass_, factor, source, target, single):
    """Passes to multiply run by run: ``factor`` in X by the broadcast factor in Y.

    ``source`` is the broadcast factor's layout before its copy to Y.
    """
    words = 1 if single else -(-target.pitch // BANKS)
    loops = [Loop(size, step, y // source.pitch * words, target.step(axis))
             for (axis, size, step), (_, _, y) in zip(repeats(factor, target),
                                                      repeats(source, target), strict=True)]
    groups = target.pitch
    while single and loops and loops[-1].y == 0 and loops[-1].x == loops[-1].z == groups:
        groups *= loops.pop().count
    return sweep(pass_, groups, (BANKS, int(not single), BANKS), loops, most=2)


def _take_off(form, sources, target, constants):
    """(passes that copy factors to ``far_rooms``, remaining Product, TensorLayouts)."""
    rooms  = place_behind(target, far_rooms(form, sources))
    one    = constants.word(0, 8, target.ways)
    row    = constants.y_row + len(form.records) * bias_rows(target.ways)
    passes, left = [], iter(rooms)
    for zero, source in zip(form.zeros, sources, strict=True):
        if abs(zero) > ZERO_MAX:
            passes += [replace(pass_, bias_row=row)
                       for pass_ in copy(source, next(left), one, source.groups)]
            row    += bias_rows(target.ways)
    return passes, *_near(form, sources, rooms)


def _bring_to_y(form, source, index, target, constants, partial):
    """(passes, layout in Y): the factor's own layout, or a copy."""
    room = _room(form, index, source, target, partial)
    if room == source:
        return [], source
    one, room = constants.word(0, 8, target.ways), room.at(constants.room_row)
    zero      = form.zeros[index]
    if not partial:
        return [replace(pass_, x_zero=zero)
                for pass_ in copy(source, room, one, source.groups)], room
    runs, single = source.groups // source.pitch, is_single(source, target)
    pass_ = elementwise(source.bits, room.bits, x=source.access(), y=one, z=room.access(),
                        z_memory=Memory.Y, x_zero=zero)
    if single:
        pass_ = replace(pass_, x_shape=Shape.VECTOR)
    return sweep(pass_, BANKS if single else source.pitch, (0 if single else BANKS, 0, BANKS),
                 [Loop(runs, source.distance, 0, room.pitch)]), room
