"""A table of 256 elements, ``lookup8``, as passes.

With ``k`` over all elements but the lowest, ``y = t[highest] + sum((t[k] - t[k - 1]) * plane[k])``
where ``plane[k] = (x >= k) - 1 = clip(x - k, -1, 0)``. One pass writes the planes whose factor is
not 0, and one pass adds them up.
"""

from dataclasses import replace

import numpy as np

from hdl.isa import BANKS, Move, Width, bias_rows
from host.lower.scratch import place_behind, with_room
from host.lower.sweep import container_clip, elementwise
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout
from host.memory.packing import pack_records

__all__ = ["constants", "lower", "source_layouts", "target_layout"]

CHUNK = 8 * BANKS  #: Groups at once: planes of 255 thresholds take half of X.


def source_layouts(layer, xs, preferred, ways):
    """Where the next layer wants the output, else as it comes."""
    return (TensorLayout.flat(xs[0], ways) if preferred is None else preferred.like(xs[0]),)


def target_layout(layer, xs, sources):
    """The output lies as the input does."""
    target = sources[0].like(blank_output(layer, *xs))
    return with_room(target, [_planes(layer, target)])


def _steps(layer):
    """Thresholds and the steps there, those that are not 0, or a single one; and the last element.

    Elements and indices as bytes with a sign.
    """
    table = np.roll(layer.table.data.view(np.int8), 128).astype(np.int16)
    steps = np.diff(table)
    found = np.flatnonzero(steps)
    found = found if found.size else np.zeros(1, int)
    return found - 127, steps[found], int(table[-1])


def _planes(layer, target):
    """TensorLayout of the planes of a chunk, not placed."""
    size = len(_steps(layer)[0]) * min(target.groups, CHUNK) * target.ways
    return TensorLayout((size,), 8, target.ways, (0,), 1, (size,))


def constants(layer, xs, sources):
    """Records of the thresholds and of the last element, the steps, and a 1."""
    ways = sources[0].ways
    thresholds, steps, last = _steps(layer)
    lanes  = np.ones(BANKS * ways, np.int64)
    record = np.concatenate([np.outer(-thresholds, lanes).ravel(), last * lanes])
    return replace(lane_words(np.array([*steps, 1], np.int16), ways),
                   bias=pack_records([record], ways))


def lower(layer, xs, sources, target, values):
    """Passes of a table; see ``host.lower.registry.lower``."""
    [source], [planes] = sources, place_behind(target, [_planes(layer, target)])
    whole, rest = divmod(target.groups, CHUNK)
    passes = []
    if whole:
        one  = _chunk(layer, source, target, values, planes, 0, CHUNK)
        last = len(one) - 1
        loop = {"repeat": whole - 1, "back": last, "advance": (CHUNK, 0)} if whole > 1 else {}
        passes += [*one[:-1], replace(one[-1], **loop)]
    if rest:
        passes += _chunk(layer, source, target, values, planes, whole * CHUNK, rest)
    return passes


def _chunk(layer, source, target, values, planes, first, groups):
    """Passes over ``groups`` groups from ``first`` on, full outputs and those left over."""
    count, ways = len(_steps(layer)[0]), target.ways
    factors = values.word(0, 16, ways, count=count, taps=(0, 0, 1))
    one     = values.word(count, 16, ways)
    written, summed = [], []
    for outputs, beats, done in ((groups // BANKS, BANKS, 0),
                                 (1, groups % BANKS, groups // BANKS * BANKS)):
        if not outputs or not beats:
            continue
        step   = BANKS * (outputs > 1)
        common = {"beats": beats, "y_width": Width.BITS16}
        plane  = planes.access((groups * (count > 1), 0, step), offset=done)
        written.append(elementwise(
            8, 8, outer=(count, 1, outputs), bias_row=values.y_row, y=one, clip=(-1, 0), z=plane,
            x=_moving(source.access((0, 0, step), offset=first + done)), **common))
        summed.append(elementwise(
            8, 8, outer=(1, 1, outputs), taps=(1, 1, count), y=factors, clip=container_clip(8),
            x=planes.access((0, 0, step), (0, 0, groups), offset=done),
            z=_moving(target.access((0, 0, step), offset=first + done)),
            bias_row=values.y_row + count * bias_rows(ways), **common))
    return written + summed


def _moving(access):
    return replace(access, move=Move.FIRST)
