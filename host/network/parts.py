# SPDX-License-Identifier: Apache-2.0
"""The plans of several device parts behind the interface of a single plan."""

from dataclasses import replace
from itertools import accumulate

from xymac.host.plural import plural

__all__ = ["PartedPlan"]


class PartedPlan:
    """Plans that run in sequence, with host layers between them.

    The host loads the constants and programs of every plan again for each input.

    Parameters
    ----------
    parts : sequence of Plan or TiledPlan

    Attributes
    ----------
    parts : tuple, as given
    steps : tuple, a step per device layer; pass numbers count within ``program``
    program, segments : tuples, all passes and all programs in execution order
    states, cell_blanks : see ``Plan``; for all parts
    """

    def __init__(self, parts):
        self.parts    = tuple(parts)
        self.program  = tuple(pass_ for plan in self.parts for pass_ in plan.program)
        self.segments = tuple(segment for plan in self.parts for segment in plan.segments)
        self.states   = tuple(own for plan in self.parts for own in plan.states)
        self.steps    = tuple(step for plan, first in zip(self.parts, self._starts(), strict=True)
                              for step in _steps(plan, first))
        layers = accumulate((len(plan.steps) for plan in self.parts[:-1]), initial=0)
        self.cell_blanks = {first + index: blank for plan, first
                            in zip(self.parts, layers, strict=True)
                            for index, blank in plan.cell_blanks.items()}

    def __repr__(self):
        """Part, layer and pass counts in a line."""
        return (f"<{type(self).__name__}: {plural(len(self.parts), 'part')}, "
                f"{plural(len(self.steps), 'layer')}, "
                f"{plural(len(self.program), 'pass', 'passes')}>")

    def _starts(self):
        """Yield the number of each part's first pass."""
        return accumulate((len(plan.program) for plan in self.parts[:-1]), initial=0)

    def find_overflows(self, result):
        """Per layer, whether an accumulator overflowed in the RunResult of all parts."""
        return tuple(flag for plan, first in zip(self.parts, self._starts(), strict=True)
                     for flag in plan.find_overflows(replace(
                         result, trace=result.trace[first:first + len(plan.program)])))


def _steps(plan, first):
    """Yield a plan's steps with pass numbers from ``first`` on.

    The first layer with passes counts at least one program, as the host loads it for each input.
    """
    begins = True
    for step in plan.steps:
        step = replace(step, passes=tuple(first + number for number in step.passes))
        if begins and step.passes:
            step   = replace(step, programs=max(step.programs, 1))
            begins = False
        yield step
