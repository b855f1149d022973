# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator that picks elements, by the operator's name.

Those take the Tensor that they pick from, if there is one, else they make their own.
"""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import MIRROR_MODE, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

from .cases import activation, kind_of, network
from .moves import any_shape, ints, like
from .networks import value

__all__ = ["PICKS", "condition_network", "open_batch_network", "repeat_network"]

INT8, BOOL = TENSOR_TYPE.INT8, TENSOR_TYPE.BOOL


def _bytes(rng, shape):
    return activation(rng, "x", tuple(int(size) for size in shape), INT8)


def gather(rng, x=None):
    """GATHER along any dimension, at 0 to 2 dimensions of indices, with batches now and then."""
    x     = x or _bytes(rng, any_shape(rng, 4))
    rank  = len(x.shape)
    axis  = int(rng.integers(rank))
    batch = int(rng.integers(axis + 1)) if rng.integers(3) == 0 else 0
    most  = 5 - rank + 1
    shape = (*x.shape[:batch], *rng.integers(1, 5, rng.integers(0, min(most, 2) + 1)).tolist())
    y     = (*x.shape[:axis], *shape[batch:], *x.shape[axis + 1:])
    return network("GATHER", (x, ints("indices", rng.integers(0, x.shape[axis], shape))),
                   (like(x, "y", y),), options.GatherOptions(axis - rank * int(rng.integers(2)),
                                                             batch))


def gather_nd(rng, x=None):
    """GATHER_ND of any depth."""
    x     = x or _bytes(rng, any_shape(rng, 4))
    depth = int(rng.integers(1, len(x.shape) + 1))
    lead  = rng.integers(1, 4, rng.integers(0, 3)).tolist()[:5 - len(x.shape) + depth]
    index = rng.integers(0, x.shape[:depth], (*lead, depth))
    return network("GATHER_ND", (x, ints("indices", index)),
                   (like(x, "y", (*lead, *x.shape[depth:])),))


def embedding_lookup(rng, x=None):
    """EMBEDDING_LOOKUP of 1 to 6 rows."""
    x     = x or _bytes(rng, (*any_shape(rng, 3), int(rng.integers(1, 9))))
    count = int(rng.integers(1, 7))
    return network("EMBEDDING_LOOKUP", (ints("indices", rng.integers(0, x.shape[0], count)), x),
                   (like(x, "y", (count, *x.shape[1:])),))


def space_to_batch_nd(rng, x=None):
    """SPACE_TO_BATCH_ND with pads on any side."""
    count = int(rng.integers(1, 3))
    block = rng.integers(1, 4, count)
    inner = rng.integers(1, 6, count)
    pads  = np.zeros((count, 2), int)
    pads[:, 0] = rng.integers(0, 3, count)
    pads[:, 1] = -(inner + pads[:, 0]) % block
    sizes = (inner + pads.sum(axis=1)) // block
    x     = _bytes(rng, (int(rng.integers(1, 3)), *inner, int(rng.integers(1, 9))))
    y     = (x.shape[0] * prod(block.tolist()), *sizes.tolist(), x.shape[-1])
    return network("SPACE_TO_BATCH_ND", (x, ints("block", block), ints("pads", pads)),
                   (like(x, "y", y),))


def batch_to_space_nd(rng, x=None):
    """BATCH_TO_SPACE_ND with crops on any side."""
    count = int(rng.integers(1, 3))
    block = rng.integers(1, 4, count)
    inner = rng.integers(1, 5, count)
    whole = inner * block
    first = rng.integers(0, whole)
    crops = np.stack([first, rng.integers(0, whole - first)], axis=1)
    depth = int(rng.integers(1, 9))
    count = int(rng.integers(1, 3))
    x     = _bytes(rng, (count * prod(block.tolist()), *inner, depth))
    y     = (count, *(whole - crops.sum(axis=1)).tolist(), depth)
    return network("BATCH_TO_SPACE_ND", (x, ints("block", block), ints("crops", crops)),
                   (like(x, "y", y),))


def _square(name, make, up):
    """A function of DEPTH_TO_SPACE or SPACE_TO_DEPTH."""
    def draw(rng, x=None):
        block = int(rng.integers(1, 4))
        images, rows, columns, depth = rng.integers(1, 5, 4).tolist()
        small = images, rows, columns, depth * block ** 2
        large = images, rows * block, columns * block, depth
        x     = _bytes(rng, small if up else large)
        return network(name, (x,), (like(x, "y", large if up else small),), make(block))
    return draw


def mirror_pad(rng, x=None):
    """MIRROR_PAD by both rules."""
    x    = x or _bytes(rng, any_shape(rng))
    mode = MIRROR_MODE(int(rng.integers(2)))
    most = np.array(x.shape) - (mode == MIRROR_MODE.REFLECT)
    pads = rng.integers(0, np.minimum(most, 3) + 1, (2, len(x.shape))).T
    return network("MIRROR_PAD", (x, ints("paddings", pads)),
                   (like(x, "y", (np.array(x.shape) + pads.sum(axis=1)).tolist()),),
                   options.MirrorPadOptions(mode))


def broadcast_to(rng, x=None):
    """BROADCAST_TO of dimensions of one element, with further ones in front."""
    if x is None:
        shape = np.where(rng.integers(2, size=rng.integers(1, 5)), 1, rng.integers(1, 6))
        x     = activation(rng, "x", tuple(shape.tolist()), kind_of(rng))
    least = not x.shape  # the shape is no empty constant
    front = rng.integers(1, 4, rng.integers(least, 6 - len(x.shape))).tolist()
    shape = (*front, *(int(rng.integers(1, 7)) if size == 1 else size for size in x.shape))
    return network("BROADCAST_TO", (x, ints("shape", shape)), (like(x, "y", shape),))


def fill(rng, x=None):
    """FILL of any shape."""
    x     = activation(rng, "x", (), INT8)
    shape = any_shape(rng)
    return network("FILL", (ints("dims", shape), x), (like(x, "y", shape),))


def reverse_v2(rng, x=None):
    """REVERSE_V2 of dimensions next to one another."""
    x     = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    rank  = len(x.shape)
    first = int(rng.integers(rank))
    axes  = np.arange(first, rng.integers(first + 1, rank + 1))
    axes  = rng.permutation(axes) - rank * rng.integers(0, 2, axes.size)
    return network("REVERSE_V2", (x, ints("axes", axes)), (like(x, "y", x.shape),))


def zeros_like(rng, x=None):
    """ZEROS_LIKE."""
    x = x or _bytes(rng, any_shape(rng))
    return network("ZEROS_LIKE", (x,), (like(x, "y", x.shape),))


def cast(rng, x=None):
    """CAST of 8 and 16 bits to either."""
    x = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    return network("CAST", (x,), (activation(rng, "y", x.shape, kind_of(rng)),))


def dynamic_update_slice(rng, x=None):
    """DYNAMIC_UPDATE_SLICE of any box, from places within and beyond the input."""
    x     = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    whole = rng.integers(2, size=len(x.shape))
    part  = np.where(whole, x.shape, rng.integers(1, np.array(x.shape) + 1)).tolist()
    start = rng.integers(-1, np.array(x.shape) + 1)
    return network("DYNAMIC_UPDATE_SLICE", (x, like(x, "u", part), ints("start", start)),
                   (like(x, "y", x.shape),))


def select_v2(rng, x=None):
    """SELECT_V2 with any of its inputs repeated."""
    shape = any_shape(rng)
    kind  = kind_of(rng)
    parts = [tuple(size if rng.integers(3) else 1 for size in shape) for _ in range(2)]
    parts = [parts[place] for place in rng.permutation(2)]
    shapes = [shape, *parts]
    order  = rng.permutation(3)
    c, a, b = (shapes[place] for place in order)
    return network("SELECT_V2", (value("c", c, TENSOR_TYPE.BOOL), activation(rng, "x", a, kind),
                                 activation(rng, "z", b, kind)),
                   (activation(rng, "y", shape, kind),))


def condition_network():
    """Model of a comparison and of two selections between layers of a core, one of them by a
    constant."""
    shape  = (1, 4, 4, 6)
    values = {name: value(name, shape, INT8, 0.5, 3) for name in "xabsyz"}
    mask   = Tensor("mask", (6,), BOOL, data=np.array([1, 0, 1, 1, 0, 0], bool))
    where  = Tensor("where", shape, BOOL)
    last   = replace(values["z"], name="last")
    return Model((*values.values(), where, mask, last), (
        Operator("RELU", (0,), (1,)), Operator("RELU6", (0,), (2,)),
        Operator("GREATER", (0, 2), (6,)), Operator("SELECT_V2", (6, 1, 0), (3,)),
        Operator("RELU", (3,), (4,)), Operator("SELECT_V2", (7, 4, 3), (5,)),
        Operator("RELU", (5,), (8,))), (0,), (8,))


def repeat_network():
    """Model of a BROADCAST_ARGS of constants beside a BROADCAST_TO."""
    return Model((value("x", (1, 3), INT8, 0.5, 3), ints("a", (4, 1)), ints("b", (1, 3)),
                  Tensor("shape", (2,), TENSOR_TYPE.INT32), value("y", (4, 3), INT8, 0.5, 3),
                  ints("c", (4, 3))), (
        Operator("BROADCAST_ARGS", (1, 2), (3,)), Operator("BROADCAST_TO", (0, 5), (4,))),
        (0,), (3, 4))


def open_batch_network(rng):
    """Model with both operators of batches for an open batch, so that much of an output is what
    memory held before; tensors of several sizes live at different times."""
    rows, depth = 2 * int(rng.integers(2, 5)), int(rng.integers(1, 9))
    tensors = [value("x", (1, rows, rows, depth), INT8, 0.5, 3)]
    operators, chosen = [], 0
    for _ in range(rng.integers(1, 6)):
        operators.append(_padded(rng, tensors, chosen) if rng.integers(2) else
                         _limited(tensors, chosen))
        made   = [place for place, each in enumerate(tensors) if each.data is None]
        chosen = int(rng.choice(made[-2:]))
    x, first = tensors[chosen], len(tensors)
    pads  = [(0, size % 2) for size in x.shape[1:3]]
    small = (1, *((size + sum(pair)) // 2 for size, pair in zip(x.shape[1:3], pads, strict=True)),
             x.shape[3])
    whole = (1, 2 * small[1], 2 * small[2], x.shape[3])
    tensors += [ints("block", (2, 2)), ints("pads", pads), ints("crops", [(0, 0), (0, 0)]),
                like(x, "s", small), like(x, "b", whole)]
    operators += [Operator("SPACE_TO_BATCH_ND", (chosen, first, first + 1), (first + 3,)),
                  Operator("BATCH_TO_SPACE_ND", (first + 3, first, first + 2), (first + 4,))]
    operators.append(_limited(tensors, first + 4))
    return Model(tuple(tensors), tuple(operators), (0,), (first + 5,))


def _padded(rng, tensors, chosen):
    """A PAD along one dimension, whose tensors are added to others."""
    pads = np.zeros((4, 2), int)
    pads[rng.integers(1, 4), 1] = 2 * rng.integers(0, 4)
    x    = tensors[chosen]
    tensors += [ints("pads", pads), like(x, "p", (np.array(x.shape) + pads.sum(axis=1)).tolist())]
    return Operator("PAD", (chosen, len(tensors) - 2), (len(tensors) - 1,))


def _limited(tensors, chosen):
    """A RELU, whose output is added to other tensors."""
    tensors.append(like(tensors[chosen], "r", tensors[chosen].shape))
    return Operator("RELU", (chosen,), (len(tensors) - 1,))


PICKS = {
    "GATHER": gather, "GATHER_ND": gather_nd, "EMBEDDING_LOOKUP": embedding_lookup,
    "SPACE_TO_BATCH_ND": space_to_batch_nd, "BATCH_TO_SPACE_ND": batch_to_space_nd,
    "DEPTH_TO_SPACE": _square("DEPTH_TO_SPACE", options.DepthToSpaceOptions, up=True),
    "SPACE_TO_DEPTH": _square("SPACE_TO_DEPTH", options.SpaceToDepthOptions, up=False),
    "MIRROR_PAD": mirror_pad, "BROADCAST_TO": broadcast_to, "FILL": fill,
    "REVERSE_V2": reverse_v2, "ZEROS_LIKE": zeros_like, "CAST": cast,
    "DYNAMIC_UPDATE_SLICE": dynamic_update_slice, "SELECT_V2": select_v2,
}
