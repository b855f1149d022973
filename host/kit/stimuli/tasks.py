# SPDX-License-Identifier: Apache-2.0
"""A device's tasks: a case list for every operation and case source."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xymac.host.errors import InputError
from xymac.host.kit.rule import LIBRARY
from xymac.host.kit.ruled import under

from .generate import generate
from .networks import SHIPPED_NETWORKS, network_cases
from .recorded import SHIPPED, find_recorded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from xymac.host.kit.device.adapter import Adapter, Supports

__all__ = ["Task", "list_tasks", "redraw"]

_NETWORKS = 2  #: Number of inputs per network.


@dataclass(frozen=True, eq=False)
class Task:
    """Cases for a single operation from a single source.

    Parameters
    ----------
    support : Supports
    source : "drawn", "recorded" or "networks"
    cases : tuple of Case
    hits : {quantity: {value: case count}}, for drawn cases
    left_out : {quantity: values outside the limits, or recorded case count outside them}
    problem : str, a sentence if there are no cases, else ""
    """

    support:  Supports
    source:   str
    cases:    tuple
    hits:     dict = field(default_factory=dict)
    left_out: dict = field(default_factory=dict)
    problem:  str = ""

    @property
    def name(self) -> str:
        """Task name, space-separated words."""
        return f"{self.support.title} {self.source}"


def list_tasks(adapter: Adapter, count: int = 100, seed: int = 0, vectors: Path = SHIPPED,
               networks: Sequence[Path | str] = ()) -> list[Task]:
    """Tasks for all entries in ``adapter.supports``, under its rule, a list.

    Parameters
    ----------
    count : int, drawn cases per operation
    seed : int, the drawn cases' seed
    vectors : reference vector folder, searched recursively
    networks : network file paths, in addition to the default networks
    """
    tasks = _list_tasks(adapter, count, seed, vectors, networks)
    if adapter.rule != LIBRARY:
        tasks = [replace(task, cases=tuple(under(adapter.rule, task.cases))) for task in tasks]
    return tasks


def redraw(adapter: Adapter, task: Task, count: int, seed: int) -> Task:
    """The drawn Task of an Adapter with another count and seed."""
    again = _drawn(task.support, count, seed)
    return replace(again, cases=tuple(under(adapter.rule, again.cases))) if (
        adapter.rule != LIBRARY) else again


def _list_tasks(adapter, count, seed, vectors, networks):
    tasks = []
    for support in adapter.supports:
        if support.operation == "network":
            tasks.append(_networks(support, networks, seed))
            continue
        tasks.append(_drawn(support, count, seed))
        cases, left_out = find_recorded(support, vectors)
        if cases or left_out:
            tasks.append(Task(support, "recorded", cases, left_out=dict(left_out)))
    return tasks


def _drawn(support, count, seed):
    try:
        stimuli = generate(support, count, seed)
    except InputError as error:
        return Task(support, "drawn", (), problem=str(error))
    return Task(support, "drawn", stimuli.cases, stimuli.hits, stimuli.left_out)


def _networks(support, paths, seed):
    try:
        cases = network_cases(support, (*SHIPPED_NETWORKS[support.dialect], *paths), _NETWORKS,
                              seed)
    except InputError as error:
        return Task(support, "networks", (), problem=str(error))
    problem = "" if cases else f"There is no network of {support.dialect} {support.type}"
    return Task(support, "networks", cases, problem=problem)
