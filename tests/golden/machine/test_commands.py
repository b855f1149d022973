# SPDX-License-Identifier: Apache-2.0
"""Command lists on the golden machine: results, order, hazards and faults."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.machine.commands import HazardError, run_list
from xymac.golden.machine.machine import Machine, ProgramError
from xymac.hdl.config import SMALL, TINY, change_size
from xymac.hdl.isa import (
    COMMANDS_MAX,
    FREE_ENTRY,
    PLACES,
    Access,
    Command,
    ListStatus,
    Opcode,
    Pass,
    Program,
    Region,
    Shape,
    State,
    Table,
    TablePlace,
    Width,
    pack_place,
)

CONFIG = change_size(SMALL, dma=32)
WAYS, LANES = CONFIG.ways, CONFIG.lanes
X, Y, PROGRAM, TABLES, PLACES_AT = (Region[name].value for name in (
    "X", "Y", "PROGRAM", "TABLES", "PLACES"))
DATA = 4096  # offset of data in the image; commands lie before it
SIZE = 1 << 15
#: Doubles the elements of vectors 0 .. 15 into vectors 64 .. 79, with a Y word of 2 for each.
DOUBLE = Pass(
    x=Access(0, 0, 15, (0, 0, 4)), y=Access(0, 0, 0), z=Access(64, 64, 79, (0, 0, 4)),
    outer=(1, 1, 4), x_shape=Shape.LANES, y_shape=Shape.LANES, x_width=Width.BITS16,
    y_width=Width.BITS16, z_width=Width.BITS16, beats=4, clip=(-32768, 32767), last=True)
WORDS = 16 * WAYS  # of its windows of X and of Z
WHOLE = 2 * WORDS  # bytes
Z     = X + 2 * WAYS * 64


def move(opcode=Opcode.LOAD, runs=0, moves=0, offset=DATA, core=X, row_bytes=2 * WORDS, rows=1,
         stride=0, core_stride=0):
    return Command(opcode, runs, moves, offset, core, row_bytes, rows, stride, core_stride)


def run(runs=0, moves=0, first=0):
    return Command(Opcode.RUN, runs, moves, first)


def image_of(commands, *, seed=1, first=0, end=True):
    """Image with the commands, an END and noise from ``DATA`` on."""
    image = np.zeros(SIZE, np.uint8)
    image[DATA:] = np.frombuffer(random_of(seed).bytes(SIZE - DATA), np.uint8)
    words = [command.encode() if isinstance(command, Command) else command for command in commands]
    words += [Command(Opcode.END).encode()] * end
    image[first:first + 32 * len(words)] = np.array(words, "<u4").reshape(-1).view(np.uint8)
    return image


def put(image, offset, values, kind="<u2"):
    cells = np.array(values, kind).reshape(-1).view(np.uint8)
    image[offset:offset + cells.size] = cells


def machine_of(*passes, config=CONFIG):
    machine = Machine(config)
    machine.x[:] = np.arange(machine.x.size) * 7 % 65536
    machine.y[:LANES] = 2
    machine.load(passes or [DOUBLE])
    return machine


def states_of(commands, config=CONFIG, **values):
    image = image_of(commands, **values)
    outcome = run_list(machine_of(config=config), image, values.get("first", 0))
    return outcome.state, outcome.status, outcome.entry


def test_a_list_loads_runs_and_stores():
    commands = [move(core_stride=64, rows=2, stride=-40, row_bytes=20, offset=DATA + 41),
                run(moves=1), move(Opcode.STORE, runs=1, offset=DATA + 1001, core=Z)]
    image, machine = image_of(commands), machine_of()
    before, x = image.copy(), machine.x.copy().view(np.uint8)

    outcome = run_list(machine, image)

    x[:20], x[64:84] = before[DATA + 41:DATA + 61], before[DATA + 1:DATA + 21]
    assert (outcome.state, outcome.status, outcome.entry) == (State.DONE, ListStatus.OK, 3)
    assert [end.state for end in outcome.runs] == [State.DONE]
    doubled = (2 * x.view("<i2")[:WORDS].astype(int)).clip(-32768, 32767)
    written = image[DATA + 1001:DATA + 1001 + 2 * WORDS].view("<i2")
    assert written.tolist() == doubled.tolist()
    assert machine.x.view(np.uint8)[:84].tolist() == x[:84].tolist()
    image[DATA + 1001:DATA + 1001 + 2 * WORDS] = before[DATA + 1001:DATA + 1001 + 2 * WORDS]
    assert image.tolist() == before.tolist()


def test_a_fill_clears_rows_of_x_and_of_y():
    machine = machine_of()
    run_list(machine, image_of([
        move(Opcode.FILL, core=X + 10, row_bytes=4, rows=3, core_stride=8, offset=1 << 31),
        move(Opcode.FILL, core=Y, row_bytes=6)]))

    cells = [7 * index for index in range(15)]
    cells[5:7] = cells[9:11] = cells[13:15] = [0, 0]
    assert machine.x[:15].tolist() == cells
    assert machine.y[:5].tolist() == [0, 0, 0, 2, 2]


def test_a_narrow_transfer_moves_elements_in_the_order_of_a_pass():
    rng, commands, memory = random_of(5), [], np.zeros(2 * LANES * CONFIG.x_rows, np.uint8)
    image = image_of([])
    for _ in range(20):
        size, rows, stride = (int(rng.integers(1, top)) for top in (99, 5, 70))
        core, offset = int(rng.integers(500, 2000)), int(rng.integers(DATA, DATA + 999))
        fill = rng.random() < 0.3
        commands.append(Command(Opcode.FILL if fill else Opcode.LOAD, 0, 0, offset, X + core, size,
                                rows, 3 - stride, stride - 30, narrow=True))
        for row in range(rows):
            start = core + row * (stride - 30)
            taken = image[offset + row * (3 - stride):][:size]
            memory[start:start + size] = 0 if fill else taken
    commands.append(Command(Opcode.STORE, 0, 0, 20001, X + 333, 2100, 1, 0, 0, narrow=True))
    image, machine = image_of(commands), Machine(CONFIG)

    assert run_list(machine, image).state is State.DONE
    elements = machine.x.reshape(-1, 1, LANES) >> np.array([[0], [8]], "<u2") & 0xFF
    assert elements.reshape(-1).tolist() == memory.tolist()
    assert image[20001:22101].tolist() == memory[333:2433].tolist()


def test_a_narrow_transfer_is_a_hazard_in_its_words():
    last = 2 * LANES * 4 - 1  # element of the last word that the program reads
    assert states_of([run(), replace(move(core=X + last + 1, row_bytes=1), narrow=True)])[1] is (
        ListStatus.OK)
    with pytest.raises(HazardError, match="words of X"):
        run_list(machine_of(), image_of(
            [run(), replace(move(core=X + last, row_bytes=1), narrow=True)]))


def test_a_program_and_a_table_are_loaded():
    pass_ = replace(DOUBLE, table=Table.OWN0, z=Access(80, 80, 95, (0, 0, 4)))
    place = TablePlace(FREE_ENTRY, 4, 2)
    image = image_of([
        move(core=PROGRAM + 3 * 128, row_bytes=128), run(moves=4, first=3),
        move(core=TABLES + 2 * FREE_ENTRY, row_bytes=8, offset=DATA + 128),
        move(core=PLACES_AT + 4 * Table.OWN0.value, row_bytes=4, offset=DATA + 136),
        move(core=PLACES_AT + 4 * Table.SIGM.value, row_bytes=4, offset=DATA + 140)])
    order = [0, 2, 3, 4, 1, 5]
    image[:192] = image[:192].reshape(6, 32)[order].reshape(-1)
    put(image, DATA, Program([pass_]).words, "<u8")
    put(image, DATA + 128, [5, 6, 7, 8])
    put(image, DATA + 136, [pack_place(place), pack_place(None)], "<u4")
    machine = machine_of()

    assert run_list(machine, image).state is State.DONE
    assert machine.program[3] == pass_
    assert machine.tables.places[Table.OWN0] == place
    assert Table.SIGM not in machine.tables.places
    assert machine.tables.places[Table.TANH] == PLACES[Table.TANH]
    expected = machine_of(DOUBLE)
    expected.tables.write(FREE_ENTRY, [5, 6, 7, 8])
    expected.tables.place(Table.OWN0, place)
    expected.load([pass_], 3)
    expected.run(3)
    assert machine.x.tolist() == expected.x.tolist()


def test_words_of_no_pass_end_in_a_fault():
    image   = image_of([move(core=PROGRAM, row_bytes=128), run(moves=1)])
    outcome = run_list(machine_of(), image)

    assert (outcome.state, outcome.status, outcome.entry) == (State.FAULT, ListStatus.PROGRAM, 1)
    assert outcome.runs[0].state is State.FAULT




@pytest.mark.parametrize(("commands", "pair", "region"), [
    ([move(), run()], (1, 0), "X"),
    ([move(), move(core=X + 4 * WHOLE), run(moves=0), run(moves=2)], (2, 0), "X"),
    ([run(), move()], (1, 0), "X"),
    ([run(), run(), move(runs=1)], (2, 1), "X"),
    ([run(), move(core=Z)], (1, 0), "X"),
    ([run(), move(Opcode.FILL, core=Z + WHOLE - 2, row_bytes=2)], (1, 0), "X"),
    ([run(), move(Opcode.STORE, core=Z)], (1, 0), "X"),
    ([run(), move(core=Y, row_bytes=2)], (1, 0), "Y"),
    ([run(), move(core=PROGRAM + 124, row_bytes=4)], (1, 0), "PROGRAM")])
def test_a_hazard_is_refused(commands, pair, region):
    with pytest.raises(HazardError, match=f"^Command {pair[0]}, a .* of {region}$") as caught:
        run_list(machine_of(), image_of(commands))

    assert (caught.value.entry, caught.value.other) == pair
    assert isinstance(caught.value, ProgramError)


@pytest.mark.parametrize("commands", [
    [move(), run(moves=1), move(runs=1)],
    [move(), move(core=X + 4 * WHOLE), run(moves=2), run()],
    [run(), move(runs=1, core=X + 4 * WHOLE), move()],
    [run(), move(Opcode.STORE), move(core=Z + WHOLE), move(core=Y + 2 * WAYS * LANES)],
    [run(), move(core=PROGRAM + 128, row_bytes=128), move(core=TABLES)]])
def test_ordered_commands_and_other_words_are_no_hazard(commands):
    outcome = run_list(machine_of(), image_of(commands))

    assert (outcome.status, outcome.entry) == (ListStatus.OK, len(commands))


def test_a_table_in_use_may_not_change():
    looks = replace(DOUBLE, table=Table.SIGM)
    for core, region in ((TABLES + 2 * PLACES[Table.SIGM].first, "TABLES"),
                         (PLACES_AT + 4 * Table.SIGM.value, "PLACES")):
        with pytest.raises(HazardError, match=f" of {region}$"):
            run_list(machine_of(looks), image_of([run(), move(core=core, row_bytes=4)]))


def test_a_store_into_the_commands_is_refused():
    commands = [move(Opcode.STORE, offset=60, row_bytes=8), move(), run(moves=2)]
    with pytest.raises(HazardError, match=r"^Command 0, a STORE, writes command 1, which "):
        run_list(machine_of(), image_of(commands))


LOAD = move().encode()


@pytest.mark.parametrize(("commands", "status", "entry"), [
    ([move(), [7, *LOAD[1:]]], ListStatus.ILLEGAL, 1),
    ([move(), move(moves=2)], ListStatus.ILLEGAL, 1), ([run(runs=1)], ListStatus.ILLEGAL, 0),
    ([move(), run(moves=2)], ListStatus.ILLEGAL, 1), ([[0, 1, *LOAD[2:]]], ListStatus.ILLEGAL, 0),
    ([run(first=CONFIG.passes)], ListStatus.OUTSIDE, 0),
    ([move(offset=SIZE - WHOLE + 1)], ListStatus.OUTSIDE, 0),
    ([move(offset=100, rows=2, stride=-101)], ListStatus.OUTSIDE, 0),
    ([move(rows=65535, stride=1 << 30)], ListStatus.OUTSIDE, 0),
    ([move(rows=65535, core_stride=1 << 20)], ListStatus.OUTSIDE, 0),
    ([move(core=X + CONFIG.x_bytes - WHOLE + 2)], ListStatus.OUTSIDE, 0),
    ([move(core=X, core_stride=-2, rows=2)], ListStatus.OUTSIDE, 0),
    ([move(core=0)], ListStatus.OUTSIDE, 0), ([move(core=1 << 30)], ListStatus.OUTSIDE, 0),
    ([move(core=0x20000)], ListStatus.OUTSIDE, 0),
    ([move(Opcode.STORE, core=Y)], ListStatus.OUTSIDE, 0)])
def test_faults_name_their_command(commands, status, entry):
    assert states_of(commands) == (State.FAULT, status, entry)


def test_lists_that_do_not_end(monkeypatch):
    assert COMMANDS_MAX == 65535
    monkeypatch.setattr("xymac.golden.machine.commands.COMMANDS_MAX", 100)
    fills = [move(Opcode.FILL, row_bytes=2)] * 99
    assert states_of(fills) == (State.DONE, ListStatus.OK, 99)
    assert states_of([*fills, fills[0]]) == (State.FAULT, ListStatus.ENDLESS, 100)

    assert states_of([run()], first=SIZE - 32, end=False) == (State.FAULT, ListStatus.OUTSIDE, 1)


def test_a_list_in_the_middle_of_an_image():
    assert states_of([run(), move(Opcode.STORE, runs=1)], first=160) == (
        State.DONE, ListStatus.OK, 2)
    with pytest.raises(ValueError, match="must start at a multiple of 32, not at 4"):
        run_list(machine_of(), image_of([]), 4)


def test_a_core_without_a_dma_runs_no_list():
    with pytest.raises(ValueError, match=r"^The core has no DMA, so it runs no command list$"):
        run_list(Machine(TINY), image_of([]))
