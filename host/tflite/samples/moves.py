# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements."""

import numpy as np

from .. import options
from ..model import Tensor
from .wish import INT32, constant, value

__all__ = ["MOVES"]


def _ints(name, numbers):
    return constant(name, numbers, INT32)


def _pads(wish):
    pads = np.zeros((wish.rank, 2), int)
    pads[-1] = 1, 2
    return _ints("paddings", pads), np.array(wish.shape) + pads.sum(axis=1)


def _pad(wish):
    pads, shape = _pads(wish)
    return (value("x", wish.shape, wish.kind), pads), (value("y", shape, wish.to),), None


def _pad_v2(wish):
    pads, shape = _pads(wish)
    x    = value("x", wish.shape, wish.kind)
    fill = constant("fill", [7], wish.kind, x.scales)
    fill = type(fill)(fill.name, fill.shape, fill.type, x.scales, x.zero_points, 0, fill.data)
    return (x, pads, fill), (value("y", shape, wish.to),), None


def _reshape(wish):
    shape = (1, int(np.prod(wish.shape)))
    return ((value("x", wish.shape, wish.kind), _ints("shape", shape)),
            (value("y", shape, wish.to),), options.ReshapeOptions(shape))


def _transpose(wish):
    order = range(wish.rank)[::-1]
    return ((value("x", wish.shape, wish.kind), _ints("order", [*order])),
            (value("y", [wish.shape[axis] for axis in order], wish.to),), None)


def _concatenation(wish):
    shape = (*wish.shape[:-1], wish.shape[-1] * 2)
    return ((value("x", wish.shape, wish.kind), value("z", wish.shape, wish.kind)),
            (value("y", shape, wish.to),), options.ConcatenationOptions(-1, wish.activation))


def _split(wish):
    half = (*wish.shape[:-1], wish.shape[-1] // 2)
    return ((_ints("axis", wish.rank - 1), value("x", wish.shape, wish.kind)),
            (value("y", half, wish.to), value("z", half, wish.to)), options.SplitOptions(2))


def _split_v(wish):
    sizes = 1, wish.shape[-1] - 1
    y, z  = (value(name, (*wish.shape[:-1], size), wish.to)
             for name, size in zip("yz", sizes, strict=True))
    return ((value("x", wish.shape, wish.kind), _ints("sizes", sizes), _ints("axis", -1)), (y, z),
            options.SplitVOptions(2))


def _pack(wish):
    shape = (*wish.shape[:-1], 2, wish.shape[-1])
    return ((value("x", wish.shape, wish.kind), value("z", wish.shape, wish.kind)),
            (value("y", shape, wish.to),), options.PackOptions(2, wish.rank - 1))


def _unpack(wish):
    count = wish.shape[-1]
    return ((value("x", wish.shape, wish.kind),),
            tuple(value(f"y{index}", wish.shape[:-1], wish.to) for index in range(count)),
            options.UnpackOptions(count, -1))


def _expand_dims(wish):
    return ((value("x", wish.shape, wish.kind), _ints("axis", 0)),
            (value("y", (1, *wish.shape), wish.to),), None)


def _squeeze(wish):
    shape = tuple(size for size in wish.shape if size > 1)
    return ((value("x", wish.shape, wish.kind),), (value("y", shape, wish.to),),
            options.SqueezeOptions())


def _slice(wish):
    size = (*wish.shape[:-1], wish.shape[-1] - 2)
    return ((value("x", wish.shape, wish.kind), _ints("begin", [0] * (wish.rank - 1) + [1]),
             _ints("size", size)), (value("y", size, wish.to),), None)


def _slice_by_strides(wish):
    shape = (*wish.shape[:-1], -(-wish.shape[-1] // wish.stride))
    return ((value("x", wish.shape, wish.kind), _ints("begin", [0] * wish.rank),
             _ints("end", wish.shape), _ints("strides", [1] * (wish.rank - 1) + [wish.stride])),
            (value("y", shape, wish.to),), options.StridedSliceOptions())


def _resize(make):
    def sample(wish):
        size = 7, 9
        return ((value("x", wish.shape, wish.kind), _ints("size", size)),
                (value("y", (wish.shape[0], *size, wish.shape[-1]), wish.to),),
                make(align_corners=wish.flag))
    return sample


def _shape(wish):
    return ((value("x", wish.shape, wish.kind),),
            (Tensor("y", (wish.rank,), wish.to),), options.ShapeOptions(wish.to))


#: Functions from a Wish to inputs, outputs and options.
MOVES = {
    "PAD": _pad, "PADV2": _pad_v2, "RESHAPE": _reshape, "TRANSPOSE": _transpose,
    "CONCATENATION": _concatenation, "SPLIT": _split,
    "SPLIT_V": _split_v, "PACK": _pack, "UNPACK": _unpack, "EXPAND_DIMS": _expand_dims,
    "SQUEEZE": _squeeze, "SLICE": _slice,
    "SHAPE": _shape,
    "STRIDED_SLICE": _slice_by_strides,
    "RESIZE_NEAREST_NEIGHBOR": _resize(options.ResizeNearestNeighborOptions),
    "RESIZE_BILINEAR": _resize(options.ResizeBilinearOptions),
}
