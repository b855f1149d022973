# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells of MLI 2.0 as passes against the golden kernels and the library."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.mli2.far_cells import far_cell
from tests.support.mli2.gate_layers import KINDS, random_cell
from tests.support.sizes import rarely
from xymac.golden.mli2 import Act, Affine, Fixed, GruCell, LstmCell, RnnOutput
from xymac.golden.table import Table
from xymac.hdl.config import BASE, SIZES, SMALL, TINY
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

CELLS = pytest.mark.parametrize("cell", [LstmCell, GruCell])


@CELLS
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [*range(6), *rarely(*range(6, 12))])
def test_cells(seed, kind, cell):
    config  = list(SIZES.values())[seed % 3]
    outputs = [4, 1, 3][seed // 3 % 3] if config is TINY else 1 + seed * 3
    assert_equals_golden(config, *random_cell(seed, kind, cell, outputs))


@CELLS
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_first_state_in_a_format_of_its_own(seed, kind, cell):
    assert_equals_golden(BASE, *random_cell(seed, kind, cell, 5, apart=True))


@CELLS
@pytest.mark.parametrize("kind", KINDS)
def test_more_outputs_than_sums_that_lanes_hold(kind, cell):
    assert_equals_golden(SMALL, *random_cell(7, kind, cell, 41, steps=2))


@CELLS
@pytest.mark.parametrize("zeros", [(100, -100), (-128, 127), (300, 300)])
def test_zero_points_of_the_state(zeros, cell):
    layer, x = random_cell(3, "sa8", cell, 4)
    first, later = (replace(layer.out, zero_point=zero) for zero in zeros)
    state = replace(layer.state, format=first)
    assert_equals_golden(SMALL, replace(layer, state=state, out=later), x)


@CELLS
def test_a_sequence_is_one_loop(cell):
    layer, x = random_cell(1, "fx16", cell, 6, steps=2)
    layer    = replace(layer, output=RnnOutput.ALL)
    longer   = replace(x, data=np.tile(x.data, (30, 1)))

    assert len(Plan(SMALL, [layer], x).program) == len(Plan(SMALL, [layer], longer).program)
    assert_equals_golden(SMALL, layer, longer)


@pytest.mark.parametrize("frac_bits", [0, 4, 15, 16, -1, -2, -3, -8, -15, -16, -17, -40, 31, 32, 33,
                                       60])
def test_binary_points_of_the_cell(frac_bits):
    layer, x = random_cell(2, "fx16", LstmCell, 5)
    assert_equals_golden(SMALL, replace(layer, cell=replace(layer.cell, format=Fixed(frac_bits))),
                         x)


@CELLS
@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.long)
                                               for seed in range(6, 60))])
def test_formats_at_the_ends_of_their_ranges(seed, cell):
    config = list(SIZES.values())[seed % 3]
    assert_equals_golden(config, *far_cell(seed, "sa8", cell, 1 + seed % 9, 32000))


@CELLS
@pytest.mark.parametrize("frac_bits", [0, 1, 7, 30])
def test_tables_whose_arguments_have_more_bits_than_a_pass_looks_up(frac_bits, cell):
    layer, x = random_cell(4, "sa8", cell, 5)
    table    = Table(tuple(range(-32000, 32000, 1000)), 31, frac_bits)
    assert_equals_golden(SMALL, replace(layer, sigm_table=table, tanh_table=table), x)


@pytest.mark.parametrize("zero", [7, -3000, 32000])
def test_a_cell_beyond_a_table_of_its_own(zero):
    layer, x = random_cell(4, "sa8", LstmCell, 5)
    table    = Table(tuple(range(-32000, 32000, 1000)), 31, 6)
    cell     = replace(layer.cell, format=Affine(zero, 30000, 8))
    assert_equals_golden(SMALL, replace(layer, tanh_table=table, cell=cell, act=Act.TANH), x)


@pytest.mark.parametrize("zero", [0, 20, -32000])
@pytest.mark.parametrize("frac_bits", [-20, 3, 30, 60])
def test_operands_of_a_sum_beyond_16_bits(frac_bits, zero):
    layer, x = random_cell(2, "sa8", LstmCell, 5)
    cell     = replace(layer.cell, format=Affine(zero, 1, frac_bits))
    assert_equals_golden(SMALL, replace(layer, cell=cell), x)


@CELLS
@pytest.mark.parametrize("zero", [32767, -32768])
def test_zero_points_of_the_input(zero, cell):
    layer, x = random_cell(2, "sa8", cell, 5)
    assert_equals_golden(SMALL, layer, replace(x, format=replace(x.format, zero_point=zero)))


def test_refused_formats():
    layer, x = random_cell(2, "sa8", LstmCell, 5)
    with pytest.raises(Refusal, match=r"^Zero point of a state must be between -32640 and "):
        Plan(SMALL, [replace(layer, out=replace(layer.out, zero_point=-32700))], x)
