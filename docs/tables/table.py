# SPDX-License-Identifier: Apache-2.0
"""Description of a generated table."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["Cost", "Table", "markdown"]


class Cost(Enum):
    """Effort to make a table."""

    QUICK     = "seconds, nothing simulated"
    SIMULATED = "minutes, in a simulated core or by training"
    VENDOR    = "the same, and data files of the vendor"
    HOURS     = "hours, with the tools of an FPGA"


@dataclass(frozen=True)
class Table:
    """A generated table.

    Parameters
    ----------
    make : function without arguments that returns its lines; with Cost.VENDOR it takes the data
        file folder
    cost : Cost
    """

    make: Callable
    cost: Cost = Cost.QUICK


def markdown(head, rows):
    """Markdown table lines with the texts ``head`` above ``rows`` of equal length."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|",
            *(f"| {' | '.join(row)} |" for row in rows)]
