# SPDX-License-Identifier: Apache-2.0
"""Cases with expected results under a Rule, for devices that differ from the library on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .case import Case
from .libraries import has_sums
from .model import run
from .rule import LIBRARY, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

__all__ = ["Ruled", "under"]


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
                                   self.inputs, self.offset))


def under(rule: Rule, cases: Sequence[Case]) -> list[Case]:
    """``cases`` under a Rule, a list: a Ruled for each case with a model, other cases unchanged."""
    return [Ruled(case.operation, case.dialect, case.name, case.layer, case.inputs, case.offset,
                  rule)
            if has_sums(case) else case for case in cases]
