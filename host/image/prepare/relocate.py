# SPDX-License-Identifier: Apache-2.0
"""Programs whose constants move to other Y rows."""

from dataclasses import replace

from xymac.hdl.isa import BANKS, AguMode, Memory, Op, Program, Shape, Width, record_rows

__all__ = ["ALIGNED", "alignment_of", "move_activations", "move_constants", "rows_within",
           "y_ranges"]

ALIGNED  = 64       #: Rows by which any program can move.
_RESULTS = 1 << 16  # addresses of a window of results


def y_ranges(program, ways):
    """Y rows used by a program: (first, last, whether a pass writes them) list, in order."""
    found = []
    for pass_ in program:
        read, written = _units(pass_, ways)
        y = pass_.operands.y
        found.append((y.low // read, y.high // read, False))
        if pass_.accumulate.bias_row is not None:
            first = pass_.accumulate.bias_row
            found.append((first, first + record_rows(pass_, ways) - 1, False))
        if pass_.epilogue.z_memory is Memory.Y and not pass_.accumulate.hold:
            z = pass_.epilogue.z
            found.append((z.low // written, z.high // written, True))
    return found


def alignment_of(program):
    """Rows by whose multiples a program's constants can move."""
    return ALIGNED if any(pass_.accumulate.op is Op.GATHER
                          or pass_.operands.y.mode is not AguMode.LINEAR
                          for pass_ in program) else 1


def rows_within(ways):
    """Y rows, from the first on, in which result windows may lie."""
    return _RESULTS // (2 * BANKS * ways)


def move_constants(program, ways, shift):
    """The Program with every Y row ``r`` at ``r + shift(r)``; unchanged without a shift."""
    passes = []
    for pass_ in program:
        read, written = _units(pass_, ways)
        y, accumulate, epilogue = pass_.operands.y, pass_.accumulate, pass_.epilogue
        parts = {"operands": replace(pass_.operands, y=_move(y, read, shift))}
        if accumulate.bias_row is not None:
            row = accumulate.bias_row
            parts["accumulate"] = replace(accumulate, bias_row=row + shift(row))
        if epilogue.z_memory is Memory.Y and not accumulate.hold:
            parts["epilogue"] = replace(epilogue, z=_move(epilogue.z, written, shift))
        passes.append(replace(pass_, **parts))
    return Program(passes)


def move_activations(program, ways, rows):
    """The Program with all its X windows ``rows`` rows further; unchanged for no rows."""
    if not rows:
        return program
    passes = []
    for pass_ in program:
        x, epilogue = pass_.operands.x, pass_.epilogue
        halves = 2 if pass_.operands.x_width is Width.BITS8 else 1
        group  = BANKS * (ways if pass_.accumulate.op is Op.GATHER else 1) * halves
        parts  = {"operands": replace(pass_.operands, x=_move(x, group, lambda _: rows))}
        if epilogue.z_memory is Memory.X and not pass_.accumulate.hold:
            written = BANKS * (2 if epilogue.z_width is Width.BITS8 else 1)
            parts["epilogue"] = replace(epilogue, z=_move(epilogue.z, written, lambda _: rows))
        passes.append(replace(pass_, **parts))
    return Program(passes)


def _move(access, units, shift):
    apart = units * shift(access.low // units)
    return replace(access, base=access.base + apart, low=access.low + apart,
                   high=access.high + apart)


def _units(pass_, ways):
    """Addresses per Y row: operand, and result."""
    halves = [2 if width is Width.BITS8 else 1
              for width in (pass_.operands.y_width, pass_.epilogue.z_width)]
    return ((ways if pass_.operands.y_shape is Shape.LANES else 1) * halves[0],
            BANKS * ways * halves[1])
