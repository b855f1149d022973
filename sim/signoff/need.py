# SPDX-License-Identifier: Apache-2.0
"""Figures that a checklist item needs from an evidence file, and their shortfalls."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

__all__ = ["ASKED", "IN_ALL", "Need", "number"]

#: Ends of figures' names: a count's goal, and its sum over runs on any sources.
ASKED  = ", asked"
IN_ALL = ", in all runs"


def number(value):
    """A figure as text, with thousands separators."""
    return f"{value:,}" if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class Need:
    """Figures an item needs from an evidence file.

    Parameters
    ----------
    evidence : str, evidence name
    figure : str, glob for figure names; every match must hold
    least, most : numbers, the figure's limits, or None
    equals : the figure's value, or None
    same : str, name of another figure with the same value, or ""
    asked : bool, every figure is a count and must reach the figure named ``NAME, asked``
    goal : int, the figure is a count and must reach it, or None
    """

    evidence: str
    figure:   str
    least:    float | None = None
    most:     float | None = None
    equals:   object = None
    same:     str = ""
    asked:    bool = False
    goal:     int | None = None

    @property
    def counts(self):
        """Whether the figures are counts, which runs bring nearer to their goals."""
        return self.asked or self.goal is not None

    def found(self, figures):
        """The figures (dict) concerned by this need."""
        return {name: value for name, value in figures.items() if fnmatchcase(name, self.figure)
                and (not self.asked or f"{name}{ASKED}" in figures)}

    def faults(self, figures):
        """Sentences about figures (dict) that contradict this need; short counts do not."""
        return [f"{name} is {number(value)}, not {self.wanted(name, figures)}"
                for name, value in self.found(figures).items() if not self._holds(name, figures)]

    def gap(self, figures):
        """Why the figures (dict) are only a part, a text, or ""."""
        found = self.found(figures)
        if not found:
            return f"no figure {self.figure}"
        if self.counts and any(value < self._goal(name, figures) for name, value in found.items()):
            return self.shown(figures)
        return ""

    def is_empty(self, figures):
        """Whether nothing was run: there is no figure, or all counts are zero."""
        found = self.found(figures)
        return not found or (self.counts and not any(found.values()))

    def shown(self, figures):
        """The figures (dict) as a short text; of several counts the range."""
        found = self.found(figures)
        if not self.counts:
            return ", ".join(f"{name} {number(value)}" for name, value in found.items()
                             if self.equals != "none")
        goals = {name: self._goal(name, figures) for name in found}
        least = min(found, key=lambda name: found[name] / (goals[name] or 1))
        if len(found) == 1:
            return f"{least}: {number(found[least])} of {number(goals[least])}"
        kinds = f"{len(found)} kinds, "
        if len(set(goals.values())) > 1:
            return f"{kinds}the least {number(found[least])} of {number(goals[least])} ({least})"
        low, high = min(found.values()), max(found.values())
        span = f"{number(low)} to {number(high)}" if low < high else number(low)
        return f"{kinds}{span} of {number(goals[least])}{'' if low < high else ' each'}"

    def wanted(self, name, figures):
        """The wish for the figure ``name``, a text."""
        if self.counts:
            return number(self._goal(name, figures))
        if self.same:
            return f"{number(figures.get(self.same, 'there'))} ({self.same})"
        if self.equals is not None:
            return number(self.equals)
        parts = [f"at least {number(self.least)}"] * (self.least is not None)
        parts += [f"at most {number(self.most)}"] * (self.most is not None)
        return " and ".join(parts)

    def _goal(self, name, figures):
        return figures[f"{name}{ASKED}"] if self.asked else self.goal

    def _holds(self, name, figures):
        value = figures[name]
        if self.counts:
            return _is_number(value) and _is_number(self._goal(name, figures))
        if self.same:
            return value == figures.get(self.same)
        if self.equals is not None:
            return value == self.equals
        return _is_number(value) and (self.least is None or value >= self.least) and (
            self.most is None or value <= self.most)


def _is_number(value):
    return isinstance(value, int | float)
