# SPDX-License-Identifier: Apache-2.0
"""Positions of a tensor's largest elements as passes on the core's heap.

See ``hdl.isa`` and ``host.ir.places.Ranking``. A single pass ranks all elements. A loop with a
single pass then writes the root position and pops it, from the last output element to the first.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, HELD, Move, Reduce, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET

from .single_run import SingleRunLowering

__all__ = ["RankedLowering"]

_WORD   = 16
_PLACES = 1 << _WORD           #: Positions that the core distinguishes.
_TOP    = (1 << _WORD - 1) - 1  #: An anchored pass adds ``position - _TOP`` to its sum.


class RankedLowering(SingleRunLowering):
    """Largest element positions in a full tensor, up to the capacity of the core's heap."""

    needs_heap = True

    @classmethod
    def takes(cls, form, inputs):
        """Whether sorted positions of a single slice are requested and fit the heap."""
        [x] = inputs
        return (form.is_sorted and form.count <= HELD and x.data.size <= _PLACES
                and form.slices(x.shape) == 1)

    def constants(self, sources):
        """An all-ones word and an all-zeros word."""
        return lane_words(np.array([1, 0], np.int16), self.ways)

    def passes(self, sources, target, constants):
        """A pass ranking all elements, passes clearing the upper position halves, and a pass
        writing the lower halves.
        """
        [source] = sources
        one, zero = (constants.word(index, _WORD, self.ways) for index in range(2))
        upper, lower = target.words32
        base  = elementwise(source.bits, _WORD, x=source.access(), y=one, y_width=Width.BITS16,
                            z=lower.access(), entry=self.form.count - 1)
        rank  = replace(base, x=replace(base.operands.x, outer=(0, 0, 1)),
                        outer=(1, 1, source.groups),
                        beats=1, reduce=Reduce.RANK, drop=-self.inputs[0].data.size % self.ways)
        clear = replace(base, x_shape=Shape.VECTOR, y=zero, z=upper.access(), entry=0)
        return [rank, *sweep(clear, upper.groups, (0, 0, BANKS)), self._pop(base, lower, zero)]

    def _pop(self, base, lower, zero):
        """Pass writing and popping the root position, from the last output element on."""
        last = self.form.count - 1
        low, high = (limit + LOW_OFFSET - _TOP for limit in container_clip(_WORD))
        return replace(base, y=zero, z=replace(lower.access(offset=last * lower.pitch),
                                               move=Move.FIRST), beats=1, reduce=Reduce.POP,
                       anchored=True, clip=(low, high), zero=_TOP - LOW_OFFSET,
                       repeat=last, advance=(-lower.pitch, 0))
