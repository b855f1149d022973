# SPDX-License-Identifier: Apache-2.0
"""System on a chip around an exported core, with file lists for other tools."""

from importlib.metadata import version
from pathlib import Path

from xymac.host.files.licence import LICENCE

__all__ = ["soc_files"]

_FOLDER  = Path(__file__).parents[1] / "soc"
_DESIGN  = ("xymac_soc_memory.v", "xymac_soc_master.v", "xymac_soc.v")
_BENCH   = "xymac_soc_bench.v"
_DEFINE  = "XYMAC_CORE"  # macro in xymac_soc.v for the core's module name
#: Verilator warnings about Amaranth's Verilog, each with its reason; codes that 5.006 knows.
_WAIVERS = {
    "CASEINCOMPLETE": "a register keeps its value where no case is",
    "CMPCONST": "parameters decide some comparisons",
    "DECLFILENAME": "the file has all modules of the core",
    "UNUSEDSIGNAL": "synthesis takes away what a size does not use",
    "UNOPTFLAT": "fields of one signal depend on each other, in a tree without a loop",
    "WIDTH": "operands are extended, and sums cut, to the width of their register",
}
#: The codes of -Wall beside those that Verilator always warns of, without PROCASSINIT: a Verilator
#: that does not know it, such as 5.006, takes no option to leave it out.
_STYLE = ("BLKSEQ", "DECLFILENAME", "DEFPARAM", "EOFNEWLINE", "IMPORTSTAR", "INCABSPATH",
          "PINCONNECTEMPTY", "PINNOCONNECT", "SYNCASYNCNET", "UNDRIVEN", "UNUSEDGENVAR",
          "UNUSEDPARAM", "UNUSEDSIGNAL", "VARHIDDEN")
#: The same for slang.
_SLANG = """\
-Wextra
-Wno-case-incomplete
-Wno-width-trunc
"""

#: Core description for FuseSoC, in CAPI2.
_CORE = """\
CAPI=2:
# {licence}
name: xymac::{top}:{version}
description: A core for fixed-point neural networks, and a system on a chip that runs one

filesets:
  core:
    files: [{top}.v]
    file_type: verilogSource-2005
  waivers:
    files: [{top}.vlt]
    file_type: vlt
  soc:
    files: [{design}]
    file_type: verilogSource-2005
  bench:
    files: [{bench}]
    file_type: verilogSource-2005

targets:
  default:
    filesets: [core]
    toplevel: {top}
  lint:
    filesets: [waivers, core, soc]
    toplevel: xymac_soc
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [{style}]
    parameters: [{define}]
  sim:
    filesets: [waivers, core, soc, bench]
    toplevel: xymac_soc_bench
    flow: sim
    flow_options:
      tool: verilator
      mode: binary
    parameters: [{define}, ROM_FILE, RAM_FILE, ROM_BITS, RAM_BITS, runs, limit]

parameters:
  {define}:
    datatype: str
    paramtype: vlogdefine
    default: {top}
    description: Module of the core
  ROM_FILE:
    datatype: file
    paramtype: vlogparam
    description: Program, as xymac compile --rom writes it
  RAM_FILE:
    datatype: file
    paramtype: vlogparam
    description: What the RAM holds at first
  ROM_BITS:
    datatype: int
    paramtype: vlogparam
    description: Bits of an address of a word of the ROM
  RAM_BITS:
    datatype: int
    paramtype: vlogparam
    description: Bits of an address of a word of the RAM
  runs:
    datatype: int
    paramtype: plusarg
    description: Inferences
  limit:
    datatype: int
    paramtype: plusarg
    description: Cycles after which the bench gives up
"""


def _waivers(top):
    """Verilator control file that waives warnings in the core, by rule."""
    lines = (f'// {reason}\nlint_off -rule {rule} -file "*{top}.v"\n'
             for rule, reason in _WAIVERS.items())
    return f"// {LICENCE}\n`verilator_config\n" + "".join(lines)


def soc_files(top):
    """Files beside the core's Verilog, whose module is ``top``: ``{name: text}``."""
    sources = {name: (_FOLDER / name).read_text(encoding="utf-8") for name in (*_DESIGN, _BENCH)}
    return {
        **sources,
        "soc.f": "\n".join([f"+define+{_DEFINE}={top}", f"{top}.v", *_DESIGN, ""]),
        f"{top}.vlt": _waivers(top),
        f"{top}.slang": _SLANG,
        f"{top}.core": _CORE.format(licence=LICENCE, top=top, version=version("xymac"),
                                    style=", ".join(f"-Wwarn-{code}" for code in _STYLE),
                                    define=_DEFINE, design=", ".join(_DESIGN), bench=_BENCH)}
