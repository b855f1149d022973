# SPDX-License-Identifier: Apache-2.0
"""Prove a property, reach its covers, and let its faults break it."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from xymac.host.errors import InputError

from . import tools
from .property import Method, Theorem

__all__ = ["Proof", "prove"]


@dataclass(frozen=True)
class Proof:
    """The outcome for a property.

    Parameters
    ----------
    name : str, property name
    bound : str, proved cycles
    faults : int, planted faults
    holds : bool, no input breaks an assertion
    reached : bool, some input reaches every cover statement: the property is not empty
    survivors : tuple of str, faults missed by the property
    seconds : float
    """

    name:      str
    bound:     str
    faults:    int
    holds:     bool
    reached:   bool
    survivors: tuple
    seconds:   float

    @property
    def passed(self):
        """Whether the property is proved, is not empty and sees its faults."""
        return self.holds and self.reached and self.faults > 0 and not self.survivors


def prove(property_):
    """Prove a Property or a Theorem; InputError if a tool is missing or fails."""
    began = perf_counter()
    try:
        holds, reached, survivors = (
            _calculate if isinstance(property_, Theorem) else _search)(property_)
    except InputError as error:
        raise InputError(f"{property_.name}: {error}") from error
    return Proof(property_.name, property_.reach, len(property_.faults), holds, reached,
                 tuple(survivors), perf_counter() - began)


def _calculate(theorem):
    """A Theorem's verdict, cover and unseen faults."""
    holds, reached = theorem.check()
    survivors = []
    for fault in theorem.faults:
        with fault.planted():
            if theorem.check()[0]:
                survivors.append(fault.text)
    return holds, reached, survivors


def _search(property_):
    """A Property's verdict, cover and unseen faults."""
    steps, gates, survivors = property_.steps, _on_gates(property_), []
    with TemporaryDirectory() as name:
        folder = _translate(property_, Path(name))
        holds   = _check(folder, property_)
        reached = (tools.reaches(folder, steps) if gates
                   else tools.search(folder, "-c", "-t", str(steps)))
    for case in property_.cases[1:]:
        with TemporaryDirectory() as name:
            holds = holds and _check(_translate(property_, Path(name), case), property_)
    for fault in property_.faults:
        with TemporaryDirectory() as name:
            with fault.planted():
                folder = _translate(property_, Path(name), covers=False)
            seen = (tools.breaks(folder, steps) if gates
                    else not tools.search(folder, "-t", str(steps)))
            if not seen:
                survivors.append(fault.text)
    return holds, reached, survivors


def _on_gates(property_):
    return property_.method in (Method.GATES, Method.PDR)


def _check(folder, property_):
    """Whether the assertions hold, in the first cycles or for ever."""
    if property_.method is Method.PDR:
        return tools.always(folder)
    if property_.method is Method.GATES:
        return tools.holds(folder, property_.steps)
    steps = str(property_.steps)
    return tools.search(folder, "-t", steps) and (
        property_.method is Method.BOUNDED or tools.search(folder, "-i", "-t", steps))


def _translate(property_, folder, case=None, *, covers=True):
    """Write the models of a property's bench, by default for its first case, into a folder; returns
    the folder.
    """
    first = property_.cases[0] if case is None and property_.cases else case
    bench = property_.bench() if first is None else property_.bench(first)
    tools.translate(bench, folder, gates=_on_gates(property_),
                    covers=covers)
    return folder
