# SPDX-License-Identifier: Apache-2.0
"""A function of a byte as passes for a core without writable tables.

With ``k`` over all elements but the lowest, ``y = t[highest] + sum((t[k] - t[k - 1]) * plane[k])``
where ``plane[k] = (x >= k) - 1 = clip(x - k, -1, 0)``. A pass writes the planes whose factor is not
0, and a second pass adds them up.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Move, Width, bias_rows
from xymac.host.ir.fields import container_clip
from xymac.host.ir.table import ByteTable
from xymac.host.lower.base import Lowering
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

__all__ = ["PlanesLowering"]

CHUNK = 8 * BANKS  #: Vectors per chunk: planes of 255 thresholds take half of X.


class PlanesLowering(Lowering):
    """A layer that is a function of a byte.

    Attributes
    ----------
    thresholds, steps : arrays with the non-zero steps, or a single step
    last : int, the last element; elements and indices are signed bytes
    """

    forms = (ByteTable,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        table  = np.array(self.form.outputs, np.int16)
        steps  = np.diff(table)
        places = np.flatnonzero(steps) if steps.any() else np.zeros(1, int)
        self.thresholds, self.steps, self.last = places - 127, steps[places], int(table[-1])

    def source_layouts(self, preferred):
        """Where the next layer wants the output, else as it comes."""
        [x] = self.inputs
        return (TensorLayout.flat(x, self.ways) if preferred is None else preferred.like(x),)

    def target_layout(self, sources):
        """The output lies as the input does, the planes behind it."""
        target = sources[0].like(self.output)
        return with_room(target, [self._planes(target)])

    def constants(self, sources):
        """Records of the thresholds and of the last element, the steps, and a 1."""
        lanes  = np.ones(BANKS * self.ways, np.int64)
        record = np.concatenate([np.outer(-self.thresholds, lanes).ravel(), self.last * lanes])
        return replace(lane_words(np.array([*self.steps, 1], np.int16), self.ways),
                       bias=pack_records([record], self.ways))

    def passes(self, sources, target, constants):
        """A loop over full chunks, then the remaining vectors."""
        [planes] = place_behind(target, [self._planes(target)])
        where = *sources, target, constants, planes
        whole, rest = divmod(target.groups, CHUNK)
        passes = []
        if whole:
            one  = self._chunk(*where, 0, CHUNK)
            back = len(one) - 1
            loop = {"repeat": whole - 1, "back": back, "advance": (CHUNK, 0)} if whole > 1 else {}
            passes += [*one[:-1], replace(one[-1], **loop)]
        if rest:
            passes += self._chunk(*where, whole * CHUNK, rest)
        return passes

    def _planes(self, target):
        """Unplaced TensorLayout with the chunk planes."""
        size = len(self.steps) * min(target.groups, CHUNK) * self.ways
        return TensorLayout((size,), 8, self.ways, (0,), 1, (size,))

    def _chunk(self, source, target, constants, planes, first, groups):
        """Passes over ``groups`` vectors from ``first`` on: full outputs, then the remaining
        vectors.
        """
        count   = len(self.steps)
        factors = constants.word(0, 16, self.ways, count=count, taps=(0, 0, 1))
        one     = constants.word(count, 16, self.ways)
        written, summed = [], []
        for outputs, beats, done in ((groups // BANKS, BANKS, 0),
                                     (1, groups % BANKS, groups // BANKS * BANKS)):
            if not outputs or not beats:
                continue
            step   = BANKS * (outputs > 1)
            common = {"beats": beats, "y_width": Width.BITS16}
            plane  = planes.access((groups * (count > 1), 0, step), offset=done)
            written.append(elementwise(
                8, 8, outer=(count, 1, outputs), bias_row=constants.y_row, y=one, clip=(-1, 0),
                x=_move(source.access((0, 0, step), offset=first + done)), z=plane, **common))
            summed.append(elementwise(
                8, 8, outer=(1, 1, outputs), taps=(1, 1, count), y=factors, clip=container_clip(8),
                x=planes.access((0, 0, step), (0, 0, groups), offset=done),
                z=_move(target.access((0, 0, step), offset=first + done)),
                bias_row=constants.y_row + count * bias_rows(self.ways), **common))
        return written + summed


def _move(access):
    """The Access with an address that advances with a loop."""
    return replace(access, move=Move.FIRST)
