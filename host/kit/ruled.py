"""Cases whose result is that of a library under a Rule: a device that rounds in another way, and is
meant to, is checked in all other respects."""

from dataclasses import dataclass

from .case import Case
from .libraries import has_sums
from .model import run
from .rule import LIBRARY, Rule

__all__ = ["Ruled", "under"]


@dataclass(frozen=True, eq=False)
class Ruled(Case):
    """A Case under a Rule.

    Parameters
    ----------
    rule : Rule, by which the device is meant to differ from the library
    """

    rule: Rule = LIBRARY

    def expected(self):
        """What the library gives under the rule."""
        return run(self.rule, Case(self.operation, self.dialect, self.name, self.layer,
                                   self.inputs))


def under(rule, cases):
    """List of ``cases`` under a Rule: each Ruled, but as it is where there is no model."""
    return [Ruled(case.operation, case.dialect, case.name, case.layer, case.inputs, rule)
            if has_sums(case) else case for case in cases]
