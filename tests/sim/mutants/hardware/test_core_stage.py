# SPDX-License-Identifier: Apache-2.0
"""The stage of simulated cores on toy tests: who kills, who survives, and what it refuses."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xymac.sim.mutants.hardware.core_stage import _fail_at_once

ROOT = Path(__file__).parents[4]

#: Tests whose "core" is the number of the selected mutant.
TESTS = '''
import os
import time

CHOSEN = {"pair": (0, 0), "seen": []}


def test_cheap():
    assert CHOSEN["pair"][0] != 1, "the cheap test sees it"


def test_other():
    CHOSEN["seen"].append(1)
    assert CHOSEN["pair"][0] not in (1, 2)
    if CHOSEN["pair"][0] == 4:
        os.abort()
    while CHOSEN["pair"][0] == 5:
        pass


def test_without_a_core():
    assert True
'''
#: Runs the stage on the tests of a file with fake cores; prints the verdicts.
RUN = '''
import json, sys
import pytest
from pathlib import Path
from xymac.sim.mutants.hardware import core_stage
from xymac.sim.mutants.hardware.mutant import Mutant
from xymac.sim.mutants.hardware.order import Order

core_stage._CPU = 2, 1

class Fake:
    def __init__(self):
        self.used, self.cycles = set(), 0
    def install(self):
        pass
    def choose(self, site, variant):
        sys.modules["test_toys"].CHOSEN["pair"] = site, variant
    def begin(self, usual=None):
        self.used, self.cycles = set(), 0

class Cores:
    """The tests that simulate a core, by their name."""
    def pytest_runtest_call(self, item):
        if "without" not in item.name:
            fake.used.add("library")
            fake.cycles += 100

fake, verdicts = Fake(), {}
mutants = [Mutant(f"a.py:{site}:arm:1", site, 1, "a.py", site, "arm", "a", "b")
           for site in range(1, 7)]
stage = core_stage.CoreStage(
    mutants, lambda library: {(site, 1) for site in (1, 2, 3, 4, 5)}, Order(),
    lambda mutant, verdict: verdicts.update({mutant.site: verdict} if mutant.site else {}),
    lambda text: None, selector=fake)
pytest.main(["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", sys.argv[1],
                    f"{sys.argv[1]}/test_toys.py"], plugins=[stage, Cores()])
print(json.dumps([stage.fault, verdicts]))
'''


def run(folder, tests=TESTS):
    """(Fault of the stage, {site: verdict}) of ``tests``."""
    (folder / "test_toys.py").write_text(tests)
    done = subprocess.run([sys.executable, "-c", RUN, str(folder)], cwd=ROOT, text=True,
                          capture_output=True, check=False)
    lines = done.stdout.splitlines()
    assert lines, done.stderr
    fault, verdicts = json.loads(lines[-1])
    return fault, {int(site): verdict for site, verdict in verdicts.items()}


def test_verdicts(tmp_path):
    fault, verdicts = run(tmp_path)
    killers = {site: verdict["killer"] and verdict["killer"].rpartition("::")[2]
               for site, verdict in verdicts.items()}
    assert fault is None
    assert killers[1] in ("test_cheap", "test_other")
    assert killers == {1: killers[1], 2: "test_other", 3: None, 4: "test_other", 5: "test_other",
                       6: None}
    assert verdicts[4]["how"] == "ended by SIGABRT"
    assert verdicts[5]["how"] == "ended by SIGPROF"  # it does not end
    assert verdicts[3]["tried"] == 2  # a test without a core is no killer
    assert verdicts[6]["tried"] == 0  # no core has the mutant


@pytest.mark.parametrize(("line", "instead", "message"), [
    ('assert CHOSEN["pair"][0] != 1', 'assert CHOSEN["pair"][0] != 0',
     r"^Without a mutant \S*::test_cheap fails: "),
    ("def test_cheap():", "def test_cheap():\n    assert not CHOSEN['seen']",
     r"^Without a mutant \S*::test_cheap fails in another order: ")])
def test_a_wrong_killer_is_refused(tmp_path, line, instead, message):
    """A test that fails without a mutant, or after others, would kill anything."""
    fault, verdicts = run(tmp_path, TESTS.replace(line, instead))
    assert re.match(message, fault)
    assert verdicts == {}


@pytest.mark.parametrize("wrap", [lambda function: function, staticmethod])
def test_a_property_ends_at_its_first_failure(wrap):
    """It neither shrinks the failure nor looks for others; other settings stay."""
    failed, passed = [], []

    class Toys:
        @wrap
        @settings(max_examples=40, derandomize=True)
        @given(st.integers(0, 1 << 40))
        def fails(value):
            (failed if value >= 1000 else passed).append(value)
            assert value < 1000

    _fail_at_once(SimpleNamespace(obj=Toys.fails))
    with pytest.raises(AssertionError):
        Toys.fails()
    assert {*failed} == {failed[0]}
    assert len(failed) <= 3  # found, and run again for the report
    assert Toys.fails._hypothesis_internal_use_settings.max_examples == 40
    assert Toys.fails._hypothesis_internal_use_settings.database is None


def test_other_tests_stay_as_they_are():
    _fail_at_once(SimpleNamespace(obj=test_verdicts))
    _fail_at_once(SimpleNamespace())
    assert not hasattr(test_verdicts, "_hypothesis_internal_use_settings")
