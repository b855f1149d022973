# SPDX-License-Identifier: Apache-2.0
"""Document figures, drawn from the numbers in their tables.

Each SVG file carries its table's lines as its description, so a test sees a stale file. The
drawing of sizes has no table: its description holds the rows of ``xymac explore --json``.
"""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from tempfile import TemporaryDirectory

from xymac.hdl.config import BASE
from xymac.hdl.isa import COUNTERS
from xymac.host.cli.show.figure import layer_figure, layer_title, save_figure
from xymac.host.files import write_file
from xymac.host.network.cost import LayerCost
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.benchmarks.figure import TITLE, benchmark_figure
from xymac.sim.benchmarks.results import BenchmarkResult

from .documents import ROOT, read_tables
from .explored import draw_explored

__all__ = ["FIGURES", "FOLDER", "description_of", "draw", "replace_figure", "texts_of"]

FOLDER = ROOT / "docs" / "figures"


def _rows(lines):
    """Markdown table rows, each a dict by column name."""
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [dict(zip(head, row, strict=True)) for row in rows]


def _number(text):
    return int(text.replace(",", ""))


def _benchmarks(lines):
    """The ``xymac bench --plot`` figure; ideals and targets come from the benchmarks."""
    return benchmark_figure(TITLE, [
        BenchmarkResult(benchmark.name, _number(row["cycles"]), benchmark.ideal(BASE),
                        benchmark.target, _number(row["predicted"]))
        for benchmark, row in zip(BENCHMARKS, _rows(lines), strict=True)])


def _layer(row):
    """LayerCost in a row; every cycle without a stall issues a step."""
    counts = {name: _number(row["stall x" if name == "x" else name])
              for name in COUNTERS if name != "issued"}
    counts["issued"] = 2 * counts["cycles"] - sum(counts.values())
    return LayerCost(row["layer"], "", row["kernel"], row["shape"], row["type"], None,
                     _number(row["ideal"]), counts)


def _layers(name, lines):
    """The ``xymac run --plot`` figure for the network ``name`` on base."""
    *layers, _ = map(_layer, _rows(lines))
    return layer_figure(layer_title(name, "base", layers), layers)


#: The table and the function that draws its lines, by the name of the file without its suffix;
#: None and the function that draws the rows in the description of the stored file.
FIGURES = {"bench":         ("benchmarks", _benchmarks),
           "cifar10_large": ("run cifar10_large_fx8",
                             lambda lines: _layers("cifar10_large_fx8", lines)),
           "explore":       (None, draw_explored)}


def draw(name, path):
    """Draw the figure ``name`` from its table in the documents as the SVG file ``path``."""
    table, make = FIGURES[name]
    if table is None:
        make(description_of(FOLDER / f"{name}.svg"), path)
        return
    lines = read_tables()[table]
    save_figure(path, make(lines), description="\n".join(lines))


def replace_figure(name):
    """Draw the figure ``name`` into its file again; returns whether the file differs."""
    place = FOLDER / f"{name}.svg"
    with TemporaryDirectory() as folder:
        fresh = Path(folder) / place.name
        draw(name, fresh)
        text = fresh.read_text(encoding="utf-8")
    if place.exists() and place.read_text(encoding="utf-8") == text:
        return False
    write_file(place, text)
    return True


def _elements(path, name):
    return [element.text or "" for element in ElementTree.parse(path).iter()
            if re.fullmatch(rf"\{{.*\}}{name}", element.tag)]


def description_of(path):
    """The description in an SVG file, "" without a description."""
    return "".join(_elements(path, "description"))


def texts_of(path):
    """Texts in an SVG file in order, without the description."""
    return _elements(path, "text")
