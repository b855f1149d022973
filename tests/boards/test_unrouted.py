# SPDX-License-Identifier: Apache-2.0
"""Cells of cores in FPGAs that are not placed or routed."""

import json
import re

import pytest

from xymac.boards.alone import plain_source
from xymac.boards.tools.resources import hard_cells
from xymac.boards.tools.unrouted import UNROUTED, count_unrouted
from xymac.hdl.config import TINY
from xymac.host.cli.main import main


def stub(cells):
    """A stand-in of yosys, which writes the number of cells that it is told."""
    def run(folder, words, watch=None):
        [report] = re.findall(r"tee -q -o (\S+) stat -json", words[-1])
        (folder / report).write_text(json.dumps({"design": {"num_cells_by_type": cells}}))
    return run


@pytest.mark.parametrize(("family", "cells", "wanted"), [
    ("xilinx7", {"LUT2": 1, "LUT6": 2, "INV": 3, "RAM32M": 5, "SRL16E": 1, "FDRE": 7, "FDSE": 1,
                 "CARRY4": 9, "MUXF7": 9, "DSP48E1": 4, "RAMB18E1": 3, "RAMB36E1": 2, "BUFG": 1},
     {"LUT": 27, "FF": 8, "DSP48E1": 4, "RAMB18E1": 7}),
    ("gowin", {"LUT1": 1, "LUT4": 2, "ALU": 3, "MUX2_LUT5": 9, "RAM16SDP4": 2, "DFFRE": 4, "DFF": 1,
               "MULT18X18": 5, "MULT9X9": 1, "SDPX9B": 2, "SDPB": 3, "DPB": 1, "DPX9B": 1},
     {"LUT4": 14, "FF": 5, "MULT18X18": 5, "MULT9X9": 1, "MULT36X36": 0, "block RAM": 7})])
def test_cells_are_counted_by_resource(family, cells, wanted, tmp_path, monkeypatch):
    monkeypatch.setattr("xymac.boards.tools.unrouted.run_tool", stub(cells))

    assert count_unrouted("module", "top", UNROUTED[family], cache=tmp_path) == wanted


def test_what_needs_a_route_is_refused(capsys):
    assert main(["fit", "--size", "tiny", "--device", "gowin", "--seeds", "3"]) == 2
    assert capsys.readouterr().err == (
        "xymac fit: --seeds is for an ECP5 or a board, not for gowin, which is not placed or "
        "routed\n")


@pytest.mark.long
@pytest.mark.parametrize(("family", "multiplier", "memory"), [
    ("xilinx7", "DSP48E1", "RAMB18E1"), ("gowin", "MULT18X18", "block RAM")])
def test_multipliers_and_memories_are_those_of_the_device(family, multiplier, memory):
    """The products of the lanes and the memories of cells are no logic."""
    used = count_unrouted(plain_source(TINY), "xymac_tiny", UNROUTED[family])

    assert used[multiplier] == TINY.ways * (TINY.lanes + 5)  # five in an output stage
    assert used[memory] == hard_cells(TINY)["block RAM"]
