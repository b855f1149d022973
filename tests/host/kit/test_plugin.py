# SPDX-License-Identifier: Apache-2.0
"""The plugin of pytest, as somebody uses it from a folder of their own."""

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from docs.tables.documents import ROOT
from tests.support.modules import PACKAGES
from xymac.host.kit.plugin import Kit

CORE = ROOT / "tests" / "support" / "kit" / "core_adapter.py"
MINE = """
import xymac

class Mine(xymac.Adapter):
    supports = (xymac.Supports("relu", "tflm"), xymac.Supports("add", "tflm"))

    def relu(self, case):
        return case.expected()

    def add(self, case):
        values = case.expected().copy()
        values.flat[0] = 1 if case.name == "add 3" else values.flat[0]
        return values
"""


def run_pytest(folder, *arguments):
    """Exit code and output of pytest in a folder."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", *arguments], cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def mine(tmp_path):
    """A folder with an adapter of a device whose addition is wrong once."""
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_what_is_right_passes_and_what_is_wrong_fails(mine):
    code, printed = run_pytest(mine, "--xymac-dut", "mine.py", "--xymac-cases", "4",
                               "--xymac-report", "out")

    report = json.loads((mine / "out" / "report.json").read_text())
    assert code == 1
    assert "collected 4 items" in printed
    assert "1 failed, 3 passed" in printed
    assert "add tflm int8 drawn: " in printed
    assert "Traceback" not in printed
    assert [entry["different"] for entry in report["outcomes"]] == [0, 0, 1, 0]
    page = (mine / "out" / "report.html").read_text()
    assert "<td>version</td><td>xymac " in page
    assert f"<td>host</td><td>{platform.node()}</td>" in page
    assert "<pre>pytest -p no:cacheprovider --xymac-dut mine.py " in page


def test_a_task_whose_cases_the_limits_leave_out_is_skipped(mine):
    """It has neither passed nor failed."""
    (mine / "mine.py").write_text(MINE.replace('"add", "tflm"', '"add", "tflm", "int8", {\n'
                                               '        "elements": (3,)}'))

    code, printed = run_pytest(mine, "--xymac-dut", "mine.py", "--xymac-cases", "2",
                               "--xymac-report", "out")

    page = (mine / "out" / "report.html").read_text()
    assert code == 0, printed
    assert "3 passed, 1 skipped" in printed
    assert "<a class=none href='#add-tflm-int8-recorded'>" in page
    assert "<h2 class=yes id='add-tflm-int8-drawn'>" in page
    assert not re.search(r"\b1 cases", page)


def test_the_report_names_the_commit_of_the_adapter(mine):
    for words in (["init", "-q"], ["add", "mine.py"], ["-c", "user.name=a", "-c", "user.email=a",
                                                       "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=mine, check=True)
    head = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=mine, check=True,
                          capture_output=True, text=True).stdout.strip()

    run_pytest(mine, "--xymac-dut", "mine.py", "--xymac-cases", "1", "-k", "relu",
               "--xymac-report", "out")

    page = (mine / "out" / "report.html").read_text()
    assert f"<td>commit of the adapter</td><td>{head}</td>" in page


@pytest.mark.long
def test_tests_are_selected_by_name_and_run_in_processes(mine):
    code, printed = run_pytest(mine, "--xymac-dut", "mine.py", "--xymac-cases", "8", "-k", "relu",
                               "-n", "1")

    assert code == 0
    assert "2 passed" in printed
    assert "Mine: " in printed


@pytest.fixture
def repository(mine):
    """The same folder as a repository with packages that have the names of ours."""
    for name in PACKAGES:
        (mine / name).mkdir()
        (mine / name / "__init__.py").write_text("OWN = True\n")
    (mine / "conftest.py").write_text(
        "import sys\nimport hdl, pytest\n\n@pytest.fixture\ndef own():\n    return hdl.OWN\n")
    (mine / "test_it.py").write_text(
        "import sys\nimport boards, golden, host, sim\n\ndef test_own(own):\n"
        "    assert own and boards.OWN and golden.OWN and host.OWN and sim.OWN\n\n"
        "def test_loaded():\n    assert not {'xymac.golden', 'xymac.hdl', 'xymac.host', 'numpy',\n"
        "                'rich.table'} & {*sys.modules}\n")
    return mine


def test_without_a_device_nothing_is_loaded_and_nothing_changes(repository):
    code, printed = run_pytest(repository)

    assert code == 0, printed
    assert "2 passed" in printed
    assert "xymac:" not in printed


def test_the_kit_runs_in_a_repository_with_packages_of_the_same_names(repository):
    code, printed = run_pytest(repository, "--xymac-dut", "mine.py", "--xymac-cases", "2", "-k",
                               "relu or own")

    assert code == 0, printed
    assert "3 passed" in printed  # both tasks of the adapter, and the test of the repository


@pytest.mark.parametrize(("arguments", "words"), [
    (["--xymac-dut", "mine.py", "--xymac-vectors", "."], "There is no index.json in"),
    (["--xymac-network", "a.tflite"], "--xymac-network needs --xymac-dut, an adapter with"),
    (["--xymac-dut", "mine.py", "--xymac-network", "a.tflite"],
     "--xymac-network has no effect: Mine does not support the operation network"),
    (["--xymac-dut", "mine.py", "--xymac-cases", "few"], "must be an int, at least 1, not 'few'"),
    (["--xymac-dut", "mine.py", "--xymac-cases", "0"], "must be at least 1, not 0")])
def test_options_that_cannot_be_used_end_in_a_sentence(arguments, words, mine):
    code, printed = run_pytest(mine, *arguments)

    assert code == 4
    assert words in printed
    assert "Traceback" not in printed
    assert "INTERNALERROR" not in printed


@pytest.mark.parametrize(("options", "words"), [
    ({"xymac_dut": "none.py"}, "There is no adapter"),
    ({"xymac_dut": "mine.py", "xymac_report": "mine.py/r"}, "Cannot make the folder mine.py/r: "),
    ({"xymac_dut": "mine.py", "xymac_waves": "w"}, "There are no waves of Mine")])
def test_a_device_that_cannot_be_used_is_a_wrong_option(options, words, mine, monkeypatch):
    """pytest ends on it as on the options above."""
    monkeypatch.chdir(mine)
    config = SimpleNamespace(getoption=options.get, invocation_params=SimpleNamespace(args=()))

    with pytest.raises(pytest.UsageError, match=words):
        Kit(config)


def test_our_own_core_is_a_device_like_others():
    code, printed = run_pytest(Path(CORE).parent, "--xymac-dut", CORE.name, "--xymac-cases", "2",
                               "-k", "drawn or networks")

    assert code == 0, printed
    assert "17 passed" in printed
