# SPDX-License-Identifier: Apache-2.0
"""The select register shared by all simulated cores in a process, and a limit for their cycles."""

import weakref

from xymac.sim.rtl import harness as harness_module
from xymac.sim.rtl.harness import Harness, SimulationError

from .elaborate import REGISTER
from .library import has_mutants

__all__ = ["Selector"]

_REQUEST = 50_000  #: Most cycles of a request; a mutant may never answer.
_MARGIN  = 100_000  #: Cycles that a test may take beyond a multiple of its usual cycles.
_FACTOR  = 5


class Selector:
    """Select a mutant in each Harness, by the reset before each test.

    ``install`` patches Harness until the process ends.
    """

    def __init__(self):
        self._chosen = 0, 0
        self._left   = None
        self._live   = weakref.WeakSet()
        self.used    = set()  #: Libraries simulated since ``begin``.
        self.cycles  = 0      #: Cycles simulated since ``begin``.

    def install(self):
        """Patch Harness."""
        reset, run, transfer = Harness.reset, Harness.run, Harness.transfer
        create = Harness.__init__
        selector = self

        def init(self, library, *arguments, **options):
            self.library = library
            create(self, library, *arguments, **options)

        def select(self):
            if has_mutants(self.library):  # others, as of a test's own design, have no register
                selector._live.add(self)
                selector.used.add(self.library)
                self.memory(REGISTER)[0] = selector._chosen[::-1]  # the variant is below
            reset(self)

        def limited(self, limit):
            done = run(self, min(limit, selector._limit()))
            selector._count(self, done)
            return done

        def move(self, requests):
            before = self.cycles
            answers = transfer(self, requests)
            selector._count(self, self.cycles - before)
            return answers

        Harness.__init__, Harness.reset = init, select
        Harness.run, Harness.transfer   = limited, move

    def choose(self, site, variant):
        """Select a mutant for all tests to come; site 0 is none."""
        self._chosen = site, variant
        harness_module._LIMIT = _REQUEST

    def begin(self, usual=None):
        """Reset all cores before a test; with its ``usual`` cycles the test has a limit."""
        self._left = None if usual is None else _FACTOR * usual + _MARGIN
        for harness in list(self._live):
            if harness._self is not None:
                harness.reset()
        self.used, self.cycles = set(), 0

    def _limit(self):
        return 1 << 40 if self._left is None else max(self._left, 0)

    def _count(self, harness, cycles):
        if has_mutants(harness.library):
            self.used.add(harness.library)
        self.cycles += cycles
        if self._left is not None:
            self._left -= cycles
            if self._left <= 0:
                raise SimulationError("The core takes many times the cycles of the core without "
                                      "mutants")
