# SPDX-License-Identifier: Apache-2.0
"""Evidence of verification commands: written, read, out of date, refused."""

import json
import math

import pytest

from xymac.sim.signoff import evidence
from xymac.sim.signoff.evidence import digest_places, load, save

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
    places = digest_places(changes.pop("places", ("hdl",)))
    return save(**{"name": "formal", "command": "make formal", "figures": FIGURES,
                   "places": places} | changes)


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


def test_it_names_the_places_that_changed(folder):
    (folder / "sim" / "formal").mkdir(parents=True)
    saved(places=("hdl", "sim/formal"))
    assert load()["formal"].changed == []

    (folder / "docs" / "page.md").write_text("other")
    assert load()["formal"].changed == []
    (folder / "hdl" / "core.py").write_text("a = 20\n")
    assert load()["formal"].changed == ["hdl"]
    (folder / "sim" / "formal" / "new.py").write_text("")
    assert load()["formal"].changed == ["hdl", "sim/formal"]
    (folder / "hdl" / "core.py").write_text("a = 1\n")
    assert load()["formal"].changed == ["sim/formal"]


def test_a_change_during_the_run_stays_a_change(folder):
    begun = digest_places(("hdl",))
    (folder / "hdl" / "core.py").write_text("a = 20\n")
    save("formal", "make formal", FIGURES, places=begun)
    assert load()["formal"].changed == ["hdl"]

    (folder / "hdl" / "core.py").write_text("a = 1\n")
    assert load()["formal"].changed == ["hdl"]


def test_the_page_is_no_document_that_evidence_depends_on(folder):
    (folder / "docs" / "__init__.py").write_text("")
    saved(places=("docs",))
    (folder / "docs" / "signoff.md").write_text("the page")
    assert load()["formal"].changed == []

    (folder / "docs" / "__init__.py").write_text("a = 1")
    assert load()["formal"].changed == ["docs"]


def test_some_of_the_files_are_read():
    saved()
    saved(name="coverage").write_text("{")

    assert [*load(names=["formal", "lint"])] == ["formal"]


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"name": "Formal"}, "lower-case words"), ({"name": "../x"}, "lower-case words"),
    ({"figures": {}}, "figures is empty"), ({"figures": {"a": math.nan}}, "figure 'a' must be"),
    ({"figures": {"a": math.inf}}, "figure 'a' must be"),
    ({"figures": {"a": 10 ** 400}}, "figure 'a' must be"),
    ({"figures": {"a": True}}, "figure 'a' must be"), ({"figures": {1: 2}}, "figure 1 must be"),
    ({"survivors": [{"where": "x"}]}, r"survivors\[0\] has no reason"),
    ({"exclusions": [{"reason": "x"}, {"reason": " "}]}, r"exclusions\[1\] has no reason"),
    ({"seed": "7"}, "seed has the type str"), ({"command": ""}, "command is empty"),
    ({"places": ("hdl/nowhere",)}, "there is no file or folder hdl/nowhere"),
    ({"places": ("..",)}, r"'\.\.' is no place"), ({"places": ("hdl/../..",)}, "is no place"),
    ({"places": ("/",)}, "'/' is no place"), ({"places": ("",)}, "'' is no place"),
    ({"places": (".",)}, r"'\.' is no place"), ({"places": ("hdl/" + 200 * "x",)}, "is no place"),
    ({"places": ()}, "places is empty")])
def test_refusals(changes, sentence, folder):
    with pytest.raises(ValueError, match=rf"^Evidence .*{sentence}"):
        saved(**changes)

    assert not list(folder.rglob("*.json"))


@pytest.mark.parametrize(("change", "sentence"), [
    (lambda content: content.pop("seed"), "must have the fields"),
    (lambda content: content.update(name="other"), "another name, 'other'"),
    (lambda content: content.update(versions={"python": 3}), "versions must be texts"),
    (lambda content: content.update(places=["hdl"]), "places has the type list"),
    (lambda content: content.update(places={"hdl": None}), "places must be texts"),
    (lambda content: content.update(places={"hdl/\0": "0"}), "is no place of the project"),
    (lambda content: content.update(sources="0123"), "must have the fields"),
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
