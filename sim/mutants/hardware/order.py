# SPDX-License-Identifier: Apache-2.0
"""Test order: cheap tests first, and killers of a mutant's neighbours."""

__all__ = ["Order"]

_NEAR = 8  #: Lines between neighbours.


class Order:
    """Test order, learned from killed mutants.

    A test's score is its kill probability, estimated from earlier mutants, per second.
    """

    def __init__(self):
        self._kills = []  # (file, line, test)

    def learn(self, mutant, test):
        """Record the kill of a Mutant by ``test`` (str)."""
        self._kills.append((mutant.file, mutant.line, test))

    def sort(self, mutant, seconds):
        """Test names in order; ``seconds`` is {test: its time}."""
        scores = dict.fromkeys(seconds, 0.1)
        for file, line, test in self._kills:
            if test in scores:
                near = file == mutant.file and abs(line - mutant.line) <= _NEAR
                scores[test] += 10 if near else 2 if file == mutant.file else 0.1
        return sorted(scores, key=lambda test: -scores[test] / (seconds[test] + 0.1))
