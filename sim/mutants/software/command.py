# SPDX-License-Identifier: Apache-2.0
"""Mutation tests of golden model, machine, intermediate form, lowering and plan.

A mutant changes a single expression or statement of a source. It runs in a forked process with the
tests already imported, against the tests that run the changed line. The vendors' vectors take part
only with --vectors.
"""

import argparse
import fcntl
import math
import os
import sys
import time
from pathlib import Path

from xymac.host.cli.command import natural, positive, processes
from xymac.host.errors import InputError

from .choice import choose_mutants
from .equivalent import read_equivalents, stale_entries
from .project import PACKAGES, TESTS, Project
from .report import summarise, write_junit
from .sites import mutants_of

__all__ = ["ABOUT", "EXAMPLE", "add_arguments", "execute", "main"]

_ROOT   = Path(__file__).resolve().parents[3]
_MANY   = 100  #: Mutants between two progress lines.
_WHILE  = 20   #: Longest time between two progress lines, seconds.
_SAMPLE = 2000  #: Default sample size, mutants.

ABOUT   = "mutation tests of golden model, machine, forms, lowering and plan"
EXAMPLE = """\
examples:
  python -m xymac.sim.mutants.software                              2,000 mutants of all packages
  python -m xymac.sim.mutants.software --sample 200 --seed 7
  python -m xymac.sim.mutants.software --file 'golden/parameters/*' --all --least 100
  python -m xymac.sim.mutants.software --only golden/fixed.py:31:2  one mutant, with its tests
  python -m xymac.sim.mutants.software --file host/ir/fit.py --list
"""


def main(arguments):
    """Run the mutants that ``arguments``, a list of str, select; returns the exit code.

    0 if tests notice enough mutants, 1 if not, 2 for unusable arguments.
    """
    parser = argparse.ArgumentParser(
        "python -m xymac.sim.mutants.software", description=__doc__, epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    try:
        return execute(parser.parse_args(arguments))
    except InputError as error:
        _say(f"mutants: {error}")
        return 2


def _say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def add_arguments(parser):
    """Add the options to an argument parser."""
    select = parser.add_argument_group("choice of mutants")
    select.add_argument("--sample", metavar="N", type=positive, default=_SAMPLE,
                        help=f"N random mutants (default: {_SAMPLE})")
    select.add_argument("--all", action="store_true", help="all mutants, not a sample")
    select.add_argument("--seed", metavar="N", type=natural, default=0,
                        help="seed of the sample (default: 0)")
    select.add_argument("--file", metavar="GLOB", nargs="+",
                        help="only mutants of sources whose path matches")
    select.add_argument("--only", metavar="FILE:LINE[:K]", nargs="+",
                        help="the mutants of a line, or its mutant K")
    select.add_argument("--survivors", action="store_true",
                        help="only mutants that survived an earlier run")
    select.add_argument("--list", action="store_true", help="print the mutants and run nothing")
    parser.add_argument("--vectors", action="store_true",
                        help="let tests read the vendors' vectors")
    parser.add_argument("--least", metavar="PERCENT", type=_share, default=95,
                        help="share that tests must notice for exit code 0 (default: 95)")
    parser.add_argument("--budget", metavar="SECONDS", type=_seconds, default=30,
                        help="recorded test time per mutant, nearest and quickest tests first "
                             "(default: 30)")
    parser.add_argument("--share", metavar="SECONDS", type=_seconds, default=900,
                        help="recorded processor time per test file (default: 900)")
    parser.add_argument("--jobs", metavar="N", type=processes, default=1,
                        help="mutants that run in parallel (default: 1)")
    parser.add_argument("--anew", action="store_true", help="forget the results of earlier runs")
    parser.add_argument("--junit-xml", metavar="FILE", type=Path,
                        help="write a JUnit report of all mutants")
    parser.add_argument("--save", metavar="NAME",
                        help="save the figures as evidence for the sign-off page")
    other = parser.add_argument_group("other source trees")
    other.add_argument("--root", metavar="DIR", type=Path, default=_ROOT, help="default: this one")
    other.add_argument("--packages", metavar="DIR", nargs="+", default=PACKAGES,
                       help=f"folders of sources (default: {' '.join(PACKAGES)})")
    other.add_argument("--tests", metavar="DIR", nargs="+", default=TESTS,
                       help=f"folders of tests (default: {' '.join(TESTS)})")
    other.add_argument("--equivalent", metavar="FILE", type=Path,
                       help="JSON of equivalent mutants with reasons")


def _number(text, kind, low, high):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"must be {kind}, not {text!r}")
    return value


def _share(text):
    return _number(text, "a number from 0 to 100 percent", 0, 100)


def _seconds(text):
    return _number(text, "a number of seconds, at least 0", 0, sys.float_info.max)


def execute(options, console=None):
    """Run the selected mutants; returns the exit code. InputError for unusable options."""
    project = Project(options.root.resolve(), tuple(options.packages), tuple(options.tests))
    equivalents = _equivalents(options)
    mutants = choose_mutants(project, options)
    if options.list:
        for mutant in mutants:
            _say(f"{mutant.name}: {mutant.function}: {mutant.text}")
        return 0
    places  = _places(options)
    begin   = time.monotonic()
    results = _results(project, mutants, options)
    files   = {mutant.file for mutant in mutants}
    every   = [mutant for file in files for mutant in mutants_of(project.text(file), file)]
    summary = summarise(results, equivalents, stale_entries(equivalents, every, results))
    return _finish(summary, options, time.monotonic() - begin, places)


def _equivalents(options):
    if options.equivalent is not None:
        return read_equivalents(options.equivalent)
    return read_equivalents() if options.root == _ROOT else {}


def _results(project, mutants, options):
    """Run ``mutants`` and print the progress; returns Results.

    First records which lines the tests run, if the records are stale.
    """
    try:
        import coverage  # noqa: F401
        import pytest  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(f"Mutants need {error.name}: `make mutants` installs it") from error
    from .cover import Cover
    from .results import Results
    from .run import Runner

    _record(project, options.share)
    cover = Cover(project, options.budget, options.vectors)
    path  = project.folder / f"results{'-vectors' * options.vectors}.jsonl"
    if options.anew and path.exists():
        path.unlink()
    progress = _Progress(len(mutants))
    return Runner(project, cover, Results(path), options.jobs).run(mutants, progress.say)


def _record(project, share):
    """Record test files with stale records, under a lock against concurrent runs."""
    project.folder.mkdir(parents=True, exist_ok=True)
    with open(project.folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _record_stale(project, share)


def _record_stale(project, share):
    """Record test files in a child process, which drops their imports."""
    from .record import record, stale_files

    files = stale_files(project, share)
    if not files:
        return
    _say(f"recording the lines run by {len(files)} test files")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            with os.fdopen(os.dup(1), "w", buffering=1) as out:
                record(project, files, share, lambda text: out.write(f"{text}\n"))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        raise InputError("Tests could not be recorded; do they run with pytest alone?")
    left = stale_files(project, share)
    if left:
        _say(f"{len(left)} test files have no test that runs here: "
             f"{', '.join(left[:5])}")


class _Progress:
    """Print progress lines, and a line per survivor."""

    def __init__(self, total):
        self.total, self.done, self.killed, self.kept = total, 0, 0, 0
        self.begin = self.last = time.monotonic()

    def say(self, result, is_kept):
        self.done   += 1
        self.killed += result.is_killed
        self.kept   += is_kept
        now = time.monotonic()
        if not result.is_killed and not is_kept:
            _say(f"{result.outcome}: {result.name}: {result.function}: {result.text}")
        fresh = self.done - self.kept
        if fresh and (fresh % _MANY == 0 or now - self.last > _WHILE or self.done == self.total):
            self.last = now
            _say(f"{self.done} of {self.total}: {self.killed} killed, "
                  f"{(now - self.begin) / fresh:.2f} s a mutant")


def _finish(summary, options, seconds, places):
    """Print the verdict, write the reports, and return the exit code."""
    figures = summary.figures | {"seconds": round(seconds, 1)}
    for line in summary.lines:
        _say(line)
    for line in summary.wrong:
        _say(f"equivalent.json: {line}")
    _say(", ".join(f"{value} {name}" for name, value in figures.items()))
    if options.junit_xml is not None:
        write_junit(summary, options.junit_xml, options.least)
    if options.save is not None:
        _save(summary, figures, options, places)
    return int(summary.share < options.least or bool(summary.wrong))


def _places(options):
    """Digests of the places on which the evidence depends; None without --save."""
    if options.save is None:
        return None
    from xymac.sim.signoff.evidence import digest_places
    from xymac.sim.signoff.places import PLACES

    return digest_places(PLACES["mutants-software"])


def _save(summary, figures, options, places):
    from xymac.sim.signoff.evidence import save

    chosen = [f"--file '{glob}'" for glob in options.file or ()]
    chosen += ["--all"] if options.all else [f"--sample {options.sample}", f"--seed {options.seed}"]
    save(options.save, " ".join(["python -m xymac.sim.mutants.software", *chosen]), figures,
         [{"where": result.name, "what": result.text, "reason": summary.reason(result)}
          for result in summary.proven],
         [{"where": result.name, "what": result.text, "reason": result.outcome}
          for result in summary.survivors], None if options.all else options.seed,
         places=places)
