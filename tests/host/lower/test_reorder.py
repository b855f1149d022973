# SPDX-License-Identifier: Apache-2.0
"""Reorderings on the golden machine, cell by cell: any layout to any other."""

from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.seed import SEED, examples, random_of
from xymac.golden.machine.machine import Machine
from xymac.golden.mli1.tensor import Tensor
from xymac.hdl.config import SIZES
from xymac.hdl.isa import Memory, State
from xymac.host.lower.move.reorder import ReorderLowering
from xymac.host.lower.move.strides import pair_layouts
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.program.waits import set_waits

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}
DTYPES   = {8: np.int8, 16: np.int16}


def blank(shape, bits):
    return Tensor(np.zeros(shape, DTYPES[bits]), 0)


@st.composite
def layouts(draw, shape, bits, ways):
    order = draw(st.permutations(range(len(shape))))
    inner = draw(st.integers(0, len(shape)))
    return TensorLayout.of(blank(shape, bits), order, ways, inner=inner)


@st.composite
def reorderings(draw):
    """Size, shape, bits and two layouts."""
    config = SIZES[draw(st.sampled_from(["tiny", "small", "base"]))]
    shape  = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 5, 7, 8, 12]), min_size=1,
                                 max_size=4)))
    bits   = draw(st.sampled_from([8, 16]))
    source, target = (draw(layouts(shape, bits, config.ways)) for _ in range(2))
    return config, shape, bits, source, target, draw(st.sampled_from(Memory))


def run(config, shape, bits, source, target, memory=Memory.X):
    """Program and cells of the target's rows, after a run with random numbers; also these."""
    machine = Machine(config)
    machine.x[:] = machine.y[:] = 0xA5A5
    rng   = random_of(source.groups)
    data  = rng.integers(-128, 128, shape).astype(DTYPES[bits])
    lower = ReorderLowering(blank(shape, bits), config.ways, target)
    free = config.x_rows - source.rows - target.rows
    source = source.at(min(free, 3))
    row    = 40 if memory is Memory.Y else source.row + source.rows + min(max(free - 3, 0), 2)
    target = lower.target_layout((source,)).at(row, memory)
    values = lower.constants((source,))
    values = replace(values, y_row=0)
    cells  = source.cells(data)
    machine.x[source.row * source.row_cells:][:cells.size] = cells
    machine.y[:values.cells.size] = values.cells
    program = set_waits(lower.passes((source,), target, values), config)
    machine.load(program)
    before  = {Memory.X: machine.x.copy(), Memory.Y: machine.y.copy()}
    outcome = machine.run()
    assert outcome.state is State.DONE, outcome
    after = {Memory.X: machine.x, Memory.Y: machine.y}
    place = slice(target.row * target.row_cells, (target.row + target.rows) * target.row_cells)
    for name in Memory:  # nothing else is written
        kept = np.ones(after[name].size, bool)
        if name is memory:
            kept[place] = False
        if pair_layouts(source, target) is not None:  # else an intermediate lies behind it
            assert np.array_equal(after[name][kept], before[name][kept])
    return program, target, after[memory][place].copy(), data


@settings(max_examples=examples(400), **SETTINGS)
@given(reorderings())
def test_any_layout_becomes_any_other(drawn):
    config, *_ = drawn
    if drawn[3].rows + drawn[4].rows + 5 > config.x_rows:
        return
    _, target, cells, data = run(*drawn)
    assert np.array_equal(target.data(cells), data)


@pytest.mark.parametrize("forwards", [True, False])
def test_parts_of_one_size_move_together(forwards):
    x      = blank((2, 5, 60), 8)
    parted = TensorLayout.of(x, (1, 0, 2), 4, parts=(10,) * 6)
    ends   = (parted, TensorLayout.flat(x, 4))
    source, target = ends if forwards else ends[::-1]

    program, target, cells, data = run(SIZES["base"], x.shape, 8, source, target)

    assert len(program) == 1
    assert np.array_equal(target.data(cells), data)


@pytest.mark.parametrize("forwards", [True, False])
@pytest.mark.parametrize("size", ["small", "base"])
@pytest.mark.parametrize("part", [5, 10, 30])
def test_parts_of_all_elements_move_together(forwards, size, part):
    config = SIZES[size]
    x      = blank((6, 5, 2), 8)
    ends   = (TensorLayout.flat(x, config.ways, parts=(part,) * (60 // part)),
              TensorLayout.flat(x, config.ways))
    source, target = ends if forwards else ends[::-1]

    _, target, cells, data = run(config, x.shape, 8, source, target)

    assert np.array_equal(target.data(cells), data)


def test_parts_of_two_sizes_do_not_move_together():
    x = blank((60,), 8)
    source, target = (TensorLayout.flat(x, 4, parts=(part,) * (60 // part)) for part in (20, 30))

    assert pair_layouts(source, target) is None


@st.composite
def parted(draw, shape, bits, ways):
    """A layout whose runs are slices of their first dimension, a part each."""
    layout = draw(layouts(shape, bits, ways))
    run    = [layout.shape[axis] for axis in layout.order[len(shape) - layout.inner:]]
    parts, left = [], run[0] if run else 0
    step = draw(st.sampled_from([each for each in (1, 2, 3) if left % each == 0])) if run else 0
    while left:
        parts.append(step * prod(run[1:]))
        left -= step
    if len(parts) > 1 and draw(st.booleans()):  # the last two are of another size
        parts[-2:] = [sum(parts[-2:])]
    return replace(layout, parts=tuple(parts) or layout.parts)


@st.composite
def parted_reorderings(draw):
    """What ``reorderings`` draws, and one of both layouts has parts."""
    config, shape, bits, source, target, memory = draw(reorderings())
    layout = draw(parted(shape, bits, config.ways))
    ends   = (layout, target) if draw(st.booleans()) else (source, layout)
    return config, shape, bits, *ends, memory


@settings(max_examples=examples(400), **SETTINGS)
@given(parted_reorderings())
def test_parts_of_several_dimensions(drawn):
    config, shape, bits, source, target, _ = drawn
    lower = ReorderLowering(blank(shape, bits), config.ways, target)
    if (source.rows + target.rows + 5 > config.x_rows
            or max(len(source.parts), len(target.parts)) > 4
            or lower.refuses((source,)) is not None):
        return
    memory = drawn[5] if pair_layouts(source, target) is not None else Memory.X
    _, target, cells, data = run(*drawn[:5], memory)
    assert np.array_equal(target.data(cells), data)


@st.composite
def uneven(draw, shape, bits, ways):
    """A layout whose runs have up to four parts of any sizes."""
    layout = draw(layouts(shape, bits, ways))
    count  = sum(layout.parts)
    ends   = sorted(draw(st.sets(st.integers(1, max(count - 1, 1)), max_size=3)) - {count})
    return replace(layout, parts=tuple(np.diff([0, *ends, count]).tolist()))


@settings(max_examples=examples(400), **SETTINGS)
@given(reorderings(), st.data())
def test_any_parts_become_any_other(drawn, data):
    config, shape, bits, *_ = drawn
    source, target = (data.draw(uneven(shape, bits, config.ways)) for _ in range(2))
    lower = ReorderLowering(blank(shape, bits), config.ways, target)
    assert lower.refuses((source,)) is None
    if source.rows + lower.target_layout((source,)).behind + target.rows + 5 > config.x_rows:
        return
    _, target, cells, wanted = run(config, shape, bits, source, target)
    assert np.array_equal(target.data(cells), wanted)


def test_no_move_has_an_intermediate_in_y():
    """Passes read what they move from X alone."""
    x      = blank((1, 1, 5), 8)
    source = TensorLayout.of(x, (0, 1, 2), 2, parts=(1, 1, 1, 2))
    target = TensorLayout.of(x, (0, 1, 2), 2)

    assert ReorderLowering(x, 2, target).refuses((source,)) is None
    assert ReorderLowering(x, 2, target.at(0, Memory.Y)).refuses((source,)) is not None


def test_parts_of_pixels_become_runs():
    """Of a head with three anchors a pixel: what a softmax over a class takes."""
    x       = blank((1, 60, 3), 8)
    regions = pair_layouts(TensorLayout.of(x, (0, 1, 2), 4, inner=2, parts=(9,) * 16 + (6,) * 6),
                           TensorLayout.of(x, (0, 1, 2), 4))

    assert [[(dim.count, dim.x, dim.z) for dim in region.dims] for region in regions] == [
        [(16, 12, 12), (3, 3, 4), (3, 1, 1)], [(6, 8, 8), (2, 3, 4), (3, 1, 1)]]
