"""Activations and conversions as passes: an element in, an element out, where it lies."""

from golden import mli2, xs3
from golden.mli1 import ConvertTensor, LeakyRelu, Rectify, Sigmoid, Tanh
from host.lower.binary import xs3 as eltwise_xs3
from host.lower.scratch import with_room
from host.memory.formats import blank_output
from host.memory.layout import TensorLayout

from . import form as maps
from .activation import mli1 as activation_mli1
from .activation import mli2 as activation_mli2
from .convert import mli2 as convert_mli2

__all__ = ["DESCRIBED", "constants", "lower", "source_layouts", "target_layout"]

#: Layers, and the module that describes them as maps.
DESCRIBED = {
    **dict.fromkeys((Rectify, LeakyRelu, Sigmoid, Tanh, ConvertTensor), activation_mli1),
    **dict.fromkeys((mli2.Rectify, mli2.LeakyRelu, mli2.Prelu), activation_mli2),
    mli2.ConvertTensor: convert_mli2,
    xs3.Requantize16To8: eltwise_xs3,
}


def _describe(layer, xs):
    return DESCRIBED[type(layer)].describe(layer, *xs)


def source_layouts(layer, xs, preferred, ways):
    """Where the next layer wants the output, else as it comes; where parameters differ along a
    dimension, with that as runs or outermost."""
    [x], axis = xs, _describe(layer, xs).axis
    if preferred is not None and (axis is None or maps.along(axis, preferred)):
        return (preferred.like(x),)
    if axis is None:
        return (TensorLayout.flat(x, ways),)
    others = [other for other in range(len(x.shape)) if other != axis]
    images = [TensorLayout.of(x, (*others, axis), ways)]
    if others:
        images.append(TensorLayout.of(x, (axis, *others), ways, inner=len(others)))
    return (min(images, key=lambda image: image.groups),)


def target_layout(layer, xs, sources):
    """The output lies as the input does; ValueError if parameters do not lie in step with it."""
    recipe, [source] = _describe(layer, xs), sources
    maps.check_axis(recipe, source)
    target = source.like(blank_output(layer, *xs))
    return with_room(target, maps.scratch(recipe, target))


def constants(layer, xs, sources):
    """Weights and records of the maps of ``layer``."""
    return maps.constants(_describe(layer, xs), sources[0])


def lower(layer, xs, sources, target, values):
    """Passes of an activation or conversion; see ``host.lower.registry.lower``."""
    return maps.lower(_describe(layer, xs), {"a": sources[0], "out": target}, values)
