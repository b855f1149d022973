# SPDX-License-Identifier: Apache-2.0
"""A core whose registers and memories begin with random bits: power-up in two-state simulation."""

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
#: Initial values in Verilog from yosys: of registers, and of memories.
_REGISTER = re.compile(r"^(  reg (?!\\\$auto)[^;=]*?) = [^;]*;$", re.MULTILINE)
_MEMORY   = re.compile(r"^  initial begin\n(?:    (\S+)\[\d+\] = [^;]*;\n)+  end\n", re.MULTILINE)


def without_initial_values(text, keep=()):
    """Verilog from yosys (str) whose registers and memories have no initial values.

    The registers that yosys adds to run a block once, and memories with a name in ``keep``, keep
    theirs.
    """
    return _MEMORY.sub(lambda found: found[0] * (found[1] in keep), _REGISTER.sub(r"\1;", text))


def power_up_library(config, keep=()):
    """Library path for a CoreConfig's core that begins with random bits, also in its tables and
    its DMA's microcode; a memory's rows are alike. Memories with a name in ``keep`` keep their
    initial values. ToolError as ``compile_model``.
    """
    names   = memory_names(config)
    control = "".join(f'public_flat_rw -module "*" -var "{name}"\n' for name in names)
    width   = config.dma
    text    = without_initial_values(verilog_of((CoreDma if width else Core)(config)), keep)
    top     = _dma_top(width) if width else STREAM_TOP
    return compile_model(text + top.format(event="posedge apply"), main=_SOURCE,
                         name=f"power-up-{config.name}", top="harness", args=_RANDOM,
                         control=control, link=["-shared"],
                         flags=["-DAXI", f"-DDMA={width}"] if width else [])


def _dma_top(width):
    """``dma_top`` whose reset is that of the whole bus: the memory sees no request before it."""
    text = dma_top(width).replace(".bus_reset(1'b0)", ".bus_reset(reset)", 1)
    for channel in ("ar", "aw", "w"):
        valid = f"m_{channel}valid"
        text  = text.replace(f"({valid})", f"(core_{valid})", 1).replace(
            "  reg reset,", f"  wire core_{valid};\n  assign {valid} = core_{valid} & ~reset;\n"
            "  reg reset,", 1)
    return text


def seed_power_up(library, seed):
    """Let simulations opened from now on begin with the bits that ``seed``, an int, gives."""
    function = ctypes.CDLL(str(library)).harness_seed
    function.restype, function.argtypes = None, [ctypes.c_uint64]
    function(seed)
