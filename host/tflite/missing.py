# SPDX-License-Identifier: Apache-2.0
"""Refuse a file's unsupported operators, all in a single sentence."""

from xymac.host.errors import InputError

from .signatures import SIGNATURES

__all__ = ["check_known"]

_SHOWN = 6  #: Maximum operator numbers per name in a sentence.


def check_known(graphs):
    """Refuse operators without a signature; the InputError names them all.

    Parameters
    ----------
    graphs : list of (subgraph number, its operators' names)
    """
    places = {}
    for graph, names in graphs:
        for number, name in enumerate(names):
            if name not in SIGNATURES:
                places.setdefault(name, []).append(
                    f"{number}{f' of subgraph {graph}' * bool(graph)}")
    if not places:
        return
    see = "see `xymac run --operators`"
    if sum(map(len, places.values())) == 1:
        [(name, [number])] = places.items()
        raise InputError(f"operator {number}, {name}, is not supported; {see}")
    listed = [f"{', '.join(numbers[:_SHOWN])}{', ...' * (len(numbers) > _SHOWN)} ({name})"
              for name, numbers in places.items()]
    raise InputError(f"operators {', '.join(listed)} are not supported; {see}")
