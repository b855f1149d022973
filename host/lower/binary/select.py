# SPDX-License-Identifier: Apache-2.0
"""SELECT_V2 of TensorFlow Lite as maps.

Of 16 bits, each of the two operands is moved to the least value, or beyond it, where it is not
chosen. The larger one is the output then.
"""

from dataclasses import replace

import numpy as np

from xymac.golden import tflm
from xymac.hdl.isa import Op
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip
from xymac.host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.constants import lane_words

from .broadcast import expand, whole_of
from .passes import BinaryLowering

__all__ = ["SelectLowering"]

_WEIGHT = (1 << 15) - 1
_TIMES  = 3  #: Products that move any element of 16 bits beyond the least one.


def _move_away(name, sign):
    """Map of an operand in place: where the condition is not as chosen it becomes the least value.

    ``sign`` is 1 where the operand is chosen by a true condition, else -1.
    """
    weights = np.array([[1] + [0] * (_TIMES - 1), [sign * _WEIGHT] * _TIMES], np.int16)
    bias    = min(0, -sign * _WEIGHT * _TIMES)
    return ElementMap(weights[..., None], reads=(name, "s0"), writes=name,
                      records=(np.array([bias]),), output={"clip": container_clip(16)})


_FORM = ElementMaps((_move_away("s1", 1), _move_away("s2", -1),
                     ElementMap.of(1, 1, reads=("s1", "s2"), output={"op": Op.MAX})),
                    None, (16, 16, 16))


class SelectLowering(BinaryLowering):
    """Elements of one of two tensors, as a third one says."""

    layers = (tflm.SelectV2,)

    @classmethod
    def takes(cls, layer, inputs):
        """Elements of 8 and 16 bits."""
        return inputs[1].type_name in ("INT8", "INT16")

    def _find_form(self):
        return _FORM

    def target_layout(self, sources):
        """The output lies as the inputs do; ValueError if they lie in different ways."""
        target = self._whole(sources)
        return with_room(target, scratch_layouts(_FORM, target))

    def _whole(self, sources):
        target = whole_of(self.output, self.inputs, sources)
        if target is None:
            first, *others = (source.arrangement for source in sources)
            other = next((each for each in others if each != first), first)
            raise ValueError(f"The first input lies as {first}, the second one as {other}")
        return target

    def constants(self, sources):
        """Weights and records, and behind them a weight 1 to repeat operands by."""
        constants = pack_maps(_FORM, self._whole(sources))
        one       = lane_words(np.array([1], np.int8), self.ways).weights
        return replace(constants, weights=np.concatenate([constants.weights, one]))

    def passes(self, sources, target, constants):
        """All operands with 16 bits in the order of the output, then the maps."""
        rooms  = place_behind(target, scratch_layouts(_FORM, target))
        rows   = constants.weights.size // constants.row_cells
        one    = constants.word((rows - 1) * 2 * target.ways, 8, target.ways)
        passes = [pass_ for source, room in zip(sources, rooms, strict=True)
                  for pass_ in expand(source, room, target, one)]
        return passes + map_passes(_FORM, {"out": target}, constants)
