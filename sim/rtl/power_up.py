# SPDX-License-Identifier: Apache-2.0
"""Power-up in two-state simulation: registers and memories begin with random bits."""

import ctypes
import re
from pathlib import Path

from xymac.hdl.core.core import Core
from xymac.hdl.dma import CoreDma
from xymac.sim.build.compile import compile_model, verilog_of

from .backdoor import memory_names
from .tops import STREAM_TOP, dma_top

__all__ = ["power_up_library", "seed_power_up", "without_initial_values"]

_SOURCE   = Path(__file__).with_name("power_up.cpp")
_RANDOM   = ("--x-initial", "unique", "--x-assign", "unique")
#: Initial values of registers and of memories in yosys Verilog.
_REGISTER = re.compile(r"^(  reg (?!\\\$auto)[^;=]*?) = [^;]*;$", re.MULTILINE)
_MEMORY   = re.compile(r"^  initial begin\n(?:    \S+\[\d+\] = [^;]*;\n)+  end\n", re.MULTILINE)


def without_initial_values(text):
    """Remove initial values of registers and memories from yosys Verilog; str to str.

    Registers added by yosys for run-once blocks keep their values.
    """
    return _MEMORY.sub("", _REGISTER.sub(r"\1;", text))


def power_up_library(config):
    """Compile a CoreConfig's core with random bits at power-up; returns the library path.

    Table memory is random too; all rows of a memory are equal. ToolError as ``compile_model``.
    """
    names   = memory_names(config)
    control = "".join(f'public_flat_rw -module "*" -var "{name}"\n' for name in names)
    width   = config.dma
    text    = without_initial_values(verilog_of((CoreDma if width else Core)(config)))
    top     = _dma_top(width) if width else STREAM_TOP
    return compile_model(text + top.format(event="posedge apply"), main=_SOURCE,
                         name=f"power-up-{config.name}", top="harness", args=_RANDOM,
                         control=control, link=["-shared"],
                         flags=["-DAXI", f"-DDMA={width}"] if width else [])


def _dma_top(width):
    """``dma_top`` with a common reset of core and bus: before it, memory sees no request."""
    text = dma_top(width).replace(".bus_reset(1'b0)", ".bus_reset(reset)", 1)
    for channel in ("ar", "aw", "w"):
        valid = f"m_{channel}valid"
        text  = text.replace(f"({valid})", f"(core_{valid})", 1).replace(
            "  reg reset,", f"  wire core_{valid};\n  assign {valid} = core_{valid} & ~reset;\n"
            "  reg reset,", 1)
    return text


def seed_power_up(library, seed):
    """Set the int ``seed`` of the random bits in simulations opened from now on."""
    function = ctypes.CDLL(str(library)).harness_seed
    function.restype, function.argtypes = None, [ctypes.c_uint64]
    function(seed)
