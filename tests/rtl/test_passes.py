# SPDX-License-Identifier: Apache-2.0
"""Random programs on the RTL against the golden machine: all of X and Y, faults in order."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.drawn_passes import programs
from tests.support.rtl_device import (
    assert_counters,
    assert_same,
    noise,
    run_machine,
    run_rtl,
    window_bytes,
)
from tests.support.seed import SEED, examples
from xymac.hdl.config import SIZES

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None,
            "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}


def assert_windows_hold(config, snapshot, program, seed):
    """No byte outside the windows of Z of the program's passes changed."""
    before = noise(config, seed, program)
    for memory, cells in snapshot.cells.items():
        changed = cells.view(np.uint8) != before[memory].view(np.uint8)
        for pass_ in program:
            if pass_.epilogue.z_memory is memory:
                changed &= ~window_bytes(pass_, config)
        assert not changed.any(), f"Byte {changed.argmax()} of {memory.name}: {program}"


def check(device, sequence):
    """Programs one after another tell and leave the same on RTL and machine, whatever the one
    before left behind."""
    config = device.config
    device.harness.reset()
    for seed, (program, first) in enumerate(sequence):
        expected = run_machine(config, program, first=first, seed=seed)
        run      = run_rtl(device, program, first=first, seed=seed)
        assert_same(run, expected, program)
        assert_windows_hold(config, run, program, seed)
        assert_counters(run.result)


@settings(max_examples=examples(250), **SETTINGS)
@given(st.lists(programs(SIZES["tiny"], 4), min_size=1, max_size=2))
def test_programs_on_tiny(rtl, sequence):
    check(rtl("tiny"), sequence)


@pytest.mark.long
@settings(max_examples=examples(250), **SETTINGS)
@given(st.lists(programs(SIZES["small"], 4), min_size=1, max_size=2))
def test_programs_on_small(rtl, sequence):
    check(rtl("small"), sequence)


@settings(max_examples=examples(60), **SETTINGS)
@given(st.lists(programs(SIZES["base"], 2), min_size=1, max_size=2))
def test_programs_on_base(rtl, sequence):
    check(rtl("base"), sequence)
