# SPDX-License-Identifier: Apache-2.0
"""Waves of the first case that fails: which case, and its signals alone."""

import io
import re
from dataclasses import replace
from itertools import groupby

import pytest

from xymac.host.errors import InputError
from xymac.host.kit.attempt import attempt, check_waves
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.report.outcome import find_failing
from xymac.host.kit.stimuli.tasks import list_tasks
from xymac.sim.kit.runner import ask_simulated
from xymac.sim.kit.window import cut_before

FILE = "from tests.support.kit import adders\n\nclass Mine(adders.{}):\n    pass\n"
DUMP = """$timescale 1ps $end
 $var wire 1 ! clk $end
$enddefinitions $end
#0
0!
b0011 "
#10
1!
#20
0!
b1100 "
#3"""


@pytest.mark.parametrize(("begin", "rest"), [
    (0, '#0\n0!\nb0011 "\n#10\n1!\n#20\n0!\nb1100 "\n'),
    (11, '#20\n1!\nb0011 "\n0!\nb1100 "\n'), (30, '#30\n0!\nb1100 "\n')])
def test_a_dump_is_cut_at_a_time_with_all_values(begin, rest):
    target = io.StringIO()

    cut_before(io.StringIO(DUMP), target, begin, "case $end 1")

    assert target.getvalue() == "$comment case  end 1 $end\n" + DUMP.partition("#0")[0] + rest


@pytest.fixture
def load(tmp_path):
    """Function from a class of adders to the path, the Adapter and its drawn Task."""
    def make(kind, count=20):
        path = tmp_path / "mine.py"
        path.write_text(FILE.format(kind))
        adapter = load_adapter(path)
        return path, adapter, list_tasks(adapter, count)[0]
    return make


def values_of(text, name):
    """Successive values of a signal of eight bits of the adder."""
    head, _, body = text.partition("$enddefinitions $end\n")
    code   = re.search(rf"module adder .*? 8 (\S+) {name} \[7:0\]", head, re.DOTALL)[1]
    values = [int(match[1], 2) for match in re.finditer(rf"^b([01]+) {re.escape(code)}$", body,
                                                        re.MULTILINE)]
    return [(value + 128) % 256 - 128 for value, _ in groupby(values)]


def test_waves_are_those_of_the_first_case_that_fails(load, tmp_path):
    path, adapter, task = load("WrongAdder")
    sums   = [case.expected().max() for case in task.cases]
    fine   = [case for case, top in zip(task.cases, sums, strict=True) if top < 127]
    wrong  = [case for case, top in zip(task.cases, sums, strict=True) if top == 127]
    task   = replace(task, cases=[*fine[:3], *wrong])
    folder = tmp_path / "new" / "waves"

    outcome = attempt(path, adapter, task, folder)

    file = folder / "add-mli-1-fx8-drawn.vcd"
    text = file.read_text()
    given = [value for value, _ in groupby(int(each["x"]) for each in wrong[0].elements)]
    before = int([*fine[2].elements][-1]["x"])
    assert outcome.lines[-1] == f"waves of {wrong[0].name}: {file}"
    assert [*folder.iterdir()] == [file]
    assert f"$comment {wrong[0].name} $end" in text
    assert values_of(text, "a") == [value for value, _ in groupby([before, *given])]
    assert 126 in values_of(text, "q")


def test_devices_that_pass_leave_no_waves(load, tmp_path):
    outcome = attempt(*load("Adder", 2), tmp_path / "waves")

    assert (outcome.lines, outcome.waves) == ([], "")
    assert not (tmp_path / "waves").exists()


@pytest.mark.parametrize(("first", "cycles"), [(0, 1000), (4, 0)])
def test_cases_that_hang_or_end_the_simulation_have_waves(first, cycles, load, tmp_path):
    path, adapter, task = load("FaultyAdder", 6)
    task = replace(task, cases=task.cases[first:])

    outcome = attempt(path, adapter, task, tmp_path)

    text = (tmp_path / "add-mli-1-fx8-drawn.vcd").read_text()
    assert outcome.waves.startswith(f"waves of add {first}: ")
    assert text.count("\n#") > cycles
    assert values_of(text, "a")


def test_places_of_failures(load):
    path, adapter, task = load("WrongAdder", 8)
    answers = ask_simulated(path, adapter, task.cases)
    is_wrong = [case.expected().max() == 127 for case in task.cases]

    assert find_failing(task.cases, answers) == is_wrong.index(True)


@pytest.mark.parametrize(("body", "folder", "words"), [
    ("sources = ()", "w", "has no sources to simulate"),
    ("simulator = 'icarus'", "w", "Waves need the simulator verilator, not icarus"),
    ("pass", "mine.py", "Waves need a folder, and .*mine.py is a file")])
def test_waves_that_cannot_be_kept_are_refused(body, folder, words, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"{FILE.format('Adder')}    {body}\n")

    with pytest.raises(InputError, match=words):
        check_waves(load_adapter(path), tmp_path / folder)
