# SPDX-License-Identifier: Apache-2.0
"""Description of a generated table."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["Cost", "Table", "markdown"]


class Cost(Enum):
    """Cost of making a table."""

    QUICK     = "seconds, nothing simulated"
    SIMULATED = "minutes, in a simulated core"
    VENDOR    = "the same, and data files of the vendor"
    HOURS     = "hours, with the tools of an FPGA"


@dataclass(frozen=True)
class Table:
    """A generated table.

    Parameters
    ----------
    make : function without arguments that returns its lines; of Cost.VENDOR one of the folder that
        holds the data files
    cost : Cost
    """

    make: Callable
    cost: Cost = Cost.QUICK


def markdown(head, rows):
    """Lines of a Markdown table with the texts ``head`` above ``rows`` of equal length."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|",
            *(f"| {' | '.join(row)} |" for row in rows)]
