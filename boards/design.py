# SPDX-License-Identifier: Apache-2.0
"""A board's design as tool input, and the estimate whether it fits the FPGA."""

from dataclasses import dataclass

from xymac.boards.clock.ecp5 import GLOBAL_RESET
from xymac.boards.tools.family import ICE40
from xymac.boards.tools.flow import Flow, Part
from xymac.boards.tools.resources import hard_cells
from xymac.boards.tools.rtlil import relaxed
from xymac.hdl.config import CORES, SIZES, find_size
from xymac.hdl.elaboration import quick_elaboration
from xymac.host.errors import InputError

from .board import Top

__all__ = ["CAPACITY", "NEEDS", "Design", "check_core", "check_device_fit", "check_fit",
           "make_design", "make_flow", "needs_of", "part_of"]

_DEVICES  = {"LFE5U-25F": "--25k", "LFE5U-45F": "--45k", "LFE5U-85F": "--85k",
             "LFE5UM5G-85F": "--um5g-85k"}
_PACKAGES = {"BG381": "CABGA381", "MG285": "CSFBGA285", "BG554": "CABGA554", "BG756": "CABGA756"}
_UP5K     = "iCE40UP5K"
_COMPACT  = tuple(name for name, config in CORES.items() if not config.capabilities.parallel)
#: Device resources, by the end of the device name. Sources: Lattice FPGA-DS-02012 and
#: FPGA-DS-02008.
CAPACITY  = {
    "25F": {"LUT4": 24_288, "MULT18X18D": 28, "block RAM": 56},
    "45F": {"LUT4": 43_848, "MULT18X18D": 72, "block RAM": 108},
    "85F": {"LUT4": 83_640, "MULT18X18D": 156, "block RAM": 208},
    _UP5K: {"logic cells": 5_280, "SB_MAC16": 8, "EBR": 30}}
#: Resources a core needs with a board's link, by size, as `xymac fit` tells. The compact core is
#: for an iCE40 alone, where the other cores do not fit.
NEEDS     = {
    "compact": {"logic cells": 5_100, "SB_MAC16": 4, "EBR": 28},
    "tiny":  {"LUT4": 10_700, "MULT18X18D": 9, "block RAM": 29, "logic cells": 15_000,
              "SB_MAC16": 12, "EBR": 110},
    "small": {"LUT4": 14_400, "MULT18X18D": 26, "block RAM": 55, "logic cells": 40_000,
              "SB_MAC16": 27, "EBR": 220},
    "base":  {"LUT4": 26_000, "MULT18X18D": 84, "block RAM": 206, "logic cells": 80_000,
              "SB_MAC16": 85, "EBR": 824}}


@dataclass(frozen=True)
class Design:
    """A design: its top module, RTLIL or Verilog, pad constraints and clock constraints.

    ``rates`` are nextpnr options for clocks that the constraints cannot express.
    """

    top:    str
    source: str
    pins:   str
    rates:  tuple = ()


def part_of(platform):
    """The Part for an amaranth-boards platform; InputError if the tools do not support it."""
    _check_device(platform.device)
    if platform.device == _UP5K:
        return Part(_UP5K, ("--up5k", "--package", platform.package.lower()), ICE40)
    return Part(platform.device, (_DEVICES[platform.device], "--package",
                                  _PACKAGES[platform.package], "--speed", platform.speed))


def _check_device(device):
    if device != _UP5K and device not in _DEVICES:
        raise InputError(f"The FPGA of a board must be one of {', '.join((*_DEVICES, _UP5K))}, "
                         f"not {device!r}")


def check_core(board, size):
    """Raise InputError if the board's design takes another core than ``size``."""
    compact = board.platform().device == _UP5K
    if compact and size not in _COMPACT:
        raise InputError(f"The board {board.name} has the core {', '.join(_COMPACT)}, not {size}")
    if not compact and size in _COMPACT:
        raise InputError(f"The board {board.name} has a core of the sizes {', '.join(SIZES)} or "
                         f"of fields, not {size}")


def check_fit(board, size):
    """Raise InputError with the counts if a ``size`` core does not fit the FPGA of ``board``."""
    device = board.platform().device
    check_device_fit(device, size, f"{device} of {board.name}")


def check_device_fit(device, size, where):
    """``check_fit`` for the FPGA ``device``, which messages call ``where``."""
    _check_device(device)
    needs, capacity = needs_of(size), CAPACITY[device.rpartition("-")[2]]
    if not capacity.keys() <= needs.keys():
        raise InputError(f"Size {size} is for the {_UP5K} alone, not for the {where}")
    lacking = [f"{needs[kind]:,} {kind} of {has:,}" for kind, has in capacity.items()
               if needs[kind] > has]
    if lacking:
        raise InputError(f"Size {size} does not fit the {where}: it needs {', '.join(lacking)}")


def needs_of(size):
    """Resources for a board's design; logic is estimated from the named size with equal MACs per
    lane.
    """
    if size in NEEDS:
        return NEEDS[size]
    config = find_size(size)
    like   = next(known for known in SIZES.values() if known.ways == config.ways)
    return NEEDS[like.name] | hard_cells(config)


@quick_elaboration()
def make_design(board, size, *, verilog=False):
    """A board's Design with a ``size`` core; its source is RTLIL, or Verilog if ``verilog``."""
    platform = board.platform()
    top    = f"xymac_{board.name}".replace("-", "_")
    plan   = platform.prepare(Top(board, find_size(size)), top, emit_src=False,
                              debug_verilog=verilog)
    source = plan.files[f"{top}.debug.v"] if verilog else relaxed(plan.files[f"{top}.il"])
    if platform.device == _UP5K:
        return Design(top, source, plan.files[f"{top}.pcf"], ("--freq", f"{board.aim:g}"))
    # nextpnr knows only the top-level name of a net.
    pins = plan.files[f"{top}.lpf"].replace('NET "clock.gated"', 'NET "clk"')
    return Design(top, source, pins)


def make_flow(board, size):
    """A board's Flow with a ``size`` core."""
    design, part = make_design(board, size), part_of(board.platform())
    if part.family is ICE40:
        return Flow(design.source, top=design.top, part=part, pins=design.pins,
                    options=design.rates)
    return Flow(design.source + GLOBAL_RESET, top=design.top, part=part, pins=design.pins,
                ways=find_size(size).ways)
