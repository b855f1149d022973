# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for synthesis and routing."""

from types import SimpleNamespace

import pytest

from xymac.boards.alone import DEVICES
from xymac.boards.tools.resources import hard_cells
from xymac.hdl.config import SMALL
from xymac.host.errors import InputError

REPORT = {"fmax": {"clk": {"achieved": 50.0, "constraint": 100.0}}, "critical_paths": [],
          "utilization": {cell: {"used": 7, "available": 9} for cell in
                          ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD")}}


def luts_of(config):
    """LUT4 of the fake design of a size."""
    return 1000 * config.ways + config.passes


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Synthesis and routing that do nothing; the names of the sizes that were synthesised."""
    made = []

    def flow_of(config, device, freq):
        def route(seed):
            if config == SMALL:
                raise InputError("nextpnr failed: ERROR: Unable to place cell")
            return REPORT

        def count():
            return {"LUT4": luts_of(config), "FF": 1, **hard_cells(config)}

        return SimpleNamespace(part=DEVICES[device][0], route=route, count=count,
                               synthesise=lambda: made.append(config.name), blocks=frozenset())

    monkeypatch.setattr("xymac.boards.explore.measure.core_flow", flow_of)
    monkeypatch.setattr("xymac.boards.explore.command.find_tools", lambda: None)
    return made
