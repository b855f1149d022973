# SPDX-License-Identifier: Apache-2.0
"""Power-up with every register and memory random: after a reset the core works as golden says."""

import numpy as np
import pytest

from tests.support.illegal import whole_pass
from tests.support.rtl_device import assert_same, run_machine, run_rtl
from tests.support.seed import random_of
from xymac.hdl.config import TINY, find_size
from xymac.hdl.isa import Memory, Register, State, Status
from xymac.host.plan.program.waits import set_waits
from xymac.sim.rtl.device import RtlDevice
from xymac.sim.rtl.power_up import power_up_library, seed_power_up, without_initial_values

SEEDS = 10

#: A simulator of its own takes minutes to compile.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def library():
    return power_up_library(TINY)


def opened(library, seed, config=TINY):
    seed_power_up(library, seed)
    return RtlDevice(config, library=library)


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_programs_after_a_random_power_up(seed, library):
    rng = random_of([431, seed])
    with opened(library, 1000 * seed + int(rng.integers(1000))) as device:
        [status] = device.harness.read(np.array([Register.STATUS.value]))
        assert (State(status & 0xF), Status(status >> 4 & 0xF)) == (State.IDLE, Status.OK)
        for number in range(8):
            program = set_waits([whole_pass(rng, TINY) for _ in range(3)], TINY)
            assert_same(run_rtl(device, program, seed=number),
                        run_machine(TINY, program, seed=number), program)


def list_of(rng):
    """An image with a list that copies 8 bytes through X."""
    image = rng.integers(0, 256, 256, np.uint8)
    image[:96].view("<u4")[:] = [1, 0, 100, 0x10_0000, 8, 1, 0, 0, 2, 0, 200, 0x10_0000, 8, 1, 0, 0,
                                 *[0] * 8]
    return image


def test_lists_after_a_random_power_up():
    """A DMA needs no initial values."""
    config, rng = find_size("tiny,dma=32"), random_of(433)
    library = power_up_library(config)
    for seed in range(SEEDS):
        image  = list_of(rng)
        before = image.copy()
        before[200:208] = image[100:108]
        with opened(library, 55 + seed, config) as device:
            device.run_list(image, 0).check()
        np.testing.assert_array_equal(image, before)


def test_memories_begin_with_bits_of_the_seed(library):
    cells = []
    for seed in (1, 2, 1):
        with opened(library, seed) as device:
            cells.append(device.read_cells(Memory.X, 0, 512))

    np.testing.assert_array_equal(cells[0], cells[2])
    assert (cells[0] != cells[1]).mean() > 0.9
    assert len(set(cells[0].tolist())) > 1


def test_initial_values_are_taken_away():
    text = ("  reg [3:0] a = 4'h5;\n  reg \\$auto$x  = 0;\n  reg [3:0] memory [7:0];\n"
            "  initial begin\n    memory[0] = 4'h0;\n    memory[1] = 4'h1;\n  end\n")

    assert without_initial_values(text) == (
        "  reg [3:0] a;\n  reg \\$auto$x  = 0;\n  reg [3:0] memory [7:0];\n")
