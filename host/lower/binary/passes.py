"""Two tensors combined element by element as passes."""

from dataclasses import replace

import numpy as np

from host.lower.base import Lowering
from host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from host.lower.scratch import with_room
from host.lower.sweep import fill
from host.lower.tile import cut_elements
from host.memory.constants import lane_words
from host.memory.layout import TensorLayout

from . import mli1, mli2, xs3
from .product import Product, far_rooms, pack_product, place_factors, product_passes

__all__ = ["BinaryLowering"]

FORMS = mli1.FORMS | mli2.FORMS | xs3.FORMS


class BinaryLowering(Lowering):
    """A sum, difference, extreme or product of two tensors."""

    layers = tuple(FORMS)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._form     = FORMS[type(layer)](layer, *inputs)
        self._products = isinstance(self._form, Product)
        sizes = [x.data.size for x in inputs]
        #: Index of the operand that is a single element combined with all of the other, or None.
        self._single = sizes.index(1) if 1 in sizes and max(sizes) > 1 else None

    def source_layouts(self, preferred):
        """As the next layer wants the output; a second factor lies in Y."""
        layouts = [preferred.like(x)
                   if preferred is not None and index != self._single
                   and x.shape == preferred.shape
                   else TensorLayout.flat(x, self.ways) for index, x in enumerate(self.inputs)]
        if self._products and self._single is None:
            layouts = place_factors(self._form, layouts)
        return tuple(layouts)

    def target_layout(self, sources):
        """The output lies as the inputs do; ValueError if they lie in different ways."""
        a, b = sources
        if (self._single is None and self.inputs[0].data.size > 1
                and a.arrangement != b.arrangement):
            raise ValueError(f"The first input lies as {a.arrangement}, the second one as "
                             f"{b.arrangement}")
        target = sources[self._single == 0].like(self.output)
        if self._products:
            return with_room(target, far_rooms(self._form, sources))
        return with_room(target, scratch_layouts(self._form, target))

    def cut(self, count, *, constants=False):
        """Elements of both inputs, or of one and the single element of the other."""
        return None if constants else cut_elements(self.layer, self.inputs, self.output, count)

    def constants(self, sources):
        """Weights and records; behind those of maps a weight 1 to spread a single element by."""
        if self._products:
            return pack_product(self._form, sources, self._single)
        constants = pack_maps(self._form, sources[0])
        if self._single is None:
            return constants
        one = lane_words(np.array([1], np.int8), self.ways).weights
        return replace(constants, weights=np.concatenate([constants.weights, one]))

    def passes(self, sources, target, constants):
        """Those of maps or of a product, behind one that spreads a single element."""
        if self._products:
            return product_passes(self._form, sources, target, constants, self._single)
        layouts, passes = dict(zip("ab", sources, strict=True)), []
        if self._single is not None:
            rows   = constants.weights.size // constants.row_cells
            one    = constants.word((rows - 1) * 2 * target.ways, 8, target.ways)
            passes = fill(sources[self._single], target, one, target.groups)
            layouts["ab"[self._single]] = target
        return passes + map_passes(self._form, layouts | {"out": target}, constants)
