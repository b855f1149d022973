# SPDX-License-Identifier: Apache-2.0
"""Command lists that end before their END, on a core whose memory pauses: golden's bytes up to the
entry.
"""

from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.rtl.test_faults import status_of, write_register
from tests.rtl.test_illegal_lists import CONFIG, CYCLES, REGIONS, draw_memory
from tests.support.illegal_lists import DATA, SIZE, draw_command
from tests.support.random_passes import without_faults
from tests.support.rtl_device import noise, sizes_of, window_bytes
from tests.support.seed import random_of
from xymac.golden.machine.machine import ProgramError
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
from xymac.sim.rtl.device import RtlDevice

BASE  = 0x4000_0000  # of the memory
STOPS = 240  #: Stops without --stimuli, an eighth of them in each list.
FAILS = 20   #: Lists with a transfer that fails, without --stimuli.


@pytest.fixture(scope="module")
def core():
    with RtlDevice(CONFIG) as device:
        yield device


@dataclass
class Case:
    """A list of commands, each behind all before it, and all that its result depends on."""

    commands: list
    program:  list
    seed:     int
    data:     np.ndarray  # of the image, uint8
    _golden:  dict = field(default_factory=dict)

    def image(self, end=None):
        """An image with the first ``end`` commands and an END."""
        words = [command.encode() for command in (*self.commands[:end], Command(Opcode.END))]
        image = np.zeros(SIZE, np.uint8)
        image[DATA:] = self.data
        image[:COMMAND_BYTES * len(words)] = np.array(words, "<u4").ravel().view(np.uint8)
        return image

    def load(self, device):
        for memory, cells in noise(CONFIG, self.seed).items():
            device.write_cells(memory, 0, cells)
        device.load_program(self.program)

    def golden(self, end=None):
        """Golden's bytes, see ``bytes_of``, and its ListResult, after the first ``end`` commands.
        """
        if end not in self._golden:
            with MachineDevice(CONFIG) as machine:
                image = self.image(end)
                self.load(machine)
                result = machine.run_list(image, 0)
                image[:_end_of(self.commands)] = self.image()[:_end_of(self.commands)]
                self._golden[end] = bytes_of(machine, image), result
        return self._golden[end]

    def assert_ended(self, core, image, end):
        """The commands before number ``end`` are done, it may be half done, no other has begun."""
        bytes_, command = bytes_of(core, image), (*self.commands, Command(Opcode.END))[end]
        wrong = {name: found != bytes_[name] for name, found in self.golden(end)[0].items()}
        mark_window(command, self.program, wrong)
        for name, marks in wrong.items():
            assert not marks.any(), (name, marks.nonzero()[0][:9], end, self.commands)


def draw_case(rng, count):
    """A Case of ``count`` transfers and runs that golden accepts to its END."""
    while True:
        commands, runs = [], 0
        for entry in range(count):
            commands.append(draw_command(rng, CONFIG, REGIONS, runs, entry - runs))
            runs += not commands[-1].is_move
        case = Case(commands, [without_faults(rng, CONFIG) for _ in range(2)]
                    + [without_faults(rng, CONFIG, last=True)], int(rng.integers(1 << 30)),
                    np.frombuffer(rng.bytes(SIZE - DATA), np.uint8))
        with suppress(ProgramError):  # a STORE into the list
            bytes_, result = case.golden()
            if result.status is ListStatus.OK and not bytes_["image"][_end_of(commands):DATA].any():
                return case


def _end_of(commands):
    """Bytes of a list of commands and an END."""
    return COMMAND_BYTES * (len(commands) + 1)


def bytes_of(device, image):
    """Bytes of the image and of each Memory, a dict."""
    return {"image": image.copy()} | {
        memory: device.read_cells(memory, 0, size).view(np.uint8)
        for memory, size in sizes_of(CONFIG).items()}


def mark_window(command, program, wrong):
    """Clear the marks of ``wrong``, with names as in ``bytes_of``, where a command may write."""
    if command.opcode is Opcode.RUN:
        for pass_ in program:
            wrong[pass_.epilogue.z_memory] &= ~window_bytes(pass_, CONFIG)
    where, first, stride = "image", command.offset, command.stride
    if command.opcode in (Opcode.LOAD, Opcode.FILL):
        region = Region.Y if command.core >= Region.Y.value else Region.X
        where, first, stride = Memory[region.name], command.core - region.value, command.core_stride
    for row in range(command.rows):
        start = first + row * stride
        wrong[where][start:start + command.row_bytes] = False


def begin(core, image):
    core.harness.connect(image, BASE)
    for register, value in ((Register.BASE, BASE), (Register.SIZE, image.size), (Register.LIST, 0),
                            (Register.IRQ_MASK, 1), (Register.CONTROL, Control.LIST.value)):
        write_register(core, register, value)


def finish(core):
    """Clock until the interrupt; returns (state, status, entry) of the list."""
    core.harness.run(CYCLES)
    core.harness.check_memory()
    assert core.harness.irq
    assert not core.harness.owes
    [word] = core.harness.read(np.array([Register.LIST_STATUS.value]))
    fields = REGISTERS[Register.LIST_STATUS].unpack(int(word))
    return State(fields["state"]), ListStatus(fields["status"]), fields["entry"]


def clear(core):
    write_register(core, Register.CONTROL, Control.CLEAR.value)


def run(core, case, act=None):
    """The list's end, and its image; ``act`` is called when it has begun."""
    case.load(core)
    image = case.image()
    begin(core, image)
    if act is not None:
        act()
    return finish(core), image


def disturb(core, rng, **errors):
    core.time_memory(draw_memory(rng))
    core.harness.disturb_memory(pauses=int(rng.choice([0, 30, 70])), **errors)


def test_stops(core, stimuli, counted):
    """In cycles all over a list: nothing outside of the windows of the commands up to the entry."""
    count, rng, ends = stimuli(STOPS), random_of(431), set()
    for _ in range(8):
        case = draw_case(rng, int(rng.integers(2, 6)))
        core.harness.reset()
        disturb(core, rng)
        start  = core.harness.cycles
        end, _ = run(core, case)
        cycles = core.harness.cycles - start
        assert end == (State.DONE, ListStatus.OK, len(case.commands))
        clear(core)
        for _ in range(-(-count // 8)):
            at = int(rng.integers(cycles + 1))

            def stop(at=at):
                core.harness.run(at)
                write_register(core, Register.CONTROL, Control.STOP.value)

            (*state, entry), image = run(core, case, stop)
            ends.add((*state, entry))
            clear(core)
            if state[0] is State.DONE:
                assert (state[1], entry) == (ListStatus.OK, len(case.commands))
            else:
                assert state == [State.FAULT, ListStatus.STOPPED]
            case.assert_ended(core, image, entry)
        _, image = run(core, case)
        clear(core)
        case.assert_ended(core, image, len(case.commands))
    core.harness.disturb_memory()
    counted("stopped command lists in RTL", count)

    assert len(ends) > 4


def test_errors(core, stimuli, counted):
    """An error at any beat of a transfer: the commands behind, programs too, never begin."""
    count, rng, failed = stimuli(FAILS), random_of(432), 0
    while failed < count:
        case = draw_case(rng, int(rng.integers(1, 5)))
        last = case.commands[-1]
        if last.opcode not in (Opcode.LOAD, Opcode.STORE):
            continue
        runs = sum(not command.is_move for command in case.commands)
        case.commands.append(Command(Opcode.RUN, runs, len(case.commands) - runs))
        beats = [touched(command) for command in case.commands]
        beat  = int(rng.choice(sorted(beats[-2])))
        entry = next(at for at, each in enumerate(beats) if beat in each)
        core.harness.reset()
        disturb(core, rng, first=BASE + beat, end=BASE + beat + 4, code=int(rng.integers(2, 4)))

        end, image = run(core, case)

        assert end == (State.FAULT, ListStatus.BUS, entry)
        case.assert_ended(core, image, entry)
        if not any(not command.is_move for command in case.commands[:entry]):
            assert status_of(core)[0] is State.IDLE
        clear(core)
        failed += 1
    core.harness.disturb_memory()
    counted("command lists with bus errors in RTL", count)


def touched(command):
    """First bytes of the image's beats that a command reads or writes, a set."""
    if command.opcode not in (Opcode.LOAD, Opcode.STORE):
        return set()
    return {(command.offset + row * command.stride + byte) // 4 * 4
            for row in range(command.rows) for byte in range(command.row_bytes)}
