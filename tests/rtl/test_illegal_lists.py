# SPDX-License-Identifier: Apache-2.0
"""Command lists that no compiler writes, on a core whose memory pauses: as on the golden machine.
"""

import numpy as np
import pytest

from tests.support.illegal_lists import draw_list
from tests.support.random_passes import without_faults
from tests.support.rtl_device import fill, sizes_of
from tests.support.seed import random_of
from xymac.golden.machine.machine import ProgramError
from xymac.hdl.config import find_size
from xymac.hdl.isa import ListStatus, Memory, Region
from xymac.host.device.device import MachineDevice
from xymac.host.image.external import ExternalMemory
from xymac.sim.rtl.device import RtlDevice

CONFIG  = find_size("tiny,dma=32")
REGIONS = {Region.X: CONFIG.x_bytes, Region.Y: CONFIG.y_bytes}
COUNT   = 20  #: Lists without --stimuli.
CYCLES  = 2_000_000


@pytest.fixture(scope="module")
def core():
    with RtlDevice(CONFIG) as device:
        yield device


def draw_memory(rng):
    """An external memory with any timing."""
    return ExternalMemory(width=int(rng.choice([8, 16, 32])), latency=int(rng.integers(1, 60)),
                          miss=int(rng.integers(0, 9)), row=int(rng.choice([256, 1024])),
                          refresh_every=int(rng.choice([0, 200, 780])), refresh=8)


def test_illegal_lists(core, stimuli, counted):
    count, rng, statuses = stimuli(COUNT), random_of(421), set()
    for number in range(count):
        image, seed = draw_list([422, number], CONFIG, REGIONS), number % 20
        golden, program = image.copy(), [without_faults(rng, CONFIG) for _ in range(3)]
        core.time_memory(draw_memory(rng))
        core.harness.disturb_memory(pauses=int(rng.choice([0, 30, 70])))
        with MachineDevice(CONFIG) as machine:
            fill(machine, seed, program)
            machine.load_program(program)
            try:
                expected = machine.run_list(golden, 0)
            except ProgramError:  # what is not ordered has no result
                continue
            core.harness.reset()
            core.harness.memory("program")[:] = 0
            fill(core, seed, program)
            core.load_program(program)
            result = core.run_list(image, 0, CYCLES)
            statuses.add(result.status)
            told = (number, result, expected, image[:192].view("<u4").reshape(-1, 8))
            assert (result.state, result.status, result.entry) == (
                expected.state, expected.status, expected.entry), told
            np.testing.assert_array_equal(image, golden, str(told))
            for memory in Memory:
                wanted = machine.read_cells(memory, 0, sizes_of(CONFIG)[memory])
                np.testing.assert_array_equal(
                    core.read_cells(memory, 0, wanted.size), wanted, str(told))
    core.harness.disturb_memory()
    counted("illegal command lists in RTL", count)

    assert {ListStatus.OK, ListStatus.ILLEGAL, ListStatus.OUTSIDE} <= statuses
