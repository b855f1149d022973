# SPDX-License-Identifier: Apache-2.0
"""The fast harness over AXI4-Lite: the same results and cycles, and what it notices."""

from contextlib import contextmanager

import numpy as np
import pytest

from tests.support.fake.slave import Rule, Slave
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import Conv2d, Permute, Tensor
from xymac.hdl.config import COMPACT, TINY
from xymac.hdl.isa import IDENTITY, Memory, Region, Register
from xymac.host.cli.main import main
from xymac.host.plan.run import run_layer
from xymac.sim.rtl.device import RtlDevice
from xymac.sim.rtl.harness import Harness, SimulationError, build_harness

PAUSES = pytest.mark.parametrize("pauses", [0, 70])


@contextmanager
def open_slave(pauses=0):
    """A harness of ``Slave``."""
    with Harness(build_harness(Slave, (), name="slave", axi=True)) as harness:
        harness.pause(pauses)
        yield harness


@pytest.fixture(scope="module")
def bus():
    """The core of size tiny behind its port."""
    with RtlDevice(TINY, via="bus") as device:
        yield device


@PAUSES
def test_words_are_written_and_read(pauses):
    rng, expected = random_of(1), np.zeros(8, np.uint32)
    with open_slave(pauses) as slave:
        slave.write(4 * np.arange(8), expected)
        for _ in range(100):
            word, value, mask = (int(rng.integers(end)) for end in (8, 1 << 32, 16))
            slave.write(4 * word, value, mask)
            keep = sum(0xFF << 8 * byte for byte in range(4) if not mask >> byte & 1)
            expected[word] = int(expected[word]) & keep | value & ~keep & 0xFFFF_FFFF
            assert slave.read(4 * np.arange(8)).tolist() == expected.tolist()


@PAUSES
def test_a_refusal_is_an_error(pauses):
    with open_slave(pauses) as slave:
        for request in (slave.write, lambda address, _: slave.read(address)):
            with pytest.raises(SimulationError, match=r"^The core refused a request to 0x108$"):
                request(np.array([Rule.REFUSES.value << 8 | 8]), 1)
        slave.write(8, 5)
        assert slave.read(np.array([8])) == 5


@pytest.mark.parametrize(("rule", "pauses", "message"), [
    (Rule.EARLY, 0, "an answer before the request was taken"),
    (Rule.BACK, 90, "an answer that was taken back"),
    (Rule.CHANGES, 90, "an answer that changed before it was taken"),
    (Rule.OTHER, 0, "an answer on the channel of the other kind")])
def test_a_broken_rule_is_an_error(rule, pauses, message):
    address = rule.value << 8
    with open_slave(pauses) as slave, pytest.raises(
            SimulationError, match=rf"^The core broke a rule of AXI4-Lite at a request to "
                                   rf"{address:#x}: {message}$"):
        slave.read(np.full(30, address))  # until an answer has to wait


def test_no_answer_is_an_error(monkeypatch):
    monkeypatch.setattr("xymac.sim.rtl.harness._LIMIT", 1000)
    with open_slave() as slave, pytest.raises(SimulationError, match=r"did not answer a request"):
        slave.read(np.array([Rule.SILENT.value << 8]))


def calls():
    rng = random_of(2)
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape, np.int8), 7)
                        for shape in [(3, 5, 6), (5, 3, 3, 3), (5,)])
    return [(Conv2d(weights, bias, 3, pad=(1, 1, 1, 1)), x), (Permute((2, 0, 1)), x)]


@PAUSES
def test_a_kernel_takes_the_same_cycles_over_the_bus(bus, device, pauses):
    bus.harness.pause(pauses)
    for one in (bus, device):  # what nobody writes is the same, too
        one.write_cells(Memory.X, 0, np.zeros(TINY.x_bytes // 2, np.uint16))
    for layer, x in calls():
        actual, direct = (run_layer(one, layer, x, c_order=True) for one in (bus, device))
        assert actual.output == golden.run(layer, x).output
        assert actual.result == direct.result
        target = actual.plan.target
        place  = target.memory, target.row * TINY.lanes, target.rows * TINY.lanes
        np.testing.assert_array_equal(bus.read_cells(*place), device.read_cells(*place))


@pytest.mark.long
def test_the_compact_core_over_the_bus():
    [(layer, x), *_] = calls()
    with RtlDevice(COMPACT, via="bus", pauses=30) as bus, RtlDevice(COMPACT) as direct:
        actual, expected = (run_layer(one, layer, x, c_order=True) for one in (bus, direct))
    assert actual.output == golden.run(layer, x).output
    assert actual.result == expected.result


def test_there_is_no_other_way_in(bus):
    """Each word of each memory takes cycles of the bus: two 16-bit words a transfer."""
    for memory in (Memory.X, Memory.Y):
        before = bus.harness.cycles
        bus.read_cells(memory, 0, 64)
        assert bus.harness.cycles - before >= 2 * 32
    assert bus.harness.read(np.array([Register.IDENTITY.value])) == IDENTITY
    with pytest.raises(SimulationError, match="refused"):
        bus.harness.read(np.array([Region.X.value + TINY.x_bytes]))


def test_pauses_take_cycles_of_the_port():
    """The more of them, the later a word comes: nothing else would show that they happen."""
    took = []
    for pauses in (0, 50, 90):
        with open_slave(pauses) as slave:
            begin = slave.cycles
            slave.read(np.zeros(200, int))
            slave.write(np.zeros(200, int), 1)
            took.append(slave.cycles - begin)
    assert took[0] == 200 * (2 + 2)  # the request, and its answer
    assert 3 * took[0] < 2 * took[1] < took[2]


@pytest.mark.parametrize(("options", "message"), [
    ({"via": "air"}, r"^The way in must be direct or bus, not 'air'$"),
    ({"pauses": 5}, r"^Only the bus pauses, not the way in direct$"),
    ({"via": "bus", "pauses": 100}, r"^Pauses must be between 0 and 99 percent, not 100$")])
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        RtlDevice(TINY, **options)


def test_words_beside_each_other(bus):
    """Odd cells, from one end of a memory to the other."""
    bus.harness.pause(30)
    rng = random_of(3)
    for memory, size in ((Memory.X, 8192), (Memory.Y, 16384)):
        for start, count in ((0, 5), (1, 4), (3, 1), (size - 3, 3)):
            cells = rng.integers(0, 1 << 16, count, dtype=np.uint16)
            bus.write_cells(memory, start, cells)
            np.testing.assert_array_equal(bus.read_cells(memory, start, count), cells)


def test_commands_go_via_the_bus(capsys):
    arguments = ["--size", "tiny", "--via", "bus", "--pauses", "20", "--backend", "rtl"]
    data = "host/examples/data/digits_"

    assert main(["check", "tests/vectors/xs3", "--limit", "3", *arguments]) == 0
    assert "3 passed, 0 failed" in capsys.readouterr().out
    assert main(["run", f"{data}cnn.npz", "--images", f"{data}images.npz", "--limit", "1",
                 *arguments]) == 0
    told = capsys.readouterr().out
    assert "backend rtl, size tiny, via bus\n" in told
    assert "RTL = golden, bit for bit: 5 of 5 layers" in told
