# SPDX-License-Identifier: Apache-2.0
"""Results of mutants, kept from run to run."""

import json
from dataclasses import asdict, dataclass

__all__ = ["KILLED", "Result", "Results"]

KILLED = ("killed", "timeout")  #: Outcomes of mutants that a test notices.


@dataclass(frozen=True)
class Result:
    """What became of a mutant.

    Parameters
    ----------
    file, line, number, function, text : of the ``Mutant``
    outcome : str, "killed", "timeout" (killed: a test took too long), "survived" or "not covered"
    by : str, test that noticed it, or "collection"
    error : str, last line of the failure
    tests, left : int, tests chosen, and tests beyond the budget
    chosen : str, hash of the tests
    source : str, hash of the file
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
    """Results in a file of a line each, which several runs can extend at a time."""

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
        """Result of a Mutant of a file with this hash, or None.

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
