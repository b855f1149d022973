# SPDX-License-Identifier: Apache-2.0
"""A checklist item, and its state by the evidence at hand."""

from dataclasses import dataclass
from enum import Enum

from xymac.host.cluster import ROOT

__all__ = ["SINCE", "Finding", "Item", "State", "first_few", "judge"]

SINCE = "changed since: "  #: In front of changed places.

_FEW = 6  # names in a sentence


class State(Enum):
    """An item's state; the value is its text on the page."""

    HELD        = "held"
    HELD_BEFORE = "held before a change"
    PART        = "in part"
    FAILED      = "FAILED"
    MISSING     = "not run"
    OPEN        = "not done"


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

    @property
    def brief(self):
        """The first half of the sentence."""
        return self.text.partition(";")[0]


def judge(item, evidence):
    """The Finding for an Item with {name: Evidence}.

    An item holds if all of its evidence is there, is of these sources and meets every need.
    """
    if item.missing:
        return Finding(item, State.OPEN, item.missing)
    gone = [place for place in item.files if not (ROOT / place).exists()]
    if gone:
        return Finding(item, State.FAILED, f"{', '.join(gone)} is not there")
    if item.files:
        return Finding(item, State.HELD, f"{', '.join(item.files)}: there")
    state, text = _judge_figures(item.needs, evidence)
    changed = sorted({place for need in item.needs if need.evidence in evidence
                      for place in evidence[need.evidence].changed})
    if changed:
        since = f"{SINCE}{first_few(changed)}"
        if state is State.HELD:
            return Finding(item, State.HELD_BEFORE, f"{since}; before: {text}")
        text = f"{text}; {since}"
    return Finding(item, state, text)


def _judge_figures(needs, evidence):
    """State and text for Needs from figures alone, as if no source had changed."""
    found  = [(need, evidence[need.evidence].figures) for need in needs
              if need.evidence in evidence]
    faults = [fault for need, figures in found for fault in need.faults(figures)]
    if faults:
        return State.FAILED, first_few(faults, "; ")
    absent = dict.fromkeys(need.evidence for need in needs if need.evidence not in evidence)
    if absent:
        return State.MISSING, f"no evidence {', '.join(absent)}"
    gaps = [gap for need, figures in found if (gap := need.gap(figures))]
    if not gaps:
        return State.HELD, _shown(found)
    told = [(need, figures) for need, figures in found if need.counts] or found
    is_empty = all(need.is_empty(figures) for need, figures in told)
    return State.MISSING if is_empty else State.PART, first_few(gaps, "; ")


def _shown(found):
    """The figures that meet needs, a text; with the evidence's name if there is more than one."""
    texts = {}
    for need, figures in found:
        texts.setdefault(need.evidence, {})[need.shown(figures)] = None
    shown = {name: ", ".join(filter(None, each)) for name, each in texts.items()}
    if len(shown) == 1:
        return next(iter(shown.values()))
    return "; ".join(f"{name}: {text}" for name, text in shown.items())


def first_few(names, between=", "):
    """The first few of texts as a text, and the number of the others."""
    rest = len(names) - _FEW
    return between.join(names[:_FEW]) + (f" and {rest} more" if rest > 0 else "")
