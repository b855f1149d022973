# SPDX-License-Identifier: Apache-2.0
"""Describe a search's plans as a single layer step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.plan.plan import Plan

__all__ = ["SearchStep"]


@dataclass(frozen=True)
class SearchStep:
    """The only layer's step; see ``Step``."""

    passes:   range
    remarks:  str
    moved:    int
    loaded:   int
    programs: int
    renamed:  bool = False

    @classmethod
    def of(cls, plans: Sequence[Plan], remarks: str) -> SearchStep:
        """Step for consecutive Plans."""
        steps = [step for plan in plans for step in plan.steps]
        return cls(range(sum(len(plan.program) for plan in plans)), remarks,
                   sum(step.moved for step in steps), sum(step.loaded for step in steps),
                   sum(max(step.programs, 1) for step in steps))
