# SPDX-License-Identifier: Apache-2.0
"""The machine's memories in the address map, and words that two commands share."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.support.random_passes import SMALL, machine_with_noise
from xymac.golden.machine.footprint import Footprint, of_move, of_run
from xymac.golden.machine.machine import Machine
from xymac.golden.machine.regions import Regions
from xymac.hdl.config import TINY
from xymac.hdl.isa import (
    FREE_ENTRY,
    Access,
    Opcode,
    Pass,
    Region,
    State,
    Table,
    TablePlace,
    pack_place,
)


@pytest.mark.parametrize("region", [Region.X, Region.Y, Region.PROGRAM, Region.TABLES,
                                    Region.PLACES])
def test_a_region_ends_behind_its_last_byte(region):
    regions = Regions(Machine(TINY))
    size    = len(regions.bytes_of(region))
    assert regions.find(region.value) == (region, 0)
    assert regions.find(region.value + size - 1) == (region, size - 1)
    assert regions.find(region.value + size) is None
    assert regions.find(region.value - 1) is None


def test_every_place_of_a_table_can_be_written_alone():
    machine = Machine(TINY)
    regions = Regions(machine)
    places  = regions.bytes_of(Region.PLACES)
    for index, table in enumerate(Table):
        if table is Table.NONE:
            continue
        place = TablePlace(FREE_ENTRY + FREE_ENTRY % 2 + 2 * index, 2 + index, index)
        words = places.view("<u4")
        words[index] = pack_place(place)

        regions.commit(Region.PLACES, 4 * index, 4 * index + 4)

        assert machine.tables.places[table] == place
    assert len(places) == 4 * len(Table)


@pytest.mark.parametrize(("first", "count", "fits"), [
    (-1, 1, False), (0, 1, True), (0, 4, True), (0, 5, False), (3, 1, True), (3, 2, False),
    (4, 1, False)])
def test_programs_lie_within_their_memory(first, count, fits):
    machine = Machine(SMALL)
    plain   = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299))
    assert len(machine.program) == 4
    if fits:
        machine.load([plain] * count, first)
        assert [machine.program[index] is not None for index in range(4)] == [
            first <= index < first + count for index in range(4)]
        return
    with pytest.raises(ValueError, match=rf"holds 4 passes, not {count} from {first}$"):
        machine.load([plain] * count, first)


@pytest.mark.parametrize(("reads", "writes", "conflict"), [
    ([0, 2, 4], [1, 3], None), ([0, 2, 4], [1, 2], Region.X), ([0, 1], [2, 3], None),
    ([0, 1], [1], Region.X), ([3], [3, 9], Region.X), ([], [3], None), ([3], [], None)])
def test_words_that_two_commands_share(reads, writes, conflict):
    first, second = (np.array(each, np.int64) for each in (reads, writes))
    reader, writer = Footprint({Region.X: first}), Footprint({}, {Region.X: second})
    assert reader.conflict(writer) == writer.conflict(reader) == conflict
    assert Footprint({Region.Y: first}).conflict(writer) is None
    assert reader.conflict(Footprint({Region.X: second})) is None
    both = Footprint({}, {Region.X: first}).conflict(writer)
    assert both == conflict


def test_a_run_may_go_back_beyond_its_first_pass():
    """Passes before the first one count among the words of a run; its flags begin with the first.
    """
    machine = machine_with_noise(SMALL, 0)
    plain   = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299))
    machine.load([replace(plain, z=Access(300, 300, 399)), plain,
                  replace(plain, wait=True, back=2, repeat=1, last=True)])
    before  = machine.x.copy()
    words   = of_run(machine, 2)

    outcome = machine.run(2)

    assert (outcome.state, outcome.pass_index, outcome.overflow) == (State.DONE, 2, (False,))
    assert words.reads[Region.PROGRAM].tolist() == [0, 1, 2]
    assert {*np.flatnonzero(machine.x != before)} <= {*words.writes[Region.X]}
    assert of_run(machine, 0).writes[Region.X].tolist() == words.writes[Region.X].tolist()


@pytest.mark.parametrize("loop", [{}, {"back": 1, "repeat": 1}, {"back": 3, "repeat": 2}])
def test_a_run_does_not_reach_passes_outside_its_memory(loop):
    machine = machine_with_noise(SMALL, 0)
    plain   = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299))
    machine.load([replace(plain, **loop)] + [plain] * 3)  # the last pass does not end the program

    assert of_run(machine, 0).reads[Region.PROGRAM].tolist() == [0, 1, 2, 3]
    assert of_run(machine, 3).reads[Region.PROGRAM].tolist() == [3]


@pytest.mark.parametrize(("region", "unit"), [
    (Region.X, 2), (Region.Y, 2), (Region.TABLES, 2), (Region.PLACES, 4)])
@pytest.mark.parametrize(("first", "end"), [(0, 4), (0, 8), (4, 8), (3, 9), (7, 8), (8, 17)])
def test_words_of_a_transfer_are_those_of_its_bytes(region, unit, first, end):
    wanted = sorted({byte // unit for byte in range(first, end)})
    for opcode, name in ((Opcode.STORE, "reads"), (Opcode.LOAD, "writes")):
        command = SimpleNamespace(opcode=opcode)
        for rows in ([slice(first, end)], [slice(first, end)] * 2, [np.arange(first, end)]):
            made = getattr(of_move(command, region, rows), name)
            assert {key: words.tolist() for key, words in made.items()} == {region: wanted}
