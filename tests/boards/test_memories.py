# SPDX-License-Identifier: Apache-2.0
"""Block RAMs take over the registers behind them, and no others."""

import copy

import pytest

from xymac.boards.tools.memories import absorb_registers

INPUTS = "CLKA", "CEA", "OCEA", "RSTA", "CLKB", "CEB", "OCEB", "RSTB"


def design(width=9):
    """A block RAM whose port B is read by registers: bit ``n``, 10 + n, becomes 20 + n."""
    pins = {"CLKA": [1], "CLKB": [1], "CEA": ["1"], "CEB": ["1"], "OCEA": ["1"], "OCEB": ["1"],
            "RSTA": ["0"], "RSTB": ["0"], **{f"DOB{bit}": [10 + bit] for bit in range(3)}}
    cells = {"ram": {
        "type": "DP16KD", "connections": pins, "parameters": {
            "DATA_WIDTH_A": f"{width:032b}", "DATA_WIDTH_B": f"{width:032b}",
            "REGMODE_A": "NOREG", "REGMODE_B": "NOREG", "CLKAMUX": "CLKA", "CLKBMUX": "CLKB"},
        "port_directions": {pin: "input" if pin in INPUTS else "output" for pin in pins}}}
    for bit in range(2):
        cells[f"register{bit}"] = {
            "type": "TRELLIS_FF", "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR",
                                                 "REGSET": "RESET"},
            "connections": {"CLK": [1], "DI": [10 + bit], "LSR": ["0"], "Q": [20 + bit]},
            "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"}}
    return {"ports": {"o": {"bits": [20, 21]}}, "cells": cells, "netnames": {
        "data": {"bits": [10, 11, 12]}, "o": {"bits": [20, 21]}}}


def test_registers_of_a_port_go():
    module = design()

    assert absorb_registers({"modules": {"top": module}}) == 2

    assert list(module["cells"]) == ["ram"]
    ram = module["cells"]["ram"]
    assert [ram["connections"][f"DOB{bit}"] for bit in range(3)] == [[20], [21], [12]]
    assert [ram["parameters"][f"REGMODE_{side}"] for side in "AB"] == ["NOREG", "OUTREG"]
    assert list(module["netnames"]) == ["o"]


@pytest.mark.parametrize(("cell", "part", "name", "value"), [
    ("ram", "parameters", "DATA_WIDTH_A", f"{36:032b}"), ("ram", "connections", "CEB", [5]),
    ("ram", "connections", "OCEB", ["0"]), ("ram", "connections", "RSTB", [5]),
    ("ram", "parameters", "CLKBMUX", "INV"), ("ram", "parameters", "REGMODE_B", "OUTREG"),
    ("register1", "parameters", "CEMUX", "CE"), ("register1", "parameters", "REGSET", "SET"),
    ("register1", "parameters", "CLKMUX", "INV"), ("register1", "connections", "CLK", [2]),
    ("register1", "connections", "LSR", [5]), ("register1", "connections", "DI", [30])])
def test_other_registers_stay(cell, part, name, value):
    module = design()
    module["cells"][cell][part][name] = value
    module["ports"]["p"] = {"bits": [11]}  # unless the second register reads it, something does
    if value != [30]:
        del module["ports"]["p"]
    before = copy.deepcopy(module)

    assert absorb_registers({"modules": {"top": module}}) == 0
    assert module == before


def test_bit_with_two_readers_keeps_the_registers():
    module = design()
    module["ports"]["p"] = {"bits": [10]}

    assert absorb_registers({"modules": {"top": module}}) == 0
