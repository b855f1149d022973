# SPDX-License-Identifier: Apache-2.0
"""Fast harness: a verilated core in a shared library, thousands of cycles a call."""

import ctypes
import functools
from pathlib import Path

import numpy as np

from xymac.hdl.request import Request, Response
from xymac.sim.build import coverage
from xymac.sim.build.compile import compile_model, verilog_of, verilog_once

from .recorder import Recorder, has_fst, name_values
from .tops import AXI_TOP, STREAM_TOP, dma_top

__all__ = ["Harness", "SimulationError", "build_harness", "compile_harness"]

_SOURCE = Path(__file__).with_name("harness.cpp")
_U64    = ctypes.c_uint64
_SELF   = ctypes.c_void_p
_ARRAY  = np.ctypeslib.ndpointer(np.uint64, flags="C_CONTIGUOUS")
#: Result type and argument types of each library function.
_FUNCTIONS = {
    "create":   (_SELF, []),
    "destroy":  (None, [_SELF]),
    "reset":    (None, [_SELF]),
    "transfer": (_U64, [_SELF, _ARRAY, _ARRAY, _U64, _U64]),
    "run":      (_U64, [_SELF, _U64]),
    "spin":     (None, [_SELF, _U64]),
    "irq":      (ctypes.c_int, [_SELF]),
    "pause":    (None, [_SELF, _U64, _U64]),
    "cycles":   (_U64, [_SELF]),
    "offence":  (ctypes.c_char_p, [_SELF]),
    "memory":   (ctypes.c_void_p, [_SELF, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint32),
                                   ctypes.POINTER(ctypes.c_uint32)]),
}
#: The same for a library with a memory port.
_MEMORY_FUNCTIONS = {
    "connect":  (None, [_SELF, ctypes.c_void_p, _U64, _U64]),
    "time":     (None, [_SELF, _ARRAY]),
    "disturb":  (None, [_SELF, _U64, _U64, _U64, _U64]),
    "moved":    (None, [_SELF, _ARRAY]),
    "breach":   (ctypes.c_char_p, [_SELF]),
    "owes":     (ctypes.c_int, [_SELF]),
}
_CELLS = {bits: bits // 16 for bits in (16, 32, 64, 128, 256)}  # 16-bit words by memory width
_LIMIT = 1_000_000  # most cycles of a request



class SimulationError(RuntimeError):
    """The simulated core violated its contract."""


def build_harness(component, memories, *, name, sources=None, **options):
    """Compile ``component`` with the harness; returns the library path.

    Parameters
    ----------
    component : function without arguments that makes the component. Its ports are the streams
        ``request`` and ``response`` and ``irq``, with ``axi`` an AXI4-Lite slave and ``irq``
    memories : memory names for ``Harness.memory``, each unique in the component
    name : str, prefix for the build's name
    sources : files and strings that determine the component; it is elaborated again only if they
        change. None: always elaborate
    options : ``compile_harness`` options
    """
    if coverage.coverage_folder() is not None:  # compiled once, for such a run is short
        text, own = coverage.counted_harness(component, name, sources, _SOURCE)
        return compile_harness(text, memories, name=f"{name}-counting", **options | own)

    text = (verilog_of(component()) if sources is None else
            verilog_once(component, f"{name}-verilog", sources))
    return compile_harness(text, memories, name=name, **options)


def compile_harness(text, memories=(), *, name, optimise="-O1", trace=False, train=None,
                    direct=False, axi=False, dma=None, main=_SOURCE, args=(), beside=None):
    """Compile a component's Verilog ``text`` with the harness; returns the library path.

    Parameters
    ----------
    text, memories, name : as in ``build_harness``
    optimise, train : see ``compile_model``
    trace : bool, support writing waveforms; such a library is slow and is not optimised
    direct : bool, connect the inputs without registers, to compare speeds
    axi : bool, the component is an AXI4-Lite slave; every request becomes a bus transfer
    dma : int or None, with ``axi``: data bits of an AXI4 master port, behind which lies a memory
    main, args, beside : see ``compile_model``
    """
    control = "".join(f'public_flat_rw -module "*" -var "{memory}"\n' for memory in memories)
    beside  = (beside or {}) | (name_values(text) if trace else {})
    top     = dma_top(dma) if dma else AXI_TOP if axi else STREAM_TOP
    text   += top.format(event="*" if direct else "posedge apply")
    flags   = [*(["-DAXI"] if axi else []), *([f"-DDMA={dma}"] if dma else [])]
    link    = ["-shared"]
    if trace and has_fst():
        flags, link = [*flags, "-DXYMAC_FST=1"], [*link, "-lz"]
    return compile_model(text, main=main, name=f"{name}{'-trace' * trace}", top="harness",
                         control=control, link=link, flags=flags, beside=beside, args=args,
                         optimise="-O1" if trace else optimise, trace=trace,
                         train=None if trace else train)


class Harness:
    """A simulated core after reset. Close it, or use it as a context manager.

    Parameters
    ----------
    library : Path, from ``build_harness``
    waves : Waves or None, waveforms to write; needs a library built with ``trace``

    OSError with the path if the waveforms cannot be written, InputError if their format needs
    headers that this machine has not.
    """

    def __init__(self, library, waves=None):
        loaded = ctypes.CDLL(str(library))
        self._functions = {}
        has_memory, counts = (hasattr(loaded, f"harness_{name}") for name in ("connect", "cover"))
        functions  = _FUNCTIONS | (_MEMORY_FUNCTIONS if has_memory else {})
        functions |= {"cover": (None, [_SELF, ctypes.c_char_p])} if counts else {}
        for name, (result, arguments) in functions.items():
            function = getattr(loaded, f"harness_{name}")
            function.restype, function.argtypes = result, arguments
            self._functions[name] = function
        self._described = coverage.described_by(library) if counts else None
        self._self = self._functions["create"]()
        self._recorder = None
        try:
            if waves is not None:
                self._recorder = Recorder(loaded, self._self, library, waves)
            self.reset()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _call(self, name, *arguments):
        if self._self is None:
            raise ValueError("The simulation is closed")
        return self._functions[name](self._self, *arguments)

    def close(self):
        """End the simulation, and complete the waveforms; OSError if this fails."""
        if self._self is None:
            return
        try:
            if self._recorder is not None:
                self._recorder.end()
            if self._described is not None:
                self._call("cover", str(coverage.counters_path(self._described)).encode())
        finally:
            self._call("destroy")
            self._self = None

    def label(self, kind, texts):
        """Name the passes in the programs from now on; see ``Recorder.label``."""
        if self._recorder is not None:
            self._recorder.label(kind, texts)

    def check_waves(self):
        """Raise OSError with the path if the waveforms could not be written."""
        if self._recorder is not None:
            self._recorder.check()

    def reset(self):
        """Hold reset for ``xymac.hdl.core.core.Core.RESET`` cycles; memories keep their content."""
        self._call("reset")

    def transfer(self, requests):
        """Send packed ``requests`` (uint64, layout ``Request``); returns the response data, uint32.

        SimulationError if the core refuses a request, never answers or violates its bus protocol.
        """
        responses = np.zeros_like(requests)
        done = self._call("transfer", requests, responses, len(requests), _LIMIT)
        address = _field(requests, Request, "address")
        if done < len(requests) and (offence := self._call("offence")):
            raise SimulationError(f"The core broke a rule of AXI4-Lite at a request to "
                                  f"{address[done]:#x}: {offence.decode()}")
        if done < len(requests):
            raise SimulationError(f"The core did not answer a request to {address[done]:#x} "
                                  f"within {_LIMIT} cycles")
        errors = _field(responses, Response, "error").nonzero()[0]
        if errors.size:
            raise SimulationError(f"The core refused a request to {address[errors[0]]:#x}")
        return _field(responses, Response, "data").astype(np.uint32)

    def write(self, addresses, words, masks=0xF):
        """Write 32-bit words at byte addresses, with byte strobes ``masks``; broadcasts."""
        self.transfer(_pack(1, addresses, words, masks))

    def read(self, addresses):
        """Return the 32-bit words at byte addresses, an array."""
        return self.transfer(_pack(0, addresses, 0, 0))

    def run(self, limit):
        """Clock until the interrupt, at most ``limit`` cycles; returns the cycle count."""
        return self._call("run", limit)

    def pause(self, percent, seed=1):
        """Pause each AXI4-Lite channel in ``percent`` of all further cycles.

        ValueError unless ``percent`` is 0 to 99.
        """
        if not 0 <= percent < 100:
            raise ValueError(f"Pauses must be between 0 and 99 percent, not {percent!r}")
        self._call("pause", percent, seed)

    def connect(self, memory, base=0):
        """Connect a writable uint8 array as the external memory, from byte address ``base`` on."""
        self._memory = memory  # it must live as long as the simulation
        self._call("connect", memory.ctypes.data, base, memory.size)

    def time_memory(self, *, width, latency, miss, row, refresh_every, refresh, outstanding=8):
        """Set the external memory's timing; see ``xymac.host.image.external``.

        ``outstanding`` is the most read bursts, and write bursts, that it accepts ahead.
        """
        self._call("time", np.array([width, latency, miss, row, refresh_every, refresh,
                                     outstanding], np.uint64))

    def disturb_memory(self, *, first=0, end=0, code=2, pauses=0):
        """Answer accesses to addresses ``first`` to ``end`` with the AXI response ``code``; pause
        each memory port channel in ``pauses`` percent of the cycles.
        """
        self._call("disturb", first, end, code, pauses)

    @property
    def moved(self):
        """External memory traffic: (bytes read, bytes written, cycles with data)."""
        values = np.zeros(3, np.uint64)
        self._call("moved", values)
        return tuple(values.tolist())

    @property
    def owes(self):
        """Whether external memory beats or answers are outstanding."""
        return bool(self._call("owes"))

    def check_memory(self):
        """Raise SimulationError if the core broke an AXI4 rule at its memory port."""
        if breach := self._call("breach"):
            raise SimulationError(f"The core broke a rule of AXI4: {breach.decode()}")

    def spin(self, cycles):
        """Clock in a bare loop, to compare speeds."""
        self._call("spin", cycles)

    @property
    def cycles(self):
        """Clocked cycles, without the cycles in ``spin``."""
        return self._call("cycles")

    @property
    def irq(self):
        """True while the interrupt is raised."""
        return bool(self._call("irq"))

    def memory(self, name):
        """Return a memory view, uint16, shape (rows, 16-bit words per row).

        KeyError if the library was built without this memory.
        """
        depth, bits = ctypes.c_uint32(), ctypes.c_uint32()
        start = self._call("memory", name.encode(), depth, bits)
        if start is None or bits.value not in _CELLS:
            raise KeyError(f"The simulation has no memory of 16 to 256 bits named {name!r}")
        shape = (depth.value, _CELLS[bits.value])
        cells = (ctypes.c_uint16 * (shape[0] * shape[1])).from_address(start)
        return np.frombuffer(cells, np.uint16).reshape(shape)


def _pack(write, addresses, words, masks):
    fields = {"write": write, "address": addresses, "data": words, "mask": masks}
    parts  = [np.asarray(value, np.uint64) << np.uint64(Request[field].offset)
              for field, value in fields.items()]
    return np.atleast_1d(np.ascontiguousarray(functools.reduce(np.bitwise_or, parts)))


def _field(values, layout, name):
    field = layout[name]
    return values >> np.uint64(field.offset) & np.uint64((1 << field.width) - 1)
