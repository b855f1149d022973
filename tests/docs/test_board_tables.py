# SPDX-License-Identifier: Apache-2.0
"""Tables of synthesis and routing: columns that follow from the sizes, without any tool."""

import json
import re

import pytest

from docs.tables.boards import ALONE, UNROUTED
from docs.tables.documents import read_tables
from docs.tables.figures import FOLDER, description_of
from tests.support.costs import cells
from xymac.boards.alone import DEVICES
from xymac.boards.board import find_board
from xymac.boards.design import CAPACITY, part_of
from xymac.boards.tools.resources import hard_cells
from xymac.hdl.config import find_size


def rows(name):
    """Rows of a table of the documents, each a dict by column."""
    head, *body = cells(read_tables()[name])
    return [dict(zip(head, row, strict=True)) for row in body]


def counts(cell):
    """Used and available, of ``1,234 of 5,678``."""
    return tuple(int(word.replace(",", "")) for word in cell.split(" of "))


def capacity(device):
    """Resources of an FPGA by its name, ``LFE5U-25F``."""
    return CAPACITY[device.rpartition("-")[2]]


def test_cores_alone_are_those_of_the_command():
    assert [(row["size"], row["device"].strip("`")) for row in rows("alone")] == [*ALONE]
    assert [(row["size"], row["device"].strip("`")) for row in rows("unrouted")] == [*UNROUTED]


@pytest.mark.parametrize("row", rows("alone"), ids=lambda row: row["size"])
def test_a_core_alone_has_the_cells_of_its_size(row):
    part, _  = DEVICES[row["device"].strip("`")]
    exact    = hard_cells(find_size(row["size"]))
    has      = capacity(part.name)

    assert {kind: counts(row[kind]) for kind in exact} == {
        kind: (count, has[kind]) for kind, count in exact.items()}
    assert counts(row["LUT4"])[1] == counts(row["FF"])[1] == has["LUT4"]
    assert float(row["MHz, worst"]) <= float(row["median"])


@pytest.mark.parametrize("row", rows("unrouted"), ids=lambda row: f"{row['size']} {row['device']}")
def test_an_unrouted_core_has_the_memories_and_multipliers_of_its_size(row):
    used  = {name: int(count.replace(",", "")) for count, name
             in re.findall(r"(\d[\d,]*) ([^,]+)", row["cells"])}
    exact = hard_cells(find_size(row["size"]))

    assert {count for name, count in used.items() if "RAM" in name} == {exact["block RAM"]}
    assert {count for name, count in used.items() if name.startswith(("DSP", "MULT"))} == {
        exact["MULT18X18D"]}


@pytest.mark.parametrize("row", [row for row in rows("boards") if row["size"] != "compact"],
                         ids=lambda row: row["board"])
def test_a_board_has_the_cells_of_its_size(row):
    exact = hard_cells(find_size(row["size"]))
    has   = capacity(part_of(find_board(row["board"]).platform()).name)

    assert counts(row["DSP"]) == (exact["MULT18X18D"], has["MULT18X18D"])
    assert counts(row["block RAM"]) == (exact["block RAM"], has["block RAM"])
    assert counts(row["LUT"])[1] == counts(row["FF"])[1] == has["LUT4"]


def test_the_drawing_of_sizes_counts_the_lut4_of_the_table():
    """Synthesis of a size gives one number, whichever command counts."""
    drawn   = {row["size"]: row["LUT4"] for row in json.loads(
        description_of(FOLDER / "explore.svg")) if row["LUT4"]}
    printed = {row["size"]: counts(row["LUT4"])[0] for row in rows("alone")}

    assert {*drawn} & {*printed} == {"small"}
    assert drawn["small"] == printed["small"]
