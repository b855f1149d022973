# SPDX-License-Identifier: Apache-2.0
"""Sequences and batches cut into tiles: golden's results of all of them are that of the whole."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from tests.host.lower.recurrent.test_mli1 import cell, sequence
from tests.support.mli2.gate_layers import random_cell
from tests.support.tflite.kept import input_of, random_lstm, random_svdf
from xymac import golden
from xymac.golden import mli1, mli2
from xymac.golden.mli2 import Direction, RnnOutput
from xymac.host.lower.registry import find_lowering


def hand_on(layer, result, names):
    """What the next step begins with."""
    if hasattr(layer, "following"):
        return [getattr(layer.following(result), name) for name in names]
    last = result.output.data.reshape(-1, layer.bias.shape[-1])[-1]
    return [replace(result.output, data=last), result.cell][:len(names)]


def run_tiles(lowering, tiles):
    """Elements of the output of tiles that run one after the other, and what is left behind."""
    output, x = lowering.output.data.copy(), lowering.inputs[0]
    states = [replace(state, data=state.data.copy()) for state in lowering.handed_on]
    names  = lowering.carried or ("state", "cell")[:len(states)]
    for tile in tiles:
        parts  = tile.states or [()] * len(states)
        given  = [state.take(part) for state, part in zip(states, parts, strict=True)]
        layer  = replace(tile.layer, **dict(zip(names, given, strict=True)))
        result = golden.run(layer, x.take(tile.sources[0]))
        output[tile.target] = result.output.data
        for index, new in enumerate(hand_on(layer, result, names)):
            states[index] = replace(new, data=states[index].data)
            states[index].data[parts[index]] = new.data
    return output, states


def assert_tiles(layer, x, most, *, constants=False):
    """Tiles, 2 to ``most`` of them, give what golden gives at once."""
    lowering, whole = find_lowering(layer, [x], 2), golden.run(layer, x)
    for number in count(2):
        tiles = lowering.cut(number, constants=constants)
        if not tiles:
            break
        assert len(tiles) == number
        output, states = run_tiles(lowering, tiles)
        assert np.array_equal(output, whole.output.data)
        assert whole.cell is None or states[-1] == whole.cell
    assert number == most + 1


@pytest.mark.parametrize("kind", [mli1.BasicRnnCell, mli1.LstmCell])
@pytest.mark.parametrize("mode", [mli1.RnnMode.BATCH_TO_BATCH, mli1.RnnMode.BATCH_TO_LAST])
@pytest.mark.parametrize("act", mli1.Act)
def test_cells_of_mli_1(kind, mode, act):
    assert_tiles(cell(kind, 6, 5, mode, act), sequence(7, 2, 3), 7)


@pytest.mark.parametrize("kind", ["fx16", "sa8"])
@pytest.mark.parametrize("layer", [mli2.LstmCell, mli2.GruCell])
@pytest.mark.parametrize("output", RnnOutput)
@pytest.mark.parametrize("direction", Direction)
def test_cells_of_mli_2(kind, layer, output, direction):
    layer, x = random_cell(5, kind, layer, 3, steps=6, apart=True)
    assert_tiles(replace(layer, output=output, direction=direction), x, 6)


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize(("batches", "steps", "most"), [(1, 7, 7), (2, 9, 9), (9, 2, 9)])
def test_sequences_of_tensorflow_lite(batches, steps, most, time_major):
    layer = random_lstm(batches, batches, time_major=time_major)
    x     = input_of(1, *((steps, batches) if time_major else (batches, steps)), 5)
    assert_tiles(layer, x, most)


@pytest.mark.parametrize(("batches", "units", "constants", "most"), [
    (5, 3, False, 5), (2, 6, False, 6), (1, 4, False, 4), (7, 4, True, 4)])
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_filters(batches, units, constants, most, dtype):
    layer = random_svdf(1, batches, 5, units, 2, dtype=dtype)
    assert_tiles(layer, input_of(1, batches, 5), most, constants=constants)


@pytest.mark.parametrize(("layer", "x"), [
    (cell(mli1.LstmCell, 6, 5, mli1.RnnMode.ONE_TO_ONE), sequence(6)),
    random_cell(1, "fx16", mli2.GruCell, 3, steps=1), (random_lstm(1), input_of(1, 1, 1, 5))])
def test_a_single_step_is_not_cut(layer, x):
    assert find_lowering(layer, [x], 2).cut(2) is None
    assert find_lowering(layer, [x], 2).cut(1, constants=True) is None
