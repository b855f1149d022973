# SPDX-License-Identifier: Apache-2.0
"""Core floorplan in an ECP5: lanes form a ring around X memory and control.

The placer finds good sites for logic, but not for block RAMs on a full device. So block RAMs
and multipliers get fixed sites here.
"""

import json
import re
from math import cos, pi, sin
from pathlib import Path

import numpy as np

from xymac.hdl.core.tables import COLUMNS
from xymac.hdl.isa import BANKS

from .rtlil import plain_name

__all__ = ["arrange", "sites"]

#: ECP5 tile types with the name of their site. Source: Project Trellis, tile grids.
_SITES = {"DP16KD":     {"MIB_EBR0": "EBR0", "MIB_EBR2": "EBR1", "MIB_EBR4": "EBR2",
                         "MIB_EBR6": "EBR3"},
          "MULT18X18D": {f"MIB_DSP{n}": f"MULT18_{n}" for n in (0, 1, 4, 5)}}
_CORE    = re.compile(r"(?:^|\.)core\.")
_LANE    = re.compile(r"\.array\.lane_(\d+)\.")
_X       = re.compile(r"\.array\.x\.")
_OUTPUT  = re.compile(r"\.(?:scale|output)_(\d+)\.")
_TABLES  = re.compile(r"\.tables_(\d+)\.")
_FREE    = re.compile(r"\.dma\.")  # left to the placer, which knows more sites
_RADIUS  = 0.36  # radius of the ring, in device widths and heights
_INNER   = 0.22  # radius of scale units and output stages
_CONTROL = 0.25  # distance of program memory and trace from the middle, in device widths
_CORNER  = (0.5, 0.5)  # of what is beside the core, as a processor: outside the ring


def sites(database):
    """Block RAM and multiplier sites: ``{cell type: [(column, row, name)]}``.

    ``database`` is the device's folder in the Project Trellis database; ValueError if it cannot be
    read.
    """
    path = Path(database) / "tilegrid.json"
    try:
        grid = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"The device database {path} cannot be read: {error}") from error
    sites_of = {cell: [] for cell in _SITES}
    for name, tile in grid.items():
        row, column = (int(number) for number in re.search(r"R(\d+)C(\d+):", name).groups())
        for cell, names in _SITES.items():
            if tile["type"] in names:
                sites_of[cell].append((column, row, f"X{column}/Y{row}/{names[tile['type']]}"))
    return sites_of


def arrange(cells, places, ways):
    """Assign sites to block RAMs and multipliers: ``{cell: site}``.

    Parameters
    ----------
    cells : {name: cell type} for the whole netlist
    places : as returned by ``sites``
    ways : int, MACs per core lane

    Each hard cell outside a DMA has a target point; the assignment minimises the
    squared-distance sum. ValueError if there are more cells than sites.
    """
    # A local import: other commands do not need scipy.
    from scipy.optimize import linear_sum_assignment

    corners = np.array([site[:2] for kind in _SITES for site in places[kind]])
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, plan = (low + high) / 2, {}
    for kind in _SITES:
        names, offers = _list_names(cells, kind), places[kind]
        if len(names) > len(offers):
            raise ValueError(f"The device has {len(offers)} {kind}, the core needs {len(names)}")
        wanted  = np.array([_point(name, ways) for name in names]).reshape(-1, 1, 2)
        offered = np.array([site[:2] for site in offers])
        distances = ((middle + wanted * (high - low) - offered) ** 2).sum(axis=2)
        plan |= {names[cell]: offers[site][2]
                 for cell, site in zip(*linear_sum_assignment(distances), strict=True)}
    return plan


def _list_names(cells, kind):
    """Sorted names of a cell type with sites from this plan."""
    return sorted(name for name, cell in cells.items()
                  if cell == kind and not _FREE.search(plain_name(name)))


def _point(name, ways):
    """A cell's target point, relative to the middle, in device widths and heights."""
    name = plain_name(name)
    if not _CORE.search(name):
        return _CORNER
    if lane := _LANE.search(name):
        bank, column = divmod(int(lane[1]), ways)
        return _on_ring(_RADIUS, column * BANKS + bank + 0.5, ways)
    if output := _OUTPUT.search(name):  # inside the ring, at the lanes of its column
        return _on_ring(_INNER, (int(output[1]) + 0.5) * BANKS, ways)
    if tables := _TABLES.search(name):  # between the columns with this table
        return _on_ring(_INNER, (int(tables[1]) + min(ways, COLUMNS) / 2) * BANKS, ways)
    return (0, 0) if _X.search(name) else (-_CONTROL, 0)


def _on_ring(radius, position, ways):
    """Point for a position in the lane chain, which begins at the left."""
    angle = 2 * pi * position / (BANKS * ways)
    return -radius * cos(angle), -radius * sin(angle)
