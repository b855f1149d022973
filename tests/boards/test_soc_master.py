# SPDX-License-Identifier: Apache-2.0
"""The bus master on a slave that lets it wait: what it does is what its instructions say."""

import numpy as np
import pytest

from tests.support.fake.core import SparseCore
from tests.support.seed import random_of
from tests.support.sizes import rarely
from tests.support.soc.master import RomMaster
from tests.support.soc.simulation import SLOW, simulate
from xymac.hdl.config import TINY
from xymac.host.network.rom import MasterOpcode, RomDevice
from xymac.host.network.standalone import Standalone, save_standalone

WORK, CLEAR, REPORT = 0xFFC, 0xFF8, 0xFF4  #: Bytes of the words of ``slow_slave.v``.
RAM  = 1024  #: Bytes.
FREE = 0xF00  # bytes of the slave that are nothing but memory


class Worker(SparseCore):
    """The slave: what it is told to do is done at once."""

    def write(self, address, data, mask):
        if address == WORK:
            self.words[REPORT] = 0x600D
        return super().write(address, data, mask)


def draw_instruction(device, rng):
    """Add an instruction, or a run from its start to the end of its interrupt."""
    kind, count = rng.integers(8), int(rng.integers(1, 20))
    core, ram   = (4 * int(rng.integers(size // 4 - 20)) for size in (FREE, RAM))
    if kind == 0:
        device._write_words(core, rng.integers(0, 3, count, np.uint32), *rng.choice([3, 12, 15], 2))
    elif kind == 1:
        device._write_words(core, np.full(count, rng.integers(1 << 32), np.uint32))
    elif kind == 2:
        device._add(MasterOpcode.READ, [core, ram], "", strobe=0xF, count=count)
    elif kind == 3:
        device._write_words(WORK, np.array([1], np.uint32))
        device._add(MasterOpcode.WAIT, [], "")
        device._add(MasterOpcode.CHECK, [REPORT, 0xFFFF, 0x600D], "")
        device._write_words(REPORT, np.array([0], np.uint32))
        device._write_words(CLEAR, np.array([1], np.uint32))
    else:
        item  = int(rng.integers(1, 3))
        pairs = item * np.stack([rng.choice(size // item, count, replace=False)
                                 for size in (FREE, RAM)], axis=1)
        device.copy([MasterOpcode.SCATTER, MasterOpcode.GATHER, MasterOpcode.SCATTERX,
                     MasterOpcode.GATHERX][kind - 4], pairs, item, "")


@pytest.mark.parametrize("seed", [0, *rarely(1, 2, 3)])
def test_random_instructions(seed, tmp_path):
    rng    = random_of(seed)
    device = RomDevice(TINY, 0)
    device.pause()
    start = device.size
    for _ in range(200):
        draw_instruction(device, rng)
    device.pause(start)
    made = Standalone(device.instructions, rng.integers(1 << 32, size=RAM // 4, dtype=np.uint32),
                      {"inputs": [{"name": "all", "address": 0, "shape": [RAM], "type": "uint8"}],
                       "outputs": [], "values": [], "states": [], "counters": []})
    save_standalone(tmp_path, made)
    master = RomMaster(made, Worker())
    master.go()
    master.go()

    said = simulate(SLOW, tmp_path, "+runs=2")

    assert said.startswith("xymac_soc: runs: 2, cycles: ")
    words = (tmp_path / "result.hex").read_text().split()[:RAM // 4]
    assert [int(word, 16) for word in words] == master.ram.view(np.uint32).tolist()
