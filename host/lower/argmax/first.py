# SPDX-License-Identifier: Apache-2.0
"""First index of a tensor's largest 16-bit element, as passes.

The largest element is a scalar of the core; see ``hdl.isa``. Elements equal to it become 1, all
others 0. Each flag is multiplied by its factor ``2**15 - 1 - index``. The largest product belongs
to the first largest element; ``2**15 - 1`` minus this product is the index.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Op, Reduce, Width
from xymac.host.ir.fields import container_clip
from xymac.host.ir.operation import Operation
from xymac.host.ir.places import FirstExtreme
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.scratch import place_behind, wide, with_room
from xymac.host.lower.search import Search
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_lanes, pack_records

__all__ = ["FirstLargestLowering"]

TOP   = (1 << 15) - 1  #: Largest index; the factor of an element is TOP less its index.
_STEP = (BANKS, 0, BANKS)


class FirstLargestLowering(Lowering):
    """First index of the largest element.

    X has at most 2**16 16-bit elements; flags occupy half, so an index has 15 bits.
    """

    forms = (FirstExtreme,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._size = x.data.size

    @classmethod
    def takes(cls, form, inputs):
        """The largest element of a full tensor."""
        return form.axis is None and form.op is Op.MAX

    def tile_axes(self):
        """None: parts need a ``search``."""
        return []

    @property
    def search(self):
        """In parts: the first part that has the maximum contains the first largest element."""
        return Search(-1, Operation(self.form, self.output.shape, self.output))

    def source_layouts(self, preferred):
        """As a single run."""
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def refuses(self, sources):
        """An input in several parts."""
        [source] = sources
        if len(source.parts) > 1:
            return refuse_layout(f"The input must be contiguous, not in pieces of "
                                 f"{source.parts} elements")
        return None

    def target_layout(self, sources):
        """A 16-bit element, wide enough for every index."""
        [source] = sources
        target = replace(TensorLayout.flat(self.output, self.ways), bits=16)
        return with_room(target, self._scratch(source))

    def constants(self, sources):
        """All-ones word, all-zeros word, a factor for every element, and the largest index."""
        lanes = BANKS * self.ways
        keys  = np.zeros(-(-self._size // lanes) * lanes, np.int16)
        keys[:self._size] = TOP - np.arange(self._size)
        fixed = np.outer([1, 0], np.ones(lanes, np.int16)).astype(np.int16)
        words = np.concatenate([fixed, keys.reshape(-1, lanes)])
        return replace(lane_words(np.ones(1, np.int16), self.ways),
                       weights=pack_lanes(words.T, self.ways),
                       bias=pack_records([np.full(lanes, TOP)], self.ways))

    def passes(self, sources, target, constants):
        """Passes for the largest element, the equality flags, and the largest factor among flagged
        elements.
        """
        [source], ways = sources, self.ways
        equal, fold = place_behind(target, self._scratch(source))
        one   = constants.word(0, 16, ways)
        words = -(-source.groups // BANKS)
        keys  = constants.word(2, 16, ways, count=words)
        base  = elementwise(16, 16, x=source.access(), y=one, y_width=Width.BITS16,
                            z=fold.access(), op=Op.MAX)
        # Without a minimum the range of earlier passes would remain.
        lowest  = replace(base, clip=(0, 0), op=Op.MAC, reduce=Reduce.MIN, beats=1)
        largest = _fold_largest(base, source, (BANKS, 0), drop=-self._size % ways)
        flags   = sweep(replace(base, z=equal.access(), clip=(-1, 0), zero=1, anchored=True,
                                op=Op.MAC), source.groups, _STEP)
        chosen  = _fold_largest(replace(base, x=equal.access(), y=keys), source, (BANKS, 1),
                                drop=0)
        index   = replace(base, z=target.access(), beats=1, clip=container_clip(16), op=Op.MAC,
                          y=constants.word(1, 16, ways), bias_row=constants.y_row, anchored=True)
        return [lowest, *largest, *flags, *chosen, index]

    def _scratch(self, source):
        """Unplaced TensorLayouts for the equality flags and for a full output."""
        lanes = BANKS * self.ways
        fold  = replace(wide(source), shape=(lanes,), order=(0,), inner=1, parts=(lanes,))
        return [wide(source), fold]


def _fold_largest(pass_, layout, step, drop):
    """Passes reducing the largest product over all vectors of ``layout`` to the scalar.

    Full outputs are reduced lane by lane into a single output, the remaining vectors directly.
    ``step`` is the distance between outputs in X and Y. The last vector has ``drop`` padding
    elements.
    """
    whole = (layout.groups - bool(drop)) // BANKS
    rest  = layout.groups - whole * BANKS
    parts = []
    if whole:
        x, y = (replace(access, taps=(0, 0, stride)) for access, stride
                in zip((pass_.operands.x, pass_.operands.y), step, strict=True))
        parts.append(replace(pass_, x=x, y=y, taps=(1, 1, whole), reduce=Reduce.MAX))
    if rest:
        x, y = (replace(access, base=access.base + whole * stride) for access, stride
                in zip((pass_.operands.x, pass_.operands.y), step, strict=True))
        parts.append(replace(pass_, x=x, y=y, beats=rest, reduce=Reduce.MAX, drop=drop))
    return [replace(part, fresh=index == 0) for index, part in enumerate(parts)]
