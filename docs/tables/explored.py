# SPDX-License-Identifier: Apache-2.0
"""The drawing of core sizes: LUT4 from its own rows, speeds from the cycle model of today."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from xymac.boards.explore.figure import point_figure
from xymac.boards.explore.measure import add_cycles, begin, judge
from xymac.boards.tools.resources import KINDS
from xymac.hdl.config import find_size
from xymac.host.cli.show.figure import save_figure
from xymac.host.network.load import load_model
from xymac.sim.benchmarks.files import main as write_benchmark_networks

from .documents import ROOT

__all__ = ["draw_explored"]


def _networks():
    """Networks of ``make explore``, by name."""
    with TemporaryDirectory() as folder:
        write_benchmark_networks(["-o", folder])
        files    = (ROOT / "host/examples/data/digits_cnn.tflite",
                    Path(folder) / "cifar10_large_fx8.npz")
        networks = [load_model(file) for file in files]
    return {network.name: network for network in networks}


def _point(row, networks):
    """A row's Point with its LUT4 from synthesis; everything else is computed anew."""
    point = begin(find_size(row["size"]), row["device"])
    if row[KINDS[0]] is not None:
        point = judge(replace(point, cells=point.cells | {KINDS[0]: row[KINDS[0]]}))
    return add_cycles(point, networks)


def draw_explored(description, path):
    """Draw the sizes in a ``description``, the JSON rows of a drawing, as the file ``path``."""
    networks = _networks()
    points   = [_point(row, networks) for row in json.loads(description)]
    save_figure(path, point_figure(points, networks, points[0].device),
                description=json.dumps([point.row() for point in points]))
