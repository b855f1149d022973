# SPDX-License-Identifier: Apache-2.0
"""A core whose registers and memories begin with random bits: power-up in two-state simulation."""

import ctypes
import re
from pathlib import Path

from xymac.hdl.core.core import Core
from xymac.sim.build.compile import compile_model, verilog_of

from .backdoor import memory_names
from .tops import STREAM_TOP

__all__ = ["power_up_library", "seed_power_up", "without_initial_values"]

_SOURCE   = Path(__file__).with_name("power_up.cpp")
_RANDOM   = ("--x-initial", "unique", "--x-assign", "unique")
#: Initial values in Verilog from yosys: of registers, and of memories.
_REGISTER = re.compile(r"^(  reg (?!\\\$auto)[^;=]*?) = [^;]*;$", re.MULTILINE)
_MEMORY   = re.compile(r"^  initial begin\n(?:    \S+\[\d+\] = [^;]*;\n)+  end\n", re.MULTILINE)


def without_initial_values(text):
    """Verilog from yosys (str) whose registers and memories have no initial values.

    The registers that yosys adds to run a block once keep theirs.
    """
    return _MEMORY.sub("", _REGISTER.sub(r"\1;", text))


def power_up_library(config):
    """Library path for a CoreConfig's core that begins with random bits, also in its tables;
    a memory's rows are alike. ToolError as ``compile_model``.
    """
    names   = memory_names(config)
    control = "".join(f'public_flat_rw -module "*" -var "{name}"\n' for name in names)
    text    = without_initial_values(verilog_of(Core(config)))
    return compile_model(text + STREAM_TOP.format(event="posedge apply"), main=_SOURCE,
                         name=f"power-up-{config.name}", top="harness", args=_RANDOM,
                         control=control, link=["-shared"])


def seed_power_up(library, seed):
    """Let simulations opened from now on begin with the bits that ``seed``, an int, gives."""
    function = ctypes.CDLL(str(library)).harness_seed
    function.restype, function.argtypes = None, [ctypes.c_uint64]
    function(seed)
