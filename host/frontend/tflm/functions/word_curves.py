# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite sigmoid and hyperbolic tangent of 16-bit elements, with their own tables.

The library looks up an argument's magnitude and then applies its sign. It truncates the
interpolation between two entries, or rounds its ties up. The core's output stage rounds the amount
it subtracts from an entry. Tables therefore hold negative values, and each side has its own lookup,
with the other side at 0. For a sigmoid the other side is at 1: the library adds 1 more on one side
before it halves.
"""

import numpy as np

from xymac.golden.parameters.tflm.exponent import table_argument
from xymac.golden.parameters.tflm.function_tables import SIGMOIDS
from xymac.golden.tflm import Logistic, Tanh
from xymac.hdl.isa import ELEMENT_BITS, OWN_TABLES, RoundMode
from xymac.host.ir.elementwise import ElementMap, TabledMaps
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.memory.tables import OwnTable

__all__ = ["FORMS"]

_ZERO = 1 << 15  #: Offset of the table values.
_SIDE = tuple(_ZERO - value for value in SIGMOIDS)  #: From an argument 0 on, negated.
_STEP = 512      #: Entry before the entry for 0; it gives 1 for the argument -1.
_PLACES = {Logistic: 9, Tanh: 8}


def _tables(before):
    """Both tables; ``before`` is the entry before the first table's entry for 0."""
    return (OwnTable((before, *_SIDE, _SIDE[-1]), 1),
            OwnTable((_SIDE[-1], *_SIDE[::-1], 0), len(_SIDE)))


def form_of_sigmoid(layer, x):
    """TabledMaps for a LOGISTIC of 16-bit elements, else None."""
    if x.bits != 16:
        return None
    maps = _sides(layer, x, -1, RoundMode.FLOOR)
    both = ElementMap.of(1, -1, reads=("s0", "out"), records=(np.array([_ZERO + 1]),), output={
        **shift_fields(1, RoundMode.FLOOR), "clip": (1, container_clip(16)[1])})
    return TabledMaps((*maps, both), scratch=(16,), tables=_tables(_STEP))


def form_of_tanh(layer, x):
    """TabledMaps for a TANH of 16-bit elements, else None."""
    if x.bits != 16:
        return None
    both = ElementMap.of(1, -1, reads=("s0", "out"))
    return TabledMaps((*_sides(layer, x, 0, RoundMode.UP), both), scratch=(16,),
                      tables=_tables(0))


def _sides(layer, x, least, rounding):
    """Maps that look up arguments from ``least`` on, and arguments up to 0."""
    factor, shift = table_argument(x.quantisation.scale, layer.doubles)
    low, high     = container_clip(ELEMENT_BITS)
    for table, limits, writes in zip(OWN_TABLES, ((least, high), (low, 0)), ("out", "s0"),
                                     strict=False):
        yield ElementMap.of(factor, writes=writes, output={
            **shift_fields(shift, RoundMode.UP), "clip": limits, "table": table,
            "table_shift": _PLACES[type(layer)], "table_rounding": rounding})


FORMS = {Logistic: form_of_sigmoid, Tanh: form_of_tanh}
