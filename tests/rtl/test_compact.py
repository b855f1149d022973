"""The compact core against the golden machine: what the fast core is held to, but for time."""

from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.compact.core import Compact
from hdl.compact.memory import Cells
from hdl.config import COMPACT, SMALL
from hdl.isa import (
    PASS_STRIDE,
    ROUNDINGS,
    TRACE_STRIDE,
    AccumulatorRange,
    Adjust,
    Control,
    Flag,
    Memory,
    Reduce,
    Region,
    Register,
    State,
    Status,
    Width,
)
from host.cycles.floor import floor_cycles
from host.cycles.model import predict
from host.plan.plan import Plan
from host.plan.run import run_layer
from host.vectors.check import check_cases
from host.vectors.files import read_cases
from sim.rtl.device import RtlDevice
from sim.rtl.harness import SimulationError
from tests.support.beside_a_run import BASES, LONG, PASS, assert_cells, begin, end
from tests.support.rtl_device import assert_counters, assert_same, fill, noise, run_machine, run_rtl
from tests.support.seed import examples

from . import test_faults as faults
from . import test_hold as hold
from . import test_host as host
from . import test_passes as passes
from . import test_scalars as scalars
from . import test_scale as scale
from . import test_watch as watch

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture(scope="module")
def core():
    """The compact core, one for this module."""
    with RtlDevice(COMPACT) as device:
        yield device


@pytest.fixture
def device(core):
    """The compact core after reset, its program memory cleared."""
    core.harness.reset()
    words = 2 * PASS_STRIDE * COMPACT.passes
    core.harness.write(Region.PROGRAM.value + 4 * np.arange(words), np.zeros(words, np.uint32))
    return core


def assert_predicted(result, programs, config):
    """The cycle model is right within 5 %: what depends on data it takes as an average."""
    [program] = programs
    predicted, cycles = predict(program, config), result.counters["cycles"]
    assert predicted.issued == result.counters["issued"]
    assert abs(predicted.cycles - cycles) <= 0.05 * cycles, (
        f"Predicted {predicted.cycles} cycles, not {cycles}: {program}")


@pytest.fixture
def rtl(core, monkeypatch):
    """The compact core for what asks for a size, and its cycle model."""
    monkeypatch.setattr("tests.support.rtl_device.assert_predicted", assert_predicted)
    return lambda size: core


# What holds for the fast core holds here as it is.
test_fault_then_next_program     = faults.test_fault_then_next_program
test_fault_of_a_later_pass       = faults.test_fault_of_a_later_pass
test_unknown_opcodes             = faults.test_unknown_opcodes
test_program_without_a_last_pass = faults.test_program_without_a_last_pass
test_windows_of_the_pass_before  = faults.test_windows_of_the_pass_before_do_not_matter
test_overflow_of_a_fault         = faults.test_overflow_of_a_fault_is_not_seen_in_the_next_program
test_overflow_behind_a_fault     = faults.test_overflow_behind_a_fault_is_not_flagged
test_fault_names_its_pass        = faults.test_fault_names_its_pass_while_results_drain
test_addresses_without_anything  = host.test_addresses_without_anything
test_program_is_not_read         = host.test_program_is_not_read_and_trace_not_written
test_window_edges                = watch.test_window_edges_are_watched
test_windows_of_every_shape      = watch.test_windows_of_every_shape_are_watched
test_windows_of_records          = watch.test_windows_of_records_are_watched
test_write_of_the_program        = watch.test_write_of_the_program_during_a_run_is_a_hit


@settings(max_examples=examples(120), **passes.SETTINGS)
@given(sequence=st.lists(passes.programs(COMPACT, 4, reorders=False), min_size=1, max_size=2))
def test_programs(core, sequence):
    passes.check(core, sequence)


@settings(max_examples=examples(40), **passes.SETTINGS)
@given(program=passes.programs(COMPACT, 4))
def test_programs_with_operations_that_it_lacks(core, program):
    passes.check(core, [program])


@pytest.mark.parametrize(("addend", "once", "steps", "outer"), [
    *product([False, True], [False, True], [1, 4], [(5, 1, 1), (3, 2, 3)])])
def test_records_of_every_index(addend, once, steps, outer, rtl):
    scale.test_records_of_every_index("tiny", addend, once, steps, outer, rtl)


@pytest.mark.parametrize(("exponent", "once", "addend"), [
    (-31, False, False), (-7, True, False), (-2, False, True), (0, False, False),
    (2, False, True)])
def test_sums_that_round_twice(exponent, once, addend, rtl):
    scale.test_sums_that_round_twice("tiny", exponent, once, addend, rtl)


@pytest.mark.parametrize("seed", range(20))
def test_scaled_programs(seed, rtl):
    scale.test_programs("tiny", seed, rtl)


def test_a_held_sum_before_a_scaled_pass(rtl):
    scale.test_a_held_sum_before_a_scaled_pass("tiny", rtl)


@pytest.mark.parametrize(("rounding", "shift"), [*product(ROUNDINGS, [-16, -1, 0, 1, 5, 30])])
def test_a_sum_is_resumed(rounding, shift, rtl):
    hold.test_a_sum_is_resumed_as_soon_as_it_is_held("tiny", rounding, shift, rtl)


@pytest.mark.parametrize(("shift", "wide"), [*product([0, 1, 8, 15, 16], AccumulatorRange)])
def test_what_a_left_shift_pushes_out(shift, wide, rtl):
    hold.test_what_a_left_shift_pushes_out("tiny", shift, wide, rtl)


@pytest.mark.parametrize("advance", [20, -20])
def test_overflow_in_any_iteration(advance, rtl):
    hold.test_overflow_in_any_iteration_shows_in_the_trace("tiny", advance, rtl)


@pytest.mark.parametrize("kinds", [(Reduce.SUM,), (Reduce.MAX, Reduce.MIN)])
def test_scalars_of_what_is_written(kinds, rtl):
    use = {"adjust": Adjust.PLACES} if kinds == (Reduce.SUM,) else {"anchored": True}
    scalars.test_scalars_of_what_is_written("tiny", Width.BITS8, kinds, use, rtl)


def test_every_byte_strobe(rtl):
    host.test_every_byte_strobe(rtl, "tiny")


def run_in_time(core, layer, *inputs):
    """Run a layer, in cycles between its floor and what the model says, and a little."""
    run    = run_layer(core, layer, *inputs, c_order=True)
    cycles = run.result.counters["cycles"]
    if isinstance(run.plan, Plan):
        predicted = sum(predict(segment, COMPACT).cycles for segment in run.plan.segments)
        assert abs(predicted - cycles) <= 0.03 * cycles, (predicted, cycles, run.plan.program)
    assert floor_cycles(layer, COMPACT, *(x.shape for x in inputs)) <= cycles
    return run


def assert_vectors(core, library, part):
    """Of the cases of a library those that ``part`` slices; all of them pass, none is left out."""
    cases = [case for case in read_cases(VECTORS / library)
             if library or case.dialect == "mli-1"][part]

    report = check_cases(cases, partial(run_in_time, core))

    assert report.failed == report.skipped == 0, report.as_json()
    assert report.passed == sum(len(case.expected) for case in cases) > 0


@pytest.mark.parametrize(("library", "step"), [("", 60), ("mli2", 60), ("xs3", 40)])
def test_some_vendor_vectors(core, library, step):
    assert_vectors(core, library, slice(None, None, step))


@pytest.mark.long
@pytest.mark.parametrize(("library", "step", "part"), [
    ("", 3, 0), ("mli2", 10, 0), *(("xs3", 1, part) for part in range(4))])
def test_vendor_vectors(core, library, step, part):
    """Every third of MLI 1.x, every tenth of MLI 2.0, every one of XS3, in four parts."""
    parts = 4 if library == "xs3" else 1
    assert_vectors(core, library, slice(part * step, None, parts * step))


def test_whole_program_over_the_bus(core):
    """Nothing but requests: memories, program, start, results."""
    with RtlDevice(COMPACT, backdoor=False) as bus:
        for memory in Memory:
            bus.write_cells(memory, 0, noise(COMPACT, 1)[memory][:1000])
        fill(core, 1)
        bus.load_program([PASS], 7)

        assert bus.run(7) == run_rtl(core, [PASS], first=7).result

        np.testing.assert_array_equal(bus.read_cells(Memory.X, 101, 499),
                                      core.read_cells(Memory.X, 101, 499))


def test_constant_registers(device):
    words = device.harness.read(4 * np.arange(Register.DIALECTS.value // 4 + 1)).tolist()

    assert words == [0x434D5958, 1, 1 | 32 << 8, 2048 | 4096 << 16, 0, 0, 0, 0, 0, 7 | 1 << 8]


def test_registers_keep_what_they_have_bits_for(device):
    for register, bits in ((Register.IRQ_MASK, 1), (Register.FIRST, 0x3F), (Register.FLAGS, 0),
                           (Register.CYCLES, 0)):
        device.harness.write(register.value, 0xFFFF_FFFF, 0b0001)
        assert device.harness.read(np.array([register.value])) == bits
    with pytest.raises(SimulationError, match="refused"):
        device.harness.write(Register.DIALECTS.value + 4, 0)


def test_start_beyond_a_fault_waits_for_a_clear(device):
    """A start in state FAULT does nothing; after the clear it does."""
    device.load_program([faults.GOOD, faults.replace(faults.GOOD, shift=41)])
    device.start(1)
    device.harness.run(10_000)
    assert faults.status_of(device) == (State.FAULT, Status.SHIFT)
    fill(device, 1)

    device.start(0)
    device.harness.spin(5000)

    assert faults.status_of(device) == (State.FAULT, Status.SHIFT)
    assert_cells(device, noise(COMPACT, 1))
    faults.write_register(device, Register.CONTROL, Control.CLEAR.value)
    assert faults.status_of(device) == (State.IDLE, Status.OK)
    assert not device.harness.irq
    assert device.run(0).state is State.DONE


def test_clear_and_start_are_ignored_during_a_run(device):
    device.load_program([PASS])
    fill(device, 3)
    device.start(0)
    for value in Control:
        faults.write_register(device, Register.CONTROL, value.value)
    assert faults.status_of(device)[0] is State.BUSY

    assert end_of(device) == run_machine(COMPACT, [PASS], seed=3).result.state


def end_of(device):
    """State in which the program that runs ends."""
    device.harness.run(1_000_000)
    return device.finish().state


@pytest.mark.parametrize("memory", Memory)
def test_writes_and_reads_beside_a_run(device, memory):
    """All writes outside of the windows land, none is a hit; reads see them at once."""
    expected = begin(device, LONG)
    first = {Memory.X: 76 * 4, Memory.Y: 50 * 4}[memory]
    for step in range(40):
        word = first // 2 + 3 * step
        device.harness.write(BASES[memory] + 4 * word, 0xC0DE0000 + step)
        expected[memory].view(np.uint32)[word] = 0xC0DE0000 + step
        assert device.harness.read(np.array([BASES[memory] + 4 * word])) == 0xC0DE0000 + step

    assert end(device).flags == Flag(0)
    assert_cells(device, expected)


def test_window_of_a_pass_is_free_when_it_is_written(device):
    first = watch.replace(PASS, outer=(1, 1, 1), last=False,
                          z=watch.replace(PASS.z, base=800, low=800, high=1039))
    for cycles, flags in ((60, Flag.HOST_HIT), (6000, Flag(0))):
        fill(device, 1)
        device.load_program([first, LONG])
        device.start()
        device.harness.spin(cycles)
        device.harness.write(BASES[Memory.X] + 2 * 404, 0)

        assert end(device).flags == flags


def test_trace_of_every_pass(device):
    """Each record is later than the one before, the counters later than the last; all add up."""
    program = [watch.replace(PASS, last=False), watch.replace(PASS, wait=True)]
    run = run_rtl(device, program, seed=2)

    assert_same(run, run_machine(COMPACT, program, seed=2), program)
    assert_counters(run.result)
    steps = PASS.outer[0] * PASS.outer[2] * PASS.taps[2]
    assert [record.counters["issued"] for record in run.result.trace] == [steps, 2 * steps]
    assert run.result.trace[1].written < run.result.counters["cycles"]
    words = np.arange(TRACE_STRIDE * 2)
    device.harness.read(Region.TRACE.value + 4 * words)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Compact(SMALL), "has the size compact, not small"),
    (lambda: Cells(vendor="ecp5"), "must be None or 'ice40', not 'ecp5'")])
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()
