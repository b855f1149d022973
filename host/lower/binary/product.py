"""Products of two tensors element by element as passes: a factor in X and one in Y."""

from dataclasses import dataclass, replace

import numpy as np

from hdl.isa import BANKS, Access, Memory, bias_rows
from host.lower.fields.mli2 import ZERO_MAX
from host.lower.scratch import place_behind
from host.lower.sweep import copy, elementwise, fill, sweep
from host.memory.constants import lane_words
from host.memory.packing import pack_records, width_of

__all__ = ["Product", "far_rooms", "pack_product", "place_factors", "product_passes"]


@dataclass(frozen=True)
class Product:
    """What becomes of the product of two elements, each less its zero point.

    Parameters
    ----------
    output : dict of the fields of a Pass
    records : tuple of int, as a pass reads them: parameters if scaled, the bias last; or none
    zeros : zero points of both factors, of which the one in X is taken off by the product
    """

    output:  dict
    records: tuple = ()
    zeros:   tuple = (0, 0)

    @property
    def second(self):
        """Index of the factor that is in Y, if both are whole tensors: best one without a zero
        point."""
        return 0 if self.zeros[1] and not self.zeros[0] else 1


def place_factors(form, layouts):
    """TensorLayouts of whole factors with one in Y, if that can be as it is."""
    if form.zeros[form.second]:
        return layouts
    return [replace(layout, memory=Memory.Y) if index == form.second else layout
            for index, layout in enumerate(layouts)]


def far_rooms(form, sources):
    """TensorLayouts in X, not placed, of factors whose zero point no pass takes off an element of
    8 bits: they are less that, saturated at 16 bits."""
    return [replace(source, bits=16, memory=Memory.X, row=0, before=0, behind=0, offset=0)
            for zero, source in zip(form.zeros, sources, strict=True) if abs(zero) > ZERO_MAX]


def _near(form, sources, rooms):
    """The Product of factors that are in ``far_rooms``, and all TensorLayouts."""
    rooms, far = iter(rooms), [abs(zero) > ZERO_MAX for zero in form.zeros]
    return (replace(form, zeros=tuple(0 if away else zero
                                      for away, zero in zip(far, form.zeros, strict=True))),
            [next(rooms) if away else source for away, source in zip(far, sources, strict=True)])


def _room(form, index, source):
    """TensorLayout that factor ``index`` has in Y: as it lies there, or less its zero point."""
    if source.memory is Memory.Y:
        return source
    bits = 16 if form.zeros[index] else source.bits
    return replace(source, bits=bits, memory=Memory.Y)


def pack_product(form, sources, single):
    """A weight of 1, the records, far zero points, and room for a factor that is not in Y."""
    zeros  = [zero for zero in form.zeros if abs(zero) > ZERO_MAX]
    index  = form.second if single is None else single
    form, sources = _near(form, sources, far_rooms(form, sources))
    room, ways = _room(form, index, sources[index]), sources[0].ways
    rows   = 0 if room == sources[index] else 1 if single is not None else room.rows
    values = lane_words(np.array([1], np.int8), ways, rows)
    if not form.records:
        return values
    lanes   = np.ones(BANKS * ways, np.int64)
    records = [[record * lanes for record in form.records], *([-zero * lanes] for zero in zeros)]
    return replace(values, bias=np.concatenate([pack_records(each, ways) for each in records]))


def product_passes(form, sources, target, constants, single):
    """Passes that multiply, behind those that bring a factor to Y if need be.

    ``single`` is the index of the factor that is one element for all of the other, or None.
    """
    index = form.second if single is None else single
    centred, form, sources = _take_off(form, sources, target, constants)
    passes, other = _bring_to_y(form, sources[index], index, target, constants, single)
    factor = sources[1 - index]
    first  = other.base // BANKS
    word   = Access(base=first, low=first, high=first + -(-other.groups // BANKS) - 1)
    pass_  = elementwise(factor.bits, target.bits, x=factor.access(), y=word, z=target.access(),
                         y_width=width_of(other.bits), x_zero=form.zeros[1 - index],
                         bias_row=constants.y_row if form.records else None, **form.output)
    return centred + passes + sweep(pass_, target.groups, (BANKS, int(single is None), BANKS))


def _take_off(form, sources, target, constants):
    """Passes that bring factors to their ``far_rooms``, and what is left of the Product then."""
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


def _bring_to_y(form, source, index, target, constants, single):
    """Passes, and the layout in Y: where the factor is, a copy, or one element in all lanes."""
    room = _room(form, index, source)
    if room == source:
        return [], source
    one, room = constants.word(0, 8, target.ways), room.at(constants.room_row)
    if single is None:
        passes = copy(source, room, one, source.groups)
    else:
        lanes  = BANKS * target.ways
        room   = replace(room, shape=(lanes,), order=(0,), inner=1, parts=(lanes,))
        passes = fill(source, room, one, BANKS)
    return [replace(pass_, x_zero=form.zeros[index]) for pass_ in passes], room
