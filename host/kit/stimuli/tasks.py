"""What a device is asked for: lots of cases, one for every operation and source of cases."""

from dataclasses import dataclass, field, replace

from host.errors import InputError
from host.kit.rule import LIBRARY
from host.kit.ruled import under

from .generate import generate
from .networks import SHIPPED_NETWORKS, network_cases
from .recorded import SHIPPED, find_recorded

__all__ = ["Task", "list_tasks"]

_NETWORKS = 2  #: Inputs of every network.


@dataclass(frozen=True, eq=False)
class Task:
    """Cases of one operation that come from one source.

    Parameters
    ----------
    support : Supports
    source : "drawn", "recorded" or "networks"
    cases : tuple of Case
    hits : dict by quantity of dicts by value, of drawn cases
    left_out : dict by quantity: the values that limits left out, or how many recorded cases
    problem : str, one sentence why there are no cases; "" if there are
    """

    support:  object
    source:   str
    cases:    tuple
    hits:     dict = field(default_factory=dict)
    left_out: dict = field(default_factory=dict)
    problem:  str = ""

    @property
    def name(self):
        """What it is called, one word after the other."""
        return f"{self.support.title} {self.source}"


def list_tasks(adapter, count=100, seed=0, vectors=SHIPPED, networks=()):
    """List of the Task of everything that an Adapter supports, under its rule.

    Parameters
    ----------
    count : int, drawn cases of every operation
    seed : int, of what is drawn
    vectors : folder of reference vectors, with folders in it
    networks : paths of files of networks, beside those of ours
    """
    tasks = _list_tasks(adapter, count, seed, vectors, networks)
    if adapter.rule != LIBRARY:
        tasks = [replace(task, cases=tuple(under(adapter.rule, task.cases))) for task in tasks]
    return tasks


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
