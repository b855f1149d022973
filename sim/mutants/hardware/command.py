# SPDX-License-Identifier: Apache-2.0
"""The subcommand ``hardware``: all hardware mutants, or a sample."""

import math
from collections import Counter

from rich.table import Table

from xymac.hdl.config import find_size
from xymac.host.cli.command import natural, positive
from xymac.host.errors import InputError
from xymac.sim.signoff.evidence import digest_places, save
from xymac.sim.signoff.places import PLACES

from . import campaign
from .formal_stage import run_formal
from .junit import write_junit
from .mutant import KINDS
from .prove import prove_all
from .reviewed import read_reviewed
from .scan import HDL
from .store import STAGES, Store, digest, digest_tests

__all__ = ["ABOUT", "EXAMPLE", "add_arguments", "execute"]

ABOUT   = "Change the hardware in a place at a time, and see whether a test fails."
EXAMPLE = """examples:
  python -m xymac.sim.mutants hardware --sample 600 --seed 1
  python -m xymac.sim.mutants hardware --size base,dma=32 --file 'dma/*'
  python -m xymac.sim.mutants hardware --only core/hold.py:83:assignment:1
  python -m xymac.sim.mutants hardware --list

A mutant is killed if a test fails with it; all tests pass without. Verdicts are kept in
build/mutants: the same command goes on where it was stopped, and tries survivors again once tests
have changed."""
_GOAL   = 98  #: Percentage of mutants that the repository's tests must kill.


def add_arguments(parser):
    """Add the subcommand's options to an argparse parser."""
    parser.add_argument("--size", default="base", metavar="SIZE",
                        help="of the core: a name, or fields as in base,dma=32 (default: base)")
    parser.add_argument("--sample", type=positive, metavar="N",
                        help="only N mutants, drawn at random (default: all)")
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="of the sample")
    parser.add_argument("--file", default="*", metavar="GLOB",
                        help="only mutants of these sources, paths below hdl")
    parser.add_argument("--only", metavar="NAME", help="this mutant, tried again")
    parser.add_argument("--part", metavar="I/N",
                        help="of the mutants the I-th of N equal parts, from 0 on")
    parser.add_argument("--stages", default=",".join(STAGES), metavar="LIST",
                        help=f"of {', '.join(STAGES)} (default: all)")
    parser.add_argument("--prove", action="store_true",
                        help="try to prove that survivors are equivalent")
    parser.add_argument("--junit-xml", metavar="FILE", help="write the verdicts as tests")
    parser.add_argument("--list", action="store_true", help="name the mutants, and try none")
    parser.add_argument("--count", action="store_true",
                        help="count the mutants by file and kind, and try none")


def execute(options, console):
    """Run the subcommand; returns 0, or 1 if survivors have no reason or kills miss the goal."""
    campaign.path_of_tests()
    config  = _config(options.size)
    mutants = _part(campaign.choose(campaign.universe(config), file=options.file,
                                    only=options.only, sample=options.sample, seed=options.seed),
                    options.part)
    if options.list:
        for mutant in mutants:
            console.print(f"{mutant.name}  {mutant}", markup=False)
        return 0
    if options.count:
        _show_counts(mutants, console)
        return 0
    places = digest_places(PLACES["mutants-hardware"])
    store  = Store(config.name, digest(sorted(HDL.rglob("*.py"))), digest_tests())
    _run_stages(mutants, store, options, console)
    proved  = prove_all(_survivors(mutants, store), console, config.name) if options.prove else {}
    return _finish(mutants, store, proved, options, console, places)


def _config(text):
    try:
        return find_size(text)
    except ValueError as error:
        raise InputError(str(error)) from error


def _part(mutants, part):
    """Part I out of N of the Mutants, for ``I/N``."""
    if part is None:
        return mutants
    index, _, count = part.partition("/")
    if not (index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        raise InputError(f"A part must be I/N with I from 0 to N - 1, not {part!r}")
    return mutants[int(index)::int(count)]


def _survivors(mutants, store):
    return [mutant for mutant in mutants if store.killed(mutant) is None]


def _run_stages(mutants, store, options, console):
    """Send the mutants through the stages."""
    stages = options.stages.split(",")
    for stage in stages:
        if stage not in STAGES:
            raise InputError(f"A stage must be {', '.join(STAGES)}, not {stage!r}")
    runs = {"core": campaign.run_core, "blocks": campaign.run_blocks, "formal": run_formal,
            "later": lambda *parts: campaign.run_core(
                *parts, tests=campaign.LATER, stage="later",
                budget=math.inf if options.sample is None else campaign.SAMPLED)}
    again = options.only is not None
    for stage in (name for name in STAGES if name in stages):
        left = [mutant for mutant in mutants if not store.tried(mutant, stage)] if not again \
            else _survivors(mutants, store) or mutants
        if again and stage != stages[0] and left == mutants and store.killed(mutants[0]):
            break
        if left:
            console.print(f"{stage}: {len(left)} mutants, {STAGES[stage]}", markup=False)
            runs[stage](left, store, console)


def _show_counts(mutants, console):
    for title, attribute in (("file", "file"), ("kind", "kind")):
        table = Table(title, "mutants")
        for value, count in sorted(campaign.count_by(mutants, attribute).items()):
            table.add_row(value, str(count))
        console.print(table)
    console.print(f"{len(mutants)} mutants")


def _finish(mutants, store, proved, options, console, places):
    """Tell and save the outcome; returns the exit code."""
    survivors = _survivors(mutants, store)
    reviewed  = read_reviewed()
    reasons   = {mutant.name: proved.get(mutant.name) or reviewed.get(mutant)
                 for mutant in survivors}
    killed    = len(mutants) - len(survivors)
    equal     = sum(reason is not None for reason in reasons.values())
    counted   = len(mutants) - equal
    percent   = 100 * killed / counted if counted else 100.0
    table = Table("kind", "change", "mutants", "killed")
    for kind, count in sorted(campaign.count_by(mutants, "kind").items()):
        left = sum(mutant.kind == kind for mutant in survivors)
        table.add_row(kind, KINDS[kind], str(count), str(count - left))
    console.print(table)
    stages = Counter(store.killed(mutant).stage for mutant in mutants
                     if store.killed(mutant))
    for mutant in survivors:
        console.print(f"survives: {mutant.name}  {mutant}"
                      f"{f'  ({reasons[mutant.name]})' if reasons[mutant.name] else ''}",
                      markup=False)
    told = ", ".join(f"{stage} {count}" for stage, count in stages.items())
    console.print(f"{killed} of {len(mutants)} mutants killed ({told}), {equal} equivalent or "
                  f"reviewed, {len(survivors) - equal} open: {percent:.1f} % of the others (goal "
                  f"{_GOAL} %)", markup=False)
    if options.only is not None:
        verdict = store.killed(mutants[0])
        console.print(f"{verdict.killer}: {verdict.how}" if verdict else "no test fails",
                      markup=False)
        return 0
    if options.junit_xml is not None:
        write_junit(options.junit_xml, mutants, reasons)
    if (options.part is None and options.file == "*"
            and {*options.stages.split(",")} == {*STAGES}):  # evidence is of all or of a sample
        save("mutants-hardware", _command(options),
             {"mutants": len(mutants),
              "mutants, asked": len(campaign.universe(_config(options.size))),
              "killed": killed, "equivalent or reviewed": equal, "open": len(survivors) - equal,
              "killed, percent": round(percent, 2), "goal, percent": _GOAL, "size": options.size},
             survivors=[{"where": str(mutant), "name": mutant.name,
                         "reason": reasons[mutant.name] or "open: no test fails with it"}
                        for mutant in survivors], seed=options.seed, places=places)
    return int(percent < _GOAL)


def _command(options):
    parts = ["python -m xymac.sim.mutants hardware", f"--size {options.size}"]
    if options.sample:
        parts.append(f"--sample {options.sample} --seed {options.seed}")
    return " ".join(parts)
