# SPDX-License-Identifier: Apache-2.0
"""Evidence of verification commands: written, read, out of date, refused."""

import json
import math

import pytest

from xymac.sim.signoff import evidence
from xymac.sim.signoff.evidence import load, save

FIGURES = {"line, %": 97.7, "properties": 26, "verdict": "passed"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Project and folder of evidence with a file that evidence depends on."""
    (tmp_path / "hdl").mkdir()
    (tmp_path / "hdl" / "core.py").write_text("a = 1\n")
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(evidence, "ROOT", tmp_path)
    monkeypatch.setattr(evidence, "build_root", lambda: tmp_path / "build")
    return tmp_path


def saved(**changes):
    return save(**{"name": "formal", "command": "make formal", "figures": FIGURES,
                   "places": ("hdl",)} | changes)


def test_it_is_read_as_it_was_written(folder):
    survivor = {"where": "hdl/core.py:1", "reason": "equal by a proof"}

    path = saved(survivors=[survivor], exclusions=[{"reason": "cannot be reached"}], seed=7)
    saved(name="coverage", figures={"line, %": 100})

    assert path == folder / "build" / "signoff" / "formal.json"
    assert [*load()] == ["coverage", "formal"]
    found = load()["formal"]
    assert (found.command, found.figures, found.seed) == ("make formal", FIGURES, 7)
    assert found.survivors == [survivor]
    assert found.exclusions == [{"reason": "cannot be reached"}]
    assert found.versions["python"].startswith("3.")
    assert found.versions["numpy"] != "missing"
    assert found.time.endswith("Z")


def test_nothing_saved_is_nothing_loaded():
    assert load() == {}


def test_a_changed_source_makes_it_old(folder):
    saved()
    assert load()["formal"].is_current

    (folder / "docs" / "page.md").write_text("other")
    assert load()["formal"].is_current
    (folder / "hdl" / "core.py").write_text("a = 20\n")
    assert not load()["formal"].is_current
    (folder / "hdl" / "core.py").write_text("a = 1\n")
    assert load()["formal"].is_current
    (folder / "hdl" / "new.py").write_text("")
    assert not load()["formal"].is_current


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"name": "Formal"}, "lower-case words"), ({"name": "../x"}, "lower-case words"),
    ({"figures": {}}, "figures is empty"), ({"figures": {"a": math.nan}}, "figure 'a' must be"),
    ({"figures": {"a": True}}, "figure 'a' must be"), ({"figures": {1: 2}}, "figure 1 must be"),
    ({"survivors": [{"where": "x"}]}, r"survivors\[0\] has no reason"),
    ({"exclusions": [{"reason": "x"}, {"reason": " "}]}, r"exclusions\[1\] has no reason"),
    ({"seed": "7"}, "seed has the type str"), ({"command": ""}, "command is empty"),
    ({"places": ("hdl/nowhere",)}, "there is no file or folder hdl/nowhere"),
    ({"places": ("..",)}, r"'\.\.' is no place"), ({"places": ("hdl/../..",)}, "is no place"),
    ({"places": ("/",)}, "'/' is no place")])
def test_refusals(changes, sentence, folder):
    with pytest.raises(ValueError, match=rf"^Evidence .*{sentence}"):
        saved(**changes)

    assert not list(folder.rglob("*.json"))


@pytest.mark.parametrize(("change", "sentence"), [
    (lambda content: content.pop("seed"), "must have the fields"),
    (lambda content: content.update(name="other"), "another name, 'other'"),
    (lambda content: content.update(versions={"python": 3}), "versions must be texts"),
    (lambda content: content.update(survivors=[3]), r"survivors\[0\] has no reason"),
    (lambda content: content.update(figures=[1]), "figures has the type list")])
def test_damaged_files(change, sentence):
    path = saved()
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))

    with pytest.raises(ValueError, match=rf"formal\.json.*{sentence}"):
        load()


def test_a_file_that_is_no_json():
    path = saved()
    path.write_text("{")

    with pytest.raises(ValueError, match=r"formal\.json is not valid JSON"):
        load()
