# SPDX-License-Identifier: Apache-2.0
"""Count hardware coverage in lines of the Amaranth sources."""

import argparse
import collections
import shlex
import time
from pathlib import Path

from rich.console import Console

from xymac.host.cli.command import natural, processes
from xymac.host.cluster import ROOT, count_cores
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file
from xymac.host.files.root import build_root
from xymac.sim.regress.origin import origin
from xymac.sim.signoff.evidence import digest_places, save
from xymac.sim.signoff.places import PLACES

from .collect import add_up, own_hits, run_jobs
from .crosses import cross_table
from .exclusions import exclude, read_exclusions
from .jobs import GROUPS, SIZES, list_jobs
from .pages import write_pages
from .points import CROSS
from .tables import block_table, hole_lines, misses
from .totals import figures

__all__ = ["main"]

_EXAMPLES = """examples:
  python -m xymac.sim.coverage                        tiny, base and a DMA, all stimuli
  python -m xymac.sim.coverage --quick --size tiny    some stimuli, some minutes
  python -m xymac.sim.coverage --size dma --jobs 1    the DMA alone, a process at a time
  python -m xymac.sim.coverage --only blocks,random --seed 7 --holes hostport
"""


def main(arguments):
    """Run the stimuli selected by the command line and report; returns the exit code.

    The code is 1 if a process failed, an exclusion is stale, or with --check a target is missed.
    """
    options = _parser().parse_args(arguments)
    console = Console(highlight=False, emoji=False)
    try:
        return _execute(options, console, arguments)
    except InputError as error:
        console.print(f"coverage: {error}", markup=False)
        return 2


def _parser():
    names = ", ".join(f"{name} ({about})" for name, about in GROUPS.items())
    parser = argparse.ArgumentParser(
        "python -m xymac.sim.coverage", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", metavar="NAMES", type=_names_of(SIZES), default=[*SIZES],
                        help=f"with commas between: {', '.join(SIZES)} (default: all)")
    parser.add_argument("--only", metavar="GROUPS", type=_names_of(GROUPS),
                        help=f"stimuli, with commas between: {names} (default: all)")
    parser.add_argument("--quick", action="store_true", help="leave out stimuli that take minutes")
    parser.add_argument("--jobs", metavar="N", type=processes, default=count_cores(),
                        help="processes at a time (default: one a core)")
    parser.add_argument("--seed", metavar="N", type=natural, help="of the random stimuli")
    parser.add_argument("--holes", metavar="TEXT", nargs="?", const="",
                        help="also list the points that were not hit, in files with this text")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path,
                        help="folder of the pages (default: build/coverage)")
    return parser


def _names_of(known):
    def names(text):
        chosen = text.split(",")
        for name in chosen:
            if name not in known:
                raise argparse.ArgumentTypeError(f"must be of {', '.join(known)}, not {name!r}")
        return chosen
    return names


def _execute(options, console, arguments):
    exclusions = read_exclusions(proofs=_proofs())
    places = digest_places(PLACES["coverage"])
    folder = options.output or build_root() / "coverage"
    jobs   = list_jobs(options.size, options.only, quick=options.quick, seed=options.seed)
    if not jobs:
        raise InputError(f"No stimulus of {', '.join(options.only or GROUPS)} reaches "
                         f"{', '.join(options.size)}")
    make_folder(folder)
    facts  = [*origin().items(), ("seed", "default" if options.seed is None else str(options.seed))]
    counts, failed = _collect(jobs, folder, options.jobs, console)
    faults, shown, left, missed = [*failed], {}, [], []
    for size in options.size:
        total = add_up(size, counts)
        if not total:
            faults.append(f"No simulation counted the coverage of {size}")
            continue
        excluded, errors = exclude(total, exclusions, size, own_hits(size, counts))
        faults += errors
        missed += misses(size, total, excluded)
        shown  |= {f"{size} {kind}": value for kind, value in figures(total, excluded).items()}
        left   += [{"where": f"hdl/{point.file}:{point.line}", "size": size,
                    "what": f"{point.kind} {point.detail}", "reason": exclusion.reason,
                    "proof": exclusion.proof} for point, exclusion in sorted(excluded.items())]
        _report(size, total, excluded, folder, options.holes, console, facts=facts,
                command=_command(arguments))
    for text in (*missed, *faults):
        console.print(text, markup=False)
    if shown:
        shown |= {"targets missed": len(missed), "faults": len(faults)}
        save("coverage", _command(arguments), shown, left, seed=options.seed, places=places)
    return int(bool(faults or (options.check and missed)))


def _command(arguments):
    """Shell command with the same figures, without this run's output folder."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-o", "--output")
    _, kept = parser.parse_known_args(arguments)
    return shlex.join(["python", "-m", "xymac.sim.coverage", *kept])


def _proofs():
    """Property names of ``make formal``."""
    from xymac.sim.formal.command import PROPERTIES
    return set(PROPERTIES)


def _collect(jobs, folder, processes, console):
    """Run the jobs; returns ({model: {Point: hits}}, sentences about failed jobs)."""
    counts, failed, begin = collections.defaultdict(collections.Counter), [], time.monotonic()
    console.print(f"Processes of stimuli: {len(jobs)}, {processes} at a time, in {ROOT}",
                  markup=False)
    for number, outcome in enumerate(run_jobs(jobs, folder / "counters", processes), 1):
        for model, points in outcome.counts.items():
            counts[model].update(points)
        verdict = "done" if outcome.code == 0 else f"FAILED with code {outcome.code}"
        console.print(f"{number} of {len(jobs)}: {outcome.job.name}: {verdict}, "
                      f"{time.monotonic() - begin:.0f} s", markup=False)
        if outcome.code:
            failed.append(f"{outcome.job.name} failed:\n{outcome.output}")
    return counts, failed


def _report(size, total, excluded, folder, holes, console, **source):
    console.print(block_table(size, total, excluded))
    if any(point.kind == CROSS for point in total):
        console.print(cross_table(size, total, excluded))
    lines = [*hole_lines(total, excluded)]
    write_file(folder / f"{size}-holes.txt", "\n".join(lines) + "\n")
    for line in [line for line in lines if holes is not None and holes in line]:
        console.print(line, markup=False)
    index = write_pages(folder / size, size, total, excluded, **source)
    console.print(f"{len(lines)} points were not hit; the pages begin at {index}", markup=False)
