# SPDX-License-Identifier: Apache-2.0
"""A table of the documents: how it is made, and what making it takes."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["Cost", "Table", "markdown"]


class Cost(Enum):
    """What it takes to make a table."""

    QUICK     = "seconds, nothing simulated"
    SIMULATED = "minutes, in a simulated core"
    VENDOR    = "the same, and data files of the vendor"
    HOURS     = "hours, with the tools of an FPGA"


@dataclass(frozen=True)
class Table:
    """One table.

    Parameters
    ----------
    make : function without arguments that returns its lines; of Cost.VENDOR one of the folder that
        holds the data files
    cost : Cost
    """

    make: Callable
    cost: Cost = Cost.QUICK


def markdown(head, rows):
    """Lines of a Markdown table: a ``head`` of texts, and rows of as many of them."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|",
            *(f"| {' | '.join(row)} |" for row in rows)]
