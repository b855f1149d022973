# SPDX-License-Identifier: Apache-2.0
"""Programs that no compiler writes on the simulated core: status and every cell as golden's.

Words that belong to no pass have no result on the golden machine: of these the core leaves all
cells outside the windows as they are. So it does of a pass that reads its own results.
"""

from unittest.mock import patch

import numpy as np
import pytest

from tests.rtl.test_faults import GOOD
from tests.support.illegal import decoded, draw_program
from tests.support.raw_words import load_words, written_cells
from tests.support.rtl_device import (
    Snapshot,
    assert_same,
    fill,
    noise,
    run_machine,
    run_rtl,
    sizes_of,
)
from tests.support.seed import random_of
from xymac.golden.machine import machine
from xymac.golden.machine.machine import ProgramError
from xymac.hdl.isa import State, Status
from xymac.host.device.device import DeviceError

COUNT  = {"tiny": 60, "base": 40}  #: Programs without --stimuli.
CYCLES = 100_000


def cells_of(device):
    return {memory: device.read_cells(memory, 0, size)
            for memory, size in sizes_of(device.config).items()}


def run(device, program, seed):
    """Status of a program from noise; all cells as on the golden machine."""
    passes = [decoded(packed) for packed in program]
    known  = all(passes)
    fitted = passes if known else ()
    fill(device, seed, fitted)
    load_words(device, [*program, 0])
    try:
        result = device.run(max_cycles=CYCLES)
    except DeviceError:
        result = None  # an endless loop of words that belong to no pass, which was stopped
    cells = cells_of(device)
    masks = written_cells(program, device.config)
    for memory, before in noise(device.config, seed, fitted).items():
        changed = np.flatnonzero((cells[memory] != before) & ~masks[memory])
        assert not changed.size, (memory, changed[:9], [*map(hex, program)])
    if not known:
        return None if result is None else result.status
    assert result is not None, [*map(hex, program)]
    resumes = any(each.accumulate.resume for each in passes)  # sums of programs before, perhaps
    try:
        expected = run_machine(device.config, passes, seed=seed)
    except ProgramError as error:
        if "reads its own results" not in str(error):
            return result.status
        with patch.object(machine, "refuse_own_results"):
            expected = run_machine(device.config, passes, seed=seed)
        resumes = True
    if resumes:  # results may differ, the status does not
        names = ("state", "status", "field", "pass_index")
        assert [getattr(result, name) for name in names] == [
            getattr(expected.result, name) for name in names], [*map(hex, program)]
    else:
        assert_same(Snapshot(result, cells), expected, passes)
    return result.status


@pytest.mark.parametrize("size", COUNT)
def test_illegal_programs(size, rtl, stimuli, counted):
    device = rtl(size)
    device.harness.reset()
    count, rng, statuses = stimuli(COUNT[size]), random_of([403, len(size)]), set()
    for number in range(count):
        statuses.add(run(device, draw_program(rng, device.config, int(rng.integers(1, 4))),
                         number % 50))
    counted(f"illegal programs in RTL, {size}", count)

    assert {Status.OK, Status.OPCODE} <= statuses
    assert len(statuses) >= 4
    assert_same(run_rtl(device, [GOOD], seed=1), run_machine(device.config, [GOOD], seed=1), [GOOD])
    assert run_rtl(device, [GOOD], seed=1).result.state is State.DONE
