"""The RTL as a device: programs run on the verilated core."""

from pathlib import Path

import amaranth
import numpy as np

from hdl.core import Core
from hdl.isa import (
    COUNTERS,
    PASS_STRIDE,
    TRACE_STRIDE,
    Control,
    Flag,
    Memory,
    Region,
    Register,
    State,
    Status,
    pack_words,
)
from host.device import MAX_CYCLES, Device, DeviceError, RunResult, TraceRecord

from .backdoor import Backdoor, memory_names
from .harness import Harness, build_harness

__all__ = ["RtlDevice", "core_library"]

_HDL   = Path(__file__).resolve().parent.parent / "hdl"
_WORD  = 4  # bytes
_CELLS = {Memory.X: Region.X.value, Memory.Y: Region.Y.value}


def core_library(config, *, trace=False):
    """Return the library of the core of ``config``; builds it if the hardware changed."""
    sources = [*sorted(_HDL.glob("*.py")), repr(config), amaranth.__version__]
    return build_harness(lambda: Core(config), memory_names(config), name=f"core-{config.name}",
                         sources=sources, trace=trace)


class RtlDevice(Device):
    """The core in Verilator.

    Parameters
    ----------
    config : CoreConfig
    waves : Path or None, the VCD to write, every signal of every cycle: slow
    backdoor : bool, reach memories without simulating; otherwise as a host on the bus would

    ToolError if the simulator cannot be built.
    """

    def __init__(self, config, waves=None, backdoor=True):
        super().__init__(config)
        self.harness   = Harness(core_library(config, trace=waves is not None), waves)
        self._backdoor = Backdoor(self.harness, config) if backdoor else None

    def write_cells(self, memory, start, cells):
        cells = np.asarray(cells)
        self._check_cells(memory, start, len(cells))
        if self._backdoor is not None:
            self._backdoor.write_cells(memory, start, cells)
        elif len(cells):
            padded = np.zeros(start % 2 + len(cells) + (start + len(cells)) % 2, np.uint16)
            masks  = np.zeros(padded.size, np.uint8)
            padded[start % 2:start % 2 + len(cells)] = cells
            masks[start % 2:start % 2 + len(cells)]  = 3
            masks = masks[0::2] | masks[1::2] << 2
            self.harness.write(self._addresses(memory, start, masks.size),
                               padded.view(np.uint32), masks)

    def read_cells(self, memory, start, count):
        self._check_cells(memory, start, count)
        if self._backdoor is not None:
            return self._backdoor.read_cells(memory, start, count)
        words = self.harness.read(self._addresses(memory, start, (start % 2 + count + 1) // 2))
        return words.view(np.uint16)[start % 2:start % 2 + count]

    def load_program(self, passes, first=0):
        if not 0 <= first <= first + len(passes) <= self.config.passes:
            raise ValueError(f"Passes must lie between 0 and {self.config.passes - 1}, "
                             f"not {first} to {first + len(passes) - 1}")
        if self._backdoor is not None:
            self._backdoor.load_program(passes, first)
            return
        for index, pass_ in enumerate(passes, first):
            words = np.array(pack_words(pass_), np.uint64).view(np.uint32)
            start = Region.PROGRAM.value + 2 * _WORD * PASS_STRIDE * index
            self.harness.write(start + _WORD * np.arange(words.size), words)

    def run(self, first=0, max_cycles=MAX_CYCLES):
        self.start(first)
        self.harness.run(max_cycles)
        if not self.harness.irq:
            self.harness.reset()
            raise DeviceError(f"The program did not end within {max_cycles} cycles")
        return self.finish(first)

    def start(self, first=0):
        """Start the program at pass ``first`` and return at once."""
        self._write_register(Register.IRQ_MASK, 1)
        self._write_register(Register.FIRST, first)
        self._write_register(Register.CONTROL, Control.START.value)

    def finish(self, first=0):
        """Return the RunResult of a program that has ended, and clear the core."""
        status, flags, *counters = self._read_registers(
            Register.STATUS, Register.FLAGS, *(Register.CYCLES.value + _WORD * index
                                               for index in range(len(COUNTERS))))
        state, index = State(status & 0xF), status >> 16
        ran = index - first + (state is State.DONE)
        result = RunResult(state, Status(status >> 4 & 0xF), status >> 8 & 0xFF, index, Flag(flags),
                           dict(zip(COUNTERS, counters, strict=True)), self._trace(first, ran))
        self._write_register(Register.CONTROL, Control.CLEAR.value)
        if self.harness.irq:
            raise DeviceError("The core still raises its interrupt after a clear")
        return result

    def close(self):
        self.harness.close()

    def _trace(self, first, count):
        start = Region.TRACE.value + _WORD * TRACE_STRIDE * first
        words = self.harness.read(start + _WORD * np.arange(TRACE_STRIDE * count))
        return [TraceRecord(dict(zip(COUNTERS, record[:-1], strict=True)), bool(record[-1] >> 31),
                            record[-1] & 0x7FFF_FFFF)
                for record in words.reshape(count, TRACE_STRIDE).tolist()]

    def _check_cells(self, memory, start, count):
        config = self.config
        size   = (config.x_bytes if memory is Memory.X else config.y_bytes) // 2
        if not 0 <= start <= start + count <= size:
            raise ValueError(f"Cells of {memory.name} must lie between 0 and {size - 1}, "
                             f"not {start} to {start + count - 1}")

    def _addresses(self, memory, start, words):
        return _CELLS[memory] + _WORD * (start // 2 + np.arange(words))

    def _read_registers(self, *registers):
        offsets = [getattr(register, "value", register) for register in registers]
        return self.harness.read(Region.REGISTERS.value + np.array(offsets)).tolist()

    def _write_register(self, register, value):
        self.harness.write(Region.REGISTERS.value + register.value, value)
