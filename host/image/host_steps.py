# SPDX-License-Identifier: Apache-2.0
"""An executable's host steps before, between and after the steps of a command list."""

from dataclasses import dataclass

from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, TAKE, Host, Read, Write

__all__ = ["Parts", "split_steps"]

#: Places before all steps: never, written by the user's processor, copied at the list's start.
_NEVER, _BEFORE, _FIRST = -3, -2, -1


@dataclass(frozen=True)
class Parts:
    """The steps of a run.

    Parameters
    ----------
    before, after : lists of Host steps, computed by the user's processor; a COPY among them copies
        a whole value
    steps : list, the other steps
    copies : list of (source, target) value numbers with a common place
    first, last : lists of such pairs with separate places, copied before and after ``steps``
    """

    before: list
    after:  list
    steps:  list
    copies: list
    first:  list
    last:   list


def split_steps(executable):
    """An Executable's run in parts; InputError for a host computation in the middle."""
    before, after, steps, copies = [], [], [], []
    made, late = set(), set()  # values of steps; values of ``after``
    for step in executable.run:
        if not isinstance(step, Host):
            if isinstance(step, Write) and step.value in late:
                _refuse(executable, after[-1])
            if isinstance(step, Read):
                made.add(step.value)
            steps.append(step)
        elif step.kernel == COPY and not step.part and not {*step.values} & late:
            copies.append((*step.values, step.to, len(steps)))
            if {*step.values} & made:
                made.add(step.to)
            else:
                before.append(step)
        elif step.kernel == TAKE or step.part:
            _refuse(executable, step)
        elif {*step.values} & (made | late):
            after.append(step)
            late.add(step.to)
        else:
            before.append(step)
    before = _drop_copies(before)
    return Parts(before, after, steps,
                 *_place_copies(executable, steps, copies, before, after))


def _drop_copies(before):
    """Steps without copies no later step reads."""
    kept, read = [], set()
    for step in reversed(before):
        if step.kernel != COPY or step.to in read:
            kept.insert(0, step)
            read |= {*step.values}
    return kept


def _refuse(executable, step):
    name = step.kernel if isinstance(step.kernel, str) else type(step.kernel).__name__
    raise InputError(f"{executable.name} has a host computation ({name}) between programs, which "
                     f"a command list cannot hold")


def _place_copies(executable, steps, copies, before, after):
    """Three pair lists: copies in a common place, other copies before and after ``steps``.

    Copies from ``before`` values into states in use by ``steps`` are added to ``after``.
    """
    written = {step.to for step in before}
    common, first, last = {}, [], []  # of the first: targets and sources
    fixed, taken = {*range(len(executable.inputs)), *executable.constants}, set()
    uses = _list_uses(executable.states, steps, copies)

    def root(number):
        while number in common:
            number = common[number]
        return number

    for source, target, at in copies:
        origin = root(source)
        if target in executable.states:
            apart = (origin in fixed or origin in executable.states or origin in taken
                     or max(uses[target], default=_NEVER) >= _begin(origin, steps, written, first))
        else:
            apart = source in executable.states
        if apart and origin in written:
            after.append(Host(COPY, (source,), target))
        elif not apart:
            common[target] = source
            taken |= {origin} if target in executable.states else set()
        elif at == 0:
            first.append((source, target))
        elif at == len(steps):
            last.append((source, target))
        else:
            raise InputError(f"{executable.name} copies a state between programs, which a command "
                             f"list cannot hold")
    return [(source, target) for target, source in common.items()], first, last


def _list_uses(states, steps, copies):
    """By state: step indices where its content before the run is used."""
    uses = {number: [] for number in states}
    for index, step in enumerate(steps):
        if isinstance(step, Write) and step.value in states:
            uses[step.value].append(index)
    for source, _, at in copies:
        if source in states:
            uses[source].append(_FIRST if at == 0 else at)
    return uses


def _begin(number, steps, written, first):
    """Index of the step from which on a value's place has the value."""
    if number in written:
        return _BEFORE
    if number in {target for _, target in first}:
        return _FIRST
    return next((index for index, step in enumerate(steps)
                 if isinstance(step, Read) and step.value == number), _BEFORE)
