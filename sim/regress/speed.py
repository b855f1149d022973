# SPDX-License-Identifier: Apache-2.0
"""Piece durations: plain commands, a single process, two processes, and two workers.

``python -m xymac.sim.regress.speed --only kit --match '*'`` prints seconds and two ratios: two
processes to a single process, and a single process to the plain commands. Two plain commands at a
time show the limit for CPU cores with shared memory. Run the command alone on a computer with at
least two CPU cores; results are neither stored nor reused.
"""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from xymac.host.cluster import ROOT, open_cluster
from xymac.host.errors import InputError

from .command import kinds
from .pieces import cut
from .processes import Processes
from .result import Results
from .schedule import Schedule
from .versions import describe_here

_SEED = 1


def _plain(pieces, width):
    """Duration when the pieces' commands run ``width`` at a time, seconds."""
    def run(piece):
        subprocess.run(piece.process(_SEED), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    begin = time.monotonic()
    with ThreadPoolExecutor(width) as threads:
        for _ in threads.map(run, pieces):
            pass
    return time.monotonic() - begin


def _pooled(pool, pieces):
    """Duration for pieces in a pool, seconds; RuntimeError if a piece fails."""
    with pool, TemporaryDirectory() as folder:
        begin   = time.monotonic()
        results = Schedule(pool, Results(folder), describe_here()).run(
            (piece, _SEED) for piece in pieces)
        seconds = time.monotonic() - begin
    for result in results.values():
        if not result.is_good:
            raise RuntimeError(f"{result.name}: {result.output}")
    return seconds


def measure(pieces):
    """Duration by method, a dict, seconds; the first method is the plain commands."""
    return {
        "plain commands, one after another": _plain(pieces, 1),
        "xymac regress --jobs 1": _pooled(Processes(1), pieces),
        "plain commands, two at a time": _plain(pieces, 2),
        "xymac regress --jobs 2": _pooled(Processes(2), pieces),
        "xymac regress --cluster local (2 workers)": _pooled(
            open_cluster("local", describe_here, workers=2), pieces)}


def _table(seconds):
    plain, one, *_ = seconds.values()
    table = Table("way", box=None)
    for column in ("seconds", "of the plain commands", "throughput over one process"):
        table.add_column(column, justify="right")
    for name, value in seconds.items():
        table.add_row(name, f"{value:.1f}", f"{value / plain:.3f}", f"{one / value:.2f} x")
    return table


def _main(words):
    parser = argparse.ArgumentParser(prog="python -m xymac.sim.regress.speed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=kinds, help="as of xymac regress")
    parser.add_argument("--match", default="*", help="as of xymac regress")
    options = parser.parse_args(words)
    try:
        pieces = cut(ROOT, options.only, options.match)
    except InputError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    console = Console(emoji=False)
    console.print(f"{len(pieces)} pieces, each five times")
    console.print(_table(measure(pieces)))


if __name__ == "__main__":
    _main(sys.argv[1:])
