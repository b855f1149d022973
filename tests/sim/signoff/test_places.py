# SPDX-License-Identifier: Apache-2.0
"""Places of evidence: every source that a command imports lies in a place of its evidence."""

import ast
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from tests.support.modules import ROOT
from xymac.sim.coverage.jobs import SIZES as CORES
from xymac.sim.coverage.jobs import list_jobs
from xymac.sim.mutants.hardware.campaign import _BLOCKS, FIRST, LATER
from xymac.sim.mutants.software.project import PACKAGES, TESTS
from xymac.sim.regress.calls import cut_gates
from xymac.sim.regress.items import cut_faults, cut_tests
from xymac.sim.regress.piece import KINDS
from xymac.sim.regress.robust import CAMPAIGNS, cut_robust
from xymac.sim.signoff.items import ITEMS, SIZES
from xymac.sim.signoff.places import PLACES, TOPS
from xymac.sim.signoff.steps import STEPS

#: They write evidence, give options or name the host; the outcome comes before or without them.
NO_CAUSE = ("sim/signoff", "sim/regress/origin.py")


def files_in(words):
    """Files and folders of tests among command words, and modules behind ``-m``."""
    for word in words:
        name = word.partition("::")[0].partition("[")[0]
        if name.startswith("tests/"):
            yield name
        elif name.startswith("xymac.") and name != "xymac.host.cli":
            yield name.removeprefix("xymac.").replace(".", "/")


def begins():
    """{evidence name: files and folders that its command begins with}."""
    found = {step.name: [*files_in(step.words)] for step in STEPS}
    found["coverage"]         += [name for job in list_jobs([*CORES]) for name in
                                  files_in(job.words)]
    found["mutants-hardware"] += [*files_in((*FIRST, *LATER, *_BLOCKS)), "sim/blocks", "sim/formal"]
    found["mutants-software"] += [*PACKAGES, *TESTS]
    for piece in (*cut_robust(), *cut_tests(ROOT), *cut_faults(), *cut_gates(ROOT)):
        name = f"regress-{piece.kind}"
        for campaign in CAMPAIGNS:
            if piece.name.startswith(campaign.name):
                name = campaign.evidence
        found.setdefault(name, []).extend(files_in(piece.words))
    found["regress-vectors"] = ["host/cli/check.py", "sim/rtl"]
    found["smoke"] = ["host/cli/check.py", "sim/rtl"]
    return {name: {*starts} for name, starts in found.items() if PLACES[name] != TOPS}


@cache
def file_of(module):
    """The source of a module's name, a Path, or None."""
    first, *rest = module.split(".")
    path = {"xymac": ROOT if rest else ROOT / "xymac", "tests": ROOT / "tests"}.get(first)
    if path is None:
        return None
    path = path.joinpath(*rest)
    return next((each for each in (path / "__init__.py", path.with_suffix(".py"))
                 if each.is_file()), None)


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports_of(path):
    """Sources (Path) that a source imports, with its packages and the fixtures of its folders."""
    package = path.relative_to(ROOT).parent.parts
    package = package if package[:1] in (("tests",), ("xymac",)) else ("xymac", *package)
    names = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[:len(package) + 1 - node.level], node.module or ""] if
                            node.level else [node.module]).strip(".")
            names += [f"{base}.{alias.name}" for alias in node.names]
    parts = [name.split(".") for name in names]
    found = {file_of(".".join(each[:end])) for each in parts for end in range(1, len(each) + 1)}
    for folder in path.parents[:len(path.relative_to(ROOT).parts) - 1]:
        found |= {each for each in (folder / "__init__.py", folder / "conftest.py")
                  if each.is_file()}
    return found - {None}


def sources_of(starts):
    """All sources that are imported from files and folders, relative to the project."""
    left, seen = [], set()
    for start in starts:
        path  = ROOT / start
        left += [path] if path.is_file() else (
            sorted(path.rglob("*.py")) or [path.with_suffix(".py")])
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            left += imports_of(path)
    return {path.relative_to(ROOT).as_posix() for path in seen if computes(path)}


def computes(path):
    """Whether a source has more than a docstring."""
    return len(tree_of(path).body) > 1


def outside(sources, places):
    """Sources (str) in none of the places."""
    known   = *places, *NO_CAUSE
    folders = tuple(f"{place}/" for place in known)
    return sorted(source for source in sources
                  if source not in known and not source.startswith(folders))


BEGINS = begins()


@pytest.mark.parametrize("name", BEGINS)
def test_imported_sources_lie_in_places(name):
    assert BEGINS[name]
    assert not outside(sources_of(BEGINS[name]), PLACES[name])


def test_a_source_in_no_place_is_found():
    sources = sources_of(["sim/formal"])

    assert "hdl/core/core.py" in sources
    assert "hdl/core/core.py" in outside(sources, [
        place for place in PLACES["formal"] if place != "hdl"])


def test_every_evidence_has_places_that_exist():
    needed = {need.evidence for item in ITEMS for need in item.needs}

    assert needed | {step.name for step in STEPS} <= PLACES.keys()
    assert {f"regress-{kind}" for kind in KINDS if kind != "robust"} <= PLACES.keys()
    for places in PLACES.values():
        assert len({*places}) == len(places)
        for place in places:
            assert (ROOT / place).exists(), place
            assert Path(place).parts[0] in TOPS


def test_places_are_not_inside_each_other():
    for name, places in PLACES.items():
        inside = [place for place in places for other in places
                  if place != other and PurePosixPath(place).is_relative_to(other)]
        assert not inside, (name, inside)


def test_all_sources_of_the_project_are_tops():
    assert {path.parent.name if path.name == "__init__.py" else path.name
            for path in [*ROOT.glob("*.py"), *ROOT.glob("*/__init__.py")]} <= {*TOPS}


def test_coverage_counts_in_all_its_sizes():
    assert (*CORES,) == SIZES
