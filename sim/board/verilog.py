# SPDX-License-Identifier: Apache-2.0
"""Board design for a simulator: vendor cell models, and pads by function."""

from importlib.resources import files

from xymac.boards.design import make_design, make_flow, part_of
from xymac.boards.tools.family import ECP5, ICE40
from xymac.boards.tools.gates import gate_level
from xymac.host.errors import InputError

__all__ = ["simulation"]

_MODELS = {ECP5: ("ecp5_models.v", "ecp5_cells.v"), ICE40: ("ice40_models.v",)}
_TOP    = """module top(input crystal, rx, reset, output tx, run, fault);
    {name} board({ports});
{assignments}
endmodule
"""


def simulation(board, size, *, netlist=False):
    """Verilog text: a board's complete design, core ``size``, top module ``top``.

    Its ports are the used pads, all active high. The core runs at the ``crystal`` frequency. With
    ``netlist`` the design is the netlist that the bitstream has, with cell models; InputError
    unless for an iCE40.
    """
    platform = board.platform()
    family   = part_of(platform).family
    if netlist and family is not ICE40:
        raise InputError(f"A netlist can be simulated of a board with an iCE40, not of "
                         f"{board.name}: the ECP5's global reset has no model")
    design = make_flow(board, size) if netlist else make_design(board, size, verilog=True)
    inputs  = {"crystal": (platform.default_clk, 0), "rx": (*board.uart, "rx"),
               "reset": board.reset}
    outputs = {"tx": (*board.uart, "tx"), "run": board.run, "fault": board.fault}
    ports, assignments = [], []
    for name, path in (inputs | outputs).items():
        pad, invert = _port(path), "~" * _is_inverted(platform, path)
        ports.append(f".{pad}({pad})")
        assignments.append(f"    wire {pad};")
        assignments.append(f"    assign {pad} = {invert}{name};" if name in inputs else
                           f"    assign {name} = {invert}{pad};")
    top = _TOP.format(name=design.top, ports=", ".join(ports), assignments="\n".join(assignments))
    if netlist:
        return "\n".join([gate_level(design.source, design.top, family=family), top])
    cells  = files("xymac.boards") / "cells"
    models = [(cells / name).read_text() for name in _MODELS[family]]
    return "\n".join([design.source, *models, top])


def _port(path):
    """Pad name in the design, from its resource path."""
    name, number, *parts = path
    return "__".join([f"{name}_{number}", *parts, "io"])


def _is_inverted(platform, path):
    """Whether a pad is active low."""
    name, number, *parts = path
    pins = platform.lookup(name, number).ios
    for part in parts:
        pins = next(one for one in pins if one.name == part).ios
    return pins[0].invert
