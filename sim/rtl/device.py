# SPDX-License-Identifier: Apache-2.0
"""RTL device: runs programs on the verilated core."""

from pathlib import Path

import amaranth
import numpy as np

from xymac.hdl.axi import CoreAxi
from xymac.hdl.core.core import Core
from xymac.hdl.dma import CoreDma
from xymac.hdl.isa import COUNTERS, REGISTERS, Control, ListStatus, Register, State
from xymac.host.device.device import MAX_CYCLES, DeviceError, ListResult
from xymac.host.device.registers import RegisterDevice
from xymac.host.errors import InputError

from .backdoor import Backdoor, memory_names
from .compact import CompactBackdoor, compact_library
from .exercise import exercise
from .harness import Harness, build_harness
from .recorder import check_waves

__all__ = ["WAYS_IN", "PlainDevice", "RtlDevice", "bus_library", "core_library", "core_sources",
           "dma_library", "plain_library"]

WAYS_IN = ("direct", "bus")  #: Access paths into the core; see ``RtlDevice``.

_HDL  = Path(__file__).resolve().parents[2] / "hdl"
_WORD = 4  # bytes
_STOP = 1000  # most cycles until a stopped program has ended
_BASE = 0x4000_0000  # byte address of external memory
_SLOW = 300  # a microprogram may take this multiple of the caller's cycle limit for an array


def core_library(config, *, trace=False):
    """Return the library for the core ``config``; builds it if the hardware changed."""
    def train(library):
        with RtlDevice(config, library=library) as device:
            exercise(device)

    return _build(config, trace=trace, train=train)


def bus_library(config, *, trace=False):
    """Return the library for the core ``config`` behind its AXI4-Lite port."""
    def train(library):
        with RtlDevice(config, via="bus", library=library) as device:
            exercise(device)

    memories = memory_names(config) if config.capabilities.parallel else ()
    return build_harness(lambda: CoreAxi(config), memories, name=f"bus-{config.name}",
                         sources=core_sources(config), trace=trace, train=train, axi=True)


def dma_library(config, *, trace=False):
    """Return the library for the core ``config`` with a DMA: an AXI4-Lite port, and external
    memory at an AXI4 port.
    """
    return build_harness(lambda: CoreDma(config), memory_names(config), name=f"dma-{config.name}",
                         sources=core_sources(config), trace=trace, axi=True, dma=config.dma)


def plain_library(config):
    """Return the same core compiled without profile and input registers, to compare speeds."""
    return _build(config, optimise="-O2", direct=True)


def _build(config, **options):
    return build_harness(lambda: Core(config), memory_names(config), name=f"core-{config.name}",
                         sources=core_sources(config), **options)


def core_sources(config):
    """Files and strings that determine the hardware of a size."""
    return [*sorted(_HDL.rglob("*.py")), repr(config), amaranth.__version__]


class RtlDevice(RegisterDevice):
    """A core in Verilator; the size decides between array and compact core.

    Parameters
    ----------
    config : CoreConfig
    waves : Waves or None, waveforms to write: slow
    backdoor : bool or None, access memories without simulation, else by requests to the core;
        None: without for "direct" alone
    library : Path or None, another core library, from ``compile_harness``
    via : str, in ``WAYS_IN``: "bus" simulates an AXI4-Lite transfer for every word written or read
    pauses : int, percent of cycles in which a bus channel pauses, 0 to 99

    A core with a DMA has an external memory, see ``run_list`` and ``time_memory``; its requests are
    AXI4-Lite transfers for either ``via``.

    ToolError if the simulator cannot be built; ValueError for another ``via``, or for ``pauses``
    without a bus.
    """

    def __init__(self, config, waves=None, backdoor=None, library=None, via="direct", pauses=0):
        super().__init__(config)
        if via not in WAYS_IN:
            raise ValueError(f"The way in must be {' or '.join(WAYS_IN)}, not {via!r}")
        if pauses and via != "bus":
            raise ValueError(f"Only the bus pauses, not the way in {via}")
        self._via      = via
        self._waves    = waves
        self._layers, self._program = {}, {}
        if waves is not None:
            check_waves(waves)
        library        = library or self._library(waves is not None)
        self.harness   = Harness(library, waves)
        if backdoor is None:
            backdoor = via == "direct"
        self._backdoor = self._open_backdoor() if backdoor else None
        self.harness.pause(pauses)

    def _library(self, trace):
        if self.config.dma:
            return dma_library(self.config, trace=trace)
        if self._via == "bus":
            return bus_library(self.config, trace=trace)
        if not self.config.capabilities.parallel:
            return compact_library(trace=trace)
        return core_library(self.config, trace=trace)

    def _open_backdoor(self):
        if not self.config.capabilities.parallel:
            return CompactBackdoor(self.harness)
        return Backdoor(self.harness, self.config)

    def write_cells(self, memory, start, cells):
        if self._backdoor is None:
            super().write_cells(memory, start, cells)
        else:
            self._check_cells(memory, start, len(cells))
            self._backdoor.write_cells(memory, start, np.asarray(cells))

    def read_cells(self, memory, start, count):
        if self._backdoor is None:
            return super().read_cells(memory, start, count)
        self._check_cells(memory, start, count)
        return self._backdoor.read_cells(memory, start, count)

    def load_program(self, passes, first=0):
        self._program |= dict(enumerate(passes, first))
        if self._backdoor is None:
            super().load_program(passes, first)
        else:
            self._check_passes(first, len(passes))
            self._backdoor.load_program(passes, first)

    def label(self, layers):
        self._layers = dict(layers)

    def run(self, first=0, max_cycles=MAX_CYCLES):
        self._label_passes()
        self.start(first)
        self.harness.run(max_cycles * (1 if self.config.capabilities.parallel else _SLOW))
        if not self.harness.irq:
            self.stop()
            self.harness.run(_STOP)
            if not self.harness.irq:
                self.harness.reset()
                raise DeviceError(f"The program did not end within {max_cycles} cycles, nor when "
                                  f"it was stopped")
            self.finish(first)
            raise DeviceError(f"The program did not end within {max_cycles} cycles")
        result = self.finish(first)
        self._layers = {number - len(result.trace): name for number, name in self._layers.items()}
        return result

    def _label_passes(self):
        """Name the passes in the waveforms."""
        count = self.config.passes
        self.harness.label("layer", [self._layers.get(number, "-") for number in range(count)])
        self.harness.label("opcode", [
            self._program[number].accumulate.op.name if number in self._program else "-"
            for number in range(count)])

    def finish(self, first=0):
        result = super().finish(first)
        if self.harness.irq:
            raise DeviceError("The core still raises its interrupt after a clear")
        self.harness.check_waves()
        return result

    def __exit__(self, kind, *error):
        cycles = self.harness.cycles
        self.close()
        if kind is None and self._waves is not None and self._waves.first >= cycles:
            raise InputError(f"The simulation ended after {cycles} cycles, so there are no "
                             f"waveforms from cycle {self._waves.first} on")

    def time_memory(self, memory):
        """Give the external memory the timing in an ``ExternalMemory``."""
        self.harness.time_memory(**vars(memory))

    def run_list(self, image, first, max_cycles=MAX_CYCLES):
        if not self.config.dma:
            return super().run_list(image, first, max_cycles)
        self.harness.connect(image, _BASE)
        for register, value in ((Register.BASE, _BASE), (Register.SIZE, image.size),
                                (Register.LIST, first), (Register.IRQ_MASK, 1),
                                (Register.CONTROL, Control.LIST.value)):
            self._write_register(register, value)
        self.harness.run(max_cycles)
        self.harness.check_memory()
        if not self.harness.irq:
            self.harness.reset()
            raise DeviceError(f"The command list did not end within {max_cycles} cycles")
        [status] = self._read_registers(Register.LIST_STATUS, 1)
        counters = self._read_registers(Register.CYCLES, len(COUNTERS))
        fields   = REGISTERS[Register.LIST_STATUS].unpack(status)
        self._write_register(Register.CONTROL, Control.CLEAR.value)
        return ListResult(State(fields["state"]), ListStatus(fields["status"]), fields["entry"],
                          dict(zip(COUNTERS, counters, strict=True)))

    def close(self):
        self.harness.close()

    def _read_trace(self, first, count):
        if self._backdoor is None:
            return super()._read_trace(first, count)
        return self._backdoor.read_trace(first, count)

    def _write_words(self, address, words, first_mask=0xF, last_mask=0xF):
        masks = np.full(len(words), 0xF, np.uint8)
        masks[0]  &= first_mask
        masks[-1] &= last_mask
        self.harness.write(address + _WORD * np.arange(len(words)), words, masks)

    def _read_words(self, address, count):
        return self.harness.read(address + _WORD * np.arange(count))


class PlainDevice(RtlDevice):
    """A core in Verilator without the speed optimisations, to compare speeds.

    Parameters
    ----------
    config : CoreConfig
    """

    def _library(self, trace):
        return plain_library(self.config)

    def _read_trace(self, first, count):
        return RegisterDevice._read_trace(self, first, count)
