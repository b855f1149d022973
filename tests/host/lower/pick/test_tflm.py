# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite that pick elements, as passes against golden."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.picks import PICKS
from xymac import golden
from xymac.golden.tflm import (
    BatchToSpaceNd,
    BroadcastTo,
    Cast,
    DepthToSpace,
    DynamicUpdateSlice,
    Fill,
    Gather,
    GatherNd,
    MirrorPad,
    Quantisation,
    Relu,
    ReverseV2,
    SelectV2,
    Slice,
    SpaceToBatchNd,
    SpaceToDepth,
    Tensor,
)
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.lower.move.strides import Dim
from xymac.host.lower.pick.regions import find_regions
from xymac.host.lower.pick.series import find_loops, split_series
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan

KIND  = Quantisation((0.5,), (-3,))
CORES = pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)


def tensor(*shape):
    return Tensor(random_of(1).integers(-128, 128, shape, np.int8, endpoint=False), KIND)


def numbers(*values):
    return Tensor(np.array(values, np.int32))


@CORES
@pytest.mark.parametrize("name", PICKS)
def test_equals_golden(config, name):
    for key in range(6):
        model = PICKS[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@CORES
@pytest.mark.parametrize("keep", [None, True, False])
def test_an_update_leaves_outputs_that_stay(config, keep):
    """With ``keep`` False a RELU writes into the update's output."""
    nodes = [Node(Relu(KIND), (0,)), Node(Slice((0, 0, 0), (2, 3, 8)), (0,)),
             Node(DynamicUpdateSlice((1, 0, 0)), (1, 2))]

    plan = assert_plan(config, nodes, tensor(4, 3, 8), keep)

    first, _, last = (step.target for step in plan.steps)
    assert (first.row == last.row) == (keep is False)


TILES = {
    "DEPTH_TO_SPACE": (DepthToSpace(2), (1, 20, 20, 24)),
    "SPACE_TO_DEPTH": (SpaceToDepth(2), (1, 40, 40, 6)),
    "MIRROR_PAD": (MirrorPad(((0, 0), (2, 2), (2, 2), (0, 0))), (1, 40, 40, 6)),
    "SPACE_TO_BATCH_ND": (SpaceToBatchNd((2, 2), ((1, 1), (0, 2))), (1, 40, 40, 6)),
    "BATCH_TO_SPACE_ND": (BatchToSpaceNd((2, 2), ((1, 0), (0, 1))), (4, 20, 20, 6)),
    "REVERSE_V2": (ReverseV2((1,)), (1, 100, 91)),
    "FILL": (Fill((100, 200)), ()),
    "CAST": (Cast(np.dtype(np.int16), KIND), (90, 100))}


@pytest.mark.parametrize("name", TILES)
def test_what_does_not_fit_is_cut(name):
    layer, shape = TILES[name]
    x    = tensor(*shape)
    plan = make_plan(TINY, [layer], x)

    assert isinstance(plan, TiledPlan)
    with MachineDevice(TINY) as device:
        assert plan.run(device, x).output == golden.run(layer, x).output


MANY = {
    "DYNAMIC_UPDATE_SLICE": (DynamicUpdateSlice((0, 3)), [tensor(90, 100), tensor(90, 20)]),
    "SELECT_V2": (SelectV2(), [Tensor(tensor(90, 1).data > 0), tensor(90, 60), tensor(60)])}


@pytest.mark.parametrize("name", MANY)
def test_several_inputs_that_do_not_fit_are_cut(name):
    layer, inputs = MANY[name]
    plan = make_plan(TINY, [layer], *inputs)

    assert isinstance(plan, TiledPlan)
    with MachineDevice(TINY) as device:
        assert plan.run(device, *inputs).output == golden.run(layer, *inputs).output


@pytest.mark.parametrize("rows", [(1, 3), (2, 5), (0, 4), (3, 9)], ids=str)
def test_low_bytes_of_a_part_that_begins_within_a_row(rows):
    """Of a slice that stays where its input lies."""
    first, count = rows
    x = Tensor(random_of(2).integers(-1 << 15, 1 << 15, (13, 8)).astype(np.int16), KIND)
    layers = [ReverseV2((0,)), Slice((first, 0), (count, 8)), Cast(np.dtype(np.int8), KIND)]

    assert_plan(BASE, layers, x)


@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_both_ends_are_selected(kind):
    ends = np.array([np.iinfo(kind).min, -1, 0, np.iinfo(kind).max], kind)
    x, y, condition = np.meshgrid(ends, ends, [False, True])

    inputs = Tensor(condition), Tensor(x.copy(), KIND), Tensor(y.copy(), KIND)

    plan   = make_plan(BASE, [SelectV2()], *inputs)

    with MachineDevice(BASE) as device:
        plan.load(device)
        run = plan.run(device, *inputs)

    assert run.output == golden.run(SelectV2(), *inputs).output


PLACES = {
    "runs of two kinds": [[0, 1, 2, 3], [7, 6, 5, 4], [8, 9, 10, 11], [3, 2, 1, 0]],
    "some runs without": [[0, 1, 2, 3], [-1, -1, -1, -1], [3, 3, 3, 3]],
    "blocks": [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]]}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("inner", [0, 1])
def test_regions_have_every_element_once(name, inner):
    places  = np.array(PLACES[name])
    source  = TensorLayout.of(tensor(4, 4), (0, 1), 4, inner=2)
    target  = TensorLayout.of(Tensor(places.astype(np.int8)), (0, 1), 4, inner=inner)
    written = np.full(target.span * 4, -1)

    for region in find_regions(places, source, target):
        for index in np.ndindex(*(dim.count for dim in region.dims)):
            x, z = (start + sum(at * getattr(dim, side) for at, dim in zip(
                index, region.dims, strict=True)) for start, side in (
                    (region.x, "x"), (region.z, "z")))
            assert written[z] == -1
            written[z] = x

    wanted = np.full(target.span * 4, -1)
    wanted[target.places() >= 0] = places.reshape(-1)[target.places()[target.places() >= 0]]
    assert np.array_equal(written, wanted)


FEW = {
    "blocks of whole groups": (DepthToSpace(2), (1, 8, 8, 32), 4),
    "blocks of channels that are none": (SpaceToDepth(2), (1, 16, 16, 3), 1),
    "a repeated row": (BroadcastTo((1, 8, 8, 32)), (1, 1, 1, 32), 2),
    "steps in reverse order": (ReverseV2((1,)), (1, 100, 40), 2),
    "rows at indices": (Gather(numbers(5, 1, 7), 1), (1, 10, 40), 6),
    "elements at indices": (Gather(numbers(5, 1, 7), -1), (1, 10, 40), 6),
    "lists of indices": (GatherNd(numbers([0, 3], [0, 1])), (2, 10, 16), 4)}


@pytest.mark.parametrize("name", FEW)
def test_few_passes_move_what_lies_together(name):
    layer, shape, passes = FEW[name]

    plan = assert_plan(BASE, [layer], tensor(*shape))

    assert len(plan.steps[0].passes) <= passes


def test_digits_of_two_bases_are_loops_around_one_another():
    x = np.add.outer([0, 100, 200], [0, 7]).ravel()

    assert find_loops(x, np.arange(6)) == [Dim(3, 100, 2), Dim(2, 7, 1)]


@pytest.mark.parametrize(("x", "count"), [
    ([3, 2, 1, 0, 1, 2, 3, 2], 3), ([0, 10, 1, 11, 2, 12, 3], 2), ([5, 1, 9, 2], 2),
    ([0, 0, 1, 1, 2], 2), ([0, 10, 20, 1, 11, 21, 2], 3)], ids=str)
def test_series_have_every_address_once(x, count):
    taken = {}
    found = split_series(np.array(x), np.arange(len(x)))
    assert len(found) == count
    for series in found:
        for index in np.ndindex(*(dim.count for dim in series.dims)):
            z = series.z + sum(at * dim.z for at, dim in zip(index, series.dims, strict=True))
            assert z not in taken
            taken[z] = series.x + sum(at * dim.x for at, dim in zip(index, series.dims,
                                                                    strict=True))

    assert [taken[z] for z in range(len(x))] == x
