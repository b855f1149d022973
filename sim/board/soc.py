# SPDX-License-Identifier: Apache-2.0
"""Simulate a LiteX system with VexRiscv and the core: a C program runs a network."""

import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from xymac.boards.firmware.compiler import find_compiler
from xymac.boards.firmware.flash import PROGRAM_OFFSET
from xymac.boards.firmware.program import make_program
from xymac.boards.litex.system import System, check_litex, export_system
from xymac.host.files import write_file
from xymac.sim.build.cache import cached
from xymac.sim.build.compile import compile_model
from xymac.sim.rtl.harness import SimulationError

__all__ = ["LIMIT", "SocRun", "simulate_soc", "soc_system"]

LIMIT = 2_000_000_000  #: Cycles after which a program counts as endless.

_SOURCE  = Path(__file__).with_name("soc.cpp")
_PROJECT = Path(__file__).resolve().parents[2]
_DIVISOR = 10    # cycles per bit of the UART
_LITEX   = ("litex", "migen", "litedram", "litespi", "pythondata-cpu-vexriscv", "amaranth")
_BANKS, _COLUMNS = 4, 512  # of the SDRAM
_BANK    = "top_bank{}.init"  # file of a bank that LiteX's Verilog reads
_FLASH   = "top_flash.init"
_ERASED  = b"\xff" * 8  # of a flash image's header
_FRAMES  = "frames.bin"
_SUFFIXES = (".py", ".c", ".h", ".ld")
_END     = "\4"
_ENDLESS = "-"
_QUIET   = ["-Wno-fatal"]  # LiteX and VexRiscv have many warnings


@dataclass(frozen=True)
class SocRun:
    """A program's result: whether it found no error, its text, cycles, cycles per second."""

    passed: bool
    text:   str
    cycles: int
    pace:   float


def soc_system(size, *, preloaded=True):
    """The exported System to simulate, with a ``size`` core; exports it if needed.

    ``preloaded``: main RAM has the program at power-on; otherwise the boot program takes it out of
    a flash or over the serial line.
    InputError if LiteX is not installed.
    """
    check_litex()
    sources = [path.read_bytes() for folder in ("hdl", "boards/litex", "boards/firmware")
               for path in sorted((_PROJECT / folder).rglob("*.*")) if path.suffix in _SUFFIXES]
    folder = cached(f"litex-{size}-system", [
        *sources, size, str(preloaded), *map(metadata.version, _LITEX), find_compiler().name],
        lambda folder: export_system("simulated", size, folder, divisor=_DIVISOR,
                                     preloaded=preloaded))
    return System(folder, size)


def soc_program(system):
    """A System's simulator path; builds it if needed."""
    return compile_model(system.verilog, main=_SOURCE, name=f"litex-{system.size}", args=_QUIET)


def simulate_soc(network, images, size, *, limit=LIMIT, show=lambda line: None, flash=None,
                 frames=None, late=0):
    """Run a network on images with the ``xymac.boards.firmware`` program in a simulated system.

    Parameters
    ----------
    network : Network
    images : Images
    size : str, core size
    limit : int, cycles
    show : called with every line printed by the program
    flash : function from the program's bytes to the flash's content behind the bitstream, such as
        ``flash_image``; None: an erased flash
    frames : function from the program's bytes to LiteX serial boot frames, which bring it over the
        serial line
    late : int, requests of the boot program before the first frame

    Without ``flash`` and ``frames`` main RAM has the program at power-on. Returns a SocRun.
    InputError if LiteX or a compiler is missing, or the network does not fit; SimulationError if
    the program does not end within ``limit`` cycles.
    """
    preloaded = flash is None and frames is None
    system    = soc_system(size, preloaded=preloaded)
    simulator = soc_program(system)
    with tempfile.TemporaryDirectory() as folder:
        words = make_program(network, images, system, Path(folder))
        for path in system.folder.glob("top_*.init"):
            write_file(Path(folder) / path.name, path.read_text())
        program = np.array(words, "<u4").tobytes()
        _fill_banks(words if preloaded else [0], Path(folder))
        if not preloaded:
            _fill_flash(flash(program) if flash else _ERASED, Path(folder))
        command = [simulator, str(_DIVISOR), str(limit)]
        if frames is not None:
            (Path(folder) / _FRAMES).write_bytes(frames(program))
            command += [_FRAMES, str(late)]
        with _running(command, folder) as lines:
            return _read(lines, show, limit)


def _fill_banks(words, folder):
    """Write the bank files: a row across all banks follows a row across all banks."""
    halves = np.array(words, "<u4").view("<u2")
    rows   = np.append(halves, np.zeros(-len(halves) % (_BANKS * _COLUMNS), "<u2"))
    rows   = rows.reshape(-1, _BANKS, _COLUMNS)
    for bank in range(_BANKS):
        write_file(folder / _BANK.format(bank),
                   "".join(f"{half:04x}\n" for half in rows[:, bank].ravel().tolist()))


def _fill_flash(content, folder):
    """Write the flash's file, with bytes behind the bitstream."""
    words = np.frombuffer(content + b"\xff" * (-len(content) % 4), ">u4")
    write_file(folder / _FLASH, f"@{PROGRAM_OFFSET // 4:x}\n"
               + "".join(f"{word:08x}\n" for word in words.tolist()))


@contextmanager
def _running(command, folder):
    """Output lines from a process in ``folder``, which ends with the context."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True,
                          errors="replace") as process:
        try:
            yield process.stdout
        finally:
            process.kill()


def _read(lines, show, limit):
    """SocRun from the simulator's lines; SimulationError if the program does not end."""
    text = []
    for line in lines:
        before, end, after = line.partition(_END)
        text.append(before)
        if end:
            digit, cycles, pace = after.split()
            if digit == _ENDLESS:
                raise SimulationError(f"The program of the simulated system did not end within "
                                      f"{limit:,} cycles; it printed {''.join(text)!r}")
            return SocRun(digit == "0", "".join(text), int(cycles), float(pace))
        show(before.rstrip("\n"))
    raise SimulationError("The simulated system has ended")
