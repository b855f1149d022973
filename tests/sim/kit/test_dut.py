# SPDX-License-Identifier: Apache-2.0
"""Devices that cocotb simulates: what is asked, and whatever may go wrong."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.support.soc.simulation import verilate
from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import Supports, load_adapter
from xymac.host.kit.operations import DIALECTS
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.tasks import list_tasks
from xymac.host.kit.write.readmemh import DEVICE, write_readmemh
from xymac.sim.build.compile import compile_model
from xymac.sim.kit import runner
from xymac.sim.kit.runner import ask_simulated

#: What makes a file an adapter, of a class of ``tests.support.kit.adders``.
FILE = "from tests.support.kit import adders\n\nclass Mine(adders.{}):\n    {}\n"
ADD  = Supports("add", "mli-1", "fx8")
MAIN = """
#include "Vtop.h"
int main() { Vtop top; top.eval(); top.final(); return 0; }
"""
ASK = """
    task automatic ask(input int number);
        for (int place = 0; place < field(number, X_COUNT); place++) begin
            automatic int sum = x[field(number, X_FIRST) + place];
            sum = sum + z[field(number, Z_FIRST) + place];
            result[place] = sum < -128 ? -128 : sum > %d ? %d : sum;
        end
    endtask
"""


@pytest.fixture
def write(tmp_path):
    """Function that writes the file of an adapter, and returns path and Adapter."""
    def make(kind, body="pass"):
        path = tmp_path / "mine.py"
        path.write_text(FILE.format(kind, body))
        return path, load_adapter(path)
    return make


@pytest.mark.parametrize(("kind", "sentence"), [("Adder", ""), ("WrongAdder", "are 1 below")])
def test_a_device_is_asked_and_judged(kind, sentence, write):
    path, adapter = write(kind)
    [task, recorded] = list_tasks(adapter, 20)

    outcome = judge(task, ask_simulated(path, adapter, task.cases))

    assert outcome.failed == 0
    assert outcome.passed == (not sentence)
    assert sentence in outcome.sentence
    assert recorded.cases


def test_what_sources_include_is_part_of_them(write, tmp_path):
    path, adapter = write("Adder")
    cases = list_tasks(adapter, 2)[0].cases
    adder = Path(adapter.sources[0]).read_text()
    (tmp_path / "adder.v").write_text("`include \"rest.vh\"\n")
    adapter.sources = ["adder.v"]

    for change in (adder, adder.replace("+", "-")):
        (tmp_path / "rest.vh").write_text(change)
        answers = ask_simulated(path, adapter, cases)
        outcome = judge(list_tasks(adapter, 2)[0], answers)
        assert outcome.passed == (change == adder)


def test_sources_read_data_beside_the_adapter(write, tmp_path):
    path, adapter = write("Adder")
    [task, _] = list_tasks(adapter, 2)
    adder = Path(adapter.sources[0]).read_text()
    (tmp_path / "adder.v").write_text(adder.replace(
        "endmodule", 'reg [7:0] one [0:0];\ninitial $readmemh("one.hex", one);\nendmodule').replace(
        "a + b", "a + b + $signed(one[0])"))
    adapter.sources = ["adder.v"]

    with pytest.raises(InputError, match=r"adder reads one.hex, and there is no such file beside "):
        ask_simulated(path, adapter, task.cases)
    for one, is_right in ((0, True), (1, False)):
        (tmp_path / "one.hex").write_text(f"{one:02x}\n")
        assert judge(task, ask_simulated(path, adapter, task.cases)).passed == is_right


def test_faults_are_a_sentence_each_and_the_rest_goes_on(write):
    path, adapter = write("FaultyAdder")
    adds, relus   = (generate(support, count).cases for support, count
                     in zip(adapter.supports, (6, 1), strict=True))

    answers = ask_simulated(path, adapter, [*adds[:2], *relus, *adds[2:]])

    hangs, raises, lacks, right, also, quits, late = [answer.failure for answer in answers]
    assert hangs == "add of mli-1, case add 0: did not end within 2,000 cycles"
    assert raises == "add of mli-1, case add 1: RuntimeError: no power"
    assert lacks == "relu of mli-1, case relu 0: Mine has no relu"
    assert (right, also) == ("", "")
    assert "case add 4: the simulation ended" in quits
    assert late.endswith("case add 5: not tried, as the simulation had ended")


def test_a_case_that_stops_the_simulation_is_ended(write):
    path, adapter = write("SleepyAdder")

    answers = ask_simulated(path, adapter, generate(ADD, 2).cases)

    first, second = [answer.failure for answer in answers]
    assert first.endswith("add 0: the simulation ended: Error: a case took longer than 1.5 s")
    assert second.endswith("add 1: not tried, as the simulation had ended")


def test_a_method_that_is_no_coroutine_is_told(write):
    path, adapter = write("Adder", "def add(self, case):\n        return 0")

    [answer] = ask_simulated(path, adapter, generate(ADD, 1).cases)

    assert answer.failure.endswith("add of Mine must be a coroutine, async def")


def test_ports_take_what_fits_them(write):
    path, adapter = write("Adder", """values = [{"a": 256}, {"b": -129}, {"c": 0}]

    async def add(self, dut, case):
        adders.xymac.drive(dut, a=255, quit=False)
        adders.xymac.drive(dut, **self.values.pop(0))""")

    answers = ask_simulated(path, adapter, generate(ADD, 3).cases)

    for number, words in enumerate(("OverflowError: a cannot be 256",
                                    "OverflowError: b cannot be -129", "AttributeError: .*c")):
        assert re.search(f"case add {number}: {words}", answers[number].failure)


@pytest.mark.parametrize(("body", "words"), [
    ("sources = ('none.v',)", "There is no source .*none.v"),
    ("simulator = 'none'", "cocotb has no simulator 'none'"),
    ("top = 'subtractor'", "subtractor cannot be compiled: .*subtractor"),
    ("clock = 'clock'", "The simulation of adder asked nothing: .*clock")])
def test_what_cannot_be_simulated_is_a_sentence(body, words, write):
    path, adapter = write("Adder", body)

    with pytest.raises(InputError, match=f"(?s){words}"):
        ask_simulated(path, adapter, generate(ADD, 1).cases)


def test_the_kit_works_within_a_test_of_cocotb(write, monkeypatch):
    monkeypatch.setattr(runner, "_BENCH", "tests.support.kit.own_bench")
    path, adapter = write("Adder")

    [(passed, count, failure)] = ask_simulated(path, adapter, [])

    assert passed
    assert count > 6
    assert "did not end within 2 cycles (and 1 more case)" in failure


@pytest.mark.parametrize("highest", [127, 126])
def test_the_bench_of_readmemh_runs(highest, tmp_path):
    write_readmemh(tmp_path, generate(ADD, 10).cases)
    (tmp_path / DEVICE).write_text(ASK % (highest, highest))
    (tmp_path / "main.cpp").write_text(MAIN)
    program = compile_model(
        (tmp_path / "bench.sv").read_text(), main=tmp_path / "main.cpp", top="bench",
        name="readmemh", args=["--default-language", "1800-2017", f"-I{tmp_path}", "-Wno-fatal"])

    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode == 0) == (highest == 127)
    assert ("outputs of 10 cases are equal" if highest == 127 else "expected 127, got 126"
            ) in done.stdout + done.stderr


@pytest.mark.parametrize(("operation", "dialect"), [
    ("requantise", "tflm"), ("conv2d", "mli-2"), ("add", "tflm"), ("pad", "tflm"),
    ("slice", "tflm"), ("transpose", "tflm"), ("lstm", "tflm"), ("gru", "mli-2"), ("svdf", "tflm")])
def test_operands_with_names_of_the_language_compile(operation, dialect, tmp_path):
    cases = generate(Supports(operation, dialect, DIALECTS[dialect][0]), 2).cases
    write_readmemh(tmp_path, cases)

    verilate(tmp_path, "--lint-only", "-Wno-fatal", "--timing", "bench.sv")
