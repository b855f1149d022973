# SPDX-License-Identifier: Apache-2.0
"""Synthesis, place and route for a board's LiteX system, with LiteX's pins and clocks."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from xymac.boards.design import CAPACITY, needs_of, part_of
from xymac.boards.tools.flow import Flow, find_tools, run_tool
from xymac.hdl.config import find_size
from xymac.host.errors import InputError
from xymac.host.files import write_file

from .system import export_system

__all__ = ["NEEDS", "SYSTEMS", "BoardSystem", "check_system_fit", "export_board", "find_system",
           "make_system_flow"]

_TOP    = "top"
_CLOCK  = re.compile(r'(FREQUENCY PORT "\w+" )([\d.]+)')
_SCRIPT = ("read_verilog -defer core.v; hierarchy -top {top}; proc; setattr -unset src */*; "
           "setattr -mod -unset src *; write_rtlil top.il")


@dataclass(frozen=True)
class BoardSystem:
    """A board's LiteX system.

    Parameters
    ----------
    kind : str, see ``export_system``
    device : str, FPGA as LiteX names it
    size : str, default core size
    clock : float, MHz
    aim : float, place and route target clock, MHz, at least ``clock``
    """

    kind:   str
    device: str
    size:   str
    clock:  float
    aim:    float


#: By board. The routed systems reach these clocks; base leaves too few block RAMs for a processor.
SYSTEMS = {"ulx3s-25f": BoardSystem("ulx3s", "LFE5U-25F", "tiny,y_rows=2048", 75.0, 82.0),
           "ulx3s-85f": BoardSystem("ulx3s", "LFE5U-85F", "base,y_rows=2048", 75.0, 82.0)}
#: Resources the system needs beside its core, at most.
NEEDS  = {"LUT4": 7_000, "MULT18X18D": 4, "block RAM": 24}


def find_system(board):
    """A Board's BoardSystem; InputError if it has none."""
    if board.name not in SYSTEMS:
        raise InputError(f"A system with a processor is for the boards {', '.join(SYSTEMS)}, "
                         f"not for {board.name}")
    return SYSTEMS[board.name]


def check_system_fit(board, size):
    """Raise InputError with the counts if the system with a ``size`` core does not fit."""
    system  = find_system(board)
    core    = needs_of(size)
    lacking = [f"{core[kind] + NEEDS[kind]:,} {kind} of {has:,}"
               for kind, has in CAPACITY[system.device.rpartition("-")[2]].items()
               if core.get(kind, has) + NEEDS[kind] > has]
    if lacking:
        raise InputError(f"A system with a core of size {size} does not fit the {system.device} "
                         f"of {board.name}: it needs {', '.join(lacking)}")


def export_board(board, size, folder):
    """Write a Board's System with a ``size`` core to ``folder``, an existing folder."""
    system = find_system(board)
    return export_system(system.kind, size, folder, device=system.device,
                         clock=system.clock * 1e6, baud=board.baud)


def make_system_flow(board, size):
    """The Flow for a Board's system; InputError if LiteX, a compiler or a tool is missing."""
    (yosys, _), _ = find_tools()
    with tempfile.TemporaryDirectory() as name:
        folder   = Path(name)
        exported = export_board(board, size, folder)
        gateware = folder / "gateware"
        write_file(gateware / "core.v", exported.verilog)
        run_tool(gateware, [yosys, "-q", "-p", _SCRIPT.format(top=_TOP)])
        source = (gateware / "top.il").read_text(encoding="utf-8")
        pins   = (gateware / "top.lpf").read_text(encoding="utf-8")
    pins = _aim_clocks(pins, find_system(board))
    return Flow(source, top=_TOP, part=part_of(board.platform()), pins=pins,
                ways=find_size(size).ways)


def _aim_clocks(pins, system):
    """LPF constraints with input clocks faster by ``aim`` over ``clock``: PLLs derive the rest."""
    return _CLOCK.sub(lambda found: f"{found[1]}{float(found[2]) * system.aim / system.clock:.4f}",
                      pins)
