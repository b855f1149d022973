# SPDX-License-Identifier: Apache-2.0
"""Evidence: a verification command's findings, in a file for the sign-off page.

A command calls ``save`` at its end, also when it failed; the figures say so. ``load`` reads the
files of all commands.
"""

import json
import re
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath

from xymac.host.cluster import ROOT, digest_sources
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file
from xymac.host.files.reading import read_json
from xymac.host.files.root import build_root

from .places import TOPS
from .versions import tool_versions

__all__ = ["Evidence", "digest_places", "folder", "load", "save"]

_PAGE  = "signoff.md"  # in docs: a page that follows from evidence, so that evidence ignores it
_MIXED = "changed during the run"  # in place of a digest
_LARGEST = 1e15  # figure
_NAME  = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PLACE = re.compile(r"[\w./-]{1,200}", re.ASCII)
_FIRST = {(name,) for name in TOPS}
_TYPES = {"name": str, "command": str, "figures": dict, "exclusions": list, "survivors": list,
          "seed": int | None, "places": dict, "versions": dict, "time": str}


@dataclass(frozen=True)
class Evidence:
    """A verification command's outcome.

    Parameters
    ----------
    name : str, lower-case words with hyphens: the file name
    command : str, shell command that repeats it
    figures : dict of int, float or str by name (str)
    exclusions : list of dicts, parts left out; each has the key ``reason``
    survivors : list of dicts, faults seen by no check; each has the key ``reason``
    seed : int, or None if nothing is random
    places : dict, digest (str) by place (str): a file or folder the outcome depends on, relative
        to the project
    versions : dict of str by tool (str)
    time : str, save time: UTC, ISO 8601
    """

    name:       str
    command:    str
    figures:    dict
    exclusions: list
    survivors:  list
    seed:       int | None
    places:     dict
    versions:   dict
    time:       str

    @cached_property
    def changed(self):
        """Places with another content than the evidence's, a list of str."""
        now = digest_places(self.places)
        return [place for place, digest in self.places.items() if digest != now[place]]


def digest_places(places):
    """{place: digest} of files and folders at present; a missing place counts as empty.

    A command calls this before it begins, so that ``save`` notices a change during the run.
    InputError if a place is not inside the project.
    """
    for fault in _faults_of_places(places):
        raise InputError(f"Evidence cannot depend on it: {fault}")
    return {place: digest_sources(ROOT, tuple(_parts(place))) for place in places}


def _parts(place):
    """A place, or the documents without the page."""
    if PurePosixPath(place) != PurePosixPath("docs"):
        return [place]
    return [f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*"))
            if not path.name.startswith((".", "__pycache__", _PAGE))]


def folder():
    """The evidence folder, a Path."""
    return build_root() / "signoff"


def save(name, command, figures, exclusions=(), survivors=(), seed=None, *, places):
    """Write the evidence ``name`` and replace its last version; returns the file's Path.

    Parameters
    ----------
    name : str, lower-case words with hyphens, such as ``mutants-hardware``
    command : str, shell command that repeats it
    figures : dict of int, float or str by name (str); not empty, numbers below 1e15
    exclusions : sequence of dicts, parts left out, such as ``{"where":
        "hdl/core/heap.py:41", "reason": "..."}``; each has a non-empty str ``reason``
    survivors : sequence of dicts, faults seen by no check, in the same form
    seed : int, or None if nothing is random
    places : {place: digest} from ``digest_places``, at the command's begin

    InputError if a value has another form, or if the file cannot be written.
    """
    now = digest_places(places)
    evidence = Evidence(
        name, command, dict(figures), [dict(each) for each in exclusions],
        [dict(each) for each in survivors], seed,
        {place: digest if digest == now[place] else _MIXED for place, digest in places.items()},
        tool_versions(), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    _check(evidence, f"Evidence {name!r}")
    for place in places:
        if not (ROOT / place).exists():
            raise InputError(f"Evidence {name!r}: there is no file or folder {place}")
    make_folder(folder())
    path = folder() / f"{name}.json"
    write_file(path, json.dumps(asdict(evidence), indent=1) + "\n")
    return path


def load(where=None, names=None):
    """Return {name: Evidence} for the files in the folder ``where`` (default: ``folder()``), in
    name order; with ``names``, a list of str, for no others.

    InputError with the file and its fault if a file is damaged.
    """
    return {path.stem: _read(path) for path in sorted(Path(where or folder()).glob("*.json"))
            if names is None or path.stem in names}


def _read(path):
    """Read a file's Evidence."""
    content, names = read_json(path), {field.name for field in fields(Evidence)}
    if not isinstance(content, dict) or content.keys() != names:
        raise InputError(f"{path} must have the fields {', '.join(sorted(names))}")
    evidence = Evidence(**content)
    _check(evidence, str(path))
    if evidence.name != path.stem:
        raise InputError(f"{path} has evidence of another name, {evidence.name!r}")
    return evidence


def _check(evidence, subject):
    """Raise InputError with the ``subject`` (str) and the first malformed field."""
    faults = [*_faults_of_types(evidence)] or [*_faults_of_values(evidence)]
    if faults:
        raise InputError(f"{subject}: {faults[0]}")


def _faults_of_types(evidence):
    for name, kinds in _TYPES.items():
        value = getattr(evidence, name)
        if not isinstance(value, kinds) or isinstance(value, bool):
            yield f"{name} has the type {type(value).__name__}"
            return
    for name in ("command", "figures", "places", "time"):
        if not getattr(evidence, name):
            yield f"{name} is empty"


def _faults_of_values(evidence):
    if not _NAME.fullmatch(evidence.name):
        yield "a name must be lower-case words with hyphens"
    for name, value in evidence.figures.items():
        if not isinstance(name, str) or not _is_figure(value):
            yield f"figure {name!r} must be a number below 1e15 or a text, not {value!r}"
    for name in ("exclusions", "survivors"):
        for number, each in enumerate(getattr(evidence, name)):
            if not isinstance(each, dict) or not _is_text(each.get("reason")):
                yield f"{name}[{number}] has no reason"
    for name in ("places", "versions"):
        if not all(map(_is_text, getattr(evidence, name).values())):
            yield f"{name} must be texts"
    yield from _faults_of_places(evidence.places)


def _faults_of_places(places):
    for place in places:
        parts = PurePosixPath(place).parts
        if not _PLACE.fullmatch(place) or ".." in parts or parts[:1] not in _FIRST:
            yield f"{place!r} is no place of the project"


def _is_figure(value):
    if isinstance(value, bool):
        return False
    return isinstance(value, str) or (isinstance(value, int | float) and abs(value) < _LARGEST)


def _is_text(value):
    return isinstance(value, str) and bool(value.strip())
