# SPDX-License-Identifier: Apache-2.0
"""Tables and pages of coverage: percent by block, hits and holes beside the sources, escaped."""

import io
import re
from pathlib import Path

from rich.console import Console

import xymac.hdl
from xymac.sim.coverage.exclusions import Exclusion
from xymac.sim.coverage.pages import write_pages
from xymac.sim.coverage.points import Point
from xymac.sim.coverage.tables import block_table, hole_lines, misses

FILE   = "core/hostport.py"
TEXT   = (Path(xymac.hdl.__file__).parent / FILE).read_text().splitlines()
SHIFT  = next(number for number, text in enumerate(TEXT, 1) if "<<" in text)
LINE   = Point(FILE, SHIFT, "line", "")
HOLE   = Point(FILE, SHIFT, "expression", "<b>(a==1) => 1")
LEFT   = Point(FILE, SHIFT, "toggle", "mask 0->1")
COUNTS = {LINE: 7_000, HOLE: 0, LEFT: 0, Point(FILE, 1, "branch", "if"): 9,
          Point(FILE, 1, "branch", "none"): 0}
LEAVE  = {LEFT: Exclusion(FILE, "toggle", "A <mask> of nothing")}


def test_pages(tmp_path):
    index = write_pages(tmp_path / "tiny", "tiny", COUNTS, LEAVE, [("host", "<i>")], "run <i>")
    assert "<td>host</td><td>&lt;i&gt;</td>" in index.read_text()
    assert "<pre>run &lt;i&gt;</pre>" in index.read_text()
    page  = (index.parent / "core-hostport.html").read_text()
    assert f"<a href='core-hostport.html'>{FILE}</a>" in index.read_text()
    assert "a dash without points" in index.read_text()
    assert "Hits: how often the line ran" in page
    [row] = re.findall(rf"<tr[^>]*id=L{SHIFT}>.*?</tr>", page, re.DOTALL)
    assert "class=hole" in row
    assert "<td class=n>7,000</td><td class=n>1/2</td>" in row
    assert "expressions: &lt;b&gt;(a==1) =&gt; 1" in row
    assert "A &lt;mask&gt; of nothing" in row
    assert "&lt;&lt;" in row
    assert "<b>" not in page
    assert "<mask>" not in page
    for each in (page, index.read_text()):
        assert "width=device-width" in each
        assert "light-dark" in each
        assert "http" not in each  # nothing from elsewhere


def test_table():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(block_table("tiny", COUNTS, LEAVE))
    [row] = [line for line in console.export_text().splitlines() if FILE in line]
    assert re.findall(r"[\d.]+|-", row.partition(FILE)[2]) == [
        "100.0", "50.0", "0.0", "-", "-", "-", "-", "1"]


def test_misses_and_holes():
    assert [*hole_lines(COUNTS, LEAVE)] == [
        f"hdl/{FILE}:1: branch none", f"hdl/{FILE}:{SHIFT}: expression <b>(a==1) => 1"]
    assert [*misses("tiny", COUNTS, LEAVE)] == [
        "tiny: branches 50.00 %, below 98 %: 1 of 2 not hit",
        "tiny: expressions 0.00 %, below 98 %: 1 of 1 not hit",
        f"tiny: branches of {FILE} 50.00 %, below 95 %"]


def test_a_transition_that_is_not_in_the_sources():
    assert [*misses("tiny", {LINE: 1, Point(FILE, 9, "stray", ""): 2}, {})] == [
        f"tiny: a transition at {FILE}:9 is not in the sources"]
