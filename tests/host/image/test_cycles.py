# SPDX-License-Identifier: Apache-2.0
"""Cycles of transfers and lists, against cycles of the RTL that are written down here."""

from collections import deque

import pytest

from xymac.hdl.config import BASE, TINY, change_size
from xymac.hdl.isa import Opcode, Region
from xymac.host.image.cycles import ListCycles, predict_list
from xymac.host.image.entries import Move, RunEntry
from xymac.host.image.external import ExternalMemory
from xymac.host.image.order import Ordered, interleave, schedule
from xymac.host.image.simulate import Work, simulate

SDRAM  = ExternalMemory()
FAST   = ExternalMemory(width=32, latency=2, miss=0, refresh_every=0)
SLOW   = ExternalMemory(width=32, latency=30, miss=0, refresh_every=0)
CONFIG = change_size(BASE, dma=32)


def load(size, rows=1, stride=0, core_stride=0, *, narrow=True, opcode=Opcode.LOAD):
    return Move(opcode, Region.X, 0, size, rows, core_stride, 65536, stride, narrow)


#: A move, and the cycles that it adds to an empty list, with each memory.
MEASURED = [
    (load(4096, narrow=False), (2168, 1082, 1110)), (load(4, 1024, 4, 16), (2190, 1112, 1140)),
    (load(3, 1024, 3, 4), (1680, 1106, 1134)), (load(4, 1024, 64, 16), (2550, 2129, 4333)),
    (load(9, 512, 6, 28), (3234, 1624, 2616)), (load(32, 256, 96, 64), (4358, 2136, 2164)),
    (load(160, 64, 480, 160), (5418, 2648, 2676)),
    (load(4096, opcode=Opcode.STORE), (2168, 2102, 2116)),
    (load(4096, narrow=False, opcode=Opcode.STORE), (2168, 1143, 1164)),
    (load(16, 256, 64, 16, opcode=Opcode.STORE), (2262, 2132, 2146)),
    (load(4096, narrow=False, opcode=Opcode.FILL), (1058, 1058, 1058))]


@pytest.mark.parametrize("number", range(len(MEASURED)))
@pytest.mark.parametrize("memory", range(3))
def test_transfers_take_their_cycles(number, memory):
    move, cycles = MEASURED[number]
    timing = (SDRAM, FAST, SLOW)[memory]
    alone, none = (predict_list(Ordered(moves, [0] * len(moves), [0] * len(moves), 0), CONFIG,
                                timing).cycles for moves in ([move], []))
    assert alone - none == pytest.approx(cycles[memory], rel=0.08)


@pytest.mark.parametrize(("move", "cycles"), [
    (load(4096, narrow=False), 2110), (load(4096), 4158), (load(3, 1024, 3, 4), 4158),
    (load(9, 256, 6, 28), 3134), (load(160, 64, 480, 160), 10302),
    (load(4096, opcode=Opcode.STORE), 8254), (load(4096, narrow=False, opcode=Opcode.STORE), 4158),
    (load(4096, narrow=False, opcode=Opcode.FILL), 2076)])
def test_a_small_core_takes_longer(move, cycles):
    assert FAST.cycles(move, change_size(TINY, dma=32)) == pytest.approx(cycles, rel=0.06)


def test_an_empty_list():
    assert [predict_list(Ordered([], [], [], 0), CONFIG, memory).cycles
            for memory in (SDRAM, FAST, SLOW)] == pytest.approx([62, 38, 66], abs=2)


def test_transfers_follow_one_another():
    moves = [load(64, narrow=False)] * 8
    for memory, cycles in ((FAST, 654), (SLOW, 906), (SDRAM, 1040)):
        found = predict_list(Ordered(moves, [0] * 8, [0] * 8, 0), CONFIG, memory)
        assert found.cycles == pytest.approx(cycles, rel=0.15)
    assert (found.loaded, found.stored, found.core, found.hidden) == (512, 0, 0, 0)
    assert isinstance(found, ListCycles)


def test_a_later_transfer_comes_before_one_that_waits():
    """The second transfer waits for the run, the third does not."""
    first, second, third = (load(64), load(64), load(64))
    run    = RunEntry(0, (), [], [])
    starts, end = schedule([first, run, second, third], [set(), {0}, {1}, set()],
                           [10, 100, 10, 10], 1.0, [0, 2, 3])
    assert starts == {0: 0, 1: 10, 2: 110, 3: 10}
    assert end == 120


def in_list(ordered):
    """Letters of the entries: R a run, m a transfer."""
    return "".join("R" if isinstance(entry, RunEntry) else "m" for entry in ordered.entries)


def test_a_run_stands_before_the_transfers_that_begin_later():
    """Later than the run before, or than the run itself; or at the same time."""
    runs  = [RunEntry(number, (), [], []) for number in range(3)]
    moves = [load(64 + number) for number in range(5)]
    ordered = Ordered([moves[0], runs[0], moves[1], moves[2], moves[3], runs[1], moves[4],
                       runs[2]], [0, 0, 0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 3, 0, 4], 0)
    tried = list(interleave(ordered, [0, 10, 20, 30, 40, 50, 50, 70]))
    assert [in_list(found) for found in tried] == [
        "mRmmRmRm", "mRmmRmmR", "mRmmmRmR", "mRmmmmRR"]
    for found in tried:
        assert [entry for entry in found.entries if entry in runs] == runs
        assert [entry for entry in found.entries if entry in moves] == moves
        for number, entry in enumerate(found.entries):
            assert found.runs[number] <= in_list(found)[:number].count("R")
            assert found.moves[number] <= in_list(found)[:number].count("m")
            before = ordered.entries.index(entry)
            assert (found.runs[number], found.moves[number]) == (ordered.runs[before],
                                                                 ordered.moves[before])


def results(memory, count):
    """Phases of a program with a result in ``memory`` every cycle."""
    return Work(True, 0.0, 0, deque([[count, {memory: 1.0}]]))


@pytest.mark.parametrize("region", [Region.X, Region.Y])
def test_a_load_waits_for_results_in_its_memory_alone(region):
    load_x = Work(False, 0.0, 0, deque([[100, {Region.X: 0.5}]]))
    end, starts, idle = simulate([results(region, 300), load_x])
    assert starts == [0.0, 0.0]
    assert idle == [0.0, end - 300]
    assert end == (400 if region is Region.X else 300)


def test_a_command_waits_for_room_in_its_queue():
    """With the queue of the core the transfer is decoded when a run of three has ended."""
    def works():
        return [*(results(Region.X, 100) for _ in range(3)),
                Work(False, 5.0, 0, deque([[10, {Region.Y: 0.5}]]))]

    assert simulate(works())[1] == [0.0, 100, 200, 105]
    assert simulate(works(), queue=4)[1][-1] == 5.0


@pytest.mark.parametrize(("ahead", "reads", "late"), [
    (0.0, 0.0, 0.0), (30.0, 0.0, 30.0), (200.0, 0.0, 73.0), (200.0, 0.5, 0.0)])
def test_a_command_comes_behind_the_data_that_a_load_has_requested(ahead, reads, late):
    """Of a load with 100 cycles, the last 22 have no data; a store requests none. The first command
    is asked for before the data.
    """
    move = Work(False, 0.0, 0, deque([[100, {Region.X: 0.5}]]), reads)
    runs = [Work(True, 5.0, 0, deque([[1, {}]])), Work(True, 10.0, 0, deque([[1, {}]]))]
    assert simulate([move, *runs], ahead=ahead)[1] == [0.0, 5.0, 5 + 10 + late]
