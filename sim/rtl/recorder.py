# SPDX-License-Identifier: Apache-2.0
"""Waveforms from a simulated core, which ``waves.h`` writes."""

import ctypes
import json
import os
from pathlib import Path

from xymac.host.errors import InputError
from xymac.sim.build.verilator import has_header
from xymac.sim.waves.enumerations import read_enumerations
from xymac.sim.waves.plan import make_plan
from xymac.sim.waves.viewers import write_views

__all__ = ["Recorder", "check_waves", "has_fst", "name_values"]

_NAMES = "enumerations.json"  # beside a library that writes waveforms
_U64   = ctypes.c_uint64
_SELF  = ctypes.c_void_p
_TEXT  = ctypes.c_char_p
#: Result type and argument types of the functions of a library that writes waveforms.
_FUNCTIONS = {
    "declarations": (_TEXT, [_SELF]),
    "trace":        (None, [_SELF, _TEXT, _TEXT, _U64, _TEXT, _U64, _U64]),
    "label":        (None, [_SELF, _TEXT, _TEXT]),
    "waves":        (ctypes.c_int, [_SELF, ctypes.c_int]),
}
_ALL = (1 << 64) - 1  # after the last cycle of any simulation


def has_fst():
    """Whether this machine can compile the fst writer."""
    return has_header("zlib.h")


def check_waves(waves):
    """Raise InputError unless such waveforms (Waves) can be written on this machine."""
    if waves.format == "fst" and not has_fst():
        raise InputError(f"Waveforms in the format fst need the headers of zlib (Debian: apt "
                         f"install zlib1g-dev); {waves.shown or waves.path} with the suffix .vcd "
                         f"needs none and has the same names")


def name_values(text):
    """Files beside the library for a component's Verilog ``text``, for ``Recorder``."""
    return {_NAMES: json.dumps(read_enumerations(text))}


class Recorder:
    """Waveforms from one simulation.

    Parameters
    ----------
    loaded : ctypes.CDLL, a library built with ``trace``
    simulation : the pointer for its functions
    library : Path, the library
    waves : Waves

    OSError with the path if the file cannot be written, InputError if its format needs headers
    that this machine has not.
    """

    def __init__(self, loaded, simulation, library, waves):
        check_waves(waves)
        self._waves, self._loaded, self._self = waves, loaded, simulation
        values = json.loads(Path(library).with_name(_NAMES).read_text(encoding="utf-8"))
        values = {path: {int(value): name for value, name in names.items()}
                  for path, names in values.items()}
        plan, root, guide = make_plan(self._call("declarations").decode(), values, waves.depth)
        last = _ALL if waves.cycles is None else waves.first + waves.cycles
        self._call("trace", str(waves.path).encode(), waves.format.encode(), waves.period,
                   plan.encode(), waves.first, last)
        self.check()
        write_views(waves, root, guide)

    def _call(self, name, *arguments):
        function = getattr(self._loaded, f"harness_{name}")
        function.restype, function.argtypes = _FUNCTIONS[name]
        return function(self._self, *arguments)

    def label(self, kind, texts):
        """Name the passes in the programs from now on: a list with a text for each pass.

        ``kind`` is "layer" or "opcode".
        """
        lines = "\n".join("_".join(str(text).split()) or "-" for text in texts)
        self._call("label", kind.encode(), lines.encode())

    def check(self):
        """Raise OSError with the path if the waveforms could not be written."""
        self._raise(self._call("waves", 0))

    def end(self):
        """Complete the file; OSError with its path if this fails."""
        self._raise(self._call("waves", 1))

    def _raise(self, error):
        if error:
            raise OSError(error, os.strerror(error), str(self._waves.path))
