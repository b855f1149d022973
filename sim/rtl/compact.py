"""The compact core as a device in Verilator."""

from dataclasses import replace
from pathlib import Path

import amaranth
import numpy as np

from hdl.compact.core import Compact
from hdl.compact.memory import PROGRAM, X, Y
from hdl.config import TINY
from hdl.isa import PASS_STRIDE, Memory, Program
from host.device.registers import RegisterDevice

from .device import RtlDevice
from .harness import build_harness

__all__ = ["CompactDevice", "compact_library"]

_HALVES = ("low_half", "high_half")  # the memories that the cells lie in
_HDL    = Path(__file__).resolve().parents[2] / "hdl"


def compact_library(*, trace=False):
    """Return the library of the compact core; builds it if the hardware changed."""
    sources = [*sorted(_HDL.rglob("*.py")), amaranth.__version__]
    return build_harness(Compact, _HALVES, name="compact", sources=sources, trace=trace)


class _Backdoor:
    """Cells and program of a simulated compact core, without a cycle of simulation."""

    def __init__(self, harness):
        lower, upper = (harness.memory(name).reshape(-1) for name in _HALVES)
        self._cells   = {Memory.X: lower[X:], Memory.Y: upper[Y - len(lower):]}
        self._program = lower[PROGRAM:]

    def write_cells(self, memory, start, cells):
        self._cells[memory][start:start + len(cells)] = cells

    def read_cells(self, memory, start, count):
        return self._cells[memory][start:start + count].copy()

    def load_program(self, passes, first):
        stride = PASS_STRIDE * 4
        for index, words in enumerate(Program(passes).words, first):
            cells = np.array(words, np.uint64).view(np.uint16)
            self._program[stride * index:stride * index + len(cells)] = cells


class CompactDevice(RtlDevice):
    """The compact core in Verilator; see ``RtlDevice``.

    Parameters
    ----------
    config : CoreConfig, TINY
    waves : Path or None, the VCD to write; backdoor : bool, reach memories without simulating
    """

    #: Cycles of simulation for one that the caller allows: the caller thinks of the fast core.
    PATIENCE = 300

    def __init__(self, config=TINY, waves=None, backdoor=True):
        super().__init__(replace(config, own_tables=False), waves, backdoor)

    def _library(self, trace):
        return compact_library(trace=trace)

    def _open_backdoor(self):
        return _Backdoor(self.harness)

    def _read_trace(self, first, count):
        return RegisterDevice._read_trace(self, first, count)  # It has no memory for its trace.

    def run(self, first=0, max_cycles=1_000_000):
        return super().run(first, self.PATIENCE * max_cycles)
