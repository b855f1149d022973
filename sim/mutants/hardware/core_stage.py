# SPDX-License-Identifier: Apache-2.0
"""Simulated-core tests as mutant killers: a pytest plugin.

All tests run without a mutant first, in this process: they must pass, and leave their networks,
vectors and cores behind. Then a fork of this process per mutant runs the tests, likely killers
first, until a test fails.
"""

import functools
import json
import math
import os
import signal
import time

import pytest
from _pytest.runner import runtestprotocol

from xymac.sim.rtl.harness import SimulationError

from .library import replaced
from .mutant import Mutant
from .select import Selector

__all__ = ["CONTROL", "CoreStage"]

#: The mutant that changes nothing.
CONTROL = Mutant("none:0:control:1", 0, 1, "none", 0, "control", "", "")

_CPU = 20, 60  #: Limit of a test's processor time: a multiple of the usual time, and seconds.


class CoreStage:
    """Plugin that tries mutants on the collected tests.

    Parameters
    ----------
    mutants : list of Mutants
    active : function from a library (Path) to its (site, variant) set
    order : Order, which learns the killers
    report : function of (Mutant, verdict), called for every mutant; a verdict is a dict with
        ``killer`` (test, or None), ``how`` (str), ``tried`` (int), ``seconds`` (float)
    say : function for progress lines
    controlled : bool, ``CONTROL`` has survived these tests before
    budget : float, seconds of tests for a mutant; the likely killers come first
    selector : Selector, or its like for other simulations
    """

    def __init__(self, mutants, active, order, report, say, *, budget=math.inf, controlled=False,
                 selector=None):
        self._mutants, self._active, self._order = mutants, active, order
        self._report, self._say = report, say
        self._budget, self._controlled = budget, controlled
        self._selector, self._usual = selector or Selector(), {}
        self.fault = None  #: Why no verdict can be trusted, str, or None.

    def pytest_configure(self, config):
        self._selector.install()
        self._replaced = replaced()
        self._replaced.__enter__()

    def pytest_unconfigure(self, config):
        self._replaced.__exit__(None, None, None)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        for item in items:
            _fail_at_once(item)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        if session.testsfailed:
            self.fault = "The tests cannot be collected"
            return True
        items = self._measure(session.items)
        if items is None or not (self._controlled or self._control(items)):
            return True
        for mutant in self._mutants:
            began = time.perf_counter()
            own = [item for item in items if any(
                (mutant.site, mutant.variant) in self._active(library)
                for library in self._usual[item.nodeid].libraries)]
            names = self._order.sort(mutant, {item.nodeid: self._usual[item.nodeid].seconds
                                              for item in own})
            by_name = {item.nodeid: item for item in own}
            verdict = self._fork(mutant.site, mutant.variant,
                                 [by_name[name] for name in self._afford(names)])
            verdict["seconds"] = round(time.perf_counter() - began, 2)
            if verdict["killer"]:
                self._order.learn(mutant, verdict["killer"])
            self._report(mutant, verdict)
        return True

    def _afford(self, names):
        """The first tests within the budget."""
        spent = 0
        for name in names:
            spent += self._usual[name].seconds
            if spent > self._budget:
                return
            yield name

    def _measure(self, items):
        """Run all tests without a mutant; returns the core-simulating tests, None with a fault."""
        chosen = []
        for number, item in enumerate(items, 1):
            self._selector.begin()
            began  = time.process_time()
            failed = _run(item)
            usual  = _Usual(self._selector.cycles, time.process_time() - began,
                            frozenset(self._selector.used))
            if failed is not None:
                self.fault = f"Without a mutant {item.nodeid} fails: {_brief(failed)}"
                return None
            if usual.cycles and usual.libraries:
                self._usual[item.nodeid] = usual
                chosen.append(item)
            if number % 25 == 0 or number == len(items):
                self._say(f"{number} of {len(items)} tests pass without a mutant")
        return chosen

    def _control(self, items):
        """A select register without a mutant survives all tests, in another order and a fork."""
        verdict = self._fork(0, 1, items[::-1])
        if verdict["killer"] is not None:
            self.fault = (f"Without a mutant {verdict['killer']} fails in another order: "
                          f"{verdict['how']}")
            return False
        self._report(CONTROL, verdict | {"seconds": 0.0})
        return True

    def _fork(self, site, variant, items):
        """Verdict from a forked process that runs tests on a mutant."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reader)
                self._try(site, variant, items, writer)
            except Exception as error:  # of this code, not of a test
                _tell(writer, error=repr(error))
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as lines:
            told = [json.loads(line) for line in lines]
        _, status = os.waitpid(child, 0)
        for each in told:
            if "error" in each:
                raise RuntimeError(each["error"])
        verdict = {"killer": None, "how": "", "tried": sum("begins" in each for each in told)}
        ended   = next((each for each in told if "killer" in each), None)
        if ended is not None:
            return verdict | ended
        if not any("survives" in each for each in told):
            name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit"
            begun = [each["begins"] for each in told if "begins" in each]
            return verdict | {"killer": begun[-1] if begun else "reset", "how": f"ended by {name}"}
        return verdict

    def _try(self, site, variant, items, writer):
        """In the fork: run tests until the first failure, and tell by the pipe."""
        tell = functools.partial(_tell, writer)
        self._selector.choose(site, variant)
        for item in items:
            usual = self._usual[item.nodeid]
            factor, least = _CPU
            signal.setitimer(signal.ITIMER_PROF, factor * usual.seconds + least)
            tell(begins=item.nodeid)
            try:
                self._selector.begin(usual.cycles)
            except SimulationError as error:
                return tell(killer=item.nodeid, how=f"reset: {error}")
            failed = _run(item)
            if failed is not None:
                return tell(killer=item.nodeid, how=_brief(failed))
        return tell(survives=True)


def _fail_at_once(item):
    """Let the hypothesis test of an item end at its first failure, whatever settings it chose."""
    from hypothesis import Phase, settings  # not before pytest has started

    function = getattr(item, "obj", None)
    function = getattr(function, "__func__", function)  # of a method
    chosen   = getattr(function, "_hypothesis_internal_use_settings", None)
    if chosen is not None:
        function._hypothesis_internal_use_settings = settings(
            chosen, database=None, report_multiple_bugs=False,
            phases=[Phase.explicit, Phase.generate])


def _tell(writer, **message):
    """Write a message into a pipe."""
    os.write(writer, (json.dumps(message) + "\n").encode())


class _Usual:
    """A test's cycles, time and libraries without a mutant."""

    def __init__(self, cycles, seconds, libraries):
        self.cycles, self.seconds, self.libraries = cycles, seconds, libraries


def _run(item):
    """Run a test; returns the first failed report, or None. Session fixtures stay."""
    item._initrequest()
    reports = runtestprotocol(item, log=False, nextitem=item.session)
    return next((report for report in reports if report.failed), None)


def _brief(report):
    """A failure's message in a line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text  = crash.message if crash is not None else str(report.longrepr)
    return (text.strip().splitlines() or ["no message"])[0][:200]
