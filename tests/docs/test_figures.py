# SPDX-License-Identifier: Apache-2.0
"""The drawings of the documents have the numbers of the tables."""

import json
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest

from docs.tables import figures
from docs.tables.__main__ import main
from docs.tables.contents import TABLES
from docs.tables.documents import DOCUMENTS, ROOT, read_tables
from docs.tables.figures import FIGURES, FOLDER, description_of, draw, replace_figure, texts_of
from tests.support.costs import cells
from xymac.boards.explore.grid import add_grid, list_sizes

#: Drawn by hand, without a measurement.
BY_HAND = {"overview"}


def test_every_drawing_has_a_maker_and_a_place():
    shown = {name for path in DOCUMENTS
             for name in re.findall(r"figures/(\w+)\.svg\)", path.read_text(encoding="utf-8"))}
    there = {path.stem for path in FOLDER.iterdir()}

    assert there == shown == {*FIGURES} | BY_HAND


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_is_fresh(name, tmp_path):
    """Its numbers are those of the table, or of the cycle model; its texts those drawn now."""
    place, fresh = FOLDER / f"{name}.svg", tmp_path / "f.svg"
    table, _     = FIGURES[name]
    draw(name, fresh)

    if table is not None:
        assert table in TABLES
        assert description_of(place).splitlines() == read_tables()[table], "make figures"
    assert description_of(place) == description_of(fresh), "make figures"
    assert texts_of(place) == texts_of(fresh), "make figures"


def test_cycles_of_the_layers_are_written_beside_their_bars():
    _, *rows   = cells(read_tables()["run cifar10_large_fx8"])
    cycles     = [row[5] for row in rows]
    *_, title  = [text for text in texts_of(FOLDER / "cifar10_large.svg") if " on base: " in text]

    assert f"{cycles[-1]} cycles" in title
    assert {*cycles[:-1]} <= {*texts_of(FOLDER / "cifar10_large.svg")}


def test_a_drawing_of_a_changed_table_is_stale(tmp_path, monkeypatch):
    tables = read_tables()
    tables["benchmarks"][2] = tables["benchmarks"][2].replace(" 35,409 ", " 35,410 ")
    monkeypatch.setattr(figures, "read_tables", lambda: tables)
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    stored = FOLDER / "bench.svg"
    (tmp_path / "bench.svg").write_bytes(stored.read_bytes())

    assert replace_figure("bench")
    assert not replace_figure("bench")
    assert description_of(tmp_path / "bench.svg") != description_of(stored)
    assert [text for text in texts_of(tmp_path / "bench.svg") if text.startswith("35,410 / ")]


def test_figures_take_no_tables(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--figures", "gaps"])

    assert "--figures makes no tables" in capsys.readouterr().err


@pytest.fixture
def explored():
    """Rows of the drawing of sizes, by name of the size."""
    return {row["size"]: row for row in json.loads(description_of(FOLDER / "explore.svg"))}


def test_the_explored_sizes_and_networks_are_those_of_the_recipe(explored):
    recipe  = (ROOT / "Makefile").read_text().partition("/xymac explore ")[2].partition("\n\n")[0]
    parser  = ArgumentParser()
    parser.add_argument("--device")
    parser.add_argument("--network", nargs="+")
    add_grid(parser)
    options, _ = parser.parse_known_args(recipe.replace("\\\n", " ").split())

    assert list(explored) == [size.name for size in list_sizes(options)]
    for row in explored.values():
        assert row["device"] == options.device
        assert list(row["networks"]) == [Path(name).stem for name in options.network]


def test_every_explored_size_that_fits_was_synthesised(explored):
    counts = {name: row["LUT4"] for name, row in explored.items() if row["fits"]}

    assert len(counts) > 3
    assert all(counts.values())
    assert {name for name, row in explored.items() if row["LUT4"]} == {*counts}


def test_a_drawing_of_other_speeds_is_stale(explored, tmp_path, monkeypatch):
    """A rate that the cycle model does not give is drawn anew."""
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    stored = FOLDER / "explore.svg"
    [rate] = {str(row["networks"]["digits_cnn"]["rate"]) for name, row in explored.items()
              if name == "small"}
    stale  = stored.read_text().replace(rate, "1.5")
    assert stale.count("1.5") > stored.read_text().count("1.5")
    (tmp_path / "explore.svg").write_text(stale)

    assert replace_figure("explore")
    assert description_of(tmp_path / "explore.svg") == description_of(stored)
