# SPDX-License-Identifier: Apache-2.0
"""``xymac regress``: run all tests and reference calls in pieces, here or on a cluster."""

import math
import shlex
import time
from argparse import ArgumentTypeError
from pathlib import Path

from xymac.host.cli.command import Command, positive, processes
from xymac.host.cluster import ROOT, add_cluster, open_cluster
from xymac.host.errors import InputError
from xymac.host.files import make_folder
from xymac.host.files.root import build_root
from xymac.host.plural import plural

from .evidence import digest_all, save_evidence
from .piece import KINDS
from .pieces import cut, rounds
from .processes import Processes
from .progress import Board
from .report import Run, read_settings, write_report, write_settings
from .result import Results, key_of
from .schedule import Schedule
from .versions import describe_here

__all__ = ["COMMAND"]

_HOUR = 3600  # seconds


def _add_arguments(parser):
    parser.add_argument("--only", metavar="KINDS", type=kinds,
                        help=f"only these, with commas between: {', '.join(sorted(KINDS))} "
                             f"(default: all but fit)")
    parser.add_argument("--match", metavar="GLOB", default="*",
                        help="only pieces whose name matches")
    parser.add_argument("--seed", metavar="N", type=positive,
                        help="of all random tests (default: the time)")
    parser.add_argument("--seeds", metavar="N", type=positive, default=1,
                        help="run all random pieces with N seeds, from --seed on: a test that "
                             "fails with some of them is named with its seed, as in `xymac regress "
                             "--only tests --seeds 20` (default: 1)")
    parser.add_argument("--hours", metavar="H", type=hours,
                        help="go on with new seeds until so many hours are over")
    add_cluster(parser)
    parser.add_argument("--jobs", metavar="N", type=processes,
                        help="processes without a cluster (default: one a core)")
    parser.add_argument("--cache", metavar="DIR",
                        help="folder of the results of pieces, shared by runs and computers "
                             "(default: build/regress/results)")
    parser.add_argument("--report", metavar="DIR",
                        help="folder of the page (default: build/regress/SEED)")
    parser.add_argument("--resume", metavar="DIR",
                        help="go on with the run whose report is in this folder")
    parser.add_argument("--workloads", metavar="DIR",
                        help="folder of example networks of others, for the tests that need them")


def kinds(text):
    """argparse type: a comma-separated piece kind list."""
    names = text.split(",")
    for name in names:
        if name not in KINDS:
            raise ArgumentTypeError(f"must be of {', '.join(sorted(KINDS))}, not {name!r}")
    return names


def hours(text):
    """argparse type: a time in hours, more than 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ArgumentTypeError(f"must be a number of hours above 0, not {text!r}")
    return value


def _settle(options):
    """The run's settings, a dict, and its report folder."""
    if options.resume is not None:
        if _is_settled(options):
            raise InputError("--resume takes --only, --match, --seed, --cache, --report and "
                             "--workloads from the run that it goes on with")
        return read_settings(options.resume), Path(options.resume)
    seed  = options.seed or int(time.time())
    base  = build_root() / "regress"
    cache = Path(options.cache or base / "results").resolve()
    works = None if options.workloads is None else str(Path(options.workloads).resolve())
    if works is not None and not Path(works).is_dir():
        raise InputError(f"There is no folder {options.workloads}")
    folder = Path(options.report or base / str(seed))
    return {"seed": seed, "only": options.only, "match": options.match, "cache": str(cache),
            "workloads": works}, folder


def _is_settled(options):
    """Whether an option selects the pieces or the result folders."""
    return options.match != "*" or any((options.only, options.seed, options.cache, options.report,
                                        options.workloads))


def _open_pool(options):
    if options.cluster is None:
        return Processes(options.jobs)
    if options.jobs is not None:
        raise InputError("--jobs is for processes of this computer, not for a cluster")
    return open_cluster(options.cluster, describe_here)


def _execute(options, console):
    settings, folder = _settle(options)
    end    = time.monotonic() + (options.hours or 0) * _HOUR
    pieces = cut(ROOT, settings["only"], settings["match"], settings["workloads"])
    kept   = Results(settings["cache"])
    environment, places = describe_here(), digest_all()
    with _open_pool(options) as pool:
        make_folder(folder)
        write_settings(folder, **settings)
        work = rounds(pieces, settings["seed"], seeds=options.seeds,
                      goes_on=lambda: time.monotonic() < end)
        run  = _run(pool, work, pieces, settings["seed"], kept, environment, folder, console,
                    command=_command(settings, options.seeds))
    save_evidence(run, settings, options.seeds, kept, places)
    return int(not run.is_good)


def _command(settings, seeds):
    """Shell command that runs the same pieces with the same seeds."""
    words = ["xymac", "regress", "--seed", str(settings["seed"])]
    words += ["--seeds", str(seeds)] * (seeds > 1)
    words += ["--only", ",".join(settings["only"] or ())] * bool(settings["only"])
    words += ["--match", settings["match"]] * (settings["match"] != "*")
    words += ["--workloads", str(settings["workloads"])] * (settings["workloads"] is not None)
    return shlex.join(words)


def _run(pool, work, pieces, seed, kept, environment, folder, console, *, command):
    """Run ``work`` and write the report, also after an interrupt; returns the Run."""
    begin, label = time.monotonic(), pool.label
    names = {key_of(piece, seed, environment): piece.name for piece in pieces}
    count = plural(len(pieces), "piece")
    _say(console, f"xymac regress --seed {seed}: {count} on {label}")
    with Board(console, names, len(names)) as board:
        schedule = Schedule(pool, kept, environment, board.watch)
        try:
            schedule.run(work)
        finally:
            done = [result for result in schedule.results.values() if result is not None]
            run  = Run(seed, done, environment, label, time.monotonic() - begin,
                       missing=len(names.keys() | schedule.results.keys()) - len(done),
                       command=command)
            write_report(run, folder)
    _say(console, run.summary)
    _say(console, f"The page: {folder / 'regress.html'}")
    return run


def _say(console, text):
    console.print(text, markup=False, soft_wrap=True)


COMMAND = Command(
    __doc__,
    example="xymac regress --only vectors --seed 7",
    add_arguments=_add_arguments, execute=_execute)
