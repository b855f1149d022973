# SPDX-License-Identifier: Apache-2.0
"""Collect tests with pytest in a process, to run whole files, or some tests in forks."""

import os
import sys
from contextlib import contextmanager

__all__ = ["Failures", "run_item", "run_pytest"]


class _Loop:
    """A pytest plugin: ``serve(session)`` runs in place of all tests."""

    def __init__(self, serve):
        self.serve = serve

    def pytest_configure(self, config):
        if "hypothesis" in sys.modules:
            _settle(sys.modules["hypothesis"])

    def pytest_runtestloop(self, session):
        self.serve(session)
        return True


def _settle(hypothesis):
    """Make hypothesis deterministic, without shrinking and without a database."""
    phases = hypothesis.Phase.explicit, hypothesis.Phase.generate
    hypothesis.settings.register_profile(
        "mutants", database=None, deadline=None, derandomize=True, phases=phases)
    hypothesis.settings.load_profile("mutants")


class Failures:
    """A pytest plugin for the first failure, in a test or during collection."""

    def __init__(self):
        self.first = None

    def pytest_runtest_logreport(self, report):
        if report.failed and self.first is None:
            self.first = report.nodeid, _error(report)

    def pytest_collectreport(self, report):
        if report.failed and self.first is None:
            self.first = report.nodeid, _error(report)


def _error(report):
    """Last line of a failure."""
    text = str(getattr(report.longrepr, "reprcrash", None) or report.longreprtext)
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""


def run_pytest(project, files, serve, plugins=()):
    """Collect test files, then call ``serve(session)``; nothing is printed."""
    import pytest

    os.chdir(project.root)
    if str(project.root) not in sys.path:
        sys.path.insert(0, str(project.root))
    with _silence():
        pytest.main([*map(str, files), "-q", "-p", "no:cacheprovider", "--rootdir",
                     str(project.root), "--capture=no", "--continue-on-collection-errors",
                     "--assert=plain",  # sources of plugins would be rewritten too
                     "-m", "not gates and not bitstream"],
                    plugins=[_Loop(serve), *plugins])


def run_item(item, following):
    """Run a collected test; ``following`` is the next test, None for the last test."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


@contextmanager
def _silence():
    """Discard standard output and errors, also from child processes."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept    = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(kept[0], 1)
        os.dup2(kept[1], 2)
        for each in (*kept, nowhere):
            os.close(each)
