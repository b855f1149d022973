# SPDX-License-Identifier: Apache-2.0
"""Runs the stimuli in processes and adds their coverage."""

import collections
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from xymac.host.cluster import ROOT, Workers
from xymac.host.files import make_folder

from .crosses import read_crosses
from .jobs import SIZES, command_of
from .points import count_files

__all__ = ["Outcome", "add_up", "own_hits", "run_jobs"]

_TAIL  = 20  # output lines shown for a failed job
#: Prefixes of models that are whole cores.
_WHOLE = "core-", "core_", "bus-", "dma-"


@dataclass(frozen=True)
class Outcome:
    """A finished job: exit code, output tail, and {model: {Point: hits}}."""

    job:    object
    code:   int
    output: str
    counts: dict


def run_jobs(jobs, folder, processes):
    """Run ``jobs``, ``processes`` at a time; yields an ``Outcome`` each as they end.

    Each has a folder in ``folder`` for its counters, which is deleted when they are read.
    """
    with Workers(processes, "A process that ran stimuli") as workers:
        for _, outcome in workers.run(_run, [(job, Path(folder) / f"job-{number}")
                                             for number, job in enumerate(jobs)]):
            yield outcome


def _run(task):
    job, folder = task
    make_folder(folder)
    environment = os.environ | {"XYMAC_COVERAGE": str(folder.resolve())}
    done = subprocess.run(command_of(job), cwd=ROOT, env=environment, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    counts = collections.defaultdict(collections.Counter)
    for model, points in (*count_files(folder), *read_crosses(folder)):
        counts[model].update(points)
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(job, done.returncode, "\n".join(done.stdout.splitlines()[-_TAIL:]), dict(counts))


def add_up(size, counts):
    """Return a size's coverage {Point: hits} from ``counts`` {model: {Point: hits}}.

    The size's models define the points. Other components add hits to the points they share, and
    other whole-core sizes add none.
    """
    chosen = SIZES[size]
    total  = own_hits(size, counts)
    for model, points in counts.items():
        if model not in chosen.models and not model.startswith(_WHOLE):
            for point, hits in points.items():
                if hits and point in total:
                    total[point] += hits
    return total


def own_hits(size, counts):
    """Return {Point: hits} of a size's own models: a core with the size's configuration."""
    chosen = SIZES[size]
    total  = collections.Counter()
    for model in chosen.models:
        total.update({point: hits for point, hits in counts.get(model, {}).items()
                      if point.file.startswith(chosen.files)})
    return total
