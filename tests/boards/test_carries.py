# SPDX-License-Identifier: Apache-2.0
"""Ends of carry chains cost nothing, and the netlist computes the same."""

import json
import random

import pytest

from xymac.boards.tools.carries import open_carries, start_carries
from xymac.boards.tools.flow import make_netlist
from xymac.boards.tools.gates import gate_level
from xymac.boards.tools.rtlil import rtlil_of
from xymac.hdl.core.trace import Counters
from xymac.sim.build.compile import ports_of

ADD = 0x96AA  # A + (B ^ C), for D = 1


def carry(*bits):
    return {"type": "CCU2C", "port_directions": {"COUT": "output"},
            "connections": {"COUT": list(bits)}}


def test_only_carries_without_a_reader_are_open():
    reader = {"type": "LUT4", "port_directions": {"A": "input"}, "connections": {"A": [4]}}
    cells  = {"chain": carry(3), "next": carry(6), "port": carry(5), "lut": carry(4),
              "open": carry("x"), "reader": reader}
    cells["next"]["connections"]["CIN"] = [3]
    module = {"ports": {"o": {"bits": [5]}}, "cells": cells, "netnames": {
        name: {"bits": [bit]} for name, bit in (("a", 3), ("b", 4), ("c", 5), ("d", 6))}}

    assert open_carries({"modules": {"top": module}}) == 1

    assert [cell["connections"].get("COUT") for cell in cells.values()] == [
        [3], ["x"], [5], [4], ["x"], None]
    assert list(module["netnames"]) == ["a", "b", "c"]


def chain_of(width, coming, read, carried, inverts):
    """A module: ``width`` bits ``a`` from 100 on, ``b`` from 200, sums from 300, carries from 400.

    Of the sums only ``read`` leave the module, and the last carry if ``carried``.
    """
    cells = {}
    for low in range(0, width + width % 2, 2):
        pins = {"CIN": [400 + low - 1] if low else [coming], "COUT": [400 + low + 1]}
        for half in (0, 1):
            at = low + half
            pins |= {f"A{half}": [100 + at if at < width else "0"],
                     f"B{half}": [200 + at if at < width else "0"], f"C{half}": [inverts],
                     f"D{half}": ["1"], f"S{half}": [300 + at]}
        cells[f"cell{low}"] = {
            "type": "CCU2C", "connections": pins, "parameters": {
                "INIT0": f"{ADD:016b}", "INIT1": f"{ADD:016b}", "INJECT1_0": "NO",
                "INJECT1_1": "NO"},
            "port_directions": {pin: "output" if pin in ("COUT", "S0", "S1") else "input"
                                for pin in pins}}
    outputs = [300 + at for at in read] + [400 + low + 1] * carried
    return {"ports": {"o": {"bits": outputs}}, "cells": cells, "netnames": {}}


def evaluate(module, values, stray):
    """Values of the module's outputs; a carry that comes from nowhere is ``stray``."""
    values = {"0": 0, "1": 1, "x": stray, **values}
    for cell in module["cells"].values():
        pins, tables = cell["connections"], cell["parameters"]
        if cell["type"] == "LUT4":
            index = sum(values[pins[pin][0]] << place for place, pin in enumerate("ABCD"))
            values[pins["Z"][0]] = int(tables["INIT"], 2) >> index & 1
            continue
        now = values[pins["CIN"][0]]
        for half in "01":
            a, b, c, d = (values[pins[pin + half][0]] for pin in "ABCD")
            table = int(tables["INIT" + half], 2)
            total = table >> (a | b << 1 | c << 2 | d << 3) & 1
            values[pins["S" + half][0]] = total ^ now
            now = now if total else table >> (a | b << 1) & 1
        values[pins["COUT"][0]] = now
    return [values[bit] for bit in module["ports"]["o"]["bits"]]


@pytest.mark.parametrize("carried", [0, 1])
@pytest.mark.parametrize(("coming", "inverts"), [("0", "0"), ("1", "1"), ("1", "0")])
@pytest.mark.parametrize("read", ["all", "last", "some"])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 7, 8, 16, 33])
def test_chains_start_by_themselves(width, read, coming, inverts, carried):
    rng    = random.Random(width)
    sums   = {"all": range(width), "last": [width - 1], "some": range(0, width, 3)}[read]
    plain  = chain_of(width, coming, sums, carried, inverts)
    module = json.loads(json.dumps(plain))
    open_carries({"modules": {"top": module}})
    cells = [cell["type"] for cell in module["cells"].values()]

    started = start_carries({"modules": {"top": module}})

    assert started == 1
    assert not any(cell["connections"]["CIN"][0] in ("0", "1")
                   for cell in module["cells"].values() if cell["type"] == "CCU2C")
    after = [cell["type"] for cell in module["cells"].values()]
    assert after.count("CCU2C") <= cells.count("CCU2C")
    assert after.count("LUT4") <= 1
    for _ in range(40):
        values = {base + at: rng.randrange(2) for base in (100, 200) for at in range(width)}
        wanted = evaluate(plain, values, 0)
        assert [evaluate(module, values, stray) for stray in (0, 1)] == [wanted] * 2, values


def test_carry_chain_with_four_inputs_stays():
    """The carry of a lowest bit with four inputs fits no table of two."""
    module = chain_of(4, "0", range(4), 0, 500)
    plain  = json.loads(json.dumps(module))
    open_carries({"modules": {"top": plain}})
    open_carries({"modules": {"top": module}})

    assert start_carries({"modules": {"top": module}}) == 0
    assert module == plain


@pytest.mark.long
def test_counters_after_synthesis(bench, tmp_path):
    """The bench of a block with adders on the netlist whose carries are open."""
    component = Counters(passes=16)
    source    = rtlil_of(component, "top", ports=ports_of(component))
    netlist   = json.loads(make_netlist(source, "top", cache=tmp_path).read_text())

    carries = [cell["connections"]["COUT"] for cell in netlist["modules"]["top"]["cells"].values()
               if cell["type"] == "CCU2C"]
    assert ["x"] in carries
    assert not any(cell["connections"]["CIN"] == ["0"]
                   for cell in netlist["modules"]["top"]["cells"].values()
                   if cell["type"] == "CCU2C")
    bench(component, "xymac.sim.blocks.trace.counters", "counters_gates", passes=16,
          verilog=lambda block: gate_level(source, "top", cache=tmp_path))
