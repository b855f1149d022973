# SPDX-License-Identifier: Apache-2.0
"""Two-element sums with TensorFlow Lite's rounding, in 16-bit words.

The library shifts operands left by 15 bits, halves the operand with the larger scale, ``a``, and
multiplies the other operand, ``b``, by ``q / 2**(31 + places)``, rounded twice to ``v``. With ``q =
upper * 2**16 + lower``, all these values are signed 16-bit integers::

    high = (b * q + 2**30) >> 31
    rest = b * upper - high * 2**15                     # with ``lower``: remainder of ``high``
    low  = (rest + (b * lower + 2**15 >> 16) - (b < 0) + 2**(places - 1)) >> places
    v    = high * 2**(15 - places) + low

The sum ``a * 2**14 + v`` therefore has three products. If ``v`` itself has 16 bits, or is a
multiple of ``b``, there are fewer; for bytes, tables hold both remaining ``v`` words.
"""

import numpy as np

from xymac.hdl.isa import ELEMENT_BITS, OWN_TABLES, AccumulatorRange, RoundMode
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.elementwise import ElementMap, TabledMaps, split
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.rescale import RESCALED, rescale, rescale_records
from xymac.host.memory.tables import OwnTable

from .maps import make_maps

__all__ = ["table_sum", "wide_sum"]

_SHIFT  = 15         #: Library's left shift of operands.
_HALF   = 1 << 14    #: Factor of the operand with the larger scale.
_HALVED = 1 << 30, 0 #: Its (multiplier, exponent).
_BYTE   = 5          #: Additional left shift of 8-bit operands.
_A, _V, _HIGH, _BELOW, _REST, _LOWER = range(6)  #: Slots of scratch.


def wide_sum(inputs, factors, sign, output):
    """The ``ElementMaps`` for a sum or difference.

    Parameters
    ----------
    inputs : two Tensors
    factors : (multiplier, exponent) for both inputs and for their sum
    sign : int, 1 or -1, the second input's sign
    output : dict, fields for the pass scaling the sum
    """
    last   = rescale_records(*factors[2])
    zeros  = [x.quantisation.zero_point for x in inputs]
    shares = [_share(factor) for factor in factors[:2]]
    signs  = 1, sign
    if inputs[0].bits == 16 and None not in shares:
        weights = [each * share for each, share in zip(signs, shares, strict=True)]
        bias    = -sum(weight * zero for weight, zero in zip(weights, zeros, strict=True))
        return make_maps((_scale(split(weights), ("a", "b"), (*last, bias), output),))
    larger = 0 if factors[0] == _HALVED else 1
    maps   = [_operand(inputs[larger], "ab"[larger], _A)]
    other, name = inputs[1 - larger], "ab"[1 - larger]
    if other.bits == 8:
        maps, name = [*maps, _operand(other, name, _V)], f"s{_V}"
    _check_zero(other)
    terms = {_A: signs[larger] * _HALF}
    for slot, weight in _split_operand(maps, other, name, factors[1 - larger]).items():
        terms[slot] = signs[1 - larger] * weight
    maps.append(_scale(split(list(terms.values())), tuple(f"s{slot}" for slot in terms),
                        (*last, 0), output))
    return make_maps(tuple(maps), scratch=(16,) * (_LOWER + 1 if len(terms) > 2 else _V + 1))


def table_sum(inputs, factors, sign, output):
    """TabledMaps for an 8-bit element sum; see ``wide_sum``."""
    larger = 0 if factors[0] == _HALVED else 1
    signs  = (1, sign) if larger == 0 else (sign, 1)
    other  = inputs[1 - larger]
    values = np.arange(-128, 128) - other.quantisation.zero_point << _SHIFT + _BYTE
    values = rescale(values, *factors[1 - larger])
    high   = (values + (_HALF >> 1)) // _HALF
    tables = [OwnTable((*words, words[-1]), 128)
              for words in (high.tolist(), (values - high * _HALF).tolist())]
    look_ups = [ElementMap.of(1, reads=("ba"[larger],), writes=f"s{slot}", output={
        "clip": container_clip(ELEMENT_BITS), "table": table, "table_rounding": RoundMode.UP})
        for slot, table in zip((_V, _HIGH), OWN_TABLES, strict=False)]
    weights = signs[0] * _HALF, signs[1] * _HALF, signs[1]
    return TabledMaps((
        _operand(inputs[larger], "ab"[larger], _A), *look_ups,
        _scale(split(weights), tuple(f"s{slot}" for slot in (_A, _V, _HIGH)),
               (*rescale_records(*factors[2]), 0), output)),
        scratch=(16,) * 3, tables=tuple(tables))


def _share(factor):
    """An operand's factor in the sum if it is a 16-bit integer, else None."""
    multiplier, exponent = factor
    if not multiplier:
        return 0
    return _HALF >> -exponent if multiplier == _HALVED[0] and exponent >= -14 else None


def _check_zero(x):
    if x.bits == 16 and x.quantisation.zero_point:
        raise Refusal(RefusalKind.VALUE, "Zero points of INT16 operands of a sum must be 0, not "
                      f"{x.quantisation.zero_point}")


def _operand(x, name, slot):
    """Map for an operand minus its zero point to a slot, 16 bits."""
    _check_zero(x)
    weight = 1 << _BYTE if x.bits == 8 else 1
    return _sum(slot, (name,), [weight], -weight * x.quantisation.zero_point)


def _split_operand(maps, x, name, factor):
    """Add maps that split the operand ``x``, stored as ``name``, into slots from ``_V`` on.

    Returns the weights for these slots, whose weighted sum is the operand.
    """
    if _share(factor) is not None:  # of 8 bits, or it would be a sum of both inputs
        return {_V: _share(factor)}
    multiplier, exponent = factor
    places = -exponent
    peak   = 1 << 15 if x.bits == 16 else 255 << _BYTE
    if peak << _SHIFT >> places < 1 << 15:
        maps.append(_scale(split([1 << _SHIFT]), (name,), (*rescale_records(*factor), 0),
                            {**RESCALED, "clip": container_clip(16)}, _V))
        return {_V: 1}
    upper = multiplier + (1 << 15) >> 16
    lower = multiplier - (upper << 16)
    maps += [
        _scale(split([1]), (name,), (*rescale_records(multiplier, 0), 0),
                {**RESCALED, "clip": container_clip(16)}, _HIGH),
        _sum(_BELOW, (name,), [1], clip=(-1, 0)),
        _sum(_REST, (name, f"s{_HIGH}"), [upper, -1 << 15]),
        _sum(_LOWER, (name,), [lower], 1 << 15, 16),
        _sum(_V, (f"s{_BELOW}", f"s{_REST}", f"s{_LOWER}"), [1, 1, 1], 1 << places >> 1, places)]
    return {_V: 1, _HIGH: 1 << _SHIFT - places}


def _sum(slot, reads, weights, bias=0, shift=0, **fields):
    """Map to ``(sum of weighted elements + bias) >> shift`` in a slot."""
    return ElementMap(split(weights), reads, f"s{slot}", (np.array([bias]),), {
        **shift_fields(shift, RoundMode.FLOOR), "clip": container_clip(16),
        "acc_range": AccumulatorRange.BITS40, **fields})


def _scale(weights, reads, records, output, slot=None):
    """Map for a scaled sum, to a slot or to the output."""
    return ElementMap(weights, reads, "out" if slot is None else f"s{slot}",
                      tuple(map(np.atleast_1d, records)), output)
