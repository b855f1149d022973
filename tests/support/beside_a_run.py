# SPDX-License-Identifier: Apache-2.0
"""Programs that run on the simulated core while the host reads and writes beside them."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import Access, Memory, Pass, Region, State

from .rtl_device import assert_counters, fill, run_machine, sizes_of

BASES = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}
#: Reads groups 0 to 99 of X and words 0 to 99 of Y, writes groups 200 to 439 of X.
PASS = Pass(x=Access(0, 0, 99, taps=(0, 0, 1)), y=Access(0, 0, 99, taps=(0, 0, 1)),
            z=Access(200, 200, 439, outer=(8, 0, 4)), outer=(30, 1, 2), taps=(1, 1, 80), shift=9,
            last=True)
LONG = replace(PASS, taps=(1, 5, 80))


def cells_of(device):
    return {memory: device.read_cells(memory, 0, size)
            for memory, size in sizes_of(device.config).items()}


def settle(device):
    """Let the last answered write arrive."""
    device.harness.spin(64)


def assert_cells(device, expected):
    settle(device)
    for memory, cells in cells_of(device).items():
        np.testing.assert_array_equal(cells, expected[memory], memory.name)


def begin(device, pass_, seed=1):
    """Start a program of one pass on noise; returns the cells the machine ends with."""
    fill(device, seed)
    device.load_program([pass_])
    device.start()
    device.harness.spin(60)  # until it has been fetched
    return run_machine(device.config, [pass_], seed=seed).cells


def end(device):
    """Run to the interrupt; returns the RunResult. The program must still run."""
    assert not device.harness.irq
    device.harness.run(1_000_000)
    result = device.finish()
    assert result.state is State.DONE
    assert_counters(result)
    return result
