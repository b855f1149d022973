# SPDX-License-Identifier: Apache-2.0
"""Passes in order, with the waits they need."""

from dataclasses import replace

from xymac.hdl.isa import Adjust, Reduce

from .flow import Flow

__all__ = ["scalars_made", "scalars_of", "set_waits"]

_RANGE = {Reduce.MAX, Reduce.MIN}


def set_waits(passes, config):
    """Set ``wait`` where a pass may read what an earlier one has not written yet, and ``last`` at
    the end.

    ValueError if there is no pass, or more than program memory holds.
    """
    if not 1 <= len(passes) <= config.passes:
        raise ValueError(f"A program must have 1 to {config.passes} passes on size "
                         f"{config.name}, not {len(passes)}")
    waits, folds, flow = [False] * len(passes), set(), Flow(config)
    ranging = False  # a pass that uses or makes a range may not be written
    looped = {other for index, pass_ in enumerate(passes) if pass_.control.repeat
              for other in range(index - pass_.control.back, index + 1)}
    for index in _order(passes):
        pass_ = passes[index]
        waits[index] |= not folds.isdisjoint(scalars_of(pass_))
        waits[index] |= flow.reads_early(pass_, whole=index in looped)
        waits[index] |= pass_.reduction.reduce is Reduce.RANGE and ranging
        if waits[index]:
            flow.wait()
        flow.run(pass_, whole=index in looped)
        made    = scalars_made(pass_) if pass_.reduction.reduce is not Reduce.RANGE else set()
        folds   = made | (set() if waits[index] else folds)
        ranging = bool(_RANGE & (made | scalars_of(pass_))) or (ranging and not waits[index])
    return [replace(pass_, wait=wait, last=index == len(passes) - 1)
            for index, (pass_, wait) in enumerate(zip(passes, waits, strict=True))]


def _order(passes):
    """Indices in the order in which passes run, each loop once and once again."""
    index, repeated = 0, set()
    while index < len(passes):
        yield index
        pass_ = passes[index]
        if pass_.control.back > index:
            raise ValueError(f"Pass {index} must go back at most {index} passes, not "
                             f"{pass_.control.back}")
        if pass_.control.repeat and index not in repeated:
            repeated.add(index)
            index -= pass_.control.back
        else:
            index += 1


def scalars_of(pass_):
    """Reductions whose scalars a pass uses, a set."""
    range_ = pass_.reduction.anchored or pass_.reduction.adjust in (Adjust.SHIFT, Adjust.TABLE)
    total  = pass_.reduction.inverted or pass_.reduction.adjust is Adjust.PLACES
    return (_RANGE if range_ else set()) | ({Reduce.SUM} if total else set())


def scalars_made(pass_):
    """Reductions whose scalars a pass makes, a set; the heap makes those of the range."""
    if pass_.reduction.reduce in (Reduce.RANK, Reduce.POP, Reduce.RANGE):
        return _RANGE
    return {pass_.reduction.reduce} - {Reduce.NONE}
