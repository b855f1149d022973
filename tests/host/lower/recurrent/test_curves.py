"""Sigmoid and tangent as differences of look-ups: exact for all elements of 16 bits."""

from types import SimpleNamespace

import numpy as np
import pytest

from golden.machine.tables import TableMemory
from golden.tflm.arithmetic import multiply_quantized
from golden.tflm.curves.interpolate import sigmoid, tanh
from hdl.isa import FREE_ENTRY, TablePlace, Width
from host.lower.recurrent.curves import (
    GATE,
    Argument,
    half_fields,
    sigmoid_fields,
    tangent_fields,
)
from host.lower.workspace import Workspace

ELEMENTS = np.arange(-32768, 32768)


def difference(make, argument, opposite, *limit):
    """What the fields of ``make`` find for one argument of each element less that for the other."""
    space  = Workspace(1)
    fields = make(space, *limit)
    [own], memory = space.tables, TableMemory()
    memory.write(FREE_ENTRY, own.values)
    memory.place(fields["table"], TablePlace(FREE_ENTRY, len(own.values), own.offset))
    pass_  = SimpleNamespace(z_width=Width.BITS16, **{
        name: fields[name] for name in ("table", "table_rounding")})
    first, last = (memory.look_up(pass_, fields["table_shift"], np.clip(each, *fields["clip"]))
                   for each in (argument, opposite))
    return last - first


def shifted(argument, sign):
    """Arguments of all elements as a pass makes them."""
    value = sign * GATE * ELEMENTS + argument.biases[sign < 0]
    return value << -argument.shift if argument.shift < 0 else value >> argument.shift


def test_sigmoid():
    half   = half_fields(Workspace(1))
    result = difference(sigmoid_fields, GATE * ELEMENTS, -GATE * ELEMENTS)
    result = multiply_quantized(result, (1 << 31) - 1, -1)
    assert np.array_equal(result + half["zero"], sigmoid(ELEMENTS, GATE, 0))


@pytest.mark.parametrize("sums", [np.arange(-65536, -32768), np.arange(32768, 65535)])
def test_sums_beyond_16_bits(sums):
    """They saturate, though both arguments have one limit."""
    result = difference(sigmoid_fields, GATE * sums, -GATE * sums)
    result = multiply_quantized(result, (1 << 31) - 1, -1) + (1 << 14)
    assert np.array_equal(result, sigmoid(np.clip(sums, -32768, 32767), GATE, 0))
    assert np.array_equal(difference(tangent_fields, GATE * sums, -GATE * sums),
                          tanh(np.clip(sums, -32768, 32767), GATE, 0))


@pytest.mark.parametrize("places", [*range(-15, 20), 40, 114])
def test_tangent(places):
    """Of every power of two next to the scale of a cell: shifts to the left are below 0."""
    factor   = (3 << -places, 0) if places <= 0 else (3, places)
    argument = Argument.of(*factor)
    expected = tanh(ELEMENTS, factor[0], min(factor[1], 30))
    assert np.array_equal(difference(tangent_fields, shifted(argument, 1), shifted(argument, -1)),
                          expected)


@pytest.mark.parametrize("places", range(-15, 19))
@pytest.mark.parametrize("limits", [(-32768, 32767), (-5000, 5000), (-37, 37), (0, 0)])
def test_limits_of_arguments(places, limits):
    factor   = (3 << -places, 0) if places <= 0 else (3, places)
    argument = Argument.of(*factor)
    limit    = argument.limit(*limits)
    expected = tanh(np.clip(ELEMENTS, *limits), *factor)
    if limit is not None:
        assert np.array_equal(difference(tangent_fields, shifted(argument, 1),
                                         shifted(argument, -1), limit), expected)
    else:
        assert limits[1] in (37, 5000)
