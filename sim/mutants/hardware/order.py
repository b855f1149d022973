# SPDX-License-Identifier: Apache-2.0
"""Killer order: cheap tests first, and tests that killed a mutant's neighbours."""

__all__ = ["Order"]

_NEAR = 8  #: Lines between neighbours.


class Order:
    """Test order that learns from killed mutants.

    A test's score is its chance to kill, estimated from earlier mutants, by its time.
    """

    def __init__(self):
        self._kills = []  # (file, line, test)

    def learn(self, mutant, test):
        """Note that ``test`` (str) killed a Mutant."""
        self._kills.append((mutant.file, mutant.line, test))

    def sort(self, mutant, seconds):
        """Test names in order; ``seconds`` is {test: its time}."""
        scores = dict.fromkeys(seconds, 0.1)
        for file, line, test in self._kills:
            if test in scores:
                near = file == mutant.file and abs(line - mutant.line) <= _NEAR
                scores[test] += 10 if near else 2 if file == mutant.file else 0.1
        return sorted(scores, key=lambda test: -scores[test] / (seconds[test] + 0.1))
