# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite integer QUANTIZE as maps.

A factor ``q * 2**(places - 31)`` from 1 on gives 32-bit elements, which are rounded once. With ``q
= upper * 2**16 + lower``, as signed 16-bit integers::

    high = (x * q + 2**30) >> 31
    rest = x * upper - high * 2**15                     # with ``lower``: remainder of ``high``
    low  = (rest * 2**16 + x * lower + 2**(30 - places)) >> (31 - places)
    y    = high * 2**places + low
"""

import numpy as np

from xymac.golden.tflm import Quantize
from xymac.hdl.isa import AccumulatorRange, RoundMode
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.frontend.tflm.functions.elementwise import peak_of, rescale_map
from xymac.host.frontend.tflm.functions.slopes import check_factor
from xymac.host.ir.elementwise import ElementMap, split
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.rescale import RESCALED, rescale_fields, rescale_records
from xymac.host.memory.layout import LOW_OFFSET

from .maps import make_maps

__all__ = ["FORMS"]

_BYTE = 7  #: Maximum left shift of 8-bit elements.


def form_of(layer, x):
    """The ``ElementMaps`` for a QUANTIZE on a Tensor like ``x``."""
    output = layer.output_like(x)
    if x.data.dtype.kind != "i":
        raise Refusal(RefusalKind.TYPE, f"There are no passes to convert {x.type_name} to "
                      f"{output.type_name}")
    if x.bits == 32:
        return _narrow(layer, x, container_clip(output.bits))
    if output.bits == 32:
        return _widen(layer, x)
    return make_maps((rescale_map(x, layer.factor(x), layer.out.zero_point,
                                    container_clip(output.bits)),))


def _narrow(layer, x, limits):
    """ElementMaps from 32-bit words."""
    factor = layer.factor(x)
    _check_zero(x)
    check_factor((1 << 31) - 1, factor[1])
    records = *rescale_records(*factor), LOW_OFFSET
    return make_maps((ElementMap(
        split([1 << 16, 1]), ("a_upper", "a_lower"), records=tuple(map(np.atleast_1d, records)),
        output=rescale_fields(layer.out.zero_point, limits)),))


def _check_zero(x):
    if x.quantisation.zero_point:
        raise Refusal(RefusalKind.VALUE, f"Zero point of {x.type_name} elements must be 0 where "
                      f"they have 32 bits before or after, not {x.quantisation.zero_point}")


def _widen(layer, x):
    """ElementMaps to 32-bit words."""
    multiplier, places = layer.factor(x)
    zero = layer.out.zero_point
    if x.bits == 16:
        _check_zero(x)
    check_factor(peak_of(x) + (abs(zero) >> max(places, 0)) + bool(zero), places)
    if places <= 0:
        value = rescale_map(x, (multiplier, places), 0, container_clip(16), writes="s0")
        return make_maps((value, *_halves([1], zero)), scratch=(16,))
    more   = min(_BYTE, places) if x.bits == 8 else 0
    places = places - more
    upper  = multiplier + (1 << 15) >> 16
    lower  = multiplier - (upper << 16)
    high   = ElementMap.of(1, reads=("s0",), writes="s1", output={
        **RESCALED, "clip": container_clip(16)},
        records=tuple(map(np.atleast_1d, (*rescale_records(multiplier, 0), 0))))
    return make_maps((
        _sum("s0", ("a",), [1 << more], -x.quantisation.zero_point << more), high,
        _sum("s2", ("s0", "s1"), [upper, -1 << 15]),
        _sum("s0", ("s0", "s1", "s2"), [lower, 0, 1 << 16], 1 << 31 - places >> 1, 31 - places),
        *_halves([1, 1 << places], zero)), scratch=(16,) * 3)


def _halves(weights, bias):
    """Maps from a 32-bit sum of the first scratch slots to its upper and lower half."""
    slots = tuple(f"s{slot}" for slot in range(len(weights)))
    return (_sum("out_upper", slots, weights, bias, 16),
            _sum("out_lower", ("out_upper", "out_lower", *slots), [-1 << 16, 0, *weights],
                 bias - LOW_OFFSET))


def _sum(writes, reads, weights, bias=0, shift=0):
    """Map to ``(sum of weighted elements + bias) >> shift``."""
    return ElementMap(split(weights), reads, writes, (np.array([bias]),), {
        **shift_fields(shift, RoundMode.FLOOR), "clip": container_clip(16),
        "acc_range": AccumulatorRange.BITS40})


FORMS = {Quantize: form_of}
