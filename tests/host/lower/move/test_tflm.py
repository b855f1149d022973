# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite that move elements, as passes against golden."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.tflite.graphs import moving_graph
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.moves import MOVES
from tests.support.tflite.states import STATES
from xymac import golden
from xymac.golden.tflm import (
    Concatenation,
    ExpandDims,
    Pad,
    Quantisation,
    Reshape,
    ResizeBilinear,
    ResizeNearestNeighbor,
    Slice,
    Split,
    Squeeze,
    StridedSlice,
    Tensor,
    Transpose,
    Unpack,
)
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.hdl.isa import Memory, Op
from xymac.host.device.device import MachineDevice
from xymac.host.lower.move.copies import COPY_WORDS
from xymac.host.lower.move.gather import GatherMove
from xymac.host.lower.move.spread import SpreadMove
from xymac.host.memory.constants import lane_words
from xymac.host.plan.graph import Node
from xymac.host.plan.loads import place_constants
from xymac.host.plan.rows import Rows
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan

MOVED = {name: (MOVES | STATES)[name] for name in (
    "RESHAPE", "TRANSPOSE", "CONCATENATION", "PAD", "PADV2", "SPLIT", "SLICE", "STRIDED_SLICE",
    "RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR", "SPLIT_V", "PACK", "UNPACK", "EXPAND_DIMS",
    "SQUEEZE")}
KIND  = Quantisation((0.5,), (-3,))
CORES = pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)


def tensor(*shape):
    return Tensor(random_of(1).integers(-128, 128, shape, np.int8, endpoint=False), KIND)


def border(*pads):
    return Pad(tuple((pad, pad) for pad in pads), KIND)


@CORES
@pytest.mark.parametrize("name", MOVED)
def test_equals_golden(config, name):
    for key in range(20):
        model = MOVED[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@CORES
def test_graphs_equal_golden(config):
    for key in range(15):
        model = moving_graph(random_of((key, 1)), 5)
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.parametrize(("shape", "to", "is_free"), [
    ((1, 1, 1, 64), (1, 64), True), ((1, 3, 4, 16), (1, 192), True),
    ((1, 192), (1, 3, 4, 16), True), ((1, 12, 1, 10), (1, 12, 10), True),
    ((2, 3, 4, 8), (6, 4, 8), True),
    ((1, 3, 4, 3), (1, 36), False)], ids=str)
def test_a_shape_of_whole_groups_is_free(shape, to, is_free):
    """Between layers that take runs of the last dimension."""
    layers = [border(*(len(shape) - 1) * [0], 0), Reshape(to), border(1, *(len(to) - 1) * [0])]
    plan   = assert_plan(BASE, layers, tensor(*shape))

    assert (sum(step.moved for step in plan.steps) == 0) == is_free


@pytest.mark.parametrize("layer", [ExpandDims(1), Squeeze((0,)), Reshape((1, 5, 24))], ids=str)
def test_other_names_of_dimensions_are_free(layer):
    plan = assert_plan(BASE, [border(0, 1, 1), layer], tensor(1, 3, 22))

    assert plan.steps[1].renamed
    assert not plan.steps[1].passes


def test_indices_of_the_first_dimension_are_taken_where_they_lie():
    plan = assert_plan(BASE, [border(0, 0, 0), Unpack(0, 1), Unpack(0, 2)], tensor(3, 4, 16))

    assert [len(step.passes) for step in plan.steps[1:]] == [0, 0]


def test_an_input_lies_as_the_shape_behind_it_needs_it():
    layers = [Reshape((1, 9, 10, 1)), ResizeNearestNeighbor((18, 20))]
    plan   = assert_plan(BASE, layers, tensor(1, 90))

    assert [step.moved for step in plan.steps] == [0, 0]


PARTS = {
    "rows": ((1, 6, 7, 8), Split(1, 2, 1), 0),
    "channels": ((1, 6, 5, 8), Split(3, 2, 1), 1),
    "one image": ((3, 4, 5, 3), Slice((1, 0, 0, 0), (1, 4, 5, 3)), 0),
    "one row of one image": ((2, 4, 5, 8),
                             StridedSlice((1, 2, 0, 0), (2, 3, 5, 8), (1,) * 4, (0, 1)), 0),
    "every other row": ((1, 6, 5, 3), StridedSlice((0,) * 4, (None,) * 4, (1, 2, 1, 1)), 1),
    "rows upside down": ((1, 6, 5, 3), StridedSlice((None,) * 4, (None,) * 4, (1, -1, 1, 1)), 1)}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_whole_runs_are_copied_or_stay(name):
    shape, layer, passes = PARTS[name]
    layers = [border(0, 0, 0, 0), layer]
    layers.append(Pad(((1, 1),) * len(layer.output_shape(shape)), KIND))
    plan = assert_plan(BASE, layers, tensor(*shape))

    assert len(plan.steps[1].passes) <= 2 * passes
    assert [step.moved for step in plan.steps] == [0, 0, 0]


def test_what_a_kept_part_is_a_part_of_stays():
    nodes = [Node(border(0, 1, 1, 0), (0,)), Node(Split(1, 4, 1), (1,)),
             Node(border(0, 1, 1, 0), (1,)), Node(border(0, 1, 1, 0), (3,)),
             Node(border(0, 1, 1, 0), (4,))]

    plan = assert_plan(TINY, nodes, tensor(1, 6, 6, 12), keep=frozenset({1}))

    assert [step.kept for step in plan.steps] == [False, True, False, False, True]


TILES = {
    "RESHAPE": (Reshape((1, 100, 91)), [(1, 9100)]),
    "TRANSPOSE": (Transpose((1, 0)), [(90, 101)]),
    "CONCATENATION": (Concatenation(-1), [(90, 60), (90, 49)]),
    "PAD": (border(0, 3, 5, 0), [(1, 60, 60, 2)]),
    "SPLIT": (Split(2, 2, 1), [(2, 50, 200)]),
    "SLICE": (Slice((0, 1, 1), (-1, -1, -1)), [(2, 50, 91)]),
    "STRIDED_SLICE": (StridedSlice((None, None), (None, 3), (-1, -2)), [(80, 200)]),
    "RESIZE by a whole factor": (ResizeNearestNeighbor((100, 80)), [(1, 50, 40, 2)]),
    "RESIZE by another one": (ResizeNearestNeighbor((41, 27), align_corners=True),
                              [(1, 17, 9, 20)]),
    "RESIZE bilinear, twice": (ResizeBilinear((100, 80), False, True, KIND), [(1, 50, 40, 2)]),
    "RESIZE bilinear, by another factor": (ResizeBilinear((41, 27), True, False, KIND),
                                           [(1, 17, 9, 20)]),
}


@pytest.mark.parametrize("name", TILES)
def test_what_does_not_fit_is_cut(name):
    layer, shapes = TILES[name]
    inputs = [tensor(*shape) for shape in shapes]

    plan = make_plan(TINY, [layer], *inputs)
    assert isinstance(plan, TiledPlan)
    with MachineDevice(TINY) as device:
        assert plan.run(device, *inputs).output == golden.run(layer, *inputs).output


@pytest.mark.parametrize("step", [33000, -33000])
def test_two_elements_are_further_apart_than_a_stride(step):
    [pass_] = assert_plan(BASE, [StridedSlice((None,), (None,), (step,))], tensor(60000)).program

    assert pass_.accumulate.op is Op.GATHER


def test_words_of_gathers_are_not_those_of_spreads():
    """Both are a 1 in each of the four lanes of tiny, but only those of gathers lie at even rows.
    """
    moves = [GatherMove.constants(1), SpreadMove.constants(1)]
    odd   = lane_words(COPY_WORDS, 1)
    loads = place_constants([odd, *reversed(moves)], ["a", "b", "c"], Rows(TINY, Memory.Y))

    assert np.array_equal(*(move.cells for move in moves))
    [_, spread, gather] = loads[0].constants
    assert gather.y_row != spread.y_row
    assert gather.y_row % gather.align == 0
