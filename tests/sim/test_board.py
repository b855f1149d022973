# SPDX-License-Identifier: Apache-2.0
"""A whole board in Verilator behind a pseudo-terminal: the real commands, and a line that fails."""

import logging
import re
import subprocess
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import xymac.host.device.link
from tests.support.icebreaker import assert_an_icebreaker_runs
from tests.support.line_faults import Storm, cells_of, count_faults, inject, settled
from tests.support.seed import random_of
from xymac.boards.board import find_board
from xymac.boards.ulx3s import ULX3S_25F
from xymac.golden import run
from xymac.golden.mli1 import Conv2d, FullyConnected, Tensor
from xymac.hdl.config import CORES
from xymac.hdl.isa import REGISTERS, Register
from xymac.host.cli.main import main
from xymac.host.device.device import Memory
from xymac.host.device.link import LinkError
from xymac.host.device.serial import SerialDevice, open_port
from xymac.host.network.file import save_network
from xymac.host.network.network import join_layers
from xymac.host.plan.run import run_layer
from xymac.sim.board.command import COMMAND
from xymac.sim.board.process import BoardProcess, SteppedPort, board_program
from xymac.sim.rtl.harness import SimulationError

LOG    = logging.getLogger(__name__)
ROOT   = Path(__file__).parents[2]
DATA   = ROOT / "host/examples/data"
RUN    = ["run", f"{DATA}/digits_cnn.npz", "--images", f"{DATA}/digits_images.npz", "--limit", "1"]
FAST   = replace(ULX3S_25F, baud=10_000_000)  #: Ten cycles a bit: a fifth of the cycles.
RESET  = r"^The board on /dev/pts/\d+ was reset, or another program took it, while [^\n]*$"


@pytest.fixture(scope="session")
def built(request):
    """Board and size of ``--board``, or the fast ones; built."""
    name  = request.config.getoption("--board")
    board = find_board(name) if name else FAST
    made = SimpleNamespace(board=board, size=board.size if name else "tiny", fast=name is None)
    board_program(made.board, made.size)
    return made


@pytest.fixture
def board(built):
    """A simulated board that has just got its power."""
    with BoardProcess(built.board, built.size) as process:
        process.size = built.size
        yield process


@pytest.fixture
def quick(built):
    """The same, but for a board at its own rate: thousands of frames take hours there."""
    if not built.fast:
        pytest.skip("takes hours at the rate of a real board; runs without --board")
    return built


@pytest.fixture
def fast(quick, board):
    """``board``, for what takes many bytes."""
    return board


def connected(board):
    return SerialDevice(CORES[board.size], open_port(board.port), board.baud)


def options(board):
    return ["--backend", "serial", "--port", board.port, "--baud", str(board.baud),
            "--size", board.size]


def example(rng, channels=8):
    """A convolution and its input."""
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape, np.int8), frac_bits=7)
                        for shape in [(4, 8, 8), (channels, 4, 3, 3), (channels,)])
    return Conv2d(weights, bias, out_frac_bits=3, pad=(1, 1, 1, 1)), x


@pytest.fixture
def small(tmp_path):
    """Arguments of ``run`` for a network of two layers: an eighth of the bytes of the digits."""
    rng = random_of(6)
    layer, x = example(rng, channels=4)
    dense = FullyConnected(*(Tensor(rng.integers(-128, 128, shape, np.int8), frac_bits=7)
                             for shape in [(5, 256), (5,)]), out_frac_bits=2)
    network, images = str(tmp_path / "small.npz"), str(tmp_path / "images.npz")
    save_network(network, join_layers("small", Tensor.zeros(x.shape, 8, 7), (layer, dense)))
    np.savez(images, images=x.data[None])
    return ["run", network, "--images", images]


def assert_runs(arguments, board, layers, capsys):
    assert main([*arguments, *options(board)]) == 0
    assert (f"Board = golden, bit for bit: {layers} of {layers} layers of 1 image"
            in capsys.readouterr().out)


def test_run(built, board, small, capsys):  # the digits on a board of --board
    assert_runs(small if built.fast else RUN, board, 2 if built.fast else 5, capsys)


@pytest.mark.long
def test_run_the_digits(quick, board, capsys):
    assert_runs(RUN, board, 5, capsys)


@pytest.mark.long
def test_run_on_an_icebreaker(capsys):
    """Another family, another core, pads that are active low; its size is asked of the core."""
    assert_an_icebreaker_runs(capsys)


def test_check(board, capsys):
    code = main(["check", str(ROOT / "tests" / "vectors"), "--dialect", "mli-1", "--match",
                 "mli_krn_relu_fx16*", "--limit", "1", *options(board)])

    assert code == 0
    assert re.search(r"\n[1-9] passed, 0 failed, 0 skipped\n$", capsys.readouterr().out)


def test_the_line_is_used(board):
    """Cycles from the first byte to the last of 2 KiB each way."""
    cells = cells_of(random_of(1), 1024)
    with connected(board) as device:
        for name, call in (("written", lambda: device.write_cells(Memory.Y, 0, cells)),
                           ("read", lambda: device.read_cells(Memory.Y, 0, cells.size))):
            board.report()
            contents = call()
            report   = board.report()
            share    = cells.nbytes * board.byte / (report["ended"] - report["began"])
            LOG.info("%d bytes %s: %.1f %% of the line's rate", cells.nbytes, name, 100 * share)
            assert share >= 0.8
    np.testing.assert_array_equal(contents, cells)


def test_faults(quick, request, monkeypatch):
    """What is written and read is right, or an error is told; short frames, so that some pass.

    In simulated time, in which 20,000 cycles without an answer are too many.
    """
    storm, errors = Storm(), 0
    wanted, counts = request.config.getoption("--faults"), {}
    monkeypatch.setattr(xymac.host.device.link, "WORDS_MAX", 4)
    monkeypatch.setattr(xymac.host.device.link, "WINDOW", 4)
    with BoardProcess(quick.board, quick.size, stepped=True) as board:
        port = SteppedPort(board, 100_000)

        def connect():
            return SerialDevice(CORES[quick.size], port, 1_000_000_000, clock=port.clock)

        settled(lambda device: device.write_cells(Memory.Y, 0, storm.expected), connect)
        inject(board, every=80)
        while sum(counts.values()) < wanted:
            _, told = settled(storm, connect)
            errors, counts = errors + told, count_faults(board)
        inject(board, every=0)
        contents, _ = settled(lambda device: device.read_cells(Memory.Y, 0, storm.expected.size),
                              connect)

    np.testing.assert_array_equal(contents, storm.expected)
    assert min(counts.values()) > wanted / 60 - 2
    assert errors < storm.transfers
    LOG.info("%d faults in %d transfers, all of them right; %d errors told; %s",
             sum(counts.values()), storm.transfers, errors, counts)


@pytest.mark.long
def test_programs_while_the_line_fails(fast):
    rng = random_of(3)
    inject(fast, every=600, seed=5)
    for _ in range(2):
        layer, x = example(rng)
        actual, _ = settled(lambda device, layer=layer, x=x: run_layer(device, layer, x),
                            lambda: connected(fast))
        assert actual.output == run(layer, x).output
    assert sum(count_faults(fast).values()) >= 5


def test_reset_in_a_transfer(board):
    cells = cells_of(random_of(4), 500)
    with connected(board) as device:
        board.press(after=700)
        with pytest.raises(LinkError, match=RESET):
            device.write_cells(Memory.Y, 0, cells)
    with connected(board) as device:
        device.write_cells(Memory.Y, 0, cells)
        np.testing.assert_array_equal(device.read_cells(Memory.Y, 0, cells.size), cells)


@pytest.mark.long
def test_reset_in_a_program(board):
    """Told while the host waits for the program; the core is idle and works afterwards."""
    layer, x = example(random_of(5))
    with connected(board) as device:
        board.press(after=500, running=True)
        with pytest.raises(LinkError, match=RESET):
            run_layer(device, layer, x)
    assert not board.report()["run"]
    with connected(board) as device:
        assert run_layer(device, layer, x).output == run(layer, x).output
    report = board.report()
    assert report["run"]
    assert not report["fault"]


def test_another_size(board, monkeypatch):
    other = "small" if board.size == "tiny" else "tiny"
    with pytest.raises(ValueError, match=rf"^The core on {board.port} has \d ways?, [^\n]*, size "
                                         rf"{other} has \d ways?, [^\n]*$"):
        SerialDevice(CORES[other], board.port, board.baud)
    connected(board).close()


def test_another_version(board, monkeypatch):
    layout = replace(REGISTERS[Register.VERSION], reset=0x7777)
    monkeypatch.setitem(REGISTERS, Register.VERSION, layout)
    with pytest.raises(ValueError, match=rf"^The core on {board.port} has version 0x\d+, not "
                                         rf"0x7777$"):
        connected(board)


@pytest.mark.parametrize("when", [{"after": 1500}, {"after": 100, "running": True}],
                         ids=["transfer", "program"])
def test_cable_pulled(board, small, capsys, when):
    board.pull(**when)

    code = main([*small, *options(board)])

    assert code == 2
    assert re.fullmatch(rf"xymac run: The port {board.port} failed while (reading|writing) "
                        rf"[\d,]+ words? from 0x\w+ on: [^\n]+\n", capsys.readouterr().err)


def test_two_programs_at_once(board):
    with connected(board), pytest.raises(ValueError, match=rf"^Serial port {board.port} is in use "
                                                           rf"by another program$"):
        open_port(board.port)
    connected(board).close()


def test_it_sleeps_while_nothing_happens(board):
    before = board.report()["cycles"]
    assert board.report()["cycles"] - before < 10 * board.byte


def test_the_end(board):
    board.close()
    with pytest.raises(SimulationError, match=r"^The simulated board has ended$"):
        board.report()


def parsed(*arguments):
    """Options of the command."""
    parser = ArgumentParser()
    COMMAND.add_arguments(parser)
    return parser.parse_args(arguments)


def test_command(built, monkeypatch):
    """It says what to type, and ends when interrupted."""
    def interrupted(process, timeout=None):
        if timeout is None:
            raise KeyboardInterrupt
        return wait(process, timeout)

    wait = subprocess.Popen.wait
    monkeypatch.setattr("xymac.sim.board.command.find_board", lambda name: built.board)
    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    console = Console(record=True, width=100)
    with pytest.raises(KeyboardInterrupt):
        COMMAND.execute(parsed("--board", "any", "--size", built.size), console)
    assert re.search(rf"^  xymac run host/\S+ --images host/\S+ --limit 1 --size {built.size} "
                     rf"--backend serial --port /dev/pts/\d+ --baud \d+$", console.export_text(),
                     re.MULTILINE)


def test_unknown_board():
    with pytest.raises(ValueError, match=r"^Board must be one of .*ulx3s-85f.*, not 'none'$"):
        COMMAND.execute(parsed("--board", "none"), Console())
