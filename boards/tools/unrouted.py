# SPDX-License-Identifier: Apache-2.0
"""Cell counts after synthesis for other vendors' FPGAs, without place and route."""

import json
import re
from dataclasses import dataclass

from xymac.host.files import hold_lock, make_folder, write_file, write_whole

from .flow import CACHE, find_tools, folder_key, run_tool

__all__ = ["UNROUTED", "Unrouted", "count_unrouted"]


@dataclass(frozen=True, eq=False)
class Unrouted:
    """An FPGA family with yosys synthesis only.

    Parameters
    ----------
    name : str, readable family name
    synthesis : str, yosys script with the field top
    resources : dict, by resource: units per cell, by a cell type pattern
    """

    name:      str
    synthesis: str
    resources: dict


#: Families by their command line names. LUT RAM counts as LUTs.
UNROUTED = {
    "xilinx7": Unrouted(
        "Xilinx 7", "synth_xilinx -family xc7 -flatten -noiopad -top {top}", {
            "LUT": {r"LUT\d|INV|SRL16E|SRLC32E": 1, r"RAM\d+X1D": 2, r"RAM32M|RAM64M": 4},
            "FF": {r"FD[RSCP]E": 1},
            "DSP48E1": {"DSP48E1": 1},
            "RAMB18E1": {"RAMB18E1": 1, "RAMB36E1": 2}}),
    "gowin": Unrouted(
        "Gowin", "synth_gowin -noiopads -top {top}", {
            "LUT4": {r"LUT\d|ALU": 1, r"RAM16S\w*4": 4},
            "FF": {r"DFF\w*": 1},
            "MULT18X18": {"MULT18X18": 1},
            "MULT9X9": {"MULT9X9": 1},
            "MULT36X36": {"MULT36X36": 1},
            "block RAM": {r"S?DPX?\d*[A-Z]?|SPX?\d*[A-Z]?|pROMX?\d*": 1}}),
}


def count_unrouted(source, top, family, *, cache=None):
    """A design's resources after synthesis: ``{name: count}``; cached.

    Parameters
    ----------
    source : str, RTLIL
    top : str, top module name
    family : Unrouted
    cache : Path, result cache, ``CACHE`` if None

    InputError if the tools are not installed or fail.
    """
    (yosys, _), versions = find_tools()
    script = family.synthesis.format(top=top)
    folder = (cache or CACHE) / folder_key(versions[0], script, source)
    make_folder(folder)
    report = folder / "cells.json"
    with hold_lock(folder / ".lock"):
        if not report.exists():
            write_file(folder / "top.il", source)
            with write_whole(report) as partial:
                words = f"read_rtlil top.il; {script}; tee -q -o {partial.name} stat -json"
                run_tool(folder, [yosys, "-q", "-l", "synth.log", "-p", words])
    cells = json.loads(report.read_text())["design"]["num_cells_by_type"]
    return {resource: sum(units * count for pattern, units in patterns.items()
                          for cell, count in cells.items() if re.fullmatch(pattern, cell))
            for resource, patterns in family.resources.items()}
