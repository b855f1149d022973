# SPDX-License-Identifier: Apache-2.0
"""All device outcomes: as values, as a table, and as sentences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table

from xymac.host.plural import plural

from .coverage import list_missed
from .outcome import Outcome, count_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table as RichTable

__all__ = ["Report", "never_hit", "report_table", "summary_lines"]


@dataclass(frozen=True)
class Report:
    """A device's outcomes.

    Parameters
    ----------
    device : str
    seed : int
    outcomes : tuple of Outcome
    """

    device:   str
    seed:     int
    outcomes: tuple

    @property
    def passed(self) -> bool:
        """Whether every case in every task has the right result."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def exit_code(self) -> int:
        """0 if everything passed, else 1."""
        return int(not self.passed)

    @property
    def counts(self) -> tuple[int, ...]:
        """Count of all, equal, different and failed cases."""
        return tuple(sum(getattr(outcome, name) for outcome in self.outcomes)
                     for name in ("cases", "equal", "different", "failed"))

    def as_json(self) -> str:
        """JSON file text."""
        cases, equal, different, failed = self.counts
        return json.dumps({
            "device": self.device, "seed": self.seed, "passed": self.passed, "cases": cases,
            "equal": equal, "different": different, "failed": failed,
            "outcomes": [outcome.as_json() | {"passed": outcome.passed}
                         for outcome in self.outcomes]}, indent=1) + "\n"

    @classmethod
    def read_json(cls, text: str) -> Report:
        """Report from its JSON file text."""
        content  = json.loads(text)
        outcomes = [{name: value for name, value in entry.items() if name != "passed"}
                    for entry in content["outcomes"]]
        return cls(content["device"], content["seed"], tuple(Outcome(**entry)
                                                             for entry in outcomes))


#: Quantities whose names alone say little.
_WORDS = {"ratio": "scale of the second input, with 1 for the scale of the first input,"}


def never_hit(outcome: Outcome) -> list[tuple[str, list[str]]]:
    """[(quantity, bins)] without a case in an Outcome."""
    bins = {}
    for quantity, name in list_missed(outcome.coverage):
        bins.setdefault(_WORDS.get(quantity, quantity), []).append(name)
    return list(bins.items())


def report_table(report: Report) -> RichTable:
    """A rich table with a row per task."""
    table = Table(title=f"{report.device}: {plural(report.counts[0], 'case')}, seed {report.seed}",
                  box=None)
    for name in ("operation", "dialect", "type", "cases from"):
        table.add_column(name)
    for name in ("cases", "equal", "different", "no result", "bins hit"):
        table.add_column(name, justify="right")
    for outcome in report.outcomes:
        bins = [count for hits in outcome.coverage.values() for count in hits.values()]
        table.add_row(
            outcome.operation, outcome.dialect, outcome.type, outcome.source,
            *(f"{count:,}" for count in (outcome.cases, outcome.equal, outcome.different,
                                         outcome.failed)),
            f"{sum(map(bool, bins))} of {len(bins)}", style=None if outcome.passed else "red")
    return table


def summary_lines(report: Report) -> Iterator[str]:
    """Lines on differences, on cases outside the limits and on missed bins."""
    for outcome in report.outcomes:
        if outcome.sentence:
            yield f"{outcome.name}: {outcome.sentence}"
        for quantity, values in outcome.left_out.items():
            yield (f"{outcome.name}: left out {quantity} {', '.join(values)}"
                   if isinstance(values, list) else
                   f"{outcome.name}: left out {count_cases(values)} by their {quantity}")
        for quantity, names in never_hit(outcome):
            yield f"{outcome.name}: never hit {quantity} {', '.join(names)}"
