# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells between other layers of a plan."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_plan, noise
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.mli1 import (
    Conv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    Layout,
    LstmCell,
    Padding2d,
    Permute,
    RnnMode,
    Sigmoid,
    Softmax,
)
from xymac.hdl.config import BASE
from xymac.host.plan.graph import Node

from .test_mli1 import TYPES, cell, kinds, sequence


@each_size
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("types", TYPES)
def test_network_with_cells_in_the_middle(types, keep, config):
    """As the activity recognition of the vendor: a matrix a step, two cells, a matrix."""
    rng, (data, constants) = random_of(4), TYPES[types]
    bits   = 8 * np.dtype(data).itemsize
    dense  = Conv2d(noise(rng, (13, 1, 1, 9), constants, 10), noise(rng, (13,), constants, 7),
                    bits - 1, layout=Layout.HWC)
    last   = FullyConnected(noise(rng, (6, 11), constants, 7), noise(rng, (6,), constants, 7),
                            bits - 4)
    layers = [dense, cell(LstmCell, 13, 10, RnnMode.BATCH_TO_BATCH, types=types),
              cell(LstmCell, 10, 11, RnnMode.BATCH_TO_LAST, types=types, seed=9), last]

    assert_plan(config, layers, sequence(12, 1, 9, dtype=data), keep)


@each_size
@kinds
def test_readers_of_a_sequence(kind, config):
    """What comes behind a cell finds its outputs as those of any other layer."""
    first = cell(kind, 7, 6, RnnMode.BATCH_TO_BATCH)
    nodes = [Node(first, (0,)), Node(Sigmoid(), (1,)),
             Node(Eltwise(EltwiseOp.MUL, 15), (2, 1)), Node(Eltwise(EltwiseOp.ADD), (3, 1)),
             Node(cell(kind, 6, 5, RnnMode.BATCH_TO_BATCH), (4,)), Node(Softmax(), (5,))]

    for keep in (True, False):
        assert_plan(replace(config, passes=64), nodes, sequence(5, 7), keep)


@kinds
def test_input_of_a_cell_from_layers_that_move_elements(kind):
    last = cell(kind, 12, 6, RnnMode.BATCH_TO_LAST)
    for layers, shape in (([Permute((2, 0, 1)), last], (3, 4, 5)),
                          ([Padding2d((1, 0, 1, 1), Layout.HWC),
                            replace(last, weights=cell(kind, 15, 6, last.mode).weights)],
                           (4, 3, 3))):
        assert_plan(BASE, layers, sequence(*shape))


def test_steps_that_are_not_outermost_are_moved():
    rng   = random_of(1)
    layer = Conv2d(noise(rng, (8, 2, 1, 1), np.int16, 15), noise(rng, (8,), np.int16, 15), 15)
    assert_plan(BASE, [layer, cell(LstmCell, 4, 4, RnnMode.BATCH_TO_LAST)], sequence(2, 2, 2))
