# SPDX-License-Identifier: Apache-2.0
"""Run the sign-off cut, and write docs/signoff.md from the evidence at hand."""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

from rich.console import Console

from xymac.host.cluster import ROOT
from xymac.host.errors import InputError
from xymac.host.files import write_file
from xymac.host.files.text import plain

from .evidence import load
from .item import State, judge
from .items import ITEMS
from .page import page
from .steps import STEPS, run_step

__all__ = ["PAGE", "main"]

PAGE = ROOT / "docs" / "signoff.md"

_HELP = """steps of the cut, and about how long each takes on two cores:
{steps}

examples:
  python -m xymac.sim.signoff                       all steps of the cut, then the page
  python -m xymac.sim.signoff --only 'formal' --seed 7
  python -m xymac.sim.signoff --page                only the page, from earlier runs
  python -m xymac.sim.signoff --list                items and steps, with states and commands"""


def main(arguments):
    """Run the command line; returns the exit code: 1 if a step or an item fails."""
    options = _parser().parse_args(arguments)
    console = Console(highlight=False, emoji=False)
    try:
        return _execute(options, console)
    except InputError as error:
        Console(stderr=True, highlight=False, emoji=False).print(
            f"signoff: {plain(error)}", markup=False, soft_wrap=True)
        return 2


def _parser():
    parser = argparse.ArgumentParser(
        "python -m xymac.sim.signoff", description=__doc__,
        epilog=_HELP.format(steps="\n".join(f"  {step.name:16}  {step.duration}"
                                            for step in STEPS)),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--page", action="store_true", help="run nothing, only write the page")
    what.add_argument("--list", action="store_true",
                      help="print the items and the steps, and write nothing")
    parser.add_argument("--only", metavar="GLOB", default="*", help="only these steps")
    parser.add_argument("--seed", metavar="N", type=_whole,
                        help="of all random steps (default: the time)")
    parser.add_argument("--evidence", metavar="DIR", type=Path,
                        help="with --page or --list: folder of the evidence, as of another "
                             "computer (default: build/signoff)")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, default=PAGE,
                        help="the page (default: docs/signoff.md)")
    return parser


def _whole(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on, not {text!r}")
    return int(text)


def _execute(options, console):
    runs = not (options.list or options.page)
    if options.evidence is not None and (runs or not options.evidence.is_dir()):
        raise InputError(f"There is no folder {options.evidence}" if not runs else
                         "--evidence goes with --page or --list")
    if options.list:
        _list(load(options.evidence), console)
        return 0
    failed   = _run(options, console) if runs else []
    evidence = load(options.evidence)
    write_file(options.output, page(evidence))
    findings = [judge(item, evidence) for item in ITEMS]
    wrong    = [finding for finding in findings if finding.state is State.FAILED]
    held     = sum(finding.state is State.HELD for finding in findings)
    for finding in wrong:
        console.print(f"{finding.item.name}: {finding.text}", markup=False, soft_wrap=True)
    console.print(f"{held} of {len(findings)} items held, {len(wrong)} failed; written to "
                  f"{options.output}", markup=False, soft_wrap=True)
    return int(bool(wrong or failed))


def _run(options, console):
    """Run the chosen steps; returns the names of failed steps."""
    steps = [step for step in STEPS if fnmatchcase(step.name, options.only)]
    if not steps:
        raise InputError(f"No step has the name {options.only}")
    seed, begin = options.seed or int(time.time()), time.monotonic()

    def run(step):
        """Run a Step; returns its name if it fails, else None."""
        if not step.can_run:
            console.print(f"{step.name} needs {step.program}, which is not installed: not run",
                          markup=False)
            return None
        console.print(f"{steps.index(step) + 1} of {len(steps)}: {step.name}, after "
                      f"{time.monotonic() - begin:.0f} s", markup=False)
        code = run_step(step, seed)
        if code:
            console.print(f"{step.name} ended with {code}; seed {seed}", markup=False)
        return step.name if code else None

    ended  = [run(step) for step in steps if not step.beside]
    beside = [step for step in steps if step.beside]
    with ThreadPoolExecutor(max_workers=max(len(beside), 1)) as pool:
        ended += pool.map(run, beside)
    return [name for name in ended if name is not None]


def _list(evidence, console):
    for item in ITEMS:
        finding = judge(item, evidence)
        console.print(f"{item.stage} {item.name}: {finding.state.value}: {finding.text}\n"
                      f"   {item.command}", markup=False, soft_wrap=True)
    for step in STEPS:
        console.print(f"step {step.name}, about {step.duration}\n   {step.shown('N')}",
                      markup=False, soft_wrap=True)
