# SPDX-License-Identifier: Apache-2.0
"""Loops over contiguous vectors, shared by elementwise passes and copies.

X has at most 2**15 vectors, so vector counts and distances fit their fields.
"""

from dataclasses import dataclass, replace
from math import prod

from xymac.hdl.isa import BANKS, SHIFT_MAX, SHIFT_MIN, Pass, RoundMode, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.memory.packing import width_of

__all__ = ["Loop", "copy", "cover", "elementwise", "fill", "narrow_outputs",
           "nest", "sweep", "sweep_runs"]

OUTER = 3  #: Output loops of a pass.


@dataclass(frozen=True)
class Loop:
    """An output loop: iteration count, and X, Y and Z strides in their units."""

    count: int
    x:     int
    y:     int
    z:     int


def sweep(pass_, groups, step, loops=(), most=OUTER):
    """Passes writing ``groups`` vectors, ``BANKS`` per output, inside ``loops``.

    Parameters
    ----------
    pass_ : Pass whose accesses have the first output's bases
    groups : int, at least 1
    step : strides (x, y, z) from an output to the next
    loops : Loops around the sweep, outermost first; each Z stride is a multiple of vectors
    most : int, pass loops; 2 if the outermost index would read its own records
    """
    full, rest = divmod(groups, BANKS)
    passes = []
    if full:
        passes += nest(pass_, [*loops, Loop(full, *step)], most)
    if rest:
        passes += nest(replace(_move_pass(pass_, full, step), beats=rest), list(loops), most)
    return passes


def sweep_runs(pass_, source, target):
    """``sweep`` over all vectors of two TensorLayouts with equal runs.

    ``target`` may be a part of a larger tensor, with other vectors between its runs.
    """
    step = BANKS, 0, BANKS
    if not target.gap:
        return sweep(pass_, source.groups, step)
    return sweep(pass_, source.pitch, step,
                 [Loop(prod(source.dims), source.distance, 0, target.distance)])


def cover(groups):
    """Tap counts and X strides with which a lane tile reads ``groups`` vectors, at least ``BANKS``.

    If they are not full tiles, some vectors are read twice, which changes no extreme.
    """
    whole, rest = divmod(groups, BANKS)
    if not rest:
        return (1, 1, whole), (0, 0, BANKS)
    half = -(-groups // (2 * BANKS))
    return (1, 2, half), (0, groups - half * BANKS, BANKS)


def elementwise(bits, out_bits, **fields):
    """Pass with a single element per lane; by default its output is clipped to its container."""
    return Pass(**{"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": width_of(bits),
                   "z_width": width_of(out_bits), "clip": container_clip(out_bits)} | fields)


def copy(source, target, one, groups, loops=(), x_offset=0, z_offset=0, x_zero=0):
    """Passes copying ``groups`` vectors for every ``loops`` index.

    Parameters
    ----------
    source, target : TensorLayouts
    one : Access to an all-ones word, 8 bits
    loops : Loops around the vectors, y strides 0
    x_offset, z_offset : vectors from the layout bases to the first vector
    x_zero : int, subtracted from 8-bit elements
    """
    pass_ = elementwise(source.bits, target.bits, y=one, x=source.access(offset=x_offset),
                        x_zero=x_zero, z=target.access(offset=z_offset), z_memory=target.memory)
    loops = list(loops)
    while loops and loops[-1].x == loops[-1].z == groups:
        groups *= loops.pop().count
    return sweep(pass_, groups, (BANKS, 0, BANKS), loops)


def fill(source, target, word, groups, loops=(), offset=0):
    """Passes writing the first ``source`` element times ``word`` to ``target`` vectors.

    Parameters
    ----------
    word : Access to an 8-bit word in all lanes, its address divisible by the ways
    loops : Loops around the vectors, x and y strides 0
    offset : vectors from the ``target`` base to the first vector
    """
    pass_ = elementwise(source.bits, target.bits, x_shape=Shape.VECTOR, x=source.access(), y=word,
                        z=target.access(offset=offset), z_memory=target.memory)
    loops = list(loops)
    while loops and loops[-1].z == groups:
        groups *= loops.pop().count
    return sweep(pass_, groups, (0, 0, BANKS), loops)


def narrow_outputs(source, target, one, clip, shift=0):
    """Passes shifting 16-bit elements right and narrowing them to 8 bits, rounded once, half up.

    ``one`` is an Access to a 16-bit all-ones word.
    """
    dropped = min(max(source.bits - target.bits + shift, SHIFT_MIN), SHIFT_MAX)
    pass_   = elementwise(source.bits, target.bits, x=source.access(), z=target.access(), y=one,
                          y_width=Width.BITS16, clip=clip, shift=dropped, rounding=RoundMode.UP)
    return sweep(pass_, target.groups, (BANKS, 0, BANKS))


def _move_pass(pass_, count, step):
    """The pass from its output ``count`` on."""
    operands = pass_.operands
    x, y, z = (replace(access, base=access.base + count * stride)
               for access, stride in zip((operands.x, operands.y, pass_.epilogue.z), step,
                                         strict=True))
    return replace(pass_, x=x, y=y, z=z)


def nest(pass_, loops, most=OUTER):
    """``pass_`` in ``loops``, outermost first.

    The passes have at most ``most`` loops each; the shortest loops become a pass for every index.
    """
    operands = pass_.operands
    loops = _merge_loops([loop for loop in loops if loop.count > 1])
    if len(loops) > most:
        short = min(loops, key=lambda loop: loop.count)
        rest  = [loop for loop in loops if loop is not short]
        return [part for index in range(short.count) for part in nest(
            _move_pass(pass_, index, (short.x, short.y, short.z)), rest, most)]
    loops = [*[Loop(1, 0, 0, 0)] * (OUTER - len(loops)), *loops]

    def set_strides(access, name):
        return replace(access, outer=tuple(getattr(loop, name) for loop in loops))

    return [replace(pass_, outer=tuple(loop.count for loop in loops),
                    x=set_strides(operands.x, "x"),
                    y=set_strides(operands.y, "y"), z=set_strides(pass_.epilogue.z, "z"))]


def _merge_loops(loops):
    """Loops with contiguous inner loops merged."""
    result = []
    for loop in loops:
        last = result[-1] if result else None
        if last and (last.x, last.y, last.z) == tuple(
                loop.count * stride for stride in (loop.x, loop.y, loop.z)):
            result[-1] = replace(loop, count=last.count * loop.count)
        else:
            result.append(loop)
    return result
