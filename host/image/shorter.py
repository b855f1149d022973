# SPDX-License-Identifier: Apache-2.0
"""Programs cut into shorter programs, each of which waits only for its own constants.

A program that uses all of Y starts after its last constant has been loaded, and no later constant
replaces its first constant until it has ended. A cut program begins with its first constants, and
frees them as it runs.
"""

from dataclasses import replace

from xymac.hdl.isa import Program, Region
from xymac.host.executable.steps import Load, Start
from xymac.host.plan.program.segments import find_ends
from xymac.host.plan.program.waits import set_waits

from .relocate import y_ranges

__all__ = ["shorten_programs"]


def shorten_programs(executable, config, rows):
    """The Executable with programs of up to ``rows`` Y rows each, as far as they can be cut;
    the same object if no program is cut.

    Only executables that load Y constants in a run have their programs cut.
    """
    if not any(isinstance(step, Load) and step.region is Region.Y for step in executable.run):
        return executable
    arrays, run, keys = dict(executable.arrays), [], ()
    cut = {}  # keys of the pieces of each program
    for step in executable.run:
        if isinstance(step, Load) and step.region is Region.PROGRAM:
            keys = cut.get(step.array) or _keep(arrays, step.array, config, rows)
            cut[step.array] = keys
            if len(keys) > 1:
                continue
        if isinstance(step, Start) and len(keys) > 1:
            for key in keys:
                run += [Load(Region.PROGRAM, 0, key), step]
        else:
            run.append(step)
    if len(arrays) == len(executable.arrays):
        return executable
    return replace(executable, arrays=arrays, run=tuple(run))


def _keep(arrays, key, config, rows):
    """A program's piece keys; ``arrays`` receives the pieces."""
    program = arrays[key]
    pieces  = _cut(program, config.ways, rows)
    if len(pieces) == 1:
        return (key,)
    keys = tuple(f"{key}.{number}" for number in range(len(pieces)))
    arrays.update(zip(keys, (Program(set_waits(piece, config)) for piece in pieces), strict=True))
    return keys


def _cut(program, ways, rows):
    """Pass lists, each with at most ``rows`` Y rows, or as short as possible."""
    pieces, used, start, before = [], set(), 0, 0
    for end in sorted(find_ends(program)):
        more = {row for low, high, _ in y_ranges(program[before:end], ways)
                for row in range(low, high + 1)}
        if start < before and len(used | more) > rows:
            pieces.append(program[start:before])
            start, used = before, set()
        used, before = used | more, end
    return [*pieces, program[start:]]
