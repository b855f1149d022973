"""Carries that nobody reads cost nothing, and the netlist computes the same."""

import json

import pytest

from boards.tools.carries import open_carries
from boards.tools.flow import make_netlist
from boards.tools.gates import gate_level
from boards.tools.rtlil import rtlil_of
from hdl.core.trace import Counters
from sim.build.compile import ports_of


def carry(*bits):
    return {"type": "CCU2C", "port_directions": {}, "connections": {"COUT": list(bits)}}


def test_only_carries_without_a_reader_are_open():
    reader = {"type": "LUT4", "connections": {"A": [4]}}
    cells  = {"chain": carry(3), "next": carry(6), "port": carry(5), "lut": carry(4),
              "open": carry("x"), "reader": reader}
    cells["next"]["connections"]["CIN"] = [3]
    module = {"ports": {"o": {"bits": [5]}}, "cells": cells, "netnames": {
        name: {"bits": [bit]} for name, bit in (("a", 3), ("b", 4), ("c", 5), ("d", 6))}}

    assert open_carries({"modules": {"top": module}}) == 1

    assert [cell["connections"].get("COUT") for cell in cells.values()] == [
        [3], ["x"], [5], [4], ["x"], None]
    assert list(module["netnames"]) == ["a", "b", "c"]


@pytest.mark.long
def test_counters_after_synthesis(bench, tmp_path):
    """The bench of a block with adders on the netlist whose carries are open."""
    component = Counters(passes=16)
    source    = rtlil_of(component, "top", ports=ports_of(component))
    netlist   = json.loads(make_netlist(source, "top", cache=tmp_path).read_text())

    carries = [cell["connections"]["COUT"] for cell in netlist["modules"]["top"]["cells"].values()
               if cell["type"] == "CCU2C"]
    assert ["x"] in carries
    bench(component, "sim.blocks.counters", "counters_gates", passes=16,
          verilog=lambda block: gate_level(source, "top", cache=tmp_path))
