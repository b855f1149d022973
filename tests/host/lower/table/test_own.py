# SPDX-License-Identifier: Apache-2.0
"""Tables of any values on the golden machine against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.mli2.gate_layers import KINDS, random_cell
from tests.support.mli2.own_tables import CONTENTS, own_table
from tests.support.seed import random_of
from tests.support.tensors import tensor_of
from xymac.golden.mli2 import (
    Affine,
    Build,
    Element,
    Fixed,
    GruCell,
    L2Normalize,
    LstmCell,
    QuantTensor,
    Sigmoid,
    Softmax,
    Tanh,
)
from xymac.golden.mli2.lut import EXP, ROOT, SIGMOID, TANH
from xymac.hdl.config import BASE, SIZES, SMALL
from xymac.hdl.isa import Engine
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

CONFIGS = list(SIZES.values())
#: Scales of which arguments stay within 18 bits, and of which they do not.
SCALES  = [Affine(3, 20001, 18), Affine(-100, 32767, 14), Affine(5, 1, 60), Affine(-7, 9, 0),
           Affine(32700, 32767, 40), Affine(-128, 3, 4)]


def every_value(element, kind):
    """All 8-bit values, or 16-bit ones in small steps."""
    values = np.arange(-128, 128) if element is not Element.FX_16 else np.concatenate(
        [np.arange(-32768, 32768, 61), np.arange(-400, 400), [32767]])
    return QuantTensor(values.astype(element.dtype), element, kind)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(("kind", "like"), [(Sigmoid, SIGMOID), (Tanh, TANH)])
@pytest.mark.parametrize("build", Build)
def test_activations(build, kind, like, content):
    rng = random_of(51)
    for number, frac_bits in enumerate((-20, -2, 3, 4, 5, 6, 9, 19, 20, 35, 60)):
        layer = kind(build, own_table(rng, like, content))
        for element in (Element.FX_8, Element.FX_16):
            assert_equals_golden(CONFIGS[number % 3], layer,
                                 every_value(element, Fixed(frac_bits)))
    for number, scale in enumerate(SCALES):
        layer = kind(build, own_table(rng, like, content))
        assert_equals_golden(CONFIGS[number % 3], layer, every_value(Element.SA_8, scale))


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("build", Build)
def test_softmax(build, content):
    rng = random_of(52)
    for number, frac_bits in enumerate((-3, 4, 5, 6, 11, 15, 22)):
        layer = Softmax([-1, 1][number % 2], build, own_table(rng, EXP, content, positive=True))
        x     = tensor_of(rng, Element.FX_16, (3, 21), frac_bits)
        assert_equals_golden(CONFIGS[number % 3], layer, x)
    for number, scale in enumerate(SCALES):
        layer = Softmax([-1, 0][number % 2], build, own_table(rng, EXP, content, positive=True))
        x     = replace(tensor_of(rng, Element.SA_8, (19, 2), 4), format=scale)
        assert_equals_golden(CONFIGS[number % 3], layer, x)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("build", Build)
def test_l2_normalize(build, content):
    rng = random_of(53)
    for number, element in enumerate((Element.FX_16, Element.SA_8, Element.FX_16)):
        layer = L2Normalize(-1, build, own_table(rng, ROOT, content))
        assert_equals_golden(CONFIGS[number], layer, tensor_of(rng, element, (5 + 9 * number,), 11))


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cell", [LstmCell, GruCell])
def test_cells(cell, kind, content):
    rng   = random_of(54)
    place = [*CONTENTS].index(content)
    layer, x = random_cell(place, kind, cell, 3)
    layer = replace(layer, tanh_table=own_table(rng, TANH, content),
                    sigm_table=own_table(rng, SIGMOID, content))
    assert_equals_golden(CONFIGS[place % 3], layer, x)
    assert_equals_golden(CONFIGS[place % 3], replace(layer, sigm_table=SIGMOID), x)


def test_a_table_of_its_own_takes_no_more_passes():
    rng = random_of(55)
    x   = tensor_of(rng, Element.FX_16, (64,), 11)
    for kind, like in ((Sigmoid, SIGMOID), (Tanh, TANH), (Softmax, EXP), (L2Normalize, ROOT)):
        own = kind(table=own_table(rng, like, "noise", positive=True))
        assert len(Plan(BASE, [own], x).program) == len(Plan(BASE, [kind()], x).program)


def test_refused_without_tables_that_can_be_written():
    layer = Tanh(table=own_table(random_of(1), TANH, "noise"))
    x     = tensor_of(random_of(1), Element.FX_16, (4,), 11)
    with pytest.raises(Refusal, match=r"^Layer 0 \(Tanh\) has a table of its own, and those "
                                            r"of size small cannot be written$"):
        Plan(replace(SMALL, engine=Engine.MICROPROGRAM), [layer], x)


def test_a_state_beyond_the_arguments_of_a_table():
    layer, x = random_cell(2, "sa8", LstmCell, 5)
    layer = replace(layer, cell=replace(layer.cell, format=Affine(0, 1, 1)),
                    tanh_table=own_table(random_of(1), TANH, "noise"))
    assert_equals_golden(SMALL, layer, x)
