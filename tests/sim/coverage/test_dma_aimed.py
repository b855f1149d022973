# SPDX-License-Identifier: Apache-2.0
"""Lists aimed at bits and states of the DMA that random lists reach seldom, as on the machine."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tests.support.beside_a_run import PASS
from tests.support.rtl_device import fill, sizes_of
from tests.support.seed import random_of
from xymac.hdl.config import find_size
from xymac.hdl.isa import (
    COMMAND_BYTES,
    REGISTERS,
    Command,
    Control,
    ListStatus,
    Memory,
    Opcode,
    Region,
    Register,
    State,
)
from xymac.host.device.device import MachineDevice
from xymac.host.image.external import ExternalMemory
from xymac.sim.rtl import device as module
from xymac.sim.rtl.device import RtlDevice

CONFIG = find_size("tiny,dma=32")
X, Y   = Region.X.value, Region.Y.value
FREE   = X + 8192   #: Bytes of X from here on meet no program.
BASE   = 0x4000_0000
DATA   = 0x400      #: Offset of the data in a short image.
CYCLES = 20_000_000
SHORT  = replace(PASS, outer=(1, 1, 1), taps=(1, 1, 1))
QUICK  = ExternalMemory(width=32, latency=2, miss=0, refresh_every=0)
FILL   = Command(Opcode.FILL, core=FREE, row_bytes=2, rows=1)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def device():
    with RtlDevice(CONFIG) as core:
        yield core


@pytest.fixture
def core(device):
    """A core after reset, its memory neither slow nor disturbed."""
    device.time_memory(QUICK)
    device.harness.disturb_memory()
    device.harness.reset()
    return device


def image_with(commands, size=0x4000, *, first=0, seed=1):
    """An image of noise with the commands and an END from byte ``first`` on."""
    image = np.frombuffer(random_of(seed).bytes(size), np.uint8).copy()
    words = [*(command.encode() for command in commands), Command(Opcode.END).encode()]
    text  = np.array(words, "<u4").reshape(-1).view(np.uint8)
    image[first:first + text.size] = text
    return image


def prepare(device, passes, seed=1):
    """Fill the memories, and load a program per pass at the first pass numbers."""
    fill(device, seed)
    for number, pass_ in enumerate(passes):
        device.load_program([pass_], number)


def ends(result):
    return result.state, result.status, result.entry


def assert_cells(core, machine):
    for memory in Memory:
        wanted = machine.read_cells(memory, 0, sizes_of(CONFIG)[memory])
        np.testing.assert_array_equal(core.read_cells(memory, 0, wanted.size), wanted, memory.name)


def assert_list(core, image, *, first=0, passes=(SHORT,)):
    """A list from noise ends as on the golden machine, with its memories and image."""
    golden = image.copy()
    with MachineDevice(CONFIG) as machine:
        for device in (machine, core):
            prepare(device, passes)
        expected = machine.run_list(golden, first)
        result   = core.run_list(image, first, CYCLES)
        assert ends(result) == ends(expected)
        np.testing.assert_array_equal(image, golden)
        assert_cells(core, machine)
    return result


def begin(core, image):
    """Start the list at the begin of an image that lies at ``BASE``."""
    core.harness.connect(image, BASE)
    for register, value in ((Register.BASE, BASE), (Register.SIZE, image.size), (Register.LIST, 0),
                            (Register.IRQ_MASK, 1), (Register.CONTROL, Control.LIST.value)):
        core.harness.write([register.value], [value])


def status_of(core):
    """State, status and entry of the list."""
    fields = REGISTERS[Register.LIST_STATUS].unpack(
        int(core.harness.read([Register.LIST_STATUS.value])[0]))
    return State(fields["state"]), ListStatus(fields["status"]), fields["entry"]


@pytest.mark.parametrize("base", [0, 0x5555_5540, 0xAAAA_AA80, 0x7FFF_FF40, (1 << 32) - 0x4_0000],
                         ids=hex)
def test_an_image_anywhere(core, base, monkeypatch):
    """At the edges of the external addresses, over their middle, with a list anywhere in it."""
    monkeypatch.setattr(module, "_BASE", base)
    for size, first in ((0x4_0000, 0x3_FF40), (0x2_AAA8, 0x1_5540), (0x1_5554, 0x0_AAA0)):
        moves = [Command(Opcode.LOAD, core=FREE + 2, offset=3, row_bytes=500, rows=2, stride=501,
                         core_stride=600),
                 Command(Opcode.STORE, core=X, offset=size - 0x1001, row_bytes=701, rows=1,
                         narrow=True),
                 Command(Opcode.LOAD, core=Y, offset=size - 0x300, row_bytes=0x100, rows=1)]
        assert_list(core, image_with(moves, size, first=first))


@pytest.mark.parametrize("opcode", [Opcode.LOAD, Opcode.STORE, Opcode.FILL])
def test_rows_as_long_as_a_memory(core, opcode):
    """Rows of every memory from end to end, and with odd bytes."""
    x, y  = CONFIG.x_bytes, CONFIG.y_bytes
    moves = [Command(opcode, core=X + 2, offset=DATA + 1, row_bytes=x - 2, rows=1),
             Command(opcode, core=X, offset=DATA + 2, row_bytes=x, rows=1, narrow=True),
             Command(opcode, core=X + 1, offset=DATA, row_bytes=x // 2 - 1, rows=2, narrow=True,
                     stride=x - 1, core_stride=x // 2)]
    if opcode is not Opcode.STORE:
        moves.append(Command(opcode, core=Y, offset=DATA + 3, row_bytes=y, rows=1))
    assert_list(core, image_with(moves, 0x1_0000))


@pytest.mark.parametrize("opcode", [Opcode.LOAD, Opcode.STORE])
@pytest.mark.parametrize("pauses", [0, 95])
def test_a_slow_memory(core, opcode, pauses):
    """As many bursts in flight as there may be, and the longest queues."""
    core.time_memory(replace(QUICK, latency=400))
    core.harness.disturb_memory(pauses=pauses)
    rows = Command(opcode, core=FREE, offset=DATA + 2, row_bytes=6, rows=60, stride=201,
                   core_stride=8)
    assert_list(core, image_with([rows, replace(rows, row_bytes=900, rows=3, stride=1000,
                                                core_stride=902)]))


@pytest.mark.parametrize("rows", [65535, 43690, 21845])
def test_extents_beyond_every_memory(core, rows):
    """Products of rows and strides beyond 32 bits are outside, up to the largest."""
    far = (1 << 31) - 1, -1 << 31, 1 << 30, 1 - (1 << 30)
    for stride, wide in itertools.product(far, (0, (1 << 22) - 2, -1 << 22)):
        move = Command(Opcode.LOAD, core=FREE, offset=DATA, row_bytes=2, rows=rows, stride=stride,
                       core_stride=wide)
        result = assert_list(core, image_with([FILL, move]))
        assert ends(result) == (State.FAULT, ListStatus.OUTSIDE, 1)


def test_every_pass_of_a_program_memory(core):
    passes = [replace(SHORT, shift=number % 8) for number in range(CONFIG.passes)]
    assert_list(core, image_with([Command(Opcode.RUN, offset=number)
                                  for number in reversed(range(CONFIG.passes))]), passes=passes)


def alternating(common, rare, field):
    """So many ``common`` that each bit of a count is set, and after 2**n of them two ``rare``: one
    waits for all of them, one for none.
    """
    commands = []
    for own in range(1, 2**15 + 1):
        commands.append(common)
        if own.bit_count() == 1:
            commands += [replace(rare, **{field: own}), rare]
    return [*commands, common, common]


@pytest.mark.parametrize("kind", [Opcode.FILL, Opcode.RUN], ids=lambda kind: kind.name)
def test_a_long_list(core, kind):
    """Every bit of the counts; a list of few commands has the same results."""
    run = Command(Opcode.RUN)
    commands = alternating(FILL, run, "moves") if kind is Opcode.FILL else alternating(
        run, FILL, "runs")
    image = image_with(commands, COMMAND_BYTES * (len(commands) + 1))
    before = image.copy()
    with MachineDevice(CONFIG) as machine:
        for device in (machine, core):
            prepare(device, [SHORT])
        assert machine.run_list(image_with([FILL, run]), 0).state is State.DONE
        result = core.run_list(image, 0, CYCLES)
        assert ends(result) == (State.DONE, ListStatus.OK, len(commands))
        assert result.counters["issued"] == sum(
            command.opcode is Opcode.RUN for command in commands)
        np.testing.assert_array_equal(image, before)
        assert_cells(core, machine)


def test_the_host_beside_a_list(core):
    """Host and list write program memory, tables and places at once; no write is lost."""
    moves = [Command(Opcode.LOAD, core=region.value + start, offset=DATA, row_bytes=size, rows=30)
             for _ in range(4) for region, start, size in (
                 (Region.TABLES, 4000, 32), (Region.PLACES, 32, 32), (Region.PROGRAM, 1024, 512))]
    image = image_with(moves)
    words = np.frombuffer(random_of(3).bytes(512), "<u4")
    prepare(core, [SHORT])
    begin(core, image)
    for word, value in enumerate(words.tolist()):
        core.harness.write([Region.PROGRAM.value + 2048 + 4 * word], [value])
        core.harness.write([Region.TABLES.value + 4032 + 4 * (word % 8)], [value])
        core.harness.write([Region.PLACES.value + 4], [value & 0xFF_00FF])
    assert not core.harness.irq
    core.harness.run(CYCLES)
    assert status_of(core) == (State.DONE, ListStatus.OK, len(moves))
    program = core.harness.memory("program").reshape(-1).view(np.uint8)
    np.testing.assert_array_equal(program[1024:1536], image[DATA:DATA + 512])
    np.testing.assert_array_equal(program[2048:2560], words.view(np.uint8))
    core.harness.reset()
    assert_list(core, image)


def waiting():
    """Commands that bring both kinds into every state of the sequence."""
    fill, run = replace(FILL, row_bytes=400), Command(Opcode.RUN)
    return [run, fill, replace(run, runs=1, moves=1), replace(fill, runs=2),
            Command(Opcode.STORE, 2, 2, DATA + 1, X + 1600, 200, 2, 300, 400),
            replace(run, moves=3), replace(fill, runs=3), run]


def test_a_reset_in_every_cycle_of_a_list(core):
    """The core is idle after it, and its lists are as ever."""
    for cycles in range(500):
        if cycles % 50 == 0:
            prepare(core, [SHORT])
        begin(core, image_with(waiting()))
        core.harness.run(cycles)
        core.harness.reset()
        assert status_of(core) == (State.IDLE, ListStatus.OK, 0), cycles
        if cycles % 25 == 0:
            assert_list(core, image_with(waiting()))


def test_a_stop_in_every_cycle_of_a_list(core):
    """The list ends with the oldest command that had not ended, and lists are as ever."""
    prepare(core, [SHORT])
    entries = []
    for cycles in range(500):
        begin(core, image_with(waiting()))
        core.harness.run(cycles)
        core.harness.write([Register.CONTROL.value], [Control.STOP.value])
        core.harness.run(100_000)
        state, status, entry = status_of(core)
        if status is not ListStatus.OK:
            assert (state, status) == (State.FAULT, ListStatus.STOPPED), cycles
            entries.append(entry)
        assert not core.harness.owes
        core.harness.write([Register.CONTROL.value], [Control.CLEAR.value])
        if cycles % 25 == 0:
            assert_list(core, image_with(waiting()))
            prepare(core, [SHORT])
    assert entries == sorted(entries)
    assert entries[0] == 0
    assert entries[-1] > 2
