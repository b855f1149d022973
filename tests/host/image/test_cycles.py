# SPDX-License-Identifier: Apache-2.0
"""Cycles of transfers and lists, against cycles of the RTL that are written down here."""

import pytest

from xymac.hdl.config import BASE, TINY, change_size
from xymac.hdl.isa import Opcode, Region
from xymac.host.image.cycles import ListCycles, predict_list
from xymac.host.image.entries import Move, RunEntry
from xymac.host.image.external import ExternalMemory
from xymac.host.image.order import Ordered, schedule

SDRAM  = ExternalMemory()
FAST   = ExternalMemory(width=32, latency=2, miss=0, refresh_every=0)
SLOW   = ExternalMemory(width=32, latency=30, miss=0, refresh_every=0)
CONFIG = change_size(BASE, dma=32)


def load(size, rows=1, stride=0, core_stride=0, *, narrow=True, opcode=Opcode.LOAD):
    return Move(opcode, Region.X, 0, size, rows, core_stride, 65536, stride, narrow)


#: A move, and the cycles that it adds to an empty list, with each memory.
MEASURED = [
    (load(4096, narrow=False), (2128, 1062, 1090)), (load(4, 1024, 4, 16), (2134, 1062, 1090)),
    (load(3, 1024, 3, 4), (1616, 1062, 1090)), (load(4, 1024, 64, 16), (2502, 2079, 4290)),
    (load(9, 512, 6, 28), (3170, 1574, 2566)), (load(32, 256, 96, 64), (4302, 2086, 2114)),
    (load(160, 64, 480, 160), (5362, 2598, 2626)),
    (load(4096, opcode=Opcode.STORE), (2137, 2085, 2099)),
    (load(4096, narrow=False, opcode=Opcode.STORE), (2137, 1125, 1147)),
    (load(16, 256, 64, 16, opcode=Opcode.STORE), (2209, 2085, 2099)),
    (load(4096, narrow=False, opcode=Opcode.FILL), (1056, 1050, 1050))]


@pytest.mark.parametrize("number", range(len(MEASURED)))
@pytest.mark.parametrize("memory", range(3))
def test_transfers_take_their_cycles(number, memory):
    move, cycles = MEASURED[number]
    found = (SDRAM, FAST, SLOW)[memory].cycles(move, CONFIG)
    assert found == pytest.approx(cycles[memory], rel=0.06)


@pytest.mark.parametrize(("move", "cycles"), [
    (load(4096, narrow=False), 2110), (load(4096), 4158), (load(3, 1024, 3, 4), 4158),
    (load(9, 256, 6, 28), 3134), (load(160, 64, 480, 160), 10302),
    (load(4096, opcode=Opcode.STORE), 8254), (load(4096, narrow=False, opcode=Opcode.STORE), 4158),
    (load(4096, narrow=False, opcode=Opcode.FILL), 2076)])
def test_a_small_core_takes_longer(move, cycles):
    assert FAST.cycles(move, change_size(TINY, dma=32)) == pytest.approx(cycles, rel=0.06)


def test_an_empty_list():
    assert [predict_list(Ordered([], [], [], 0), CONFIG, memory).cycles
            for memory in (SDRAM, FAST, SLOW)] == pytest.approx([44, 20, 48], abs=12)


def test_transfers_follow_one_another():
    moves = [load(64, narrow=False)] * 8
    found = predict_list(Ordered(moves, [0] * 8, [0] * 8, 0), CONFIG, SDRAM)
    assert found.cycles == pytest.approx(44 + 534, rel=0.2)
    assert (found.loaded, found.stored, found.core, found.hidden) == (512, 0, 0, 0)
    assert isinstance(found, ListCycles)


def test_a_later_transfer_comes_before_one_that_waits():
    """The second transfer waits for the run, the third does not."""
    first, second, third = (load(64), load(64), load(64))
    run    = RunEntry(0, (), [], [])
    starts, end = schedule([first, run, second, third], [set(), {0}, {1}, set()],
                           [10, 100, 10, 10], 1.0)
    assert starts == {0: 0, 1: 10, 2: 110, 3: 10}
    assert end == 120
