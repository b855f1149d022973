# SPDX-License-Identifier: Apache-2.0
"""A campaign: choose mutants, and send them through the killer stages, cheapest first."""

import random
import time
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from xymac.hdl.config import COMPACT
from xymac.host.cluster import ROOT
from xymac.host.errors import InputError

from .core_stage import CONTROL, CoreStage
from .library import active_of
from .order import Order
from .processes import ask
from .scan import mutants_of

__all__ = ["BUDGET", "FIRST", "LATER", "SAMPLED", "choose", "kinds_of", "run_blocks", "run_core",
           "universe"]

#: First-stage tests: the fastest core's tests that kill most.
FIRST = ("-k", "not base and not small", "tests/rtl/test_passes.py", "tests/rtl/test_faults.py",
         "tests/rtl/test_watch.py", "tests/rtl/test_ranked.py", "tests/rtl/test_scale.py",
         "tests/rtl/test_scalars.py", "tests/rtl/timing", "tests/rtl/host")
#: Seconds of tests for a mutant in the first stage, and in the later stage if it is of a sample.
BUDGET, SAMPLED = 15, 90
#: Tests on a core for the survivors of the blocks' benches.
LATER = ("tests/rtl", "tests/sim/test_bus.py", "tests/sim/test_dma.py")
_BLOCKS = ("tests/hdl/test_blocks.py", "tests/hdl/test_axi.py", "tests/hdl/test_axi4.py",
           "tests/hdl/test_dma.py")


def kinds_of(config):
    """Component kinds (see ``library.active_of``) that make up a CoreConfig's mutants."""
    if config == COMPACT:
        return ("compact",)
    return ("dma" if config.dma else "bus", "link")


def universe(config):
    """All Mutants of a CoreConfig's core, with its bus and its serial link."""
    return mutants_of(frozenset().union(*(active_of(kind, config.name)
                                          for kind in kinds_of(config))))


def choose(mutants, *, file="*", only=None, sample=None, seed=0):
    """Select Mutants by file (glob), name or random sample; InputError if there are none."""
    found = [mutant for mutant in mutants if fnmatchcase(mutant.file, file)]
    if not found:
        raise InputError(f"No source with mutants is called {file!r}, the sources are called "
                         f"{mutants[0].file} and so on")
    if only is not None:
        found = [mutant for mutant in found if mutant.name == only]
        if not found:
            raise InputError(f"No mutant is called {only!r}, mutants are called "
                             f"{mutants[0].name} and so on")
    if sample is not None and sample < len(found):
        kept  = set(random.Random(seed).sample([mutant.name for mutant in found], sample))
        found = [mutant for mutant in found if mutant.name in kept]
    return found


class Progress:
    """Progress lines with rates, with some seconds between lines.

    Parameters
    ----------
    console : rich Console
    total : int, mutants in the stage
    """

    EVERY = 20  #: Seconds between lines.

    def __init__(self, console, stage, total):
        self._console, self._stage, self._total = console, stage, total
        self._began = self._last = time.monotonic()
        self._killed = self._done = 0

    def say(self, text):
        """Print a line."""
        self._last = time.monotonic()
        self._console.print(f"{self._stage}: {text}", markup=False)

    def count(self, killed):
        """Count a mutant, and print a line now and then."""
        if self._done == 0:
            self._began = self._last  # tests without a mutant came before
        self._done   += 1
        self._killed += killed
        now = time.monotonic()
        if now - self._last > self.EVERY or self._done == self._total:
            self._last = now
            pace = (now - self._began) / self._done
            self.say(f"{self._done} of {self._total} mutants, {self._killed} killed, {pace:.1f} s "
                     f"each, {pace * (self._total - self._done) / 60:.0f} min to go")


def run_core(mutants, store, console, *, tests=FIRST, stage="core", budget=BUDGET):
    """Try Mutants on simulated-core tests; the verdicts go to the Store.

    ``budget`` is in seconds per mutant. InputError if a test fails without a mutant.
    """
    progress = Progress(console, stage, len(mutants))
    order    = Order()
    for verdict in store.killers():
        if verdict.stage == stage:
            order.learn(_Place(verdict.mutant), verdict.killer)

    def report(mutant, verdict):
        store.add(mutant, stage, verdict["killer"], verdict["how"], verdict["seconds"])
        if mutant is CONTROL:
            return progress.say("all tests pass without a mutant, in reverse order too")
        return progress.count(verdict["killer"] is not None)

    plugin = CoreStage(mutants, _active_of_library, order, report, progress.say, budget=budget,
                       controlled=store.tried(CONTROL, stage))
    pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "-W",
                 "ignore::pytest.PytestAssertRewriteWarning", "--rootdir", str(ROOT),
                 *(str(ROOT / test) if test.startswith("tests/") else test for test in tests)],
                plugins=[plugin])
    if plugin.fault is not None:
        raise InputError(plugin.fault)


class _Place:
    """A mutant's file and line, from its key."""

    def __init__(self, key):
        self.file, line, *_ = key.split(":")
        self.line = int(line)


def _active_of_library(library):
    """Mutants in a library, from its folder name."""
    kind, _, size = library.parent.name.removeprefix("mutants-").rpartition("-")[0].partition("-")
    return active_of(kind, size)


def run_blocks(mutants, store, console, tests=_BLOCKS):
    """Try Mutants on the benches of their blocks."""
    progress = Progress(console, "blocks", len(mutants))
    left     = {mutant.name: mutant for mutant in mutants}

    def hear(message):
        if message.get("has"):
            progress.say(f"{message['test'].rpartition('::')[2]} has {len(message['has'])} of them")
        if message.get("killed"):
            store.add(left.pop(message["mutant"]), "blocks", message["test"], message["how"],
                      message["seconds"])
            progress.count(True)

    ask("block_stage", {"mutants": [(mutant.name, mutant.site, mutant.variant)
                                    for mutant in mutants],
                        "tests": [str(ROOT / test) for test in tests]}, hear)
    for mutant in left.values():
        store.add(mutant, "blocks", None, "", 0.0)
        progress.count(False)


def count_by(mutants, attribute):
    """{attribute value: Mutant count}."""
    return Counter(getattr(mutant, attribute) for mutant in mutants)


def path_of_tests(root=ROOT):
    """Test folder; InputError outside a clone."""
    path = Path(root) / "tests" / "rtl"
    if not path.is_dir():
        raise InputError(f"Mutants need a clone of the repository: there are no tests in {root}")
    return path
