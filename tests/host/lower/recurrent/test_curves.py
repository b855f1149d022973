# SPDX-License-Identifier: Apache-2.0
"""Sigmoid and tangent as differences of looked-up values: exact for all elements of 16 bits."""

from types import SimpleNamespace

import numpy as np
import pytest

from xymac.golden.machine.tables import TableMemory
from xymac.golden.tflm.curves.interpolate import sigmoid, tanh
from xymac.hdl.isa import FREE_ENTRY, RoundMode, TablePlace, Width
from xymac.host.frontend.tflm.recurrent import SIZES
from xymac.host.ir.recurrent.sequence import GATE
from xymac.host.lower.recurrent.curves import Argument, Curves, half_fields
from xymac.host.lower.workspace import Workspace

CURVES   = Curves(SIZES)
ELEMENTS = np.arange(-32768, 32768)


def look_up(argument, fields, space):
    """What the fields of a pass find for each argument."""
    [own], memory = space.tables, TableMemory()
    memory.write(FREE_ENTRY, own.values)
    memory.place(fields["table"], TablePlace(FREE_ENTRY, len(own.values), own.offset))
    pass_ = SimpleNamespace(epilogue=SimpleNamespace(z_width=Width.BITS16, **{
        name: fields[name] for name in ("table", "table_rounding")}))
    return memory.look_up(pass_, fields["table_shift"], np.clip(argument, *fields["clip"]))


def tangents(argument, opposite, *limit):
    """Differences of what is found for one argument of each element and for the other."""
    return look_up(opposite, CURVES.tangent_fields(space := Workspace(1), *limit), space) - look_up(
        argument, CURVES.tangent_fields(space := Workspace(1), *limit), space)


def sigmoids(sums, sign):
    """Sigmoids of sums, or with ``sign`` -1 these times -1, as passes make them."""
    size, opposite = (look_up(each * GATE * sums,
                              CURVES.sigmoid_fields(space := Workspace(1), each), space)
                      for each in (1, -1))
    half   = half_fields(sign)
    halves = sign * (opposite - size) + (half["rounding"] is RoundMode.UP) >> half["shift"]
    return np.clip(halves, *half["clip"]) + half["zero"]


def shifted(argument, sign):
    """Arguments of all elements as a pass makes them."""
    value = sign * GATE * ELEMENTS + argument.biases[sign < 0]
    return value << -argument.shift if argument.shift < 0 else value >> argument.shift


@pytest.mark.parametrize("sign", [1, -1])
def test_sigmoid(sign):
    assert np.array_equal(sigmoids(ELEMENTS, sign), sign * sigmoid(ELEMENTS, GATE, 0))


@pytest.mark.parametrize("sums", [np.arange(-65536, -32768), np.arange(32768, 65535)])
def test_sums_beyond_16_bits(sums):
    """They saturate, though both arguments have one limit."""
    assert np.array_equal(sigmoids(sums, 1), sigmoid(np.clip(sums, -32768, 32767), GATE, 0))
    assert np.array_equal(tangents(GATE * sums, -GATE * sums),
                          tanh(np.clip(sums, -32768, 32767), GATE, 0))


@pytest.mark.parametrize("places", [*range(-15, 20), 40, 114])
def test_tangent(places):
    """Of every power of two next to the scale of a cell: shifts to the left are below 0."""
    factor   = (3 << -places, 0) if places <= 0 else (3, places)
    argument = Argument.of(*factor)
    expected = tanh(ELEMENTS, factor[0], min(factor[1], 30))
    assert np.array_equal(tangents(shifted(argument, 1), shifted(argument, -1)), expected)


@pytest.mark.parametrize("places", range(-15, 19))
@pytest.mark.parametrize("limits", [(-32768, 32767), (-5000, 5000), (-37, 37), (0, 0)])
def test_limits_of_arguments(places, limits):
    factor   = (3 << -places, 0) if places <= 0 else (3, places)
    argument = Argument.of(*factor)
    limit    = argument.limit(CURVES, *limits)
    expected = tanh(np.clip(ELEMENTS, *limits), *factor)
    if limit is not None:
        assert np.array_equal(tangents(shifted(argument, 1), shifted(argument, -1), limit),
                              expected)
    else:
        assert limits[1] in (37, 5000)
