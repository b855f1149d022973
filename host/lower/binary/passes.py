"""Two tensors combined element by element as passes."""

from dataclasses import replace

import numpy as np

from golden import mli2, xs3
from golden.mli1 import Eltwise
from host.lower.elementwise import form as maps
from host.lower.scratch import with_room
from host.lower.sweep import fill
from host.memory.constants import lane_words
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout

from . import mli1 as eltwise_mli1
from . import mli2 as eltwise_mli2
from . import product
from . import xs3 as eltwise_xs3
from .product import Product

__all__ = ["DESCRIBED", "constants", "lower", "source_layouts", "target_layout"]

#: Layers, and the module that describes them as maps or a product.
DESCRIBED = {Eltwise: eltwise_mli1, mli2.Eltwise: eltwise_mli2, xs3.AddElementwise: eltwise_xs3}


def _describe(layer, xs):
    return DESCRIBED[type(layer)].describe(layer, *xs)


def _single(xs):
    """Index of the operand that is a single element combined with all of the other, or None."""
    sizes = [x.data.size for x in xs]
    return sizes.index(1) if 1 in sizes and max(sizes) > 1 else None


def source_layouts(layer, xs, preferred, ways):
    """As the next layer wants the output; a second factor lies in Y."""
    single, described = _single(xs), _describe(layer, xs)
    images = [preferred.like(x)
              if preferred is not None and index != single and x.shape == preferred.shape
              else TensorLayout.flat(x, ways) for index, x in enumerate(xs)]
    if isinstance(described, Product) and single is None:
        images = product.placed(described, images)
    return tuple(images)


def target_layout(layer, xs, sources):
    """The output lies as the inputs do; ValueError if they lie in different ways."""
    single, described = _single(xs), _describe(layer, xs)
    like, a, b = sources[single == 0], *sources
    if single is None and xs[0].data.size > 1 and a.arrangement != b.arrangement:
        raise ValueError(f"The first input lies as {a.arrangement}, the second one as "
                         f"{b.arrangement}")
    image = like.like(blank_output(layer, *xs))
    if isinstance(described, Product):
        return image
    return with_room(image, maps.scratch(described, image))


def constants(layer, xs, sources):
    """Weights and records; behind those of maps a weight 1 to spread a single element by."""
    single, described = _single(xs), _describe(layer, xs)
    if isinstance(described, Product):
        return product.constants(described, sources, single)
    values = maps.constants(described, sources[0])
    if single is None:
        return values
    one = lane_words(np.array([1], np.int8), sources[0].ways).weights
    return replace(values, weights=np.concatenate([values.weights, one]))


def lower(layer, xs, sources, target, values):
    """Passes of an elementwise operation; see ``host.lower.registry.lower``."""
    single, described = _single(xs), _describe(layer, xs)
    if isinstance(described, Product):
        return product.lower(described, sources, target, values, single)
    images, passes = dict(zip("ab", sources, strict=True)), []
    if single is not None:
        rows   = values.weights.size // values.row_cells
        one    = values.word((rows - 1) * 2 * target.ways, 8, target.ways)
        passes = fill(sources[single], target, one, target.groups)
        images["ab"[single]] = target
    return passes + maps.lower(described, images | {"out": target}, values)
