# SPDX-License-Identifier: Apache-2.0
"""Wide resets go through global buffers, whose numbers reach the reset inputs."""

import copy

import pytest

from xymac.boards.tools.resets import promote_resets

CLOCK, RESET, LAST = 1, 2, 900


def design(registers, resets=(RESET,), pads=0):
    """A module with as many registers on each reset; Q of register ``n`` is net 10000 + n."""
    cells = {}
    for number in range(registers * len(resets)):
        cells[f"register{number}"] = {"type": "TRELLIS_FF", "connections": {
            "CLK": [CLOCK], "LSR": [resets[number % len(resets)]], "DI": ["0"],
            "Q": [10_000 + number]}}
    for number in range(pads):
        cells[f"pad{number}"] = {"type": "ODDRX1F", "connections": {"SCLK": [LAST + number]}}
    cells["lut"] = {"type": "LUT4", "connections": {"A": [RESET], "Z": [50_000]}}
    return {"cells": cells, "netnames": {"reset": {"bits": [RESET]}}}


def buffers(module):
    return {name: (*cell["connections"]["CLKI"], *cell["connections"]["CLKO"])
            for name, cell in module["cells"].items() if cell["type"] == "DCCA"}


def test_registers_read_a_buffer_and_logic_the_reset():
    module = design(1000)

    promote_resets(module)

    found = buffers(module)
    source, target = found["reset_buffer_0"]
    assert source == RESET
    assert {register["connections"]["LSR"][0] for name, register in module["cells"].items()
            if name.startswith("register")} == {target}
    assert module["cells"]["lut"]["connections"]["A"] == [RESET]
    assert module["netnames"]["reset_buffer_0"]["bits"] == [target]
    nets = [target for _, target in found.values()]
    assert len(set(nets)) == len(nets)
    assert min(nets) > 50_000  # nets without a name count as well


@pytest.mark.parametrize(("pads", "idle"), [(0, 3), (1, 2), (3, 0), (5, 0)])
def test_idle_buffers_take_the_numbers_that_reach_no_reset(pads, idle):
    module = design(1000, pads=pads)

    assert promote_resets(module) == list(buffers(module))

    assert len(buffers(module)) == 1 + idle


def test_each_wide_reset_has_its_buffer():
    module = design(1200, resets=(RESET, 3, 4, "0"))
    for number in range(4800):  # 300 registers keep reset 3, and 299 reset 4
        if number % 4 in (1, 2) and number // 4 >= 301 - number % 4:
            module["cells"][f"register{number}"]["connections"]["LSR"] = ["0"]

    promote_resets(module)

    cells, found = module["cells"], buffers(module)
    assert [source for source, _ in found.values()] == [RESET, 3, *[RESET] * 3]
    assert cells["register1"]["connections"]["LSR"] == [found["reset_buffer_1"][1]]
    assert cells["register2"]["connections"]["LSR"] == [4]
    assert cells["register3"]["connections"]["LSR"] == ["0"]


@pytest.mark.parametrize("module", [design(999), design(1200, resets=("0",))],
                         ids=["narrow", "constant"])
def test_other_resets_stay(module):
    before = copy.deepcopy(module)

    assert promote_resets(module) == []

    assert module == before
