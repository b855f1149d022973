"""Floorplan of the core in an ECP5: the lanes in a ring, X memory and control inside it.

The placer finds good places for logic but not for block RAMs that fill the device, so these and
the multipliers get theirs here.
"""

import json
import re
from math import cos, pi, sin
from pathlib import Path

import numpy as np

from hdl.config import BANKS
from hdl.tables import COLUMNS

__all__ = ["arrange", "sites"]

#: Tile types of an ECP5 with a site each, and its name. Source: Project Trellis, tile grids.
_SITES = {"DP16KD":     {"MIB_EBR0": "EBR0", "MIB_EBR2": "EBR1", "MIB_EBR4": "EBR2",
                         "MIB_EBR6": "EBR3"},
          "MULT18X18D": {f"MIB_DSP{n}": f"MULT18_{n}" for n in (0, 1, 4, 5)}}
_LANE    = re.compile(r"\.array\.lane_(\d+)\.")
_X       = re.compile(r"\.array\.x\.")
_OUTPUT  = re.compile(r"\.(?:scale|output)_(\d+)\.")
_TABLES  = re.compile(r"\.tables_(\d+)\.")
_NUMBER  = re.compile(r"\$\d+")  # what Amaranth adds to a name that is taken
_RADIUS  = 0.36  # of the ring, in widths and heights of the device
_INNER   = 0.22  # of the scale units and output stages
_CONTROL = 0.25  # distance of program memory and trace from the middle, in widths


def sites(database):
    """Sites of block RAMs and multipliers: ``{cell type: [(column, row, name)]}``.

    ``database`` is the folder of the device in the database of Project Trellis; ValueError if it
    cannot be read.
    """
    path = Path(database) / "tilegrid.json"
    try:
        grid = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"The device database {path} cannot be read: {error}") from error
    found = {cell: [] for cell in _SITES}
    for name, tile in grid.items():
        row, column = (int(number) for number in re.search(r"R(\d+)C(\d+):", name).groups())
        for cell, names in _SITES.items():
            if tile["type"] in names:
                found[cell].append((column, row, f"X{column}/Y{row}/{names[tile['type']]}"))
    return found


def arrange(cells, places, ways):
    """A site for every block RAM and multiplier of a core: ``{cell name: site name}``.

    Parameters
    ----------
    cells : {name: cell type}, of the whole netlist
    places : what ``sites`` returns
    ways : int, of the core

    Each cell has a point where it should lie; the sites are given out so that the squared
    distances are least in sum. ValueError if there are more cells than sites.
    """
    # Here, for the other commands do without it.
    from scipy.optimize import linear_sum_assignment

    corners = np.array([site[:2] for found in places.values() for site in found])
    low, high = corners.min(axis=0), corners.max(axis=0)
    plan = {}
    for kind, found in places.items():
        names = sorted(name for name, cell in cells.items() if cell == kind)
        if len(names) > len(found):
            raise ValueError(f"The device has {len(found)} {kind}, the core needs {len(names)}")
        wanted  = np.array([_point(name, ways) for name in names]).reshape(-1, 1, 2)
        offered = np.array([site[:2] for site in found])
        distances = (((low + high) / 2 + wanted * (high - low) - offered) ** 2).sum(axis=2)
        plan |= {names[cell]: found[site][2]
                 for cell, site in zip(*linear_sum_assignment(distances), strict=True)}
    return plan


def _point(name, ways):
    """Where a cell should lie: from the middle, in widths and heights of the device."""
    name = _NUMBER.sub("", name)
    if lane := _LANE.search(name):
        bank, column = divmod(int(lane[1]), ways)
        return _on_ring(_RADIUS, column * BANKS + bank + 0.5, ways)
    if output := _OUTPUT.search(name):  # within the lanes of its column
        return _on_ring(_INNER, (int(output[1]) + 0.5) * BANKS, ways)
    if tables := _TABLES.search(name):  # between the columns that share them
        return _on_ring(_INNER, (int(tables[1]) + min(ways, COLUMNS) / 2) * BANKS, ways)
    return (0, 0) if _X.search(name) else (-_CONTROL, 0)


def _on_ring(radius, position, ways):
    """Point of a position in the chain of lanes, which begins at the left."""
    angle = 2 * pi * position / (BANKS * ways)
    return -radius * cos(angle), -radius * sin(angle)
