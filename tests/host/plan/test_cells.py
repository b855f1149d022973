# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells of more steps than X holds: parts of them hand on their states, and the bits are
golden's."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.lower.recurrent.test_mli1 import cell, sequence
from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.mli2.gate_layers import KINDS, random_cell, random_dense
from tests.support.rtl_device import assert_counters
from tests.support.sizes import rarely
from tests.support.tflite.kept import (
    assert_calls,
    input_of,
    random_lstm,
    random_svdf,
    reversed_input,
)
from xymac import golden
from xymac.golden import mli1, mli2
from xymac.golden.mli1 import Act, Rectify, Relu, RnnMode
from xymac.golden.mli2 import Direction, RnnOutput
from xymac.hdl.config import COMPACT, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.run import run_layer
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan

LITTLE  = replace(TINY, x_rows=512)  #: A core with a quarter of X.
SERIES  = [RnnMode.BATCH_TO_BATCH, RnnMode.BATCH_TO_LAST]
WINGS_1 = pytest.mark.parametrize("kind", [mli1.BasicRnnCell, mli1.LstmCell])


def assert_cut(config, layer, *inputs):
    """A layer runs in tiles, which the table of layers says; returns their number."""
    run = assert_equals_golden(config, layer, *inputs)
    assert isinstance(run.plan, TiledPlan)
    assert f"{len(run.plan.parts)} tiles" in run.plan.steps[0].remarks
    assert len(run.result.trace) == len(run.plan.program)
    return len(run.plan.parts)


@WINGS_1
@pytest.mark.parametrize("mode", SERIES)
@pytest.mark.parametrize("act", Act)
def test_cells_of_mli_1(kind, mode, act):
    assert assert_cut(TINY, cell(kind, 300, 5, mode, act), sequence(31, 3, 100)) == 2


@WINGS_1
@pytest.mark.parametrize("types", ["fx8", *rarely("fx8w16d")])
def test_many_outputs_of_few_inputs(kind, types):
    dtype = np.int8 if types == "fx8" else np.int16
    layer = cell(kind, 3, 21, RnnMode.BATCH_TO_BATCH, types=types)
    assert assert_cut(LITTLE, layer, sequence(250, 3, dtype=dtype)) > 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layer", [mli2.LstmCell, mli2.GruCell])
@pytest.mark.parametrize("output", RnnOutput)
@pytest.mark.parametrize("direction", Direction)
def test_cells_of_mli_2(kind, layer, output, direction):
    layer, x = random_cell(3, kind, layer, 3, steps=23, inputs=200, apart=True)
    assert assert_cut(LITTLE, replace(layer, output=output, direction=direction), x) > 1


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize(("batches", "steps", "inputs"), [
    (1, 31, 150), (3, 11, 200), (40, 2, 60), (9, 9, 400)])
def test_sequences_of_tensorflow_lite(batches, steps, inputs, time_major):
    layer = random_lstm(batches, batches, inputs, 5, time_major=time_major)
    x     = input_of(1, *((steps, batches) if time_major else (batches, steps)), inputs)
    plan  = assert_calls(LITTLE, layer, x, reversed_input(x))
    assert len(plan.parts) > 1
    assert plan.states == ((layer.state, layer.cell),)


@pytest.mark.parametrize(("batches", "inputs", "units", "memory"), [
    (60, 70, 3, 5), (3, 9, 50, 40), (1, 9, 80, 60), (3, 4093, 3, 2), (1, 4000, 20, 12),
    (1, 3600, 3, 80)])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_filters(batches, inputs, units, memory, dtype):
    """Many batches, states larger than X, and frames that leave no room for states."""
    layer = random_svdf(units, batches, inputs, units, 2, memory, dtype=dtype)
    x     = input_of(1, batches, inputs)
    plan  = assert_calls(LITTLE, layer, x, reversed_input(x))
    assert isinstance(plan, TiledPlan)
    assert plan.states == ((layer.state,),)


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_of_a_dense_kernel(kind):
    assert assert_cut(LITTLE, *random_dense(3, kind, 4200)) > 1


def test_a_stack_of_matrices():
    layer = cell(mli1.BasicRnnCell, 9, 30, RnnMode.ONE_TO_ONE)
    layer = replace(layer, weights=sequence(100, 30, 39), bias=sequence(100, 30))
    assert assert_cut(LITTLE, layer, sequence(9)) == 2


def test_a_frame_beyond_x_of_a_sum_that_is_written_in_parts():
    layer = cell(mli1.BasicRnnCell, 2100, 3, RnnMode.BATCH_TO_BATCH)
    assert "programs loaded" in assert_equals_golden(
        LITTLE, layer, sequence(5, 2100)).plan.steps[0].remarks


def test_constants_beyond_y_as_well():
    layer = cell(mli1.BasicRnnCell, 300, 70, RnnMode.BATCH_TO_LAST)
    assert assert_cut(replace(TINY, y_rows=2048), layer, sequence(31, 300)) > 1


def test_the_compact_core():
    layer, x = random_cell(3, "fx16", mli2.LstmCell, 3, steps=60, inputs=200)
    assert assert_cut(COMPACT, layer, x) == 2


@WINGS_1
def test_inputs_in_the_order_of_the_user(kind):
    layer, x = cell(kind, 300, 5, RnnMode.BATCH_TO_BATCH), sequence(31, 300)
    expected = golden.run(layer, x)
    with MachineDevice(TINY) as device:
        run = run_layer(device, layer, x, c_order=True)
    assert (run.output, run.cell) == (expected.output, expected.cell)
    assert len(run.plan.parts) == 2


def test_a_cell_among_other_layers():
    layers = [Rectify(Relu.GEN), cell(mli1.LstmCell, 300, 5, RnnMode.BATCH_TO_BATCH),
              cell(mli1.BasicRnnCell, 5, 4, RnnMode.BATCH_TO_LAST), Rectify(Relu.RELU6)]
    plan   = assert_plan(TINY, layers, sequence(31, 300))
    assert [step.tiles for step in plan.steps][1:] == [2, 1, 1]
    assert plan.states == ((),) * 4


@pytest.mark.parametrize(("layer", "x"), [
    (cell(mli1.LstmCell, 300, 5, RnnMode.BATCH_TO_BATCH), sequence(31, 300)),
    random_cell(3, "fx16", mli2.GruCell, 3, steps=60, inputs=200, apart=True)])
def test_every_run_begins_anew_in_rtl(device, layer, x):
    plan     = make_plan(TINY, [layer], x)
    expected = golden.run(layer, x)
    assert len(plan.parts) > 1
    for _ in range(2):
        run = plan.run(device, x)
        assert (run.output, *run.cells) == (expected.output, expected.cell)
        assert_counters(run.result)


def test_calls_in_rtl(device):
    layer, x = random_lstm(3, 2, 300, 5), input_of(1, 2, 31, 300)
    assert len(assert_calls(TINY, layer, x, reversed_input(x), device=device).parts) > 1


@pytest.mark.parametrize(("layer", "x", "least"), [
    (cell(mli1.LstmCell, 2100, 3, RnnMode.BATCH_TO_BATCH), sequence(3, 2100), 4200),
    (*random_cell(3, "fx16", mli2.GruCell, 3, steps=5, inputs=2300), 4600),
    (random_lstm(3, 1, 4100, 4), input_of(1, 1, 2, 4100), 4104)])
def test_a_step_that_x_cannot_hold_is_refused(layer, x, least):
    name = type(layer).__name__
    with pytest.raises(Refusal, match=rf"^Layer 0 \({name}\): its input needs {least} "
                                              r"bytes of X memory: of its 4096 bytes 4096 are"):
        make_plan(LITTLE, [layer], x)
