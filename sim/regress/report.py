# SPDX-License-Identifier: Apache-2.0
"""A run's outcome as files: JSON, JUnit XML, and the settings to resume it."""

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from xymac.host.cluster import Environment
from xymac.host.errors import InputError
from xymac.host.files import write_file
from xymac.host.files.reading import read_json
from xymac.host.plural import plural

from .counted import sum_counted
from .page import page

__all__ = ["Run", "read_settings", "write_report", "write_settings"]

_SETTINGS = "regress.settings.json"
_FIELDS   = {"seed": int, "only": list | None, "match": str, "cache": str, "workloads": str | None}


@dataclass(frozen=True)
class Run:
    """A completed or interrupted run.

    Parameters
    ----------
    seed : int
    results : list of Result
    environment : Environment
    label : str, computing resources in words
    seconds : float
    missing : int, pieces without a result
    command : str, shell command that repeats the run
    """

    seed:         int
    results:      list
    environment: Environment
    label:        str
    seconds:      float
    missing:      int = 0
    command:      str = ""

    @property
    def totals(self):
        """Piece counts by outcome, test and kept-result counts, and work seconds."""
        outcomes = Counter(result.outcome for result in self.results)
        return {
            "pieces": len(self.results), "missing": self.missing,
            "kept": sum(result.is_kept for result in self.results),
            **{f"pieces {name}": outcomes[name]
               for name in ("passed", "skipped", "failed", "lost")},
            **{name: sum(getattr(result, name) for result in self.results)
               for name in ("passed", "failed", "skipped")},
            "seconds": round(self.seconds, 1),
            "work": round(sum(result.seconds for result in self.results if not result.is_kept), 1)}

    @property
    def is_good(self):
        """Whether every piece has a result, and none failed."""
        return not self.missing and all(result.is_good for result in self.results)

    @property
    def summary(self):
        """The last line for a user."""
        totals = self.totals
        pieces = (f"{totals['pieces passed']} of {totals['pieces'] + self.missing} pieces passed, "
                  f"{totals['pieces skipped']} skipped, {totals['kept']} kept from before")
        passed = plural(totals["passed"], "test or check", "tests and checks")
        checks = f"{passed} passed, {totals['failed']:,} failed, {totals['skipped']:,} skipped"
        return f"xymac regress --seed {self.seed}: {pieces}; {checks}"


def write_report(run, folder):
    """Write a Run's ``regress.json``, ``regress.xml`` and ``regress.html`` to a folder (Path)."""
    content = {"seed": run.seed, "label": run.label, "totals": run.totals,
               "counted": sum_counted(run.results),
               "versions": run.environment.versions,
               "pieces": [asdict(result) for result in run.results]}
    write_file(folder / "regress.json", json.dumps(content, indent=1) + "\n")
    write_file(folder / "regress.xml", junit(run))
    write_file(folder / "regress.html", page(run))


def junit(run):
    """A Run as JUnit XML: a suite a kind, a case a piece."""
    root = ElementTree.Element("testsuites", name="xymac regress")
    for kind in dict.fromkeys(result.kind for result in run.results):
        results = [result for result in run.results if result.kind == kind]
        suite   = ElementTree.SubElement(
            root, "testsuite", name=kind, tests=str(len(results)),
            skipped=str(sum(result.outcome == "skipped" for result in results)),
            failures=str(sum(result.outcome == "failed" for result in results)),
            errors=str(sum(result.outcome == "lost" for result in results)),
            time=f"{sum(result.seconds for result in results):.2f}")
        for result in results:
            case = ElementTree.SubElement(suite, "testcase", classname=kind, name=result.name,
                                          time=f"{result.seconds:.2f}")
            if result.outcome == "skipped":
                ElementTree.SubElement(case, "skipped", message="all of its tests were skipped")
            if not result.is_good:
                tag = "failure" if result.outcome == "failed" else "error"
                ElementTree.SubElement(case, tag, message=result.command).text = _plain(
                    result.output)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _plain(text):
    """Text without characters forbidden in XML."""
    return "".join(char for char in text if char.isprintable() or char in "\n\t")


def write_settings(folder, **settings):
    """Store a run's settings in its folder (Path)."""
    write_file(folder / _SETTINGS, json.dumps(settings, indent=1) + "\n")


def read_settings(folder):
    """Settings stored by ``write_settings``, a dict; InputError if there is no such run."""
    path = Path(folder) / _SETTINGS
    try:
        settings = read_json(path)
    except InputError as error:
        raise InputError(f"There is no run to resume in {folder}: {error}") from error
    if not isinstance(settings, dict) or settings.keys() != _FIELDS.keys() or not all(
            isinstance(settings[name], kind) for name, kind in _FIELDS.items()):
        raise InputError(f"There is no run to resume in {folder}: {path.name} is damaged")
    return settings
