# SPDX-License-Identifier: Apache-2.0
"""A board without the board: its whole design in Verilator, its UART behind a pseudo-terminal."""

import inspect
import subprocess
from importlib import metadata
from pathlib import Path

import serial

from xymac.sim.build.compile import cached, compile_model
from xymac.sim.rtl.harness import SimulationError

from .verilog import simulation

__all__ = ["DIRECTIONS", "FAULTS", "BoardProcess", "SteppedPort", "board_program"]

FAULTS     = ("flip", "noise", "drop", "repeat", "insert")  #: What can happen to a byte.
DIRECTIONS = ("there", "back")                              #: To the board, to the host.

_SOURCE  = Path(__file__).with_name("process.cpp")
_PROJECT = Path(__file__).resolve().parents[2]
_QUIET  = ["-Wno-PINMISSING", "-Wno-UNSIGNED", "-Wno-SYNCASYNCNET"]
_ENDING = 10  # seconds


def board_program(board, size):
    """Return the program that simulates ``board`` with a core of ``size``; builds it if needed.

    ``board`` is what an entry point of ``xymac.boards`` names. The Verilog is made again if the
    hardware, the board or what describes it changed.
    """
    sources = [path for folder in ("hdl", "boards", "sim/board")
               for path in sorted((_PROJECT / folder).rglob("*.*")) if path.suffix in (".py", ".v")]
    sources += [Path(inspect.getfile(kind)) for kind in (type(board), board.platform)]
    values  = [str(value) for value in vars(board).values() if not callable(value)]
    name    = f"board-{board.name}-{size}"
    verilog = cached(f"{name}-verilog",
                     [*(path.read_bytes() for path in sources), *values, size,
                      metadata.version("amaranth"), metadata.version("amaranth-boards")],
                     lambda folder: (folder / "top.v").write_text(simulation(board, size)))
    return compile_model((verilog / "top.v").read_text(), main=_SOURCE, name=name, args=_QUIET,
                         optimise="-O2")


class BoardProcess:
    """A simulated board that runs. Close it, or use it as a context manager.

    It is as fast as the simulation, whatever the baud rate of the terminal; it sleeps while nothing
    is on the line and the lamp of a running program is off.

    Parameters
    ----------
    board : see ``board_program``
    size : str, of the core
    stepped : bool, no terminal: time goes on by ``advance`` alone

    Members
    -------
    port : str, the terminal that a program opens as the serial port
    pace : float, cycles a second
    byte : int, cycles a byte of the line
    baud : int, what to tell a program as the baud rate, for timeouts that fit the pace: not more
        than half the bits a second that are simulated

    ToolError if the simulator cannot be built; SimulationError if it does not run.
    """

    def __init__(self, board, size, *, stepped=False):
        self.byte = 10 * board.divisor
        self._process = subprocess.Popen(
            [board_program(board, size), str(board.divisor), *["stepped"] * stepped],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            self.port, pace = self._line().split()
        except BaseException:
            self.close()
            raise
        self.pace = float(pace)
        reached   = self.pace / board.divisor
        self.baud = max(rate for rate in serial.Serial.BAUDRATES if rate <= max(reached / 2, 50))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """End the simulation."""
        with self._process:
            self._process.stdin.close()
            try:
                self._process.wait(_ENDING)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def wait(self):
        """Return when the simulation has ended, which it does not do by itself."""
        self._process.wait()

    def inject(self, direction, kinds=FAULTS, *, every, seed=0):
        """From now on one fault in ``every`` bytes of a direction on average, each byte's chance
        being the same; 0 ends that.

        The place in the byte is random. ``flip`` inverts the line for the time of a bit, ``noise``
        now and then for up to two bytes, and the other ones happen to whole bytes.
        """
        mask = sum(1 << FAULTS.index(kind) for kind in kinds)
        self._command(f"faults {direction} {seed} {every} {mask}")

    def press(self, *, after=0, running=False):
        """Press the button that resets, after bytes to the board, or after cycles for which the
        lamp of a running program has been on."""
        self._command(f"press {'running' if running else 'bytes'} {after}")

    def pull(self, *, after=0, running=False):
        """Pull the cable, after as much as ``press``."""
        self._command(f"pull {'running' if running else 'bytes'} {after}")

    def report(self):
        """Return what has been since the start, a dict of ints.

        ``cycles``; ``sent`` and ``received``, bytes on the line to and from the board; ``run`` and
        ``fault``, the lamps; ``there_flip`` and so on, faults; but ``began``, the cycle of the
        first byte to the board since the last report, and ``ended``, that of the last one from it.
        """
        self._command("report")
        return {name: int(value) for name, value in (
            word.split("=") for word in self._line().split())}

    def send(self, data):
        """Put bytes on the line, if ``stepped``."""
        self._command(f"send {data.hex()}")

    def advance(self, cycles):
        """Simulate until a zero byte comes from the board, at most ``cycles``, if ``stepped``.

        Returns the number of the cycle then, and all bytes that have come.
        """
        self._command(f"advance {cycles}")
        cycle, *groups = self._line().split()
        return int(cycle), bytes.fromhex("".join(groups))

    def _command(self, text):
        try:
            self._process.stdin.write(f"{text}\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # broken, or closed
            raise SimulationError("The simulated board has ended") from error

    def _line(self):
        line = self._process.stdout.readline()
        if not line:
            raise SimulationError("The simulated board has ended")
        return line


class SteppedPort:
    """A serial port to a ``stepped`` board, whose time goes on only while somebody reads.

    So its timeouts take as long as the simulation of their cycles, and everything that happens is
    the same every time. It has what ``host.device.link`` needs of a port; give that ``clock``, too.

    Parameters
    ----------
    board : BoardProcess
    rate : float, cycles in a second of ``clock``
    """

    name = "stepped board"

    def __init__(self, board, rate):
        self._board, self._rate = board, rate
        self._cycle, self._found = 0, b""
        self.timeout = 0.0

    def clock(self):
        """Simulated seconds."""
        return self._cycle / self._rate

    @property
    def in_waiting(self):
        """Bytes that have come."""
        return len(self._found)

    def write(self, data):
        """Put bytes on the line."""
        self._board.send(data)

    def read(self, count):
        """Return up to ``count`` bytes, at once or after the timeout."""
        if not self._found:
            self._cycle, self._found = self._board.advance(round(self.timeout * self._rate))
        data, self._found = self._found[:count], self._found[count:]
        return data

    def close(self):
        """Leave the board as it is."""
