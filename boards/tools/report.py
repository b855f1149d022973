# SPDX-License-Identifier: Apache-2.0
"""nextpnr report contents: resources, clock, and the critical path by block."""

from dataclasses import dataclass
from itertools import groupby

from .paths import TimingPath, path_lines
from .rtlil import plain_name

__all__ = ["TOP", "WORST", "FitResult", "PathPart", "block_of", "fit_lines", "last_cell",
           "read_report",
           "resource_lines"]

TOP   = "(top)"        #: Block of a cell outside all other blocks.
WORST = "worst_paths"  #: Key of the TimingPaths in a cached report.


@dataclass(frozen=True)
class PathPart:
    """Consecutive critical path steps in a block; delays in ns."""

    block:   str
    logic:   float
    routing: float


@dataclass(frozen=True)
class FitResult:
    """A place and route run's result.

    Parameters
    ----------
    fmax : float, MHz, frequency of the slowest clock relative to its constraint
    used, available : dicts, counts by resource name
    path : tuple of PathPart, this clock's critical path
    paths : tuple of TimingPath, this clock's worst paths
    """

    fmax:      float
    used:      dict
    available: dict
    path:      tuple
    paths:     tuple = ()


def read_report(report, blocks, resources):
    """``FitResult`` from a parsed ``--report`` file; ValueError if it has no clock.

    ``resources`` selects resources by their name in the report, see ``family.Family``. The critical
    path is split at ``blocks``, see ``rtlil.blocks_of``.
    """
    if not report.get("fmax"):
        raise ValueError("The report of nextpnr has no clock")
    clock, slowest = _slowest(report)
    used, available = ({name: report["utilization"][cell][key] for cell, name in resources.items()}
                       for key in ("used", "available"))
    return FitResult(slowest["achieved"], used, available, _parts(_critical(report, clock), blocks),
               tuple(TimingPath(**row | {"signals": tuple(row["signals"])})
                     for row in report.get(WORST, ())))


def last_cell(report):
    """Name of the last cell on the slowest clock's critical path; "" without a path."""
    path = _critical(report, _slowest(report)[0]) if report.get("fmax") else ()
    return path[-1]["to"]["cell"] if path else ""


def _slowest(report):
    """Name and frequency of the slowest clock relative to its constraint."""
    return min(report["fmax"].items(),
               key=lambda item: item[1]["achieved"] / item[1]["constraint"])


def _critical(report, clock):
    """A clock's critical path steps."""
    paths = (path["path"] for path in report["critical_paths"]
             if path["from"].split()[-1] == path["to"].split()[-1] == clock)
    return next(paths, ())


def resource_lines(fit):
    """A line for each resource: name, used, available, percentage."""
    for name, used in fit.used.items():
        available = fit.available[name]
        yield f"  {name}  {used:,} of {available:,}, {used / available:.0%}"


def fit_lines(fit):
    """Text lines for a FitResult: clock, resources, worst paths."""
    yield f"{fit.fmax:.2f} MHz"
    yield from resource_lines(fit)
    yield from path_lines(fit.paths)


def block_of(cell, blocks):
    """Innermost block in ``blocks`` that contains ``cell``, a flattened hierarchical name."""
    words = plain_name(cell).split(".")
    paths = (".".join(words[:count]) for count in range(len(words) - 1, 0, -1))
    return next((path for path in paths if path in blocks), TOP)


def _parts(path, blocks):
    parts = []
    # A wire belongs to the block of its driver.
    for block, steps in groupby(path, lambda step: block_of(step["from"]["cell"], blocks)):
        steps = list(steps)
        routing = sum(step["delay"] for step in steps if step["type"] == "routing")
        parts.append(PathPart(block, sum(step["delay"] for step in steps) - routing, routing))
    return tuple(parts)
