# SPDX-License-Identifier: Apache-2.0
"""32-bit elements copied half-word by half-word, on cores without gathers."""

from dataclasses import replace

from xymac.hdl.isa import Op
from xymac.host.lower.scratch import place_behind
from xymac.host.lower.sweep import copy
from xymac.host.memory.constants import lane_words

from .copies import COPY_WORDS
from .copy import CopyMove
from .halves import half_words, split_constants
from .mixed import MixedGroups
from .strides import ElementMove

__all__ = ["HalfCopies"]


class HalfCopies(MixedGroups):
    """Half-words written between gap elements; a vector has an element alone.

    Parameters are as in ``MixedGroups``; ``halves`` must be 2.
    """

    def __init__(self, source, dims, count, halves):
        super().__init__(source, dims, count, halves)
        self._dims = tuple(replace(dim, z=halves * dim.z) for dim in dims)

    @staticmethod
    def suits(halves, ways, core):
        """Whether a ``core``, None for a core with all functions, needs copies, not gathers."""
        return halves == 2 and ways == 1 and core is not None and not core.supports(Op.GATHER)

    def passes(self, source, memory, target, constants):
        """Passes without ``wait`` and ``last``: copy memory, then write the half-words."""
        single, copies, halves = split_constants(constants, self._tables())
        planes = place_behind(target, self._rooms(target))
        passes = [*copy(memory, target, copies.word(1, 8, self._ways), target.span),
                  *self._split(source, planes, copies, halves)]
        for half, plane in enumerate(planes[:2]):
            passes += CopyMove(ElementMove(plane, target, self._dims, z=half)).passes(single)
        return passes

    def _tables(self):
        """Constants list: moves, copies, half-words."""
        return [CopyMove.constants(self._ways), lane_words(COPY_WORDS, self._ways),
                half_words(self._ways)]

    def _rooms(self, target):
        """TensorLayouts after the target: half-words."""
        return [self._plane] * 3
