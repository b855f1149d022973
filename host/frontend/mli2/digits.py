# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 scaled elements in 16-bit digits, for products too wide for a pass.

The library keeps the upper 32 bits of a product of full factors: for an element with ``n`` bits, it
drops the lowest ``1 + n - norm(multiplier)`` product bits, then rounds. Here the full 48-bit
product is computed in digits, the bits that the library drops are subtracted from the lowest digit,
and the remainder is shifted and rounded.
"""

import numpy as np

from xymac.golden.parameters.mli2.rounding import norm
from xymac.hdl.isa import AccumulatorRange, Op, RoundMode
from xymac.host.ir.elementwise import ElementMap, ElementMaps, split
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.memory.layout import LOW_OFFSET

__all__ = ["digit_maps", "sum_maps"]

_WORD   = 1 << 16
_BITS   = 47    #: Magnitude bits of a product: a longer right shift gives 0.
_LEFT   = 17    #: A left shift that saturates every product but 0.
_SLOTS  = 8     #: Scratch.
_UPPER, _LOWER = -2, -1  #: Slots of both output words, before the scratch.
#: Slots: the element, the product digits, highest first, and values only some maps need.
_HIGH, _LOW, _TOP, _MIDDLE, _REST = 2, 3, 6, 7, 5
_A, _B, _C = 0, 1, 4
_WORDS = (8, 9), (6, 7)  #: Words of two sum operands; the second pair is free at the end.


def digit_maps(each, in_bits, out_bits, mode):
    """ElementMaps for a conversion with a single scale.

    Parameters
    ----------
    each : ``xymac.golden.mli2.convert.Conversion``
    in_bits, out_bits : int, 8, 16 or 32, at least one 32
    mode : RoundMode, UP or CONVERGENT
    """
    steps = _Steps()
    _load_element(steps, each.in_zero, in_bits)
    value = _scale(steps, each, in_bits, mode)
    if out_bits == 32:
        _write_words(steps, value, each.out_zero, (_UPPER, _LOWER))
    else:
        low, high = container_clip(out_bits)
        steps.add("out", *value, clip=(low - each.out_zero, high - each.out_zero),
                  zero=each.out_zero)
    return ElementMaps(tuple(steps.maps), scratch=(16,) * _SLOTS)


def sum_maps(operands, mode, output):
    """ElementMaps for the sum of scaled 8-bit elements, each rounded to 32 bits separately.

    Parameters
    ----------
    operands : two (TensorLayout name, sign, Conversion); elements minus the zero point saturate at
        16 bits
    mode : RoundMode, UP or CONVERGENT
    output : dict, fields for the pass computing the sum
    """
    steps, terms = _Steps(), {}
    for words, (name, sign, each) in zip(_WORDS, operands, strict=True):
        steps.read(name, _A, -each.in_zero)
        steps.add(_HIGH, {_A: 1}, 0, 16)
        steps.add(_LOW, {_A: 1, _HIGH: -_WORD}, -LOW_OFFSET)
        _write_words(steps, _scale(steps, each, 16, mode), 0, words)
        terms |= dict(zip(words, (sign * _WORD, sign), strict=True))
    bias = LOW_OFFSET * sum(sign for _, sign, _ in operands)
    steps.add("out", terms, bias, **output)
    return ElementMaps(tuple(steps.maps), scratch=(16,) * (_SLOTS + 2))


def _scale(steps, each, in_bits, mode):
    """The element times the scale, rounded: see ``_shift``."""
    _multiply(steps, each.multiplier)
    _drop_bits(steps, each, in_bits, mode)
    return _shift(steps, each.shift, mode)


class _Steps:
    """ElementMaps in sequence."""

    def __init__(self):
        self.maps = []

    def read(self, name, slot, bias=0, shift=0):
        """Add an ElementMap reading an input into a slot."""
        self.maps.append(ElementMap(split([1]), (name,), f"s{slot}", (np.array([bias]),),
                                    self._output(shift)))

    def add(self, target, terms, bias=0, shift=0, rounding=RoundMode.FLOOR, **fields):
        """Add ``(sum of weighted slots + bias) / 2**shift``; ``terms`` are weights by slot.

        Slots between them are read as well, times 0.
        """
        slots = range(min(terms), max(terms) + 1)
        self.maps.append(ElementMap(
            split([terms.get(slot, 0) for slot in slots]), tuple(map(_name, slots)),
            target if isinstance(target, str) else _name(target), (np.array([bias]),),
            self._output(shift, rounding) | fields))

    def fold(self, target, slot, op):
        """Add the maximum or minimum over a slot and the next slot."""
        self.maps.append(ElementMap.of(1, 1, reads=(_name(slot), _name(slot + 1)),
                                       writes=_name(target), output={"op": op}))

    def _output(self, shift, rounding=RoundMode.FLOOR):
        return {**shift_fields(shift, rounding), "clip": container_clip(16),
                "acc_range": AccumulatorRange.BITS40}


def _name(slot):
    return {_UPPER: "out_upper", _LOWER: "out_lower"}.get(slot, f"s{slot}")


def _load_element(steps, zero, bits):
    """Both words of an element minus its zero point, saturated at 32 bits."""
    terms, bias = {_B: 1}, -zero
    if bits == 32:
        terms, bias = {_A: _WORD, _B: 1}, LOW_OFFSET - zero
        steps.read("a_upper", _A)
        steps.read("a_lower", _B)
    else:
        steps.read("a", _B)
    steps.add(_HIGH, terms, bias, 16)
    steps.add(_LOW, terms | {_HIGH: -_WORD}, bias - LOW_OFFSET)


def _multiply(steps, factor):
    """Three product digits, both lower digits minus ``LOW_OFFSET``."""
    low = factor * LOW_OFFSET
    steps.add(_C, {_LOW: factor}, low, 16)
    steps.add(_REST, {_LOW: factor, _C: -_WORD}, low - LOW_OFFSET)
    steps.add(_TOP, {_HIGH: factor, _C: 1}, 0, 16)
    steps.add(_MIDDLE, {_HIGH: factor, _C: 1, _TOP: -_WORD}, -LOW_OFFSET)


def _drop_bits(steps, each, bits, mode):
    """Subtract the bits that the library drops from the lowest digit, where they affect the result.

    A left shift of the remainder exposes at most two such bits, since more saturate. Otherwise
    round-half-up does not expose them. An ``n``-bit element's magnitude is at least ``2**(n - 1)``.
    """
    spare   = int(norm(each.multiplier, 32))
    longest = 31 if bits == 32 else 16
    first   = each.shift if mode is RoundMode.UP else 1
    before  = None
    for dropped in range(max(first, 1), min(each.shift + 2, 1 + longest - spare) + 1):
        if not each.multiplier % (1 << dropped):
            continue
        size   = spare - 2 + dropped
        places = min(size, 16)
        if places != before:
            _load_magnitude(steps, places)
            before = places
        steps.add(_B, {_A: 1}, 1 - (1 << size - places), clip=(0, 1))
        steps.add(_C, {_REST: 1}, LOW_OFFSET, dropped)
        steps.add(_C, {_C: 1 << dropped, _B: -_WORD}, _WORD - LOW_OFFSET)
        steps.fold(_REST, _C, Op.MIN)


def _load_magnitude(steps, places):
    """An element shifted right by 15 or 16 bits, with its bits inverted if negative."""
    steps.add(_A, {_HIGH: _WORD, _LOW: 1}, LOW_OFFSET, places)
    steps.add(_B, {_A: -1}, -1)
    steps.fold(_A, _A, Op.MAX)


def _shift(steps, shift, mode):
    """Shift and round the product; returns the result's terms and bias, see ``_Steps.add``."""
    if shift < 0:
        return _shift_left(steps, min(-shift, _LEFT))
    if shift < 16:
        return _shift_digits(steps, shift, {_TOP: _WORD, _MIDDLE: 1}, LOW_OFFSET, _REST, mode, {})
    below = _read_rest(steps)
    if shift - 16 < 15:
        return _shift_digits(steps, shift - 16, {_TOP: 1}, 0, _MIDDLE, mode, below)
    steps.add(_C, {_TOP: 4 * _WORD, _MIDDLE: 4} | below, 4 * LOW_OFFSET,
              min(shift, _BITS + 1) - 16 + 2, mode)
    return {_C: 1}, 0


def _shift_left(steps, places):
    """The product times ``2**places``, saturated at 32 bits."""
    more, middle = int(places > 16), 1 << 14  # A middle leaves room to detect saturation.
    steps.add(_LOW, {_TOP: _WORD, _MIDDLE: 1}, LOW_OFFSET)
    steps.add(_C, {_LOW: _WORD, _REST: 1}, LOW_OFFSET, 16 - places)
    steps.add(_HIGH, {_LOW: _WORD << more, _REST: 1 << more, _C: -1 << 16 - places + more},
              (LOW_OFFSET << more) - middle)
    steps.add(_B, {_HIGH: 1 << places - more}, (middle << places - more) - LOW_OFFSET)
    return {_C: _WORD, _B: 1}, LOW_OFFSET


def _read_rest(steps):
    """Terms for twice the flag "lowest digit is at least a half", plus the flag "more than a half".
    """
    steps.add(_A, {_REST: 1}, LOW_OFFSET, 15)
    steps.add(_B, {_REST: 1, _A: -1 << 15}, LOW_OFFSET, clip=(0, 1))
    return {_A: 2, _B: 1}


def _shift_digits(steps, shift, upper, bias, lower, mode, below):
    """A multi-digit number shifted right by 0 .. 15 and rounded.

    ``upper`` and ``bias`` give all digits but ``lower``; the terms ``below`` add up to the
    remaining quarters. The result is an upper word, twice a number, and 0 to 2 from the rounding.
    """
    quarters = 4 if below else 1
    steps.add(_C, upper, bias, shift)
    steps.add(_LOW, upper | {_C: -1 << shift}, bias)
    steps.add(_HIGH, {_LOW: _WORD, lower: 1}, LOW_OFFSET, shift + 1, clip=(0, (1 << 15) - 1))
    steps.add(_B, {_LOW: quarters * _WORD, lower: quarters, _HIGH: -quarters << shift + 1} | below,
              quarters * LOW_OFFSET, shift + (2 if below else 0), mode, clip=(0, 2))
    return {_C: _WORD, _HIGH: 2, _B: 1}, 0


def _write_words(steps, value, zero, slots):
    """Both words, in two slots, of a value saturated at 32 bits, and again with a zero point."""
    upper, lower = slots
    terms, bias = value
    if zero:
        steps.add(_TOP, terms, bias, 16)
        steps.add(_MIDDLE, terms | {_TOP: -_WORD}, bias - LOW_OFFSET)
        terms, bias = {_TOP: _WORD, _MIDDLE: 1}, LOW_OFFSET + zero
    steps.add(upper, terms, bias, 16)
    steps.add(lower, terms | {upper: -_WORD}, bias - LOW_OFFSET)
