# SPDX-License-Identifier: Apache-2.0
"""Costs of layers with and without counters, and Markdown tables read back."""

from pathlib import Path

from tests.support.seed import random_of
from xymac.hdl.config import TINY
from xymac.hdl.isa import COUNTERS
from xymac.host.network.cost import layer_costs
from xymac.host.network.file import load_network
from xymac.host.network.inference import Inference

DIGITS  = Path(__file__).parents[2] / "host/examples/data/digits_cnn.npz"
NETWORK = load_network(DIGITS)
PARTS   = COUNTERS[1:]  #: Counters that add up to the cycles.


def _counters(rng):
    parts = {name: int(rng.integers(1, 2000)) for name in PARTS} | {"host": 0}
    return {"cycles": sum(parts.values())} | parts


def counted():
    """Costs of layers that a device counted: random counters that add up, no reads of the host."""
    rng = random_of(5)
    return layer_costs(
        NETWORK, Inference(layers=[_counters(rng) for _ in NETWORK.layers], cycles=1), TINY)


def uncounted():
    """Costs of the same layers on golden."""
    return layer_costs(NETWORK, Inference(), TINY)


def cells(lines):
    """Cells of the rows of a Markdown table among lines, that of the names first."""
    rows = [[cell.strip() for cell in line.strip("|\n").split("|")]
            for line in lines if line.startswith("|")]
    assert {*rows[1]} == {"---"}
    return [rows[0], *rows[2:]]
