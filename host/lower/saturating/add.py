# SPDX-License-Identifier: Apache-2.0
"""Two vectors' sum that can saturate after the first product, as passes.

The shifted operands are consecutive in memory; each output vector is a pixel with ``lanes``
channels; see ``xymac.host.lower.saturating.steps``.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, HELD, Shape, Width, bias_rows
from xymac.host.ir.pair import SaturatingPair
from xymac.host.ir.saturating import RowRange, SaturatingSum
from xymac.host.lower.binary.passes import BinaryLowering
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.lower.words32 import FACTORS32, join_words32
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout
from xymac.host.memory.packing import pack_records

from .steps import Places, Step, choose, copies, sum_passes

__all__ = ["SaturatingAddLowering"]

_ONE, _ZERO, _LOWER, _SCALES = range(len(FACTORS32), len(FACTORS32) + 4)
_FIELDS = {"x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
           "y_width": Width.BITS16}


class SaturatingAddLowering(BinaryLowering):
    """A sum that can overflow for some inputs; it has the same operand layouts as any sum."""

    forms = (SaturatingPair,)

    def target_layout(self, sources):
        """The input layout."""
        target = super().target_layout(sources)
        return with_room(target, _scratch(target))

    def constants(self, sources):
        """Words for the accumulators, the scales, the repeated bias, and the ``LOW_OFFSET`` biases.
        """
        own, ways = self.form, self.ways
        form, _, scheme = _sums(own, self.target_layout(sources))
        words  = np.array([*FACTORS32, 1, 0, -LOW_OFFSET, *own.scales], np.int16)
        biases = np.concatenate([*[form.bias] * copies(form, scheme),
                                 np.full(BANKS * ways, LOW_OFFSET)])
        return replace(lane_words(words, ways), bias=pack_records([biases], ways))

    def passes(self, sources, target, constants):
        """Passes writing both shifted operands, ones, the products, then the finished outputs."""
        own, ways, one = self.form, self.ways, constants.word(_ONE, 16, self.ways)
        both, sums, ones = place_behind(target, _scratch(target))
        form, steps, scheme = _sums(own, target)
        passes = [*_shift(own, sources, both, one),
                  *sweep(elementwise(16, 16, x=ones.access(), y=one, y_width=Width.BITS16,
                                     z=ones.access(), clip=(1, 1)), ones.groups, (0, 0, BANKS))]
        places = Places(
            layout=both, sums=sums, ones=ones, origin=0, pitch=both.pitch, steps=steps,
            row=form.cols * both.pitch, col=both.pitch, bias_row=constants.y_row,
            weights=constants.word(_SCALES, 16, ways, count=2),
            zero=constants.word(_ZERO, 16, ways), lower=constants.word(_LOWER, 16, ways),
            fields=_FIELDS)
        passes += sum_passes(form, places, 1, scheme, ways)
        words   = join_words32(sums, constants)
        total   = elementwise(16, 8, x=sums.access(taps=words["x_taps"]), y=words["y"],
                              taps=words["taps"], y_width=Width.BITS16, z=target.access(),
                              bias_row=constants.y_row + copies(form, scheme) * bias_rows(ways),
                              **own.output)
        return passes + sweep(total, target.groups, (BANKS, 0, BANKS))


def _shift(own, sources, both, one):
    """Passes writing the shifted operands in sequence."""
    first    = replace(both, shape=(1, *both.shape[1:]))
    operands = [first, first.at(first.row + first.rows)]
    return [part for source, operand, shift in zip(sources, operands, own.shifts, strict=True)
            for part in sweep(elementwise(
                source.bits, 16, x=source.access(), y=one, y_width=Width.BITS16,
                z=operand.access(), **shift), source.groups, (BANKS, 0, BANKS))]


def _sizes(target):
    """Output rows and columns: as many columns as lanes hold sums at once."""
    outputs = -(-target.groups // BANKS)
    cols    = min(outputs, HELD)
    return -(-outputs // cols), cols


def _scratch(target):
    """Unplaced TensorLayouts for both operands together, the accumulators, and an all-ones full
    output.
    """
    (rows, cols), ways, lanes = _sizes(target), target.ways, BANKS * target.ways
    both = TensorLayout((2, rows, cols, lanes), 16, ways, (0, 1, 2, 3), 1, (lanes,))
    ones = TensorLayout((lanes,), 16, ways, (0,), 1, (lanes,))
    sums = TensorLayout((rows, cols, lanes), 32, ways, (0, 1, 2), 1, (lanes,))
    return [both, sums, ones]


def _sums(own, target):
    """SaturatingSum, Steps and scheme for two blocks with a single product each."""
    rows, cols = _sizes(target)
    form  = SaturatingSum(np.full(BANKS * target.ways, own.bias), (),
                          (RowRange(0, rows, (0, 1)),), cols, lanes=True)
    steps = tuple(Step(offset=block * rows * cols * BANKS, cols=1, groups=1, words=1, first=block)
                  for block in range(2))
    return form, steps, choose(form, steps, 1)
