# SPDX-License-Identifier: Apache-2.0
"""Cells by block: which block a cell counts for, sums of a kind, and the command."""

import json
from collections import Counter

import pytest

from tests.boards.test_flow import make_flow, tools
from xymac.boards.alone import DEVICES
from xymac.boards.attempt import Target
from xymac.boards.blocks.tree import make_rows
from xymac.boards.commands import fit
from xymac.boards.tools.count import count_cells
from xymac.boards.tools.flow import Flow
from xymac.boards.tools.report import read_report
from xymac.boards.tools.rtlil import rtlil_of
from xymac.hdl.core.reduction import Extremes
from xymac.host.cli.main import main

__all__ = ["tools"]  # a fixture

#: A parent whose signal ``a`` is an input of one block; the output of that one is read by another.
SOURCE = r"""
module \top
  wire width 1 input 0 \clk
  wire width 1 \a
end
module \top.one$3
  wire width 1 input 0 \a
  wire width 1 output 1 \o
end
module \top.two_0
  wire width 1 input 0 \o
  wire width 1 \x.field
end
module \top.two_1
end
"""
NETS = {"a": [[2], ""], "one$3.a": [[2], "one$3 a"], "one$3.o": [[3], "one$3 o"],
        "two_0.o": [[3], "two_0 o"], "two_0.x.field[1]": [[4], "two_0 x.field"],
        "two_0.o_LUT4_A_Z": [[5], ""], "one$3.o_CCU2C_COUT": [[6], ""]}
#: Type, bits read and driven. ``near`` drives no named net, its reader lies in two_0; nobody reads
#: what ``carry`` drives; ``lost`` has no nets at all.
CELLS = {"first": ("TRELLIS_COMB", [9], [2]), "second": ("TRELLIS_FF", [2], [3]),
         "near": ("TRELLIS_COMB", [3], [5]), "third": ("TRELLIS_COMB", [5], [4]),
         "carry": ("TRELLIS_COMB", [3], [6]), "two_1.held.0.0$RAMW": ("TRELLIS_COMB", [], []),
         "pad": ("TRELLIS_IO", [], [9])}
RESOURCES = {"TRELLIS_COMB": "LUT4", "TRELLIS_FF": "FF"}
COUNTS    = {"(top)": {"LUT4": 1, "FF": 0}, "one": {"LUT4": 1, "FF": 1},
             "two_0": {"LUT4": 2, "FF": 0}, "two_1": {"LUT4": 1, "FF": 0}}


def test_a_cell_counts_for_the_block_that_it_drives():
    nets   = {name: {"bits": bits, "attributes": {"hdlname": known} if known else {}}
              for name, (bits, known) in NETS.items()}
    nets["two_0.x.field[1]"]["offset"] = 1
    packed = {name if name != "two_0.x.field[1]" else f"{name}[1]": {"bits": bits}
              for name, (bits, _) in NETS.items()}
    cells  = {name: {"type": kind, "port_directions": {"A": "input", "Z": "output"},
                     "connections": {"A": reads, "Z": drives}}
              for name, (kind, reads, drives) in CELLS.items()}

    counts = count_cells({"modules": {"top": {"netnames": nets}}},
                         {"modules": {"top": {"netnames": packed, "cells": cells}}},
                         SOURCE, "top", RESOURCES)

    assert counts == COUNTS


def test_instances_of_a_kind_are_summed_with_all_inside():
    counts = {"a": {"LUT4": 1}, "a.lane_0": {"LUT4": 10}, "a.lane_1": {"LUT4": 20},
              "a.lane_0.x_0": {"LUT4": 5}, "a.lane_1.x_12": {"LUT4": 5}, "b_x.c": {"LUT4": 50}}

    rows = [(row.name, row.count, row.own["LUT4"], row.all["LUT4"], row.depth)
            for row in make_rows(counts)]

    assert rows == [("b_x", 1, 0, 50, 0), ("b_x.c", 1, 50, 50, 1), ("a", 1, 1, 41, 0),
                    ("a.lane", 2, 30, 40, 1), ("a.lane.x", 2, 10, 10, 2)]


def test_the_command_prints_draws_and_writes(tools, tmp_path, monkeypatch, capsys):
    flow = make_flow(tmp_path, SOURCE)
    monkeypatch.setattr(fit, "find_tools", lambda family: None)
    monkeypatch.setattr("xymac.boards.attempt.flow_of", lambda target: flow)
    files = [tmp_path / "blocks.json", tmp_path / "blocks.svg"]

    assert main(["fit", "--size", "small", "--device", "ecp5-25k", "--blocks",
                 "--json", str(files[0]), "--plot", str(files[1])]) == 0

    assert "small in LFE5U-25F, speed 6, out of context: cells by block" in capsys.readouterr().out
    content = json.loads(files[0].read_text())
    assert content["design"] == str(Target("small", device="ecp5-25k"))
    assert [row["block"] for row in content["blocks"]] == [*content["instances"]]
    assert "LUT4" in files[1].read_text()


@pytest.mark.parametrize(("options", "message"), [
    (["--blocks", "--paths"], "--paths is for designs that are routed, and --blocks routes none"),
    (["--blocks", "--board", "a", "--board", "b"], "--blocks is for one design, not for 2 boards"),
    (["--plot", "a.svg"], "--plot draws blocks, so it needs --blocks")])
def test_options_that_do_not_go_together(options, message, capsys):
    assert main(["fit", *options]) == 2
    assert capsys.readouterr().err == f"xymac fit: {message}\n"


@pytest.mark.long
def test_all_cells_of_a_design_and_its_slowest_path(tmp_path):
    """With the tools: the sum is what packing counts, the first path the one of nextpnr."""
    part, _ = DEVICES["ecp5-25k"]
    flow = Flow(rtlil_of(Extremes(ways=1), "top"), top="top", part=part, pins="",
                options=("--lpf-allow-unconstrained", "--freq", "100"),
                cache=tmp_path)
    flow.synthesise()

    total, result = Counter(), read_report(flow.route(1), flow.blocks, part.family.resources)
    for cells in flow.count_blocks().values():
        total += Counter(cells)

    assert total == {kind: count for kind, count in result.used.items() if count}
    assert result.paths[0].delay == pytest.approx(1000 / result.fmax, abs=0.001)
    ends = [path.end.partition("[")[0] for path in result.paths]
    assert sorted(ends) == ["fresh_2", "maximum1_0", "minimum1_0", "valid_2"]
    assert all(path.signals[0] == path.start for path in result.paths)
