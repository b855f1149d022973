# SPDX-License-Identifier: Apache-2.0
"""`xymac regress` as it is typed: what it prints, its report, what it resumes and refuses."""

import json
import re
from itertools import count
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from xymac.host.cli.main import main

from .small import write_piece

PASSES = "def test_passes(): pass"
FAILS  = "def test_fails(): print('tell\\x1b[1m'); assert 'seen' == '<b>'"
SKIPS  = "import pytest\ndef test_skips(): pytest.skip('no <i> here')"


@pytest.fixture
def regress(monkeypatch, tmp_path):
    """Function from texts of tests and options to the exit code of a run of these tests."""
    def run(texts, *options):
        pieces = [write_piece(tmp_path, name, text) for name, text in texts.items()]
        monkeypatch.setattr("xymac.sim.regress.command.cut", lambda *asked: pieces)
        return main(["regress", "--jobs", "2", *options])
    return run


def test_a_run_and_its_report(regress, tmp_path, capsys):
    """And another run that resumes it and does what is left."""
    code = regress({"good": PASSES, "bad": FAILS, "none": SKIPS}, "--seed", "5", "--only",
                   "tests,kit", "--match", "*<o>*",
                   "--cache", f"{tmp_path}/cache", "--report", f"{tmp_path}/report")

    out = capsys.readouterr().out
    assert code == 1
    assert "xymac regress --seed 5: 3 pieces on 2 processes of this computer\n" in out
    assert re.search(r"failed: bad with seed 5, on \S+\n  repeat it alone: python -m pytest -p "
                     rf"no:cacheprovider {tmp_path}/test_bad.py\n", out)
    assert "'seen' == '<b>'" in out
    assert ("xymac regress --seed 5: 1 of 3 pieces passed, 1 skipped, 0 kept from before; 1 test "
            "or check passed, 1 failed, 1 skipped\n") in out
    check_page((tmp_path / "report" / "regress.html").read_text(), tmp_path)
    check_junit(ElementTree.parse(tmp_path / "report" / "regress.xml").find("testsuite"))

    code = regress({"good": PASSES, "bad": PASSES, "none": SKIPS}, "--resume",
                   f"{tmp_path}/report")

    check_resumed(code, capsys.readouterr().out, tmp_path / "report")


def check_page(page, folder):
    assert f"<pre>python -m pytest -p no:cacheprovider {folder}/test_bad.py</pre>" in page
    assert '<td>none</td><td class="number">1</td><td>skipped: no &lt;i&gt; here</td>' in page
    assert "&lt;b&gt;" in page
    assert "<pre></pre>" not in page
    assert "<b>" not in page
    assert r"tell\x1b[1m" in page
    assert all(char.isprintable() or char in "\n\t" for char in page)
    assert page.index("<h1 class=bad>xymac regress: failed</h1>") < page.index("<h2>")
    top = page.partition("<h2>")[0]
    for name in ("seed", "commit", "host", "date"):
        assert re.search(rf"<tr><td>{name}</td><td[^>]*>[^<]+</td></tr>", top)
    assert ("<pre>xymac regress --seed 5 --only tests,kit --match &#x27;*&lt;o&gt;*&#x27;</pre>"
            in top)
    assert "<td>seconds of this run</td>" in page
    red = re.findall(r'<(\w+)(?: class="?(?:number )?bad"?)>([^<]*)', page)
    assert red == [("h1", "xymac regress: failed"), ("h3", "bad: failed"), ("td", "1"),
                   ("td", "failed"), ("td", "1")]


def check_junit(suite):
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert "test_fails" in suite.find("testcase[@name='bad']/failure").text
    assert suite.find("testcase[@name='none']/skipped") is not None
    assert [*suite.find("testcase[@name='good']")] == []


def check_resumed(code, out, folder):
    assert code == 0
    assert "2 of 3 pieces passed, 1 skipped, 1 kept from before" in out
    report = json.loads((folder / "regress.json").read_text())
    assert report["totals"] | {"seconds": 0, "work": 0} == {
        "pieces": 3, "missing": 0, "kept": 1, "pieces passed": 2, "pieces skipped": 1,
        "pieces failed": 0, "pieces lost": 0, "passed": 2, "failed": 0, "skipped": 1,
        "seconds": 0, "work": 0}
    assert report["seed"] == 5
    assert {*report["versions"]} == {"sources", "python", "verilator"}


@pytest.mark.long
def test_an_interrupted_run_says_what_is_missing(regress, tmp_path, monkeypatch, capsys):
    def interrupt(result):
        raise KeyboardInterrupt

    monkeypatch.setattr("xymac.sim.regress.progress.Board._ended",
                        lambda board, result: interrupt(board))

    code = regress({"good": PASSES, "bad": FAILS, "more": FAILS}, "--seed", "5", "--cache",
                   f"{tmp_path}/cache", "--report", f"{tmp_path}/report")

    report = json.loads((tmp_path / "report" / "regress.json").read_text())
    assert code == 130
    assert (report["totals"]["pieces"], report["totals"]["missing"]) == (1, 2)


@pytest.mark.parametrize(("option", "value", "sentence"), [
    ("--only", "vectors,all", r"must be of board, .*, not 'all'"),
    ("--hours", "0", r"must be a number of hours above 0, not '0'"),
    ("--hours", "nan", r"must be a number of hours above 0, not 'nan'"),
    ("--seed", "x", r"must be an int, not 'x'")])
def test_refused_values(option, value, sentence, regress, capsys):
    with pytest.raises(SystemExit, match=r"^2$"):
        regress({"good": PASSES}, option, value)

    assert re.search(f"^xymac regress: argument {option}: {sentence}", capsys.readouterr().err)


@pytest.mark.parametrize(("options", "sentence"), [
    (["--cache", "/proc/none"], r"Cannot keep results in /proc/none: .*"),
    (["--cache", "/dev/null"], r"Cannot keep results in /dev/null: .*"),
    (["--resume", "/proc"], r"There is no run to resume in /proc: .*"),
    (["--resume", "/proc", "--seed", "5"], r"--resume takes --only, .* from the run that it .*"),
    (["--cluster", "local"], r"--jobs is for processes of this computer, not for a cluster")])
def test_refusals(options, sentence, regress, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("xymac.sim.regress.command.build_root", lambda: tmp_path)

    assert regress({"good": PASSES}, *options) == 2

    assert re.fullmatch(f"xymac regress: {sentence}\n", capsys.readouterr().err)
    assert not [*tmp_path.glob("regress/[0-9]*")]


@pytest.mark.parametrize("text", ["{", "[]", '{"seed": 5}', json.dumps(
    {"seed": "x", "only": None, "match": "*", "cache": "c", "workloads": None})])
def test_damaged_settings(text, regress, tmp_path, capsys):
    (tmp_path / "regress.settings.json").write_text(text)

    assert regress({}, "--resume", str(tmp_path)) == 2

    assert "There is no run to resume in" in capsys.readouterr().err


@pytest.mark.long
def test_hours_go_on_with_new_seeds(monkeypatch, tmp_path, capsys):
    piece = write_piece(tmp_path, "seeded", PASSES, option="--randomly")
    monkeypatch.setattr("xymac.sim.regress.command.cut", lambda *asked: [piece])
    monkeypatch.setattr("xymac.sim.regress.command.time",
                        SimpleNamespace(monotonic=count().__next__))
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser): parser.addoption('--randomly')")

    code = main(["regress", "--jobs", "1", "--seed", "5", "--hours", "0.001", "--cache",
                 f"{tmp_path}/cache", "--report", f"{tmp_path}/report"])

    pieces = json.loads((tmp_path / "report" / "regress.json").read_text())["pieces"]
    assert code == 0
    assert [entry["seed"] for entry in pieces] == [5, 6]
