# SPDX-License-Identifier: Apache-2.0
"""A piece of a regression: a command line of its own, and the seed that it takes."""

import shlex
import sys
from dataclasses import dataclass

__all__ = ["KINDS", "Piece"]

#: In the order in which they begin. Place and route, which takes hours, only where it is asked for.
KINDS = ("gates", "vectors", "networks", "chains", "faults", "board", "kit", "tests", "fit")

_MODULES  = {"xymac": "xymac.host.cli", "pytest": "pytest"}
_SEEDS    = 1 << 31  #: What the tools of others take for a seed is below this.


@dataclass(frozen=True)
class Piece:
    """What one process does in seconds or minutes; its result depends on the sources and a seed.

    Parameters
    ----------
    kind : str, of ``KINDS``
    name : str, for people, unlike that of any other piece
    words : tuple of str, the command line: ``xymac`` or ``pytest`` and its arguments
    option : str, that gives the command its seed; empty for what is the same with every seed
    part, parts : int, the piece is one of so many alike, each of which gets a seed of its own
    """

    kind:   str
    name:   str
    words:  tuple
    option: str = "--seed"
    part:   int = 0
    parts:  int = 1

    @property
    def is_seeded(self):
        """Whether another seed makes another piece of it."""
        return bool(self.option)

    def line(self, seed):
        """Words of the command with the seed of a regression (int)."""
        own = (seed * self.parts + self.part) % _SEEDS
        return (*self.words, self.option, str(own)) if self.option else self.words

    def shown(self, seed):
        """The command as it is typed, to repeat the piece alone."""
        words = self.line(seed)
        return ("python -m " * (words[0] == "pytest")) + shlex.join(words)

    def process(self, seed):
        """The words of the process that runs the command."""
        first, *rest = self.line(seed)
        return [sys.executable, "-m", _MODULES[first], *rest]
