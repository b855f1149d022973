# SPDX-License-Identifier: Apache-2.0
"""A tile with AXI-Stream and a unit with commands, right and broken: what the report says."""

import contextlib
from pathlib import Path

import pytest
from cocotb_tools.runner import get_runner

from tests.support.kit.adders import Adder
from tests.support.modules import ROOT
from tests.support.sizes import between
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.tasks import list_tasks
from xymac.host.kit.write.cocotb import write_cocotb
from xymac.sim.kit.runner import ask_simulated, compile_device

FOLDER = ROOT / "tests" / "sim" / "kit"


def test_registers_behind_apb_and_wishbone():
    path    = FOLDER / "registers" / "adapter.py"
    adapter = load_adapter(path)
    task    = list_tasks(adapter, 10)[0]

    outcome = judge(task, ask_simulated(path, adapter, task.cases))

    assert (outcome.lines, outcome.equal) == ([], 10)


DEVICE = """
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

async def start(dut):
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns").start())
    dut.rst_n.value = 1
    dut.quit.value  = 0

async def ask(dut, case):
    out = []
    for a, b in zip(case["x"], case["z"]):
        dut.a.value, dut.b.value = a, b
        await ClockCycles(dut.clk, 2)
        out.append(dut.q.value.to_signed() + {change})
    return out
"""


@pytest.mark.parametrize("change", [0, 1])
def test_the_bench_of_cocotb_runs(change, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "vectors")  # which the runner hands on
    write_cocotb(tmp_path / "vectors", generate(Adder.supports[0], 6).cases)
    (tmp_path / "vectors" / "device.py").write_text(DEVICE.format(change=change))
    compile_device(Adder(), [Path(Adder.sources[0])], tmp_path)
    runner = get_runner("verilator")

    with contextlib.suppress(SystemExit):
        runner.test(hdl_toplevel="adder", hdl_toplevel_lang="verilog", test_module="bench",
                    build_dir=tmp_path, test_dir=tmp_path, results_xml=str(tmp_path / "xml"),
                    log_file=tmp_path / "log")

    text = (tmp_path / "xml").read_text()
    assert ("<failure" in text) == bool(change), text
    assert "testcase" in text


@pytest.mark.parametrize(("name", "fault", "sentence"), [
    ("tile8", 0, ""), between("tile8", 1, "wraps the sum at 16 bits"),
    between("tile8", 2, "all wrong outputs lie in channel 5"),
    ("tile8", 3, "the results are the expected outputs 8 elements late"),
    between("tile8", 4, "takes weights as unsigned"),
    ("commands", 0, ""), between("commands", 1, "wraps the sum at 24 bits"),
    between("commands", 2, "takes inputs as unsigned"),
    ("commands", 3, "every 50th output is wrong, counted over all cases")])
def test_the_report_on_a_device(name, fault, sentence):
    path    = FOLDER / name / "adapter.py"
    adapter = load_adapter(path)
    adapter.parameters = {"FAULT": fault}
    [task]  = list_tasks(adapter, 30)

    outcome = judge(task, ask_simulated(path, adapter, task.cases))

    assert outcome.failures == []
    assert outcome.passed is (fault == 0)
    assert sentence in outcome.sentence
