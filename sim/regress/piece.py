# SPDX-License-Identifier: Apache-2.0
"""A regression piece: a command line with a seed."""

import shlex
import sys
from dataclasses import dataclass

__all__ = ["KINDS", "Piece"]

#: Piece kinds in starting order. Place and route takes hours and runs only on request.
KINDS = ("gates", "vectors", "networks", "chains", "faults", "robust", "board", "kit", "mutants",
         "tests", "fit")

_MODULES  = {"xymac": "xymac.host.cli", "pytest": "pytest",
             "mutants": "xymac.sim.mutants.software", "mutants-hardware": "xymac.sim.mutants"}
_SEEDS    = 1 << 31  #: Exclusive limit of seeds in external tools.


@dataclass(frozen=True)
class Piece:
    """Work for a process over seconds or minutes; its result depends on the sources and a seed.

    Parameters
    ----------
    kind : str, in ``KINDS``
    name : str, unique display name
    words : tuple of str, command line: a ``_MODULES`` name and its arguments
    option : str, the seed's command option; empty if the result does not depend on a seed
    part, parts : int, index and count for equal pieces, each with its own seed
    places : tuple of str, files and folders that its counted stimuli depend on
    """

    kind:   str
    name:   str
    words:  tuple
    option: str = "--seed"
    part:   int = 0
    parts:  int = 1
    places: tuple = ()

    @property
    def is_seeded(self):
        """Whether the piece depends on the seed."""
        return bool(self.option)

    def line(self, seed):
        """Command words for the regression seed ``seed`` (int)."""
        own = (seed * self.parts + self.part) % _SEEDS
        return (*self.words, self.option, str(own)) if self.option else self.words

    def shown(self, seed):
        """Shell command to repeat this piece."""
        first, *rest = self.line(seed)
        words = [first] if first == "xymac" else ["python", "-m", _MODULES[first]]
        return shlex.join([*words, *rest])

    def process(self, seed):
        """Words for the process that runs the command."""
        first, *rest = self.line(seed)
        return [sys.executable, "-m", _MODULES[first], *rest]
