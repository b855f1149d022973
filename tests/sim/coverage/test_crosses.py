# SPDX-License-Identifier: Apache-2.0
"""Crosses: their combinations in Verilog and in files, in tables and on pages."""

import collections
import io
import os
from pathlib import Path

from rich.console import Console

from tests.sim.coverage.toy import Toy
from xymac.hdl.config import TINY
from xymac.hdl.core.core import Core
from xymac.sim.build import crosses
from xymac.sim.build.annotate import annotated_verilog
from xymac.sim.build.compile import ports_of
from xymac.sim.build.crosses import CROSSES, Cross
from xymac.sim.build.verilator import find_toolchain, run_tool
from xymac.sim.coverage.calls import border_of, cross_of, smallest_calls
from xymac.sim.coverage.crosses import cross_section, cross_table, read_crosses, save_crosses
from xymac.sim.coverage.exclusions import Exclusion
from xymac.sim.coverage.points import CROSS, Point, count_files
from xymac.sim.coverage.tables import hole_lines, misses
from xymac.sim.coverage.totals import by_block, figures
from xymac.sim.rtl.harness import Harness, build_harness

KINDS  = Cross("kind x answer", "response__valid", (
    {"zero": "kind == 0", "one": "kind == 1", "two": "kind == 2"},
    {"quiet": "!irq", "loud": "irq"}))
SEEN   = Point("core/core.py", 44, CROSS, "a x b: one, two")
HOLE   = Point("core/core.py", 44, CROSS, "a x b: <one>, three")
LEFT   = Point("core/core.py", 44, CROSS, "a x b: two, two")
COUNTS = {SEEN: 3, HOLE: 0, LEFT: 0, Point("core/core.py", 50, "line", ""): 1}
LEAVE  = {LEFT: Exclusion("core/core.py", CROSS, "never & never")}


def test_combinations_in_verilog_are_counted(tmp_path, monkeypatch):
    """Kinds 0, 1 and 3 are answered; the interrupt stays low."""
    monkeypatch.setenv("XYMAC_COVERAGE", str(tmp_path))
    monkeypatch.setattr(crosses, "Core", Toy)
    monkeypatch.setattr(crosses, "CROSSES", (KINDS,))
    monkeypatch.setattr(crosses, "_SIGNALS", ())
    with Harness(build_harness(Toy, (), name="crossed-toy")) as harness:
        harness.read([0])
        for word in (1, 3):
            harness.write([0], [word])
    total = collections.Counter()
    for _, counts in count_files(tmp_path, Path(__file__).parent):
        total.update(counts)
    hits = {point.detail.partition(": ")[2]: count > 0 for point, count in total.items()
            if point.kind == CROSS}
    assert hits == {"zero, quiet": True, "one, quiet": True, "two, quiet": False,
                    "zero, loud": False, "one, loud": False, "two, loud": False}


def test_crosses_of_the_core():
    names = [f"{cross.name}: {text}" for cross in CROSSES for text, _ in cross.combinations()]
    assert len(names) == len({*names})
    assert {"access of the host x program state: write X, busy", "fault x pass: end, later pass",
            "fault at issue x fetch: z access, fetch loads"} <= {*names}
    assert not any("|" in name or '"' in name for name in names)


def test_the_core_has_the_signals_of_its_crosses(tmp_path):
    """Verilator finds every name that a cross has in the Verilog of a core."""
    tools = find_toolchain()
    path  = tmp_path / "top.v"
    path.write_text(annotated_verilog(Core(TINY), ports_of(Core(TINY)))[0])
    run_tool([tools.verilator, "--lint-only", "-Wno-fatal", "--top-module", "top", path],
             env={**os.environ, "VERILATOR_ROOT": str(tools.root)})


def test_files(tmp_path):
    save_crosses(tmp_path, "core-tiny", "calls", {"a x b: one, two": 3, "a x b: two, two": 0})
    assert [*read_crosses(tmp_path)] == [("core-tiny", {
        Point("calls", 0, CROSS, "a x b: one, two"): 3,
        Point("calls", 0, CROSS, "a x b: two, two"): 0})]


def test_tables_and_pages():
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(cross_table("tiny", COUNTS, LEAVE))
    assert console.export_text().splitlines()[-2].split() == ["a", "x", "b", "1", "2", "50.0", "1"]
    page = "\n".join(cross_section(COUNTS, LEAVE))
    assert "<tr class=hole><td>&lt;one&gt;, three</td><td class=n>0</td>" in page
    assert "<tr><td>two, two</td><td class=n>0</td><td>never &amp; never</td></tr>" in page


def test_they_are_a_target_and_in_no_block():
    assert figures(COUNTS, LEAVE)[CROSS] == 50.0
    assert sum(total.points for total in by_block(COUNTS, LEAVE)["core/core.py"].values()) == 1
    assert [*misses("tiny", COUNTS, LEAVE)] == [
        "tiny: crosses 50.00 %, below 100 %: 1 of 2 not hit"]
    assert [*hole_lines(COUNTS, LEAVE)] == ["hdl/core/core.py:44: cross a x b: <one>, three"]


def test_a_call_of_each_border():
    """Each function with windows has a call with and without a border, where there is one."""
    calls  = [*smallest_calls()]
    counts = collections.Counter(map(border_of, calls))
    assert min(counts[border] for border in ("padded", "inside", "no windows")) > 20
    assert len({cross_of(call) for call in calls}) > 200
    found = {(call.dialect, call.function, border_of(call)) for call in calls}
    for border in ("padded", "inside"):
        assert ("mli-1", "mli_krn_maxpool_hwc_fx8", border) in found
        assert ("tflm", "CONV_2D", border) in found
        assert ("xs3", "conv2d_shallowin", border) in found
