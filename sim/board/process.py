# SPDX-License-Identifier: Apache-2.0
"""Board simulation: the complete design in Verilator, its UART behind a pseudo-terminal."""

import inspect
import subprocess
from importlib import metadata
from pathlib import Path

import serial

from xymac.boards.tools.flow import tool_versions
from xymac.sim.build.cache import cached
from xymac.sim.build.compile import compile_model
from xymac.sim.rtl.harness import SimulationError

from .verilog import simulation

__all__ = ["DIRECTIONS", "FAULTS", "BoardProcess", "SteppedPort", "board_program"]

FAULTS     = ("flip", "noise", "drop", "repeat", "insert")  #: Kinds of faults.
DIRECTIONS = ("there", "back")                              #: To the board, to the host.

_SOURCE  = Path(__file__).with_name("process.cpp")
_PROJECT = Path(__file__).resolve().parents[2]
_QUIET  = ["-Wno-PINMISSING", "-Wno-UNSIGNED", "-Wno-SYNCASYNCNET"]
_ENDING = 10  # seconds


def board_program(board, size, *, netlist=False):
    """Return the simulator program of ``board`` with a ``size`` core; builds it if needed.

    ``board`` comes from an ``xymac.boards`` entry point. The Verilog is regenerated if the
    hardware, the board or its description changed. With ``netlist`` it is the synthesised design.
    """
    sources = [path for folder in ("hdl", "boards", "sim/board")
               for path in sorted((_PROJECT / folder).rglob("*.*")) if path.suffix in (".py", ".v")]
    sources += [Path(inspect.getfile(kind)) for kind in (type(board), board.platform)]
    values  = [str(value) for value in vars(board).values() if not callable(value)]
    if netlist:
        values += map(str, tool_versions().items())
    name    = f"board-{board.name}-{size}" + "-netlist" * netlist
    verilog = cached(f"{name}-verilog",
                     [*(path.read_bytes() for path in sources), *values, size,
                      metadata.version("amaranth"), metadata.version("amaranth-boards")],
                     lambda folder: (folder / "top.v").write_text(
                         simulation(board, size, netlist=netlist)))
    return compile_model((verilog / "top.v").read_text(), main=_SOURCE, name=name, args=_QUIET)


class BoardProcess:
    """A running board simulation. Close it, or use it as a context manager.

    It runs at simulation speed, regardless of the terminal's baud rate; it sleeps while the line is
    idle and no program runs.

    Parameters
    ----------
    board : see ``board_program``
    size : str, core size
    stepped : bool, whether only ``advance`` moves time forward, without a terminal
    netlist : bool, whether to simulate the design after synthesis: much slower to build

    Members
    -------
    port : str, terminal that a program opens as the serial port
    pace : float, cycles per second
    byte : int, cycles per byte on the line
    baud : int, baud rate for a program's timeouts: at most half the simulated bits per second

    ToolError if the simulator cannot be built; SimulationError if it does not run.
    """

    def __init__(self, board, size, *, stepped=False, netlist=False):
        self.byte = 10 * board.divisor
        program = board_program(board, size, netlist=netlist)
        self._process = subprocess.Popen(
            [program, str(board.divisor), *["stepped"] * stepped],
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
        """Return when the simulation has ended; it does not end by itself."""
        self._process.wait()

    def inject(self, direction, kinds=FAULTS, *, every, seed=0):
        """Inject faults into a direction with probability ``1 / every`` per byte; 0 disables them.

        The position within a byte is random. ``flip`` inverts the line for one bit time, ``noise``
        repeatedly for up to two bytes; the other kinds affect whole bytes.
        """
        mask = sum(1 << FAULTS.index(kind) for kind in kinds)
        self._command(f"faults {direction} {seed} {every} {mask}")

    def press(self, *, after=0, running=False):
        """Press the reset button after ``after`` bytes to the board, or, with ``running``, cycles
        in a running program.
        """
        self._command(f"press {'running' if running else 'bytes'} {after}")

    def pull(self, *, after=0, running=False):
        """Disconnect the cable; arguments as in ``press``."""
        self._command(f"pull {'running' if running else 'bytes'} {after}")

    def report(self):
        """Return statistics since the start, an int dict.

        ``cycles``; ``sent`` and ``received``, bytes on the line to and from the board; ``run`` and
        ``fault``, the lamps; ``there_flip`` and similar, fault counts. ``began`` is the cycle of
        the first byte to the board since the last report, ``ended`` the cycle of the last byte from
        it.
        """
        self._command("report")
        return {name: int(value) for name, value in (
            word.split("=") for word in self._line().split())}

    def send(self, data):
        """Put bytes on the line, only if ``stepped``."""
        self._command(f"send {data.hex()}")

    def advance(self, cycles):
        """Simulate until a zero byte arrives from the board, at most ``cycles``, only if
        ``stepped``.

        Returns the cycle number, and all received bytes.
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
    """A serial port to a ``stepped`` board, whose time advances only during reads.

    Timeouts last as long as their cycles take to simulate, and runs are reproducible. It has the
    port methods needed by ``xymac.host.device.link``; also pass its ``clock``.

    Parameters
    ----------
    board : BoardProcess
    rate : float, ``clock`` cycles per second
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
        """Received byte count."""
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
        """Nothing: the board stays as it is."""
