# SPDX-License-Identifier: Apache-2.0
"""Results under a Rule, and cases that expect them, for devices that differ from the library on
purpose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import model
from .case import Case
from .cells import is_cell, run_cell
from .libraries import has_sums
from .rule import LIBRARY, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["Ruled", "has_model", "run", "under"]


def has_model(case: Case) -> bool:
    """Whether a Case has results under a Rule."""
    return is_cell(case) or has_sums(case)


def run(rule: Rule, case: Case) -> np.ndarray:
    """A device's result for a Case, with ``rule``'s differences from the library.

    Returns an array with golden's type and shape; ValueError for a case without a model.
    """
    return (run_cell if is_cell(case) else model.run)(rule, case)


@dataclass(frozen=True, eq=False)
class Ruled(Case):
    """A Case under a Rule.

    Parameters
    ----------
    rule : Rule, by which the device is meant to differ from the library
    """

    rule: Rule = LIBRARY

    def expected(self) -> np.ndarray:
        """The library's result under the rule."""
        return run(self.rule, Case(self.operation, self.dialect, self.name, self.layer,
                                   self.inputs, self.offset, self.base))


def under(rule: Rule, cases: Sequence[Case]) -> list[Case]:
    """``cases`` under a Rule, a list: a Ruled for each case with a model, other cases unchanged."""
    return [Ruled(case.operation, case.dialect, case.name, case.layer, case.inputs, case.offset,
                  case.base, rule)
            if has_model(case) else case for case in cases]
