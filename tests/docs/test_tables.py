# SPDX-License-Identifier: Apache-2.0
"""The tables of the documents are what the code and the commands say now."""

import re
from collections import Counter

import pytest

from docs.tables import documents
from docs.tables.__main__ import main
from docs.tables.benchmarks import static_columns
from docs.tables.boards import ORDER
from docs.tables.contents import TABLES
from docs.tables.documents import read_tables, replace_table
from docs.tables.networks import static_columns as columns_of_network
from docs.tables.table import Cost, Table
from docs.tables.vectors import DIALECTS, all_cases, rtl_checks
from tests.rtl.test_gate_level import FUNCTIONS
from tests.support.costs import cells
from xymac.boards.board import find_board
from xymac.boards.design import part_of
from xymac.hdl.config import CORES
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.benchmarks.networks import NETWORKS

BY_COST = {cost: [name for name, table in TABLES.items() if table.cost is cost] for cost in Cost}
#: Those that a simulated core makes in a second or two, once it is compiled.
SOON    = ["gaps", *(name for name in TABLES if name.startswith("run digits"))]
LATER   = [name for name in BY_COST[Cost.SIMULATED] if name not in SOON]


def rows(name):
    """Cells of a table of the documents, without its head."""
    return cells(read_tables()[name])[1:]


def numbers(texts):
    """Those of some texts that are numbers."""
    return [int(text.replace(",", "")) for text in texts if re.fullmatch(r"[\d,]+", text)]


def test_every_table_has_its_place():
    assert set(read_tables()) == set(TABLES)


@pytest.mark.parametrize("name", [*BY_COST[Cost.QUICK], *SOON])
def test_table_is_fresh(name):
    assert read_tables()[name] == TABLES[name].make()


@pytest.mark.long
@pytest.mark.parametrize("name", LATER)
def test_measured_table_is_fresh(name):
    assert read_tables()[name] == TABLES[name].make()


@pytest.mark.long
@pytest.mark.parametrize("name", BY_COST[Cost.VENDOR])
def test_table_of_a_vendors_network_is_fresh(name, workloads):
    assert read_tables()[name] == TABLES[name].make(workloads / "mli_examples")


def test_the_demo_says_what_its_table_says():
    shown = [line.split() for line in read_tables()["demo"]]

    for row in rows("run digits_cnn"):
        assert " ".join(row).split() in shown


@pytest.mark.parametrize("name", [name for name in TABLES if name.startswith("run ")])
def test_layers_add_up(name):
    head, *body    = cells(read_tables()[name])
    *layers, total = (numbers(row[head.index("cycles"):]) for row in body)
    sums = [sum(column) for column in zip(*layers, strict=True)]

    assert abs(sums.pop(1) - total.pop(1)) <= len(layers) / 2  # ideals are rounded
    assert sums == total


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_reference_calls_passed(dialect):
    expected = Counter()
    for case in all_cases()[dialect]:
        expected[case.function] += len(case.expected)

    assert rtl_checks(dialect) == {name: (count, count) for name, count in expected.items()}


def test_gates_are_those_of_the_test():
    named = numbers(cell.split(" · ")[2] for row in rows("supported") for cell in row[1:]
                    if cell.count(" · ") == 2)

    assert sum(named) == len(FUNCTIONS)


def test_benchmarks_are_those_of_the_bench():
    assert [(row[0], row[2], row[4]) for row in rows("benchmarks")] == [
        *map(static_columns, BENCHMARKS)]


def test_networks_are_those_of_the_bench():
    assert [(row[0], row[6]) for row in rows("networks")] == [*map(columns_of_network, NETWORKS)]


def test_boards_are_those_of_their_definitions():
    for name, row in zip(ORDER, rows("boards"), strict=True):
        board = find_board(name)
        rate  = CORES[board.size].products
        assert row[:3] == [name, part_of(board.platform()).name, board.size]
        assert row[7] == f"{board.clock:g}"
        assert row[11] == f"{rate * board.clock:,.0f} M/s"
        assert float(row[8]) >= board.clock


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A document with two tables, the first of them stale, in place of all others."""
    path = tmp_path / "page.md"
    path.write_text("# Page\n<!-- table: one -->\nold\n<!-- end -->\n"
                    "<!-- table: two -->\n| 2 |\n<!-- end -->\nEnd\n")
    monkeypatch.setattr(documents, "DOCUMENTS", (path,))
    monkeypatch.setattr("docs.tables.__main__.TABLES", {
        "one": Table(lambda: ["new", "lines"]), "two": Table(lambda: ["| 2 |"])})
    monkeypatch.setattr("docs.tables.__main__.FIGURES", {})
    return path


def test_stale_tables_are_written_again(page, capsys):
    assert main([]) == 0

    assert capsys.readouterr().out == "one: written\ntwo: as it was\nvalues: as it was\n"
    assert page.read_text() == ("# Page\n<!-- table: one -->\nnew\nlines\n<!-- end -->\n"
                                "<!-- table: two -->\n| 2 |\n<!-- end -->\nEnd\n")
    assert not replace_table("one", ["new", "lines"])


def test_unknown_tables_are_refused(page, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["three"])

    assert "there is no table three, only one, two" in capsys.readouterr().err


def test_a_table_without_a_place_is_refused(page, capsys):
    page.write_text(page.read_text().replace("table: two", "table: three"))

    with pytest.raises(SystemExit, match="2"):
        main([])

    assert "differ: three, two" in capsys.readouterr().err


def test_a_table_in_two_places_is_refused(page):
    page.write_text(2 * page.read_text())

    with pytest.raises(ValueError, match=r"Table 'one' of page\.md is in the documents already"):
        read_tables()
