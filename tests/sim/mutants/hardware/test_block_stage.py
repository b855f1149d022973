# SPDX-License-Identifier: Apache-2.0
"""The stage of block benches: it kills, spares, and refuses what it cannot judge."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from xymac.hdl.multiply import Multiply
from xymac.host.errors import InputError
from xymac.sim.build import cocotb
from xymac.sim.build.compile import verilog_of
from xymac.sim.mutants.hardware import block_stage, forks
from xymac.sim.mutants.hardware.elaborate import NUMBER
from xymac.sim.mutants.hardware.processes import ask as ask_stage
from xymac.sim.mutants.hardware.scan import HDL, scan

ROOT = Path(__file__).parents[4]
TEST = "tests/hdl/test_blocks.py::test_multiply"


def ask(folder, pairs, tests=(TEST,)):
    """(Exit code, messages) of the process of the stage."""
    request = folder / "request.json"
    request.write_text(json.dumps({"mutants": pairs,
                                   "tests": [str(ROOT / test) for test in tests]}))
    done = subprocess.run(
        [sys.executable, "-m", "xymac.sim.mutants.hardware.block_stage", str(request)], cwd=ROOT,
        text=True, capture_output=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()
                             if line.startswith("{")]


def test_a_bench_kills_a_mutant_and_spares_none(tmp_path):
    """A multiplier without a step fails; a mutant of other hardware is not its own."""
    sites  = scan(HDL)["multiply.py"][1]
    pairs  = [[f"line {site.line}", site.number, 1] for site in sites
              if "dropped" in site.variants.get(1, ("", ""))[1]]
    code, messages = ask(tmp_path, [*pairs, ["elsewhere", 1, 1]])
    has    = next(message["has"] for message in messages if "has" in message)
    killed = {message["mutant"] for message in messages if message.get("killed")}
    assert code == 0
    assert killed == set(has)
    assert 0 < len(has) <= len(pairs)
    assert all(message["how"] for message in messages if message.get("killed"))


def test_a_block_with_a_constant_port_bit_has_its_mutants_tried(tmp_path):
    """Yosys writes a process without a sensitivity for the low address bits of ``AxiLite``."""
    handshakes = [["the handshake", site.number, variant] for site in scan(HDL)["axi.py"][1]
                  for variant, (_, after) in site.variants.items() if after.startswith("ready | ")]
    code, messages = ask(tmp_path, handshakes,
                         tests=["tests/hdl/test_axi.py::test_axi_lite"])
    assert code == 0
    assert [message["killed"] for message in messages if "mutant" in message] == [True]


def test_a_fault_of_the_stage_is_no_kill(monkeypatch):
    """An exception in its own code would be a killer of everything."""
    def breaks(*arguments, **options):
        raise OSError("no space")

    monkeypatch.setattr(cocotb, "_simulate", breaks)
    with pytest.raises(RuntimeError, match=r"^bench ends after 0 of 2 mutants: .*no space"):
        list(block_stage._verdicts("program", "bench", {}, [0, 1]))


def test_a_simulation_over_its_time_is_a_kill(tmp_path):
    """A mutant can keep a bench waiting for ever; its output goes to its own folder."""
    child = os.fork()
    if child == 0:
        forks._enter(SimpleNamespace(), tmp_path, 7, limit=1)
        while True:
            pass
    _, status = os.waitpid(child, 0)
    assert forks._why(tmp_path, status) == "the simulation is ended by SIGXCPU"
    assert (tmp_path / NUMBER).read_text() == "7\n"


def test_a_simulation_without_results_is_a_kill(tmp_path):
    (tmp_path / "log").write_text("\x1b[31mAssertionError: 3\x1b[0m\n")
    assert forks._why(tmp_path, 0) == "AssertionError: 3"


def test_sources_that_are_not_rewritten_are_refused():
    """An import before the rewriting would let every mutant survive."""
    blocks = block_stage._Blocks(block_stage.Points(), {}, lambda **message: None)
    with pytest.raises(AssertionError, match=r"^multiply was imported before its sources were"):
        blocks.run_bench(Multiply(), bench="b", name="multiply", verilog=verilog_of)


def test_a_stage_that_fails_names_the_test(tmp_path):
    path = tmp_path / "test_broken.py"
    path.write_text("def test_sum():\n    raise ValueError('no sum')\n")
    with pytest.raises(InputError, match=r"^block stage: 1 failed .*; FAILED .*test_broken\.py"
                                         r"::test_sum - ValueError: no sum$"):
        ask_stage("block_stage", {"mutants": [], "tests": [str(path)]}, lambda message: None)
