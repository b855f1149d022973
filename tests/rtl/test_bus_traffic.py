# SPDX-License-Identifier: Apache-2.0
"""Random traffic of the host while programs run: their results, and every word, as expected."""

import numpy as np
import pytest

from tests.support.beside_a_run import BASES, LONG, PASS, assert_cells, begin
from tests.support.rtl_device import noise, sizes_of
from tests.support.seed import random_of
from xymac.hdl.config import find_size
from xymac.hdl.isa import Memory, Region, Register
from xymac.sim.rtl.device import RtlDevice
from xymac.sim.rtl.harness import SimulationError

COUNT = 300  #: Accesses without --stimuli.
FREE  = {Memory.X: 1000, Memory.Y: 2000}  #: Cells from which on no pass reads or writes.
BYTES = np.array([sum(0xFF << 8 * byte for byte in range(4) if mask >> byte & 1)
                  for mask in range(16)], np.uint32)
#: Registers that a read does not change.
READ  = (Register.STATUS, Register.VERSION, Register.IRQ_MASK, Register.FIRST, Register.CYCLES)
#: Addresses that belong to nothing.
NOWHERE = (Region.X.value - 4, 0x3F_FFFC, 0x0F_FFF0)


@pytest.fixture(scope="module", params=["direct", "bus"])
def device(request):
    with RtlDevice(find_size("tiny"), via=request.param, backdoor=True) as device:
        yield device, request.param


class Traffic:
    """Random accesses to a device, and what its free cells hold."""

    def __init__(self, device, rng, expected):
        self._device, self._rng = device, rng
        self.words = {memory: cells.copy().view("<u4") for memory, cells in expected.items()}

    def access(self):
        """One access: a read or a write of some free words, a register, or a refused address."""
        kind = self._rng.random()
        if kind < 0.15:
            self._device.harness.read(np.array([self._rng.choice([each.value for each in READ])]))
        elif kind < 0.2:
            with pytest.raises(SimulationError, match="refused a request"):
                self._device.harness.read(np.array([self._rng.choice(NOWHERE)]))
        else:
            self._cells(is_write=kind > 0.6)

    def _cells(self, *, is_write):
        memory = Memory(int(self._rng.integers(2)))
        words  = self.words[memory]
        count  = int(self._rng.integers(1, 9))
        start  = int(self._rng.integers(FREE[memory] // 2, words.size - count))
        where  = slice(start, start + count)
        addresses = BASES[memory] + 4 * np.arange(start, start + count)
        if not is_write:
            np.testing.assert_array_equal(self._device.harness.read(addresses), words[where])
            return
        values = self._rng.integers(0, 1 << 32, count, dtype=np.uint32)
        masks  = self._rng.integers(0, 16, count)
        self._device.harness.write(addresses, values, masks)
        kept = BYTES[masks]
        words[where] = words[where] & ~kept | values & kept


def test_random_traffic(device, stimuli, counted):
    device, via = device
    count, rng, done, beside = stimuli(COUNT), random_of(441), 0, 0
    while done < count:
        device.harness.reset()
        device.harness.pause(int(rng.choice([0, 20, 60])) if via == "bus" else 0,
                             int(rng.integers(1, 1000)))
        seed     = int(rng.integers(20))
        expected = begin(device, LONG if rng.integers(2) else PASS, seed)
        traffic  = Traffic(device, rng, noise(device.config, seed))
        for _ in range(25):
            if device.harness.irq:
                break
            traffic.access()
            done, beside = done + 1, beside + (not device.harness.irq)
        device.harness.pause(0)
        device.harness.run(1_000_000)
        device.finish()
        for memory, words in traffic.words.items():
            cells = words.view("<u2")
            free  = np.arange(sizes_of(device.config)[memory]) >= FREE[memory]
            expected[memory] = np.where(free, cells, expected[memory])
        assert_cells(device, expected)
    counted(f"accesses beside programs, {via}", done)

    assert beside > count // 2
