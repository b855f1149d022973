# SPDX-License-Identifier: Apache-2.0
"""Cut programs into shorter programs, which wait only for their own transfers.

An uncut program starts after its last constant is loaded, and keeps all constants until it ends.
A cut program starts after its first constants are loaded, and frees them as it runs. In the same
way a layer starts with the first rows of its input, and its first results are stored before it
ends.
"""

from dataclasses import replace

from xymac.hdl.isa import Program, Region
from xymac.host.executable.steps import Load, Read, Start, Write
from xymac.host.plan.program.cuts import COLS, ROWS, TILES, can_cut, cut_pass
from xymac.host.plan.program.segments import find_ends
from xymac.host.plan.program.waits import set_waits

from .records import SpareRows
from .relocate import y_ranges

__all__ = ["shorten_programs"]


def shorten_programs(executable, config, rows, tiles=None, late=()):
    """The Executable with programs of up to ``rows`` Y rows each, as far as they can be cut;
    the same object if no program is cut.

    The first pass of a program behind transfers into X begins with parts of its rows, and the last
    pass before transfers out of X ends with such parts, if the Start with this program, or behind
    it, has its number in ``late``. ``tiles`` are (share, count): ``count`` parts, each with
    the rows divided by ``share``. Only executables that load Y constants in a run have their
    programs cut for the sake of Y.
    """
    if not any(isinstance(step, Load) and step.region is Region.Y for step in executable.run):
        rows = config.y_rows
    arrays, run = dict(executable.arrays), []
    spare = SpareRows(executable, config)
    key = next((step.array for step in executable.load[::-1]
                if step.region is Region.PROGRAM), None)
    cut, is_whole, number = {}, True, 0  # keys of each program's pieces; whether none was loaded
    for index, step in enumerate(executable.run):
        if isinstance(step, Load) and step.region is Region.PROGRAM:
            key, is_whole = step.array, False
        elif isinstance(step, Start):
            edges = tuple(tiles if each and other in late else None for each, other in zip(
                _edges(executable.run, index), (number, number + 1), strict=True))
            number += 1
            if (key, edges) not in cut:
                cut[key, edges] = _keep(arrays, key, config, rows, edges, spare)
            keys = cut[key, edges]
            if keys == (key,) and is_whole:
                run.append(step)
            else:
                for each in keys:
                    run += [Load(Region.PROGRAM, 0, each), step]
            is_whole &= keys == (key,)
        else:
            run.append(step)
    if len(arrays) == len(executable.arrays):
        return executable
    return replace(executable, arrays=arrays | spare.arrays, run=tuple(run),
                   load=(*executable.load, *spare.load))


def _edges(run, index):
    """(whether transfers into X precede, whether transfers out of X follow the Start at ``index``).

    Transfers beyond another Start do not count.
    """
    found = []
    for steps, kind in ((run[:index][::-1], Write), (run[index + 1:], Read)):
        near = next((step for step in steps if isinstance(step, kind | Start)), None)
        found.append(isinstance(near, kind))
    return found


def _keep(arrays, key, config, rows, edges, spare):
    """Keys of a program's pieces; adds the pieces to ``arrays``."""
    program = arrays[key]
    passes, ends = _cut_edges(program, config.ways, edges, spare)
    passes, ends = _cut_tiles(passes, ends, config.ways, rows)
    pieces  = _cut(passes, ends, config, rows)
    if len(pieces) == 1:
        return (key,)
    keys = tuple(f"{key}.{edges}.{number}" for number in range(len(pieces)))
    arrays.update(zip(keys, (Program(set_waits(piece, config)) for piece in pieces), strict=True))
    return keys


def _cut_edges(program, ways, edges, spare):
    """(Passes with cut ends, pass counts at the ends of pieces)."""
    first, last = edges
    parts  = [[pass_] for pass_ in program]
    inside = _looped(program)
    if first and 0 not in inside:
        parts[0] = _cut_loops(program[0], (ROWS, COLS), first, ways)
    heads = len(parts[0])
    if last and len(program) > 1 and len(program) - 1 not in inside:
        parts[-1] = _cut_loops(program[-1], (ROWS, COLS, TILES), last, ways, spare)
    made = [pass_ for part in parts for pass_ in part]
    return made, {*range(1, heads), *range(len(made) - len(parts[-1]) + 1, len(made))}


def _looped(program):
    """Indices of repeated passes."""
    return {other for index, pass_ in enumerate(program) if pass_.control.repeat
            for other in range(index - pass_.control.back, index + 1)}


def _cut_loops(pass_, loops, tiles, ways, spare=None):
    """Parts of a pass, along the first divisible loop of some output loops; with ``spare`` rows
    from its end on, also along tiles with the first tile's parameters.
    """
    share, count = tiles
    for loop in loops:
        size   = pass_.loop.outer[loop]
        bounds = [-(-size * number // share) for number in range(count + 1)]
        bounds = sorted({0, *([size - each for each in bounds] if spare else bounds), size})
        if can_cut(pass_, loop):
            return cut_pass(pass_, loop, bounds, ways)
        if loop == TILES and spare and pass_.epilogue.once:
            return spare.cut(pass_, bounds) or [pass_]
    return [pass_]


def _cut_tiles(passes, ends, ways, rows):
    """The same with passes cut whose constants have more than ``rows`` rows of Y."""
    made, moved, looped = [], set(), _looped(passes)
    for index, pass_ in enumerate(passes):
        if index in ends:
            moved.add(len(made))
        used  = sum(last + 1 - first for first, last, _ in y_ranges([pass_], ways))
        parts = min(pass_.loop.outer[TILES], -(-used // rows))
        if parts > 1 and index not in looped and can_cut(pass_, TILES):
            size  = pass_.loop.outer[TILES]
            made += cut_pass(pass_, TILES, [size * number // parts
                                            for number in range(parts + 1)], ways)
        else:
            made.append(pass_)
    return made, moved


def _cut(program, wanted, config, rows):
    """Pass lists, each with at most ``rows`` Y rows, or as short as possible; a list ends at the
    ``wanted`` ends where it can.
    """
    pieces, used, start, before = [], set(), 0, 0
    for end in sorted(find_ends(program)):
        more = {row for low, high, _ in y_ranges(program[before:end], config.ways)
                for row in range(low, high + 1)}
        if start < before and (len(used | more) > rows or before in wanted
                               or end - start > config.passes):
            pieces.append(program[start:before])
            start, used = before, set()
        used, before = used | more, end
    return [*pieces, program[start:]]
