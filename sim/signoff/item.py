# SPDX-License-Identifier: Apache-2.0
"""A checklist item, and its state by the evidence at hand."""

from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase

from xymac.host.cluster import ROOT

__all__ = ["Finding", "Item", "Need", "State", "judge"]


_ASKED = ", asked"  # end of goal figures' names


class State(Enum):
    """An item's state; the value is its text on the page."""

    HELD    = "held"
    FAILED  = "FAILED"
    OLD     = "not run on these sources"
    MISSING = "not run"
    OPEN    = "not done"


@dataclass(frozen=True)
class Need:
    """Figures an item needs from an evidence file.

    Parameters
    ----------
    evidence : str, evidence name
    figure : str, glob for figure names; at least one figure must match, and every match must hold
    least, most : numbers, the figure's limits, or None
    equals : the figure's value, or None
    same : str, name of another figure with the same value, or ""
    asked : bool, every figure must reach the figure named ``NAME, asked``
    """

    evidence: str
    figure:   str
    least:    float | None = None
    most:     float | None = None
    equals:   object = None
    same:     str = ""
    asked:    bool = False

    def faults(self, figures):
        """Sentences about figures (dict) short of this need."""
        found = self.found(figures)
        if not found:
            return [f"there is no figure {self.figure}"]
        return [f"{name} is {value}, not {self._wanted(name, figures)}"
                for name, value in found.items() if not self._holds(name, figures)]

    def found(self, figures):
        """The figures (dict) concerned by this need."""
        return {name: value for name, value in figures.items() if fnmatchcase(name, self.figure)
                and (not self.asked or f"{name}{_ASKED}" in figures)}

    def _holds(self, name, figures):
        value = figures[name]
        if self.asked:
            return value >= figures[f"{name}{_ASKED}"]
        if self.same:
            return value == figures.get(self.same)
        if self.equals is not None:
            return value == self.equals
        return isinstance(value, int | float) and (
            (self.least is None or value >= self.least) and (
                self.most is None or value <= self.most))

    def _wanted(self, name, figures):
        if self.asked:
            return figures[f"{name}{_ASKED}"]
        if self.same:
            return f"{figures.get(self.same, 'there')} ({self.same})"
        if self.equals is not None:
            return self.equals
        parts = [f"at least {self.least}"] * (self.least is not None)
        parts += [f"at most {self.most}"] * (self.most is not None)
        return " and ".join(parts)


@dataclass(frozen=True)
class Item:
    """A checklist line.

    Parameters
    ----------
    stage : str, ``V1``, ``V2`` or ``V3``
    name : str, unique
    text : str, a sentence, true when the item holds
    command : str, shell command that shows it
    needs : tuple of Need
    files : tuple of str, required files and folders
    missing : str, reason why the item is not done, or ""
    """

    stage:   str
    name:    str
    text:    str
    command: str
    needs:   tuple = ()
    files:   tuple = ()
    missing: str = ""


@dataclass(frozen=True)
class Finding:
    """An Item's state, and a sentence about the findings."""

    item:  Item
    state: State
    text:  str


def judge(item, evidence):
    """The Finding for an Item with {name: Evidence}."""
    if item.missing:
        return Finding(item, State.OPEN, item.missing)
    gone = [place for place in item.files if not (ROOT / place).exists()]
    if gone:
        return Finding(item, State.FAILED, f"{', '.join(gone)} is not there")
    names = list(dict.fromkeys(need.evidence for need in item.needs))
    absent = [name for name in names if name not in evidence]
    if absent:
        return Finding(item, State.MISSING, f"no evidence {', '.join(absent)}")
    faults = [fault for need in item.needs
              for fault in need.faults(evidence[need.evidence].figures)]
    old = [name for name in names if not evidence[name].is_current]
    if faults:
        state = State.OLD if old else State.FAILED
        return Finding(item, state, "; ".join(faults))
    if old:
        return Finding(item, State.OLD, f"{', '.join(old)}: the sources have changed since")
    return Finding(item, State.HELD, _shown(item, evidence))


def _shown(item, evidence):
    """The files or figures an item needs."""
    if item.files:
        return f"{', '.join(item.files)}: there"
    shown = {}
    for need in item.needs:
        shown |= need.found(evidence[need.evidence].figures)
    return "; ".join(f"{name}: {value:,}" if isinstance(value, int | float) else f"{name}: {value}"
                     for name, value in shown.items())
