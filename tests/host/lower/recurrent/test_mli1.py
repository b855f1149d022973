# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells as passes against the golden kernels, and what their programs look like."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.lowered import assert_equals_golden, noise, sizes
from tests.support.rtl_device import fill
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import each_size, rarely
from xymac import golden
from xymac.golden.mli1 import Act, BasicRnnCell, LstmCell, RnnMode, Tensor
from xymac.hdl.config import BASE, SIZES, TINY
from xymac.hdl.isa import ROUNDINGS
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}
TYPES = {"fx8": (np.int8, np.int8), "fx16": (np.int16, np.int16), "fx8w16d": (np.int16, np.int8)}
#: Sizes of input and state that a test draws, and fractional bits.
USUAL   = st.integers(1, 70), st.integers(0, 16)
EXTREME = st.integers(1, 9), st.integers(0, 16) | st.integers(0, 60) | st.integers(0, 255)

kinds   = pytest.mark.parametrize("kind", [BasicRnnCell, LstmCell])


@st.composite
def cells(draw, kind, counts, fracs):
    """A legal cell and its input: any type, mode, activation and format."""
    data, constants = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    mode, act = draw(st.sampled_from(RnnMode)), draw(st.sampled_from(Act))
    inputs, outputs = draw(counts), draw(counts)
    shape = (inputs,) if mode is RnnMode.ONE_TO_ONE else (draw(st.integers(1, 5)), inputs)
    stack = (4,) if kind is LstmCell else ()
    if kind is BasicRnnCell and mode is RnnMode.ONE_TO_ONE:
        stack = draw(st.sampled_from([(), (1,), (3,)]))
    x_frac, w_frac, c_frac, h_frac, out_frac = (draw(fracs) for _ in range(5))
    if act is not Act.NONE:
        out_frac = 8 * np.dtype(data).itemsize - 1
    elif kind is LstmCell:
        out_frac = h_frac
    if mode is not RnnMode.ONE_TO_ONE:
        h_frac = out_frac
    bias_frac = x_frac + w_frac - draw(st.integers(0, min(31, x_frac + w_frac)))
    assume(bias_frac <= 255)
    rng  = random_of(draw(st.integers(0, 999)))
    peak = draw(st.sampled_from([2, 20, None]))

    def make(shape, dtype, frac_bits):
        return noise(rng, shape, dtype, frac_bits, peak)

    states = [make((outputs,), data, frac_bits) for frac_bits in (h_frac, c_frac)]
    layer  = kind(make((*stack, outputs, inputs + outputs), constants, w_frac),
                  make((*stack, outputs), constants, bias_frac),
                  *states[:2 if kind is LstmCell else 1], out_frac, mode, act,
                  draw(st.sampled_from(ROUNDINGS)))
    return layer, make(shape, data, x_frac)


@kinds
@settings(max_examples=examples(60), **SETTINGS)
@given(st.data(), sizes)
def test_any_size(kind, data, config):
    layer, x = data.draw(cells(kind, *USUAL))
    assume(2 * layer.weights.data.nbytes < config.y_bytes)  # with its padding it fits

    assert_equals_golden(config, layer, x)


@kinds
@settings(max_examples=examples(120), **SETTINGS)
@given(st.data(), sizes)
def test_any_format(kind, data, config):
    assert_equals_golden(config, *data.draw(cells(kind, *EXTREME)))


def cell(kind, inputs, outputs, mode, act=Act.TANH, types="fx16", seed=1, **fields):
    """A cell of usual formats whose gates use most of the range of their tables."""
    rng, (data, constants) = random_of(seed), TYPES[types]
    unit, weight = (8 * np.dtype(dtype).itemsize - 1 for dtype in (data, constants))
    gates  = (4,) if kind is LstmCell else ()
    states = [noise(rng, (outputs,), data, unit), noise(rng, (outputs,), data, unit - 3)]
    layer  = kind(noise(rng, (*gates, outputs, inputs + outputs), constants, weight),
                  noise(rng, (*gates, outputs), constants, weight),
                  *states[:1 + len(gates)], unit, mode, act)
    return replace(layer, **fields)


def sequence(*shape, dtype=np.int16, seed=2):
    return noise(random_of(seed), shape, dtype, 8 * np.dtype(dtype).itemsize - 1)


@kinds
@pytest.mark.parametrize("steps", [1, 2, *rarely(3, 6), 7])
@pytest.mark.parametrize("mode", [RnnMode.BATCH_TO_BATCH, RnnMode.BATCH_TO_LAST])
@pytest.mark.parametrize("act", Act)
def test_sequences_of_any_length(kind, steps, mode, act):
    """Outputs of 2 tiles and a part, and a last group with padding."""
    assert_equals_golden(BASE, cell(kind, 9, 37, mode, act), sequence(steps, 9))


@each_size
@kinds
@pytest.mark.parametrize("mode", [RnnMode.BATCH_TO_BATCH, RnnMode.BATCH_TO_LAST])
def test_more_tiles_than_entries(kind, mode, config):
    outputs = 17 * config.lanes + 1
    layer   = cell(kind, 2, outputs // (4 if kind is LstmCell else 1), mode, types="fx8")
    run     = assert_equals_golden(replace(config, y_rows=4096), layer,
                                   sequence(3, 2, dtype=np.int8))

    assert len([pass_ for pass_ in run.plan.program if pass_.accumulate.bias_row is not None
                and pass_.accumulate.hold]) > 1


@kinds
@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 5), (2, 3, 4)])
def test_frames_of_any_rank(kind, steps, shape):
    layer = cell(kind, int(np.prod(shape)), 5, RnnMode.BATCH_TO_LAST)
    for config in SIZES.values():
        assert_equals_golden(config, layer, sequence(steps, *shape))


@kinds
@pytest.mark.parametrize("shape", [(), (6,), (2, 3, 4)])
def test_one_step_of_any_shape(kind, shape):
    layer = cell(kind, int(np.prod(shape)), 5, RnnMode.ONE_TO_ONE)
    assert_equals_golden(BASE, layer, sequence(*shape))


@pytest.mark.parametrize("types", TYPES)
@pytest.mark.parametrize("shift", [0, 16, 17, 31, 32, 40, 41, 200,
                                   *rarely(15, 30, 33, 39, 49)])
@pytest.mark.parametrize("value", [-2, -1, 0, 1, 2])
def test_far_left_shift_to_the_state(types, shift, value):
    """Sums move in several passes, and leave the wide accumulator where golden says so."""
    data, constants = TYPES[types]
    ones  = Tensor(np.ones((2, 3), constants), 0)
    layer = BasicRnnCell(ones, Tensor(np.zeros(2, constants), 0), Tensor(np.ones(2, data), shift),
                         0)
    assert_equals_golden(TINY, layer, Tensor(np.array([value], data), 0))


@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("types", TYPES)
@pytest.mark.parametrize("frac_bits", [0, 3, 4, 15, 19, 20, 32, 255,
                                       *rarely(2, 5, 7, 12, 18, 31, 47)])
def test_any_format_of_the_cell(types, frac_bits, act):
    """The table takes the state as it comes, or with a shift before."""
    layer = cell(LstmCell, 4, 5, RnnMode.BATCH_TO_LAST, act, types)
    layer = replace(layer, cell=replace(layer.cell, frac_bits=frac_bits))
    assert_equals_golden(TINY, layer, sequence(3, 4, dtype=TYPES[types][0]))


@pytest.mark.parametrize("source", ["input", "state"])
@pytest.mark.parametrize("extra", [0, 1])
def test_overflow_at_the_edge(source, extra):
    """The bias saturates at 2**31 - 1; one more from the input or the state is too much."""
    ones  = Tensor(np.ones((1, 2), np.int8), 20)
    layer = BasicRnnCell(ones, Tensor(np.array([127], np.int8), 0),
                         Tensor(np.array([extra * (source == "state")], np.int16), 5), 0)
    run   = assert_equals_golden(BASE, layer, Tensor(np.array([extra * (source == "input")],
                                                              np.int16), 5))
    assert run.overflow is bool(extra)


def test_cell_state_beyond_32_bits_sets_overflow():
    """The product of two gates saturates at 32 bits; what the old state adds is too much."""
    big   = Tensor(np.full((4, 1, 2), 32767, np.int16), 0)
    layer = LstmCell(big, Tensor(np.ones((4, 1), np.int16), 0), Tensor(np.ones(1, np.int16), 15),
                     Tensor(np.full(1, 32767, np.int16), 40), 15)
    assert assert_equals_golden(BASE, layer, Tensor(np.full(1, 100, np.int16), 0)).overflow


def program(layer, shape, config=BASE):
    return Plan(config, [layer], sequence(*shape)).program


def test_a_sequence_is_a_loop():
    """On base 32 outputs of 4 gates are 8 tiles: all of their sums are held at once."""
    passes = program(cell(LstmCell, 32, 32, RnnMode.BATCH_TO_BATCH), (128, 32))

    begin, body, last = passes[:3], passes[3:11], passes[11:]
    assert [pass_.loop.outer[0] for pass_ in begin] == [2, 2, 8]
    assert [pass_.loop.outer[0] for pass_ in body] == [2, 6, 4, 2, 2, 2, 2, 4]
    assert [pass_.accumulate.hold for pass_ in body] == [
        False, False, True, True, False, False, False, True]
    assert [pass_.accumulate.resume for pass_ in body] == [
        True, True, False, False, True, False, True, False]
    assert [pass_.control.wait for pass_ in body] == [
        True, False, False, False, False, True, False, False]
    control = body[-1].control
    assert (control.back, control.repeat, control.advance) == (7, 126, (8, 8))
    assert not any(pass_.control.repeat for pass_ in (*begin, *body[:-1], *last))
    assert not any(pass_.control.wait for pass_ in begin)
    assert [pass_.accumulate.hold for pass_ in last] == [False, False, True, False, False, False]


def test_sums_with_an_input_are_made_ahead_where_that_pays():
    """A short input, or lanes without room for the sums: each step begins with its own."""
    for inputs, outputs, ahead in ((32, 32, True), (16, 16, False), (32, 64, False)):
        passes = program(cell(LstmCell, inputs, outputs, RnnMode.BATCH_TO_BATCH), (9, inputs))

        assert sum(pass_.control.repeat for pass_ in passes) == (7 if ahead else 8)


@pytest.mark.parametrize(("mode", "repeats", "advance"), [
    (RnnMode.BATCH_TO_BATCH, [6], (8, 8)), (RnnMode.BATCH_TO_LAST, [2], (16, 0))])
def test_a_step_of_the_basic_cell_waits_once(mode, repeats, advance):
    """Where only the last output is kept, two places take turns."""
    passes = program(cell(BasicRnnCell, 32, 32, mode), (7, 32))

    body = passes[-1 - passes[-1].control.back:]
    assert [pass_.control.wait for pass_ in body] == [False, True] * (len(body) // 2)
    assert [pass_.control.repeat for pass_ in passes if pass_.control.repeat] == repeats
    assert body[-1].control.advance == advance


@kinds
@pytest.mark.parametrize("mode", RnnMode)
def test_a_program_runs_again_and_again(kind, mode):
    layer  = cell(kind, 6, 19, mode)
    shape  = (6,) if mode is RnnMode.ONE_TO_ONE else (4, 6)
    inputs = [sequence(*shape, seed=seed) for seed in (1, 2, 1)]
    plan   = Plan(BASE, [layer], inputs[0])

    with MachineDevice(BASE) as device:
        fill(device, seed=1)
        plan.load(device)
        for x in inputs:
            run, expected = plan.run(device, x), golden.run(layer, x)
            assert run.output == expected.output
            assert run.cells == (expected.cell,)
