# SPDX-License-Identifier: Apache-2.0
"""An executable's host steps before, between and after the steps of a command list."""

from dataclasses import dataclass

from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, TAKE, Host, Read, Write

__all__ = ["Parts", "split_steps"]


@dataclass(frozen=True)
class Parts:
    """The steps of a run.

    Parameters
    ----------
    before, after : lists of Host steps, computed by the user's processor
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
    """Parts of an Executable's run; InputError for a host computation in the middle."""
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
            made |= {step.to} if {*step.values} & made else set()
        elif step.kernel == TAKE or step.part:
            _refuse(executable, step)
        elif {*step.values} & (made | late):
            after.append(step)
            late.add(step.to)
        else:
            before.append(step)
    return Parts(before, after, steps, *_place_copies(executable, steps, copies))


def _refuse(executable, step):
    name = step.kernel if isinstance(step.kernel, str) else type(step.kernel).__name__
    raise InputError(f"{executable.name} has a host computation ({name}) between programs, which "
                     f"a command list cannot hold")


def _place_copies(executable, steps, copies):
    """Three pair lists: copies in a common place, other copies before and after ``steps``."""
    fixed  = {*range(len(executable.inputs)), *executable.states, *executable.constants}
    common, first, last, taken = [], [], [], set()
    for source, target, at in copies:
        made  = next((index for index, step in enumerate(steps)
                      if isinstance(step, Read) and step.value == source), len(steps))
        late  = any(isinstance(step, Write) and step.value == target for step in steps[made:])
        apart = (source in fixed or source in taken or late) if target in fixed else (
            source in executable.states)
        if not apart:
            common.append((source, target))
            taken |= {source} if target in fixed else set()
        elif at == 0:
            first.append((source, target))
        elif at == len(steps):
            last.append((source, target))
        else:
            raise InputError(f"{executable.name} copies a state between programs, which a command "
                             f"list cannot hold")
    return common, first, last
