# SPDX-License-Identifier: Apache-2.0
"""Places of the largest elements of a tensor in MLI 2.0 as passes: the heap of the core.

It is that of the library; see ``hdl.isa`` and ``golden.mli2.ArgMax``. One pass ranks all elements.
Then a loop of one pass writes the place at the root and takes it off, from the last place of the
output to the first.
"""

from dataclasses import replace

import numpy as np

from xymac.golden.mli2 import ArgMax
from xymac.hdl.isa import BANKS, HELD, Move, Reduce, Shape, Width
from xymac.host.ir.fields import container_clip
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET

from .single_run import SingleRunLowering

__all__ = ["RankedLowering"]

_WORD   = 16
_PLACES = 1 << _WORD           #: Places that the core tells apart.
_TOP    = (1 << _WORD - 1) - 1  #: What an anchored pass writes more than is its sum, less a place.


class RankedLowering(SingleRunLowering):
    """Places of the largest elements of a whole tensor, as many as the heap of the core holds."""

    layers     = (ArgMax,)
    needs_heap = True

    @classmethod
    def takes(cls, layer, inputs):
        """Whether places of one slice are wanted that the heap can hold."""
        [x] = inputs
        return (layer.topk <= HELD and x.data.size <= _PLACES
                and layer.output_shape(x.shape)[0] == 1)

    def constants(self, sources):
        """A word of ones and one of zeros."""
        return lane_words(np.array([1, 0], np.int16), self.ways)

    def passes(self, sources, target, constants):
        """All elements to the heap, on their way where the first place goes later; zeros as the
        upper halves of the places; the lower halves."""
        [source] = sources
        one, zero = (constants.word(index, _WORD, self.ways) for index in range(2))
        upper, lower = target.words32
        base  = elementwise(source.bits, _WORD, x=source.access(), y=one, y_width=Width.BITS16,
                            z=lower.access(), entry=self.layer.topk - 1)
        rank  = replace(base, x=replace(base.operands.x, outer=(0, 0, 1)),
                        outer=(1, 1, source.groups),
                        beats=1, reduce=Reduce.RANK, drop=-self.inputs[0].data.size % self.ways)
        clear = replace(base, x_shape=Shape.VECTOR, y=zero, z=upper.access(), entry=0)
        return [rank, *sweep(clear, upper.groups, (0, 0, BANKS)), self._pop(base, lower, zero)]

    def _pop(self, base, lower, zero):
        """Pass that writes the place at the root, from the last one of the output on, and pops."""
        last = self.layer.topk - 1
        low, high = (limit + LOW_OFFSET - _TOP for limit in container_clip(_WORD))
        return replace(base, y=zero, z=replace(lower.access(offset=last * lower.pitch),
                                               move=Move.FIRST), beats=1, reduce=Reduce.POP,
                       anchored=True, clip=(low, high), zero=_TOP - LOW_OFFSET,
                       repeat=last, advance=(-lower.pitch, 0))
