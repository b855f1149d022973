# SPDX-License-Identifier: Apache-2.0
"""Plans that are the parts of one search, which run one after the other."""

from dataclasses import dataclass

from ..program.segments import join_results

__all__ = ["Runs", "SearchStep"]


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


class Runs:
    """Plans that run one after the other on a Device, and what comes of it."""

    def __init__(self, device):
        self._device = device
        self.result, self.overflow = None, False

    def run(self, plan, x):
        """Data of the output of a Plan."""
        plan.load(self._device)
        run = plan.run(self._device, x)
        self.result    = run.result if self.result is None else join_results(self.result,
                                                                             run.result)
        self.overflow |= run.overflows[0]
        return run.output.data
