# SPDX-License-Identifier: Apache-2.0
"""Mutant results, kept from run to run."""

import json
from dataclasses import asdict, dataclass

__all__ = ["KILLED", "Result", "Results"]

KILLED = ("killed", "timeout")  #: Outcomes of mutants that a test notices.


@dataclass(frozen=True)
class Result:
    """A mutant's outcome.

    Parameters
    ----------
    file, line, number, function, text : as in ``Mutant``
    outcome : str, "killed", "timeout" (killed: a test took too long), "survived" or "not covered"
    by : str, noticing test, or "collection"
    error : str, the failure's last line
    tests, left : int, tests chosen, and tests beyond the budget
    chosen : str, test hash
    source : str, file hash
    seconds : float, time taken
    """

    file:     str
    line:     int
    number:   int
    function: str
    text:     str
    outcome:  str
    by:       str
    error:    str
    tests:    int
    left:     int
    chosen:   str
    source:   str
    seconds:  float

    @property
    def is_killed(self):
        """Whether a test noticed the mutant."""
        return self.outcome in KILLED

    @property
    def name(self):
        """``FILE:LINE:NUMBER``."""
        return f"{self.file}:{self.line}:{self.number}"


class Results:
    """Results in a file, a line each; several runs can extend it at a time."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    result = Result(**json.loads(line))
                except (TypeError, ValueError):  # cut by a full disk, or of another form
                    continue
                self.known[result.file, result.line, result.number] = result

    def find(self, mutant, source, chosen):
        """Result for a Mutant in a file with this hash, or None.

        A survivor counts only with the same tests ``chosen`` (str, their hash).
        """
        result = self.known.get((mutant.file, mutant.line, mutant.number))
        if result is None or (result.source, result.text) != (source, mutant.text):
            return None
        return result if result.is_killed or result.chosen == chosen else None

    def add(self, result):
        """Keep a Result."""
        self.known[result.file, result.line, result.number] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
