# SPDX-License-Identifier: Apache-2.0
"""Reports of nextpnr: resources, slowest clock, critical path by block."""

import pytest

from xymac.boards.tools.family import ECP5
from xymac.boards.tools.report import PathPart, block_of, read_report


def step(kind, delay, cell):
    return {"type": kind, "delay": delay, "from": {"cell": cell}, "to": {"cell": "x"}}


def report():
    """Shaped like the file that ``nextpnr-ecp5 --report`` writes."""
    cells = ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD", "DCCA")
    return {
        "fmax": {"fast": {"achieved": 200.0, "constraint": 100},
                 "clk": {"achieved": 80.0, "constraint": 100}},
        "utilization": {cell: {"used": index + 1, "available": 10 * (index + 1)}
                        for index, cell in enumerate(cells)},
        "critical_paths": [
            {"from": "posedge other_clk", "to": "posedge other_clk", "path": []},
            {"from": "posedge fast", "to": "posedge fast", "path": [step("setup", 5.0, "a.b")]},
            {"from": "posedge clk", "to": "posedge clk", "path": [
                step("clk-to-q", 5.5, "array.lane_1.mem.0.0"),
                step("routing", 1.5, "array.lane_1.m"),
                step("logic", 2.0, "array.lane_1.q_LUT4"),
                step("routing", 1.0, "array.lane_1.q_LUT4"),
                step("logic", 0.5, "output.q"),
                step("setup", 0.25, "output.r")]}]}


def test_report_of_the_slowest_clock():
    fit = read_report(report(), {"array", "array.lane_1", "output"}, ECP5.resources)

    assert fit.fmax == 80.0
    assert fit.used == {"LUT4": 1, "FF": 2, "MULT18X18D": 3, "block RAM": 4}
    assert fit.available == {"LUT4": 10, "FF": 20, "MULT18X18D": 30, "block RAM": 40}
    assert fit.path == (PathPart("array.lane_1", 7.5, 2.5), PathPart("output", 0.75, 0.0))


@pytest.mark.parametrize(("cell", "block"), [
    ("lane.acc_TRELLIS_FF_Q", "lane"), ("lane.y.mem.0.0", "lane.y"), ("mem.0.0", "(top)"),
    ("count_TRELLIS_FF_Q_1", "(top)"), ("lane.y$103.$1_MULT18X18D_P9", "lane.y"), ("lane", "(top)"),
    ("lane.slots[1].x.base_LUT4", "lane"), ("lanes.q", "(top)")])
def test_block_of_a_cell(cell, block):
    assert block_of(cell, {"lane", "lane.y"}) == block


def test_refuses_a_report_without_a_clock():
    with pytest.raises(ValueError, match=r"^The report of nextpnr has no clock$"):
        read_report(report() | {"fmax": {}}, set(), {})
