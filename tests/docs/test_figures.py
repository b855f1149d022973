# SPDX-License-Identifier: Apache-2.0
"""The drawings of the documents have the numbers of the tables."""

import re
from argparse import ArgumentParser

import pytest

from docs.tables import figures
from docs.tables.__main__ import main
from docs.tables.contents import TABLES
from docs.tables.documents import DOCUMENTS, ROOT, read_tables
from docs.tables.figures import FIGURES, FOLDER, description_of, draw, replace_figure, texts_of
from tests.support.costs import cells
from xymac.boards.explore.grid import add_grid, list_sizes
from xymac.boards.explore.measure import begin

#: Drawn by hand, without a measurement.
BY_HAND = {"overview"}
#: Drawn by `make explore`, from half an hour of synthesis.
SLOW    = {"explore"}


def test_every_drawing_has_a_maker_and_a_place():
    shown = {name for path in DOCUMENTS
             for name in re.findall(r"figures/(\w+)\.svg\)", path.read_text(encoding="utf-8"))}
    there = {path.stem for path in FOLDER.iterdir()}

    assert there == shown == {*FIGURES} | BY_HAND | SLOW


@pytest.mark.parametrize("name", FIGURES)
def test_a_drawing_is_fresh(name, tmp_path):
    """Its numbers are those of the table, its texts those that the code draws now."""
    place, fresh = FOLDER / f"{name}.svg", tmp_path / "f.svg"
    draw(name, fresh)

    assert FIGURES[name][0] in TABLES
    assert description_of(place).splitlines() == read_tables()[FIGURES[name][0]], "make figures"
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


def explored_sizes():
    """Names of the sizes that `make explore` tries and that fit by the counts of hard cells."""
    recipe = (ROOT / "Makefile").read_text().partition("/xymac explore ")[2].partition("\n\n")[0]
    parser = ArgumentParser()
    parser.add_argument("--device")
    add_grid(parser)
    options, _ = parser.parse_known_args(recipe.replace("\\\n", " ").split())
    points = [begin(size, options.device) for size in list_sizes(options)]
    return [point.config.name for point in points if not point.trouble]


def test_sizes_of_the_explored_drawing_are_those_that_fit():
    """explore.svg takes half an hour of synthesis, so its LUT4 cannot be compared here.

    It is older than the tables: its rates have no transfers, and its words moved are those of an
    earlier compiler, as docs/boards.md says. Its sizes are compared.
    """
    listed = re.findall(r"^ ?\d+  (\w+) +[\d,]+ +[\d,]+$",
                        "\n".join(texts_of(FOLDER / "explore.svg")), re.MULTILINE)

    assert listed == explored_sizes()
    assert len(listed) > 10
