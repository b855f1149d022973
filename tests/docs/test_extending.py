# SPDX-License-Identifier: Apache-2.0
"""The bench that the page on extensions prints runs, and fails on another block."""

import re
from pathlib import Path

import pytest

from xymac.hdl.arith import DelayLine
from xymac.sim.build.cocotb import run_bench

PAGE = (Path(__file__).parents[2] / "docs/extending.md").read_text(encoding="utf-8")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Name of a module with the printed bench."""
    chapter = PAGE.split("## A bench")[1].split("\n## ")[0]
    text, *_ = re.findall(r"```\n(.*?)```", chapter, re.DOTALL)
    assert sum(line.strip() != "" for line in text.splitlines()) == 9
    (tmp_path / "printed_bench.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return "printed_bench"


def test_the_printed_bench_runs(module):
    run_bench(DelayLine(9, 3), bench=module, name="printed")


def test_the_printed_bench_can_fail(module):
    with pytest.raises(AssertionError, match="1 of 1 tests failed"):
        run_bench(DelayLine(9, 18), bench=module, name="printed-late")
