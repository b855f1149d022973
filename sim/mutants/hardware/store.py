# SPDX-License-Identifier: Apache-2.0
"""Verdicts on mutants, kept in ``build/mutants`` by source digest."""

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from xymac.host.cluster import ROOT
from xymac.host.files import make_folder
from xymac.host.files.root import build_root

__all__ = ["STAGES", "Store", "Verdict", "digest", "digest_tests"]

#: Stages in order, with their tests.
STAGES = {"core": "tests on the simulated core", "blocks": "benches of the blocks",
          "later": "more tests on the simulated core", "formal": "proofs"}
#: Files and folders whose tests kill mutants.
_TESTS = ("tests/hdl", "tests/rtl", "tests/support", "sim/blocks", "sim/formal")


@dataclass(frozen=True)
class Verdict:
    """A mutant's outcome.

    Parameters
    ----------
    mutant : str, its key
    stage : str, in ``STAGES``
    killer : str or None, the failed test or property
    how : str, its message
    seconds : float
    tests : str, test digest; a survivor under other tests is tried again
    """

    mutant:  str
    stage:   str
    killer:  str | None
    how:     str
    seconds: float
    tests:   str


def digest(paths):
    """File digest (from Paths), 16 hex digits."""
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.name}\0".encode() + path.read_bytes())
    return total.hexdigest()[:16]


def digest_tests(root=ROOT):
    """Digest of all tests in the source tree ``root``."""
    return digest(path for place in _TESTS for path in sorted((root / place).rglob("*.py")))


class Store:
    """Verdicts for a core size and a source state.

    Parameters
    ----------
    size : str
    sources : str, source digest
    tests : str, test digest root : Path or None, folder; default ``build/mutants``
    """

    def __init__(self, size, sources, tests, root=None):
        self._path  = (root or build_root() / "mutants") / f"{size}-{sources}.jsonl"
        self._tests = tests
        make_folder(self._path.parent)
        self._verdicts = {}  # {(mutant, stage): Verdict}
        if self._path.exists():
            self._read()

    def _read(self):
        """Read the file, and end a line cut by an interrupt."""
        text = self._path.read_text(encoding="utf-8")
        for line in text.splitlines():
            with contextlib.suppress(json.JSONDecodeError):
                self._keep(Verdict(**json.loads(line)))
        if text and not text.endswith("\n"):
            self._path.write_text(f"{text}\n", encoding="utf-8")

    def _keep(self, verdict):
        self._verdicts[verdict.mutant, verdict.stage] = verdict

    def add(self, mutant, stage, killer, how, seconds):
        """Keep a stage's outcome for a Mutant."""
        verdict = Verdict(mutant.key, stage, killer, how, seconds, self._tests)
        self._keep(verdict)
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(verdict)) + "\n")

    def killed(self, mutant):
        """The killing Verdict for a mutant (name), or None."""
        found = (self._verdicts.get((mutant.key, stage)) for stage in STAGES)
        return next((verdict for verdict in found if verdict and verdict.killer), None)

    def tried(self, mutant, stage):
        """Whether a Mutant is killed, or survived a stage's tests in their present state."""
        verdict = self._verdicts.get((mutant.key, stage))
        return self.killed(mutant) is not None or (
            verdict is not None and verdict.tests == self._tests)

    def killers(self):
        """All killing Verdicts."""
        return [verdict for verdict in self._verdicts.values() if verdict.killer]

    @property
    def path(self):
        """The file, a Path."""
        return Path(self._path)
