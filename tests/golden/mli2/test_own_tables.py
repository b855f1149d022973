# SPDX-License-Identifier: Apache-2.0
"""Kernels of MLI 2.0 with tables of any values against single Python ints."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.mli2.own_tables import CONTENTS, own_table
from tests.support.naive.lut import naive_values
from tests.support.naive.mli2 import norm, rounded, saturated
from tests.support.seed import random_of
from tests.support.tensors import tensor_of
from xymac.golden import run
from xymac.golden.mli2 import Build, Element, L2Normalize, Sigmoid, Softmax, Tanh
from xymac.golden.mli2.lut import EXP, ROOT, SIGMOID, TANH
from xymac.golden.table import Table

ALL = [pytest.param(build, content, id=f"{build.value}-{content}")
       for build in Build for content in CONTENTS]


def argument(table, value, kind, build):
    """SA_8 argument of 16 bits, and its fractional bits."""
    frac_bits = 8 + table.frac_bits
    return rounded(value * kind.scale, kind.scale_frac_bits - frac_bits, 32, build), frac_bits


@pytest.mark.parametrize(("build", "content"), ALL)
@pytest.mark.parametrize(("kind", "like", "zero", "frac"), [
    (Sigmoid, SIGMOID, -128, 8), (Tanh, TANH, 0, 7)])
def test_activations(kind, like, zero, frac, build, content):
    rng   = random_of(41)
    table = own_table(rng, like, content)
    for element in (Element.FX_8, Element.FX_16, Element.SA_8):
        for frac_bits in (-2, 3, 4, 5, 6, 12, 20, 40):
            x = tensor_of(rng, element, (40,), frac_bits)

            output = run(kind(build, table), x).output.data.tolist()

            if element is Element.SA_8:
                looked = [naive_values(table, *argument(table, v, x.format, build), build)
                          for v in x.centred.tolist()]
                wanted = [saturated(rounded(v, 15 - frac, 32, build) + zero, 8) for v in looked]
            else:
                looked = [naive_values(table, v, frac_bits, build) for v in x.centred.tolist()]
                wanted = [saturated(rounded(v, 16 - x.bits, 16, build), x.bits) for v in looked]
            assert output == wanted


@pytest.mark.parametrize(("build", "content"), ALL)
def test_softmax(build, content):
    rng   = random_of(42)
    table = own_table(rng, EXP, content, positive=True)
    for element in (Element.FX_16, Element.SA_8):
        for frac_bits in (2, 5, 11, 15):
            x, values = tensor_of(rng, element, (12,), frac_bits), []
            below = [v - int(x.centred.max()) for v in x.centred.tolist()]
            for v in below:
                at = argument(table, v, x.format, build) if x.is_affine else (v, frac_bits)
                values.append(naive_values(table, *at, build))
            places   = norm(sum(values), 32)
            mantissa = saturated(rounded(sum(values), 16 - places, 32, build), 16)
            inverse  = min(2 ** 29 // mantissa, 32767)
            shift    = min(45 - places - (8 if x.is_affine else 15), 31)

            output = run(Softmax(-1, build, table), x).output.data.tolist()

            assert output == [saturated(rounded(v * inverse, shift, 32, build)
                                        - 128 * x.is_affine, x.bits) for v in values]


@pytest.mark.parametrize(("build", "content"), ALL)
def test_l2_normalize(build, content):
    rng   = random_of(43)
    table = own_table(rng, ROOT, content)
    for element in (Element.FX_16, Element.SA_8):
        x       = tensor_of(rng, element, (9,), 11)
        squares = sum(v * v for v in x.centred.tolist())
        shift   = squares.bit_length() - 15
        shift  += shift % 2
        inverse = naive_values(table, saturated(rounded(squares, shift, 64, build), 16), 8, build)
        shift   = 17 + (shift + 8) // 2 - (7 if x.is_affine else 15)

        output = run(L2Normalize(-1, build, table), x).output.data.tolist()

        assert output == [saturated(rounded(inverse * v, shift, 32, build), x.bits)
                          for v in x.centred.tolist()]


@pytest.mark.parametrize(("table", "words"), [
    (Table((1,), 0, 0), "^table must have 2 entries at least, not 1$"),
    (Table((0, 32768), 0, 0), "^Entries of table must be -32768 .. 32767, not 32768 at 1$"),
    (Table((0, 1), 0, -1), "^frac_bits of table must not be negative, not -1$")])
def test_refused_tables(table, words):
    x = tensor_of(random_of(1), Element.FX_16, (3,), 11)
    with pytest.raises(ValueError, match=words):
        run(Sigmoid(table=table), x)
    with pytest.raises(TypeError, match=r"^table must be a Table, not tuple$"):
        run(Tanh(table=(1, 2)), x)


def test_exponentials_that_nothing_can_be_divided_by():
    x = tensor_of(random_of(1), Element.FX_16, (3,), 11)
    zero = replace(EXP, values=tuple(np.where(np.arange(358) == 356, 0, EXP.values).tolist()))
    with pytest.raises(ValueError, match=r"^Exponentials must have a positive sum, not an entry 0 "
                                         r"for the argument 0$"):
        run(Softmax(table=zero), x)
    below = replace(EXP, values=(-5, *EXP.values[1:]))
    with pytest.raises(ValueError, match=r"positive sum, not an entry -5$"):
        run(Softmax(table=below), x)
