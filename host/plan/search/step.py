# SPDX-License-Identifier: Apache-2.0
"""The step of plans that are the parts of one search."""

from dataclasses import dataclass

__all__ = ["SearchStep"]


@dataclass(frozen=True)
class SearchStep:
    """The only layer; see ``Step``."""

    passes:   range
    remarks:  str
    moved:    int
    loaded:   int
    programs: int
    renamed:  bool = False

    @classmethod
    def of(cls, plans, remarks):
        """The step of all Plans that run one after the other."""
        steps = [step for plan in plans for step in plan.steps]
        return cls(range(sum(len(plan.program) for plan in plans)), remarks,
                   sum(step.moved for step in steps), sum(step.loaded for step in steps),
                   sum(max(step.programs, 1) for step in steps))
