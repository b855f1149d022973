# SPDX-License-Identifier: Apache-2.0
"""Component Verilog with all mutants behind a select register.

``python -m xymac.sim.mutants.hardware.elaborate KIND SIZE FOLDER [LEFT_OUT]`` writes ``top.v`` and
``active.json``. It runs in a process of its own, because its hardware sources are rewritten.
"""

import json
import re
import sys
from pathlib import Path

from amaranth import ClockSignal, Instance
from amaranth.back import verilog
from amaranth.hdl import Fragment

from .imports import install, mutated
from .points import BITS, Points

__all__ = ["NUMBER", "REGISTER", "component_of", "convert"]

REGISTER = "mutant_select"  #: Name of the one-word memory that selects a mutant.
NUMBER   = "mutant.txt"     #: Name of the file with the number of a bench's mutant.

#: Comparisons of mutants whose result is constant.
_LINT     = "/* verilator lint_off UNSIGNED */\n"
#: A constant's process, which reads no signal: ``always @*`` would never run it.
_CONSTANT = re.compile(r"always @\*\n( +\S+ = \d+'h[0-9a-f]+;\n)")

#: The select register of the fast harness, which writes its word before a reset.
_SELECT = f"""
module mutants(clk, site, variant);
  input clk;
  output reg [{BITS - 1}:0] site, variant;
  reg [{2 * BITS - 1}:0] {REGISTER} [0:0];
  initial begin site = 0; variant = 0; {REGISTER}[0] = 0; end
  always @(posedge clk) {{site, variant}} <= {REGISTER}[0];
endmodule
"""
#: The same for a bench, whose number is in a file.
_BENCH = f"""
module mutants(site, variant);
  output reg [{BITS - 1}:0] site, variant;
  reg [{2 * BITS - 1}:0] chosen;
  integer file;
  initial begin
    file = $fopen("{NUMBER}", "r");
    if (file == 0 || $fscanf(file, "%d", chosen) != 1) $finish;
    site = chosen[{2 * BITS - 1}:{BITS}];
    variant = chosen[{BITS - 1}:0];
  end
endmodule
"""


def convert(component, points, ports, *, clocked):
    """Verilog for ``component`` (from rewritten sources) with the select register of ``points``.

    ``clocked``: the register loads from the memory ``REGISTER`` at each clock; otherwise from the
    file ``NUMBER`` as the simulation starts.
    """
    with mutated(points):
        fragment = Fragment.get(component, None)
        clock    = {"i_clk": ClockSignal()} if clocked else {}
        if points.only is None:
            fragment.add_subfragment(Fragment.get(Instance(
                "mutants", **clock, o_site=points.site, o_variant=points.variant), None),
                "mutant_register")
        text = verilog.convert(fragment, name="top", ports=ports, emit_src=False)
    text = _CONSTANT.sub(r"initial\n\1", text)
    return _LINT + text + (_SELECT if clocked else _BENCH) * (points.only is None)


def component_of(kind, size):
    """A new component, by kind (see ``library.active_of``) and size."""
    if kind == "link":
        from xymac.hdl.link.link import Link
        return Link(divisor=4)
    from xymac.hdl.config import find_size

    config = find_size(size)
    if kind == "bus":
        from xymac.hdl.axi import CoreAxi
        return CoreAxi(config)
    if kind == "dma":
        from xymac.hdl.dma import CoreDma
        return CoreDma(config)
    if kind == "compact":
        from xymac.hdl.compact.core import Compact
        return Compact()
    from xymac.hdl.core.core import Core
    return Core(config)


def main(kind, size, folder, left_out="[]"):
    """Write the Verilog and the built-mutant list into ``folder``."""
    points = Points(left_out=map(tuple, json.loads(left_out)))
    install(points)
    from xymac.hdl.elaboration import quick_elaboration
    from xymac.sim.build.compile import ports_of

    with quick_elaboration(), mutated(points):
        component = component_of(kind, size)
        text = convert(component, points, ports_of(component), clocked=True)
    (Path(folder) / "top.v").write_text(text)
    (Path(folder) / "active.json").write_text(json.dumps(sorted(points.active)))


if __name__ == "__main__":
    main(*sys.argv[1:])
