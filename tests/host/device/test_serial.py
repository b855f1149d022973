# SPDX-License-Identifier: Apache-2.0
"""A board over a serial port as a device: its core, programs, errors, and a real terminal."""

import os
import select
import threading
import tty
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import serial

from tests.support.fake.board import FakeBoard
from tests.support.fake.core import FakeCore
from tests.support.fake.port import FakePort, Line
from tests.support.rtl_device import assert_same, fill, run_machine, run_rtl
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden import run
from xymac.golden.mli1 import Conv2d, Eltwise, EltwiseOp, FullyConnected, MaxPool, Tensor
from xymac.hdl.config import CORES, TINY, find_size
from xymac.hdl.isa import COUNTERS, Access, Memory, Pass, Region, Register, State, Status
from xymac.host.device.device import DeviceError, MachineDevice
from xymac.host.device.link import LinkError
from xymac.host.device.serial import PATIENCE, SerialDevice, answer_time, find_config, open_port
from xymac.host.plan.run import run_layer

PASS = Pass(x=Access(0, 0, 63, outer=(1, 0, 0), taps=(0, 0, 1)), y=Access(0, 0, 63, taps=(0, 0, 1)),
            z=Access(100, 100, 163, outer=(4, 0, 0)), outer=(10, 1, 1), taps=(1, 1, 16), shift=9,
            last=True)


def connected(core=None, rate=0.0, config=TINY):
    """A SerialDevice on a fake port; the port and the core."""
    core = core or FakeCore(config)
    port = FakePort(FakeBoard(core), Line(rate, seed=1), Line(rate, seed=2))
    return SerialDevice(config, port, clock=port.clock), port, core


@pytest.mark.parametrize("memory", Memory)
@pytest.mark.parametrize(("start", "count"), [
    (0, 1), (1, 1), (1, 2), (3, 8), (4, 4), (5, 0), (1000, 1001), (8187, 5)])
def test_cells(memory, start, count):
    device, _, _ = connected()
    rng = random_of(start + count)
    expected, cells = (rng.integers(0, 1 << 16, size, dtype=np.uint16) for size in (8192, count))
    device.write_cells(memory, 0, expected)
    device.write_cells(memory, start, cells)
    expected[start:start + count] = cells
    np.testing.assert_array_equal(device.read_cells(memory, 0, 8192), expected)
    np.testing.assert_array_equal(device.read_cells(memory, start, count), cells)


@each_size
def test_program_equals_machine(config):
    """On every size, with everything that a pass of another kind has in its record."""
    device, _, core = connected(config=config)
    passes = [replace(PASS, last=False), replace(PASS, wait=True, shift=3, outer=(4, 2, 1))]
    served, expected = (run(*where, passes, first=first, seed=4) for run, where, first in (
        (run_rtl, (device,), 7), (run_machine, (config,), 7)))
    assert_same(served, expected, passes)
    assert core.starts == [7]
    assert served.result.counters == dict.fromkeys(COUNTERS, 7)
    assert [record.written for record in served.result.trace] == [8, 8]


def test_fault_is_reported_and_cleared():
    device, _, core = connected()
    device.load_program([replace(PASS, last=False), replace(PASS, taps=(1, 1, 65))])
    for number in range(2):
        result = device.run()
        assert (result.state, result.status, result.pass_index) == (State.FAULT, Status.X_ACCESS, 1)
        assert len(result.trace) == 1
        assert len(core.starts) == number + 1


def layers():
    rng = random_of(3)

    def tensor(*shape):
        return Tensor(rng.integers(-128, 128, shape, dtype=np.int8), 7)

    yield "conv2d", Conv2d(tensor(6, 2, 3, 3), tensor(6), 5, pad=(1, 1, 1, 1)), [tensor(2, 7, 6)]
    yield "fully_connected", FullyConnected(tensor(9, 40), tensor(9), 7), [tensor(40)]
    yield "maxpool", MaxPool((2, 2), (2, 2)), [tensor(4, 6, 6)]
    yield "eltwise", Eltwise(EltwiseOp.ADD), [tensor(3, 5, 4), tensor(3, 5, 4)]


@pytest.mark.parametrize("rate", [0.0, 0.05])
@pytest.mark.parametrize(("layer", "inputs"), [pytest.param(layer, inputs, id=name)
                                               for name, layer, inputs in layers()])
def test_layers_equal_golden(layer, inputs, rate):
    device, port, _ = connected(rate=rate)
    fill(device, 5)
    layer_run = run_layer(device, layer, *inputs)
    assert layer_run.output == run(layer, *inputs).output
    assert sum(port.there.counts.values()) >= 50 * rate


def test_a_program_that_does_not_end_is_stopped():
    device, port, _ = connected(FakeCore(busy=None))
    device.load_program([PASS])
    port.read = slow(port, port.read)
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"^The program did not end within 60 s and was "
                                              r"stopped$"):
            device.run()
    assert 2 * PATIENCE < port.now < 2 * PATIENCE + 2


def test_a_program_that_nothing_ends():
    device, port, _ = connected(FakeCore(busy=None, deaf=True))
    device.load_program([PASS])
    port.read = slow(port, port.read)
    with pytest.raises(DeviceError, match=r"^The core on fake0 still executes an earlier program"):
        device.run()
    assert PATIENCE < port.now < PATIENCE + 1
    with pytest.raises(DeviceError, match=r"^The core on fake0 still executes an earlier program"):
        device.run()
    with pytest.raises(DeviceError, match="still executes an earlier program"):
        SerialDevice(TINY, port, clock=port.clock)
    assert port.closed


def slow(port, read):
    def late(size):
        port.now += 0.01
        return read(size)

    return late


def test_more_cycles_than_asked_for():
    device, _, _ = connected()
    device.load_program([PASS])
    with pytest.raises(DeviceError, match=r"^The program did not end within 6 cycles$"):
        device.run(max_cycles=6)
    assert device.run(max_cycles=7).state is State.DONE


def test_what_an_earlier_program_left_is_cleared():
    device, port, core = connected(FakeCore(busy=0))
    device.load_program([replace(PASS, taps=(1, 1, 65))])
    device.start()
    with SerialDevice(TINY, port, clock=port.clock) as later:
        later.load_program([PASS])
        assert core.read(Region.REGISTERS.value + Register.STATUS.value) == State.IDLE.value
        assert later.run().state is State.DONE
    assert port.closed


@pytest.mark.parametrize(("register", "value", "message"), [
    (Register.IDENTITY, 0x12345678, "has identity 0x12345678, not 0x434d5958"),
    (Register.VERSION, 7, "has version 0x7, not 0x2"),
    (Register.GEOMETRY, 1 | 64 << 8, "has 1 way, 64 passes, .*, size tiny has 1 way, 32 pas"),
    (Register.DEPTH, 512 | 1024 << 16, ".* 512 X rows, 1,024 Y rows, size tiny has .* 2,048 X row"),
    (Register.DIALECTS, 1, "lacks MLI_2, XS3, which size tiny has$"),
    (Register.FUNCTIONS, 0x0B0F_00FE, "lacks RANK, POP, TABLE, which size tiny has$"),
    (Register.FUNCTIONS, 0x0F3F_0072, "lacks MAX, MIN, SHARE, which size tiny has$"),
    (Register.FEATURES, 8, "lacks held 16, written tables, which size tiny has$"),
    (Register.DIALECTS, 0x107, "has the engine MICROPROGRAM, size tiny has the engine ARRAY$"),
    (Register.DIALECTS, 0x207, "has the engine 2, which is none of 0 .ARRAY., 1 .MICROPROGRAM.$"),
], ids=["identity", "version", "geometry", "depth", "dialects", "heap", "comparison", "features",
        "compact", "engine"])
def test_another_core_is_refused(register, value, message):
    core = FakeCore()
    core.registers[register] = value
    port = FakePort(FakeBoard(core))
    with pytest.raises(ValueError, match=f"^The core on fake0 {message}"):
        SerialDevice(TINY, port, clock=port.clock)
    assert port.closed


@pytest.mark.parametrize("size", [*CORES, "w2_x1024_y3584_p16_s2",
                                  "small,heap=0,window=0", "w4_x512_y512_p8_s2_no_comparison"])
def test_the_size_of_the_core(size):
    config = find_size(size)
    port   = FakePort(FakeBoard(FakeCore(config)))
    assert find_config(port, clock=port.clock) == config
    assert port.closed


@pytest.mark.parametrize(("register", "value", "message"), [
    (Register.GEOMETRY, 3 | 64 << 8, ("has 3 ways, 64 passes, 2,048 X rows, 4,096 Y rows, which is "
                                     "no size that there is$")),
    (Register.IDENTITY, 0, "has identity 0x0, not 0x434d5958$")])
def test_a_core_of_no_size(register, value, message):
    core = FakeCore()
    core.registers[register] = value
    port = FakePort(FakeBoard(core))
    with pytest.raises(ValueError, match=f"^The core on fake0 {message}"):
        find_config(port, clock=port.clock)
    assert port.closed


def test_a_reset_while_a_layer_runs():
    device, port, _ = connected()
    device.load_program([PASS])
    port.board.reset()
    with pytest.raises(LinkError, match="was reset"):
        device.run()


def test_nobody_on_the_line():
    port = FakePort(None)
    with pytest.raises(LinkError, match=r"^The board on fake0 has not answered for 2\.\d s while "
                                        r"opening the link: is it the port of a board with a "
                                        r"design of xymac, and its baud rate, --baud\?$"):
        SerialDevice(TINY, port, clock=port.clock)
    assert port.closed


def test_answer_time():
    """Two windows of full frames on the line, and a fifth of a second."""
    assert answer_time(1_000_000) == pytest.approx(0.2 + 2 * 8 * 272 * 10 / 1e6)


@contextmanager
def terminal(core):
    """The name of a pseudo-terminal with a board behind it."""
    near, far = os.openpty()
    tty.setraw(far)
    ends  = os.pipe()
    board = FakeBoard(core)

    def serve():
        while near in select.select([near, ends[0]], [], [])[0]:
            answers = b"".join(board.receive(bytes([byte])) for byte in os.read(near, 4096))
            while answers:
                answers = answers[os.write(near, answers):]

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield os.ttyname(far)
    finally:
        os.write(ends[1], b"\0")
        thread.join()
        for end in (near, far, *ends):
            os.close(end)


@pytest.mark.parametrize("baud", [115_200, 1_000_000])
def test_layer_over_a_terminal(baud):
    """pyserial, the operating system and a thread between the device and the board."""
    _, layer, inputs = next(layers())
    with terminal(FakeCore()) as name, SerialDevice(TINY, name, baud) as device:
        fill(device, 5)
        layer_run = run_layer(device, layer, *inputs)
        with MachineDevice(TINY) as machine:
            fill(machine, 5)
            expected = run_layer(machine, layer, *inputs)
            for memory, count in ((Memory.X, 8192), (Memory.Y, 16384)):
                np.testing.assert_array_equal(device.read_cells(memory, 0, count),
                                              machine.read_cells(memory, 0, count))
        with pytest.raises(ValueError, match=f"^Serial port {name} is in use by another program$"):
            open_port(name)
    assert layer_run.output == expected.output == run(layer, *inputs).output


def test_ports_that_cannot_be_opened(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"^There is no serial port /dev/gone0: `xymac ports` li"):
        SerialDevice(TINY, "/dev/gone0")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=rf"^{tmp_path}/file is no serial port$"):
        open_port(f"{tmp_path}/file", 9600)
    with pytest.raises(ValueError, match=rf"^{tmp_path} is no serial port but a folder$"):
        open_port(f"{tmp_path}", 9600)
    with terminal(FakeCore()) as name:
        with pytest.raises(ValueError, match=rf"^Serial port {name} cannot be opened at 12345678"):
            open_port(name, 12345678901)
    with pytest.raises(ValueError, match=r"^Baud rate must be at least 1 bit a second, not 0$"):
        open_port("/dev/gone0", 0)

    def forbidden(*arguments, **options):
        raise serial.SerialException(13, "could not open port /dev/ttyS0: Permission denied")

    monkeypatch.setattr("xymac.host.device.serial.serial.Serial", forbidden)
    with pytest.raises(ValueError, match=r"^Serial port /dev/ttyS0 may not be opened by this user:"
                                         r" permission denied, which `sudo usermod -aG dialout "
                                         r"\$USER` and a new login change$"):
        open_port("/dev/ttyS0")
