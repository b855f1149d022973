# SPDX-License-Identifier: Apache-2.0
"""The compact core against the golden machine: what the fast core is held to, but for time."""

from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rtl import test_faults as faults
from tests.rtl import test_host as host
from tests.rtl import test_passes as passes
from tests.rtl import test_scalars as scalars
from tests.rtl import test_scale as scale
from tests.rtl import test_watch as watch
from tests.rtl.host import test_strobes as strobes
from tests.rtl.timing import test_hold as hold
from tests.support.seed import examples
from xymac.hdl.config import COMPACT
from xymac.hdl.isa import ROUNDINGS, AccumulatorRange, Adjust, Reduce, Width

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


@pytest.mark.parametrize("case", [
    strobes.test_registers_take_the_bytes_that_are_written,
    strobes.test_a_command_needs_the_strobe_of_its_byte, strobes.test_a_program_of_bytes,
    partial(strobes.test_a_write_without_strobes_changes_nothing, runs=False),
    partial(strobes.test_a_write_without_strobes_changes_nothing, runs=True)])
def test_byte_strobes(case, rtl):
    case(size="compact", rtl=rtl)


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
