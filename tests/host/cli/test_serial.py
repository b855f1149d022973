# SPDX-License-Identifier: Apache-2.0
"""The command line with a board: networks, vectors, ports."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools.list_ports_common import ListPortInfo

from tests.support.fake.board import FakeBoard
from tests.support.fake.core import FakeCore
from tests.support.fake.port import FakePort
from xymac.hdl.config import TINY
from xymac.host.cli.main import main
from xymac.host.device.serial import SerialDevice

ROOT   = Path(__file__).parents[3]
DIGITS = [str(ROOT / "host/examples/data" / name)
          for name in ("digits_cnn.npz", "digits_images.npz")]
BOARD  = ["--backend", "serial", "--port", "fake0", "--baud", "9600", "--size", "tiny"]


@pytest.fixture
def opened(monkeypatch):
    """Makes every port one with a board behind it; returns what was asked for, and the ports."""
    asked, ports = [], []

    def open_port(*arguments):
        asked.append(arguments)
        ports.append(FakePort(FakeBoard(FakeCore(TINY))))
        return ports[-1]

    monkeypatch.setattr("xymac.host.device.serial.open_port", open_port)
    return SimpleNamespace(asked=asked, ports=ports)


def test_run(capsys, opened):
    code = main(["run", DIGITS[0], "--images", DIGITS[1], "--limit", "2", *BOARD])

    out = capsys.readouterr().out
    assert code == 0
    assert "Board = golden, bit for bit: 5 of 5 layers of 2 images" in out
    assert "14 cycles in " in out
    assert "s, what went over the port included\n" in out
    assert opened.asked == [("fake0", 9600)]
    assert opened.ports[0].closed


def test_check(capsys, opened):
    code = main(["check", str(ROOT / "tests" / "vectors"), "--dialect", "mli-1", "--match",
                 "mli_krn_conv2d_*", "--limit", "2", *BOARD])

    assert code == 0
    assert capsys.readouterr().out.endswith("4 passed, 0 failed, 0 skipped\n")
    assert opened.ports[0].closed


def test_a_lost_board_ends_a_check(capsys, opened, monkeypatch):
    """Not one refusal for every case."""
    connect = SerialDevice._check_core

    def check(device):
        connect(device)
        opened.ports[0].board.reset()
        device._make_ready = lambda: None

    monkeypatch.setattr(SerialDevice, "_check_core", check)
    code = main(["check", str(ROOT / "tests" / "vectors"), "--limit", "2", *BOARD])

    out, error = capsys.readouterr()
    assert code == 2
    assert error.startswith("xymac check: The board on fake0 was reset")
    assert "failed" not in out


def test_ports(capsys, monkeypatch):
    ports = [ListPortInfo("/dev/ttyUSB10"), ListPortInfo("/dev/ttyUSB9")]
    ports[0].description, ports[0].serial_number = "Board [2]", "4711"
    monkeypatch.setattr("xymac.host.cli.ports.comports", lambda: ports)

    assert main(["ports"]) == 0

    _, first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["/dev/ttyUSB9", "n/a"]
    assert second.split() == ["/dev/ttyUSB10", "Board", "[2]", "4711"]


def test_no_ports(capsys, monkeypatch):
    monkeypatch.setattr("xymac.host.cli.ports.comports", list)
    assert main(["ports"]) == 0
    assert capsys.readouterr().out == "This computer has no serial ports\n"
