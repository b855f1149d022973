# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator that moves elements, or sums them, by the operator's name.

Those that move take the Tensor that they move, if there is one, else they make their own.
"""

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import PADDING, TENSOR_TYPE

from .cases import activation, bias_of, kind_of, network, scale_of, shape_of, weights_of
from .networks import constant, value

__all__ = ["MOVES"]

INT8 = TENSOR_TYPE.INT8


def ints(name, numbers):
    """A constant of int32."""
    return constant(name, np.array(numbers, np.int32))


def like(x, name, shape):
    """A Tensor in the format of another."""
    return value(name, tuple(shape), x.type, x.scales[0], x.zero_points[0])


def pad(rng, x=None):
    """PAD of up to 3 elements a side."""
    x    = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    pads = rng.integers(0, 4, (len(x.shape), 2))
    y    = like(x, "y", (np.array(x.shape) + pads.sum(axis=1)).tolist())
    return network("PAD", (x, ints("paddings", pads)), (y,))


def any_shape(rng, most=5):
    """A shape of 1 to ``most`` dimensions, some of several groups."""
    shape = rng.integers(1, 6, rng.integers(1, most + 1))
    if rng.integers(2):
        shape[rng.integers(shape.size)] = rng.integers(1, 20)
    return tuple(shape.tolist())


def mean(rng):
    """MEAN over a random set of dimensions, those from the end counted back."""
    x    = activation(rng, "x", shape_of(rng, 4), kind_of(rng))
    axes = rng.permutation(4)[:rng.integers(1, 5)]
    keep = bool(rng.integers(2))
    size = [1 if n in axes else x.shape[n] for n in range(4) if keep or n not in axes]
    return network("MEAN", (x, ints("axes", axes - 4 * rng.integers(0, 2, axes.size))),
                   (activation(rng, "y", tuple(size), x.type),), options.ReducerOptions(keep))


def reshape(rng, x=None):
    """RESHAPE to a row, or to a shape of factors of the elements with up to 5 dimensions."""
    x = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    n = int(np.prod(x.shape))
    shape = (1, n) if rng.integers(3) == 0 else factors_of(rng, n)
    return network("RESHAPE", (x, ints("shape", shape)), (like(x, "y", shape),),
                   options.ReshapeOptions(shape))


def factors_of(rng, count, most=5):
    """A shape of so many elements, of 1 to ``most`` dimensions."""
    shape = [1] * int(rng.integers(1, most + 1))
    for factor in range(2, count + 1):
        while count % factor == 0:
            shape[rng.integers(len(shape))] *= factor
            count //= factor
    return tuple(shape)


def transpose(rng, x=None):
    """TRANSPOSE into any order."""
    x     = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    order = rng.permutation(len(x.shape))
    return network("TRANSPOSE", (x, ints("order", order)),
                   (like(x, "y", [x.shape[n] for n in order]),))


def concatenation(rng, x=None):
    """CONCATENATION of 1 to 10 along any dimension, one of them ``x``."""
    x     = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    axis  = int(rng.integers(len(x.shape)))
    sizes = rng.integers(1, 5, rng.choice([1, 2, 3, 5, 10])).tolist()
    def shape(n):
        return (*x.shape[:axis], n, *x.shape[axis + 1:])
    inputs = [like(x, f"x{number}", shape(n)) for number, n in enumerate(sizes)]
    inputs[int(rng.integers(len(inputs)))] = x
    size = sum(each.shape[axis] for each in inputs)
    return network("CONCATENATION", tuple(inputs), (like(x, "y", shape(size)),),
                   options.ConcatenationOptions(axis - len(x.shape) * int(rng.integers(2))))


def split(rng, x=None):
    """SPLIT into 1 to 3 along any dimension, or into as many as divide that of ``x``."""
    part = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    rank = len(part.shape)
    axis = int(rng.integers(rank))
    size = part.shape[axis]
    count = int(rng.choice([n for n in range(1, 4) if x is None or size % n == 0]))
    def shape(n):
        return (*part.shape[:axis], n, *part.shape[axis + 1:])
    whole = x or like(part, "x", shape(size * count))
    size  = whole.shape[axis] // count
    return network("SPLIT", (ints("axis", axis - rank * int(rng.integers(2))), whole),
                   tuple(like(whole, f"y{number}", shape(size)) for number in range(count)),
                   options.SplitOptions(count))


def split_v(rng, x=None):
    """SPLIT_V into 1 to 4 parts along any dimension."""
    x     = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    rank  = len(x.shape)
    axis  = int(rng.integers(rank))
    size  = x.shape[axis]
    count = int(rng.integers(1, min(size, 4) + 1))
    ends  = [0, *sorted(rng.permutation(np.arange(1, size))[:count - 1].tolist()), size]
    sizes = np.diff(ends).tolist()
    return network("SPLIT_V", (x, ints("sizes", sizes),
                               ints("axis", axis - rank * int(rng.integers(2)))),
                   tuple(like(x, f"y{number}", (*x.shape[:axis], part, *x.shape[axis + 1:]))
                         for number, part in enumerate(sizes)), options.SplitVOptions(count))


def pack(rng, x=None):
    """PACK of 1 to 6 along any dimension, one of them ``x``."""
    x      = x or activation(rng, "x", any_shape(rng, 4), kind_of(rng))
    rank   = min(len(x.shape) + 1, 5)
    axis   = int(rng.integers(rank))
    inputs = [like(x, f"x{number}", x.shape) for number in range(rng.integers(1, 7))]
    inputs[int(rng.integers(len(inputs)))] = x
    y      = like(x, "y", (*x.shape[:axis], len(inputs), *x.shape[axis:]))
    return network("PACK", tuple(inputs), (y,), options.PackOptions(
        len(inputs), axis - len(y.shape) * int(rng.integers(2))))


def unpack(rng, x=None):
    """UNPACK along any dimension."""
    x    = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    rank = len(x.shape)
    axis = int(rng.integers(rank))
    return network("UNPACK", (x,), tuple(
        like(x, f"y{number}", (*x.shape[:axis], *x.shape[axis + 1:]))
        for number in range(x.shape[axis])),
        options.UnpackOptions(x.shape[axis], axis - rank * int(rng.integers(2))))


def expand_dims(rng, x=None):
    """EXPAND_DIMS at any place."""
    x    = x or activation(rng, "x", any_shape(rng, 4), kind_of(rng))
    rank = len(x.shape) + 1
    axis = int(rng.integers(rank))
    return network("EXPAND_DIMS", (x, ints("axis", axis - rank * int(rng.integers(2)))),
                   (like(x, "y", (*x.shape[:axis], 1, *x.shape[axis:])),))


def squeeze(rng, x=None):
    """SQUEEZE of some dimensions of one element, or of all of them."""
    shape = list(any_shape(rng))
    for axis in rng.integers(0, len(shape), 2).tolist():
        shape[axis] = 1
    x    = x or activation(rng, "x", tuple(shape), kind_of(rng))
    ones = [axis for axis, size in enumerate(x.shape) if size == 1]
    gone = [axis for axis in ones if rng.integers(2)] or ones
    axes = [axis - len(x.shape) * int(rng.integers(2)) for axis in gone] if gone != ones else []
    return network("SQUEEZE", (x,), (like(x, "y", [
        size for axis, size in enumerate(x.shape) if axis not in gone]),),
        options.SqueezeOptions(tuple(axes)))


def slice_(rng, x=None):
    """SLICE of any place and size."""
    x     = x or activation(rng, "x", any_shape(rng), kind_of(rng))
    begin = rng.integers(0, x.shape)
    size  = rng.integers(1, np.array(x.shape) - begin + 1)
    return network("SLICE", (x, ints("begin", begin), ints("size", size)),
                   (like(x, "y", size.tolist()),))


def strided_slice(rng, x=None):
    """STRIDED_SLICE of any part with strides of 1 to 3 in both directions; some of its dimensions
    are shrunk."""
    x       = x or activation(rng, "x", any_shape(rng, 4), kind_of(rng))
    rank    = len(x.shape)
    strides = rng.integers(1, 4, rank) * rng.choice([1, -1], rank)
    begin   = rng.integers(0, x.shape)
    free    = rng.integers(0, 2, (2, rank))  # of begin and of end
    shrink  = rng.integers(0, 4, rank) == 0
    masks   = [int(bits @ (1 << np.arange(rank))) for bits in (*free, shrink)]
    strides[shrink], end = 1, np.where(strides > 0, x.shape, -1 - np.array(x.shape))
    free[0][shrink] = 0
    masks[0] = int(free[0] @ (1 << np.arange(rank)))
    places  = [range(size)[None if f0 else int(b):None:int(s)] for size, b, s, f0 in
               zip(x.shape, begin, strides, free[0], strict=True)]
    size    = [len(each) for each, gone in zip(places, shrink, strict=True) if not gone]
    return network("STRIDED_SLICE", (x, ints("begin", begin), ints("end", end),
                                     ints("strides", strides)), (like(x, "y", size),),
                   options.StridedSliceOptions(begin_mask=masks[0], end_mask=masks[1],
                                               shrink_axis_mask=masks[2]))


def resize(rng, x=None):
    """RESIZE_NEAREST_NEIGHBOR to up to 12 x 12, by every rule."""
    x    = x or activation(rng, "x", shape_of(rng, 4), kind_of(rng))
    size = rng.integers(1, 13, 2)
    y    = like(x, "y", (x.shape[0], *size.tolist(), x.shape[3]))
    return network("RESIZE_NEAREST_NEIGHBOR", (x, ints("size", size)), (y,),
                   options.ResizeNearestNeighborOptions(*map(bool, rng.integers(0, 2, 2))))


def resize_bilinear(rng, x=None):
    """RESIZE_BILINEAR by every rule, to twice or up to 12 times the size."""
    x     = x or activation(rng, "x", shape_of(rng, 4))
    size  = (rng.integers(1, 13, 2) if rng.integers(2) else np.array(x.shape[1:3]) * 2).tolist()
    rules = [(False, False), (True, False), (False, True)][rng.integers(3)]
    return network("RESIZE_BILINEAR", (x, ints("size", size)),
                   (activation(rng, "y", (x.shape[0], *size, x.shape[3])),),
                   options.ResizeBilinearOptions(0, 0, *rules))


def prelu(rng):
    """PRELU with a slope a channel."""
    x     = activation(rng, "x", shape_of(rng, 4), kind_of(rng))
    slope = constant("slope", rng.integers(-128, 128, (1, 1, x.shape[3])).astype(np.int8),
                     (scale_of(rng),))
    return network("PRELU", (x, slope), (activation(rng, "y", x.shape, x.type),))


def dequantize(rng):
    """DEQUANTIZE to float32."""
    x = activation(rng, "x", shape_of(rng), kind_of(rng))
    return network("DEQUANTIZE", (x,), (value("y", x.shape, TENSOR_TYPE.FLOAT32),))


def transpose_conv(rng):
    """TRANSPOSE_CONV, VALID or SAME, of several images now and then; strides beyond the kernel."""
    height, width, depth, outputs, rows, columns = (int(n) for n in rng.integers(1, 5, 6))
    kind    = kind_of(rng)
    batch   = int(rng.choice([1, 1, 3]))
    stride  = int(rng.integers(1, 4))
    padding = PADDING(int(rng.integers(2)))
    sizes   = [n * stride if padding == PADDING.SAME else (n - 1) * stride + k
               for n, k in ((height, rows), (width, columns))]
    x       = activation(rng, "x", (batch, height, width, depth), kind)
    shape   = (batch, *sizes, outputs)
    weights = weights_of(rng, (outputs, rows, columns, depth), 0, outputs)
    bias    = bias_of(rng, outputs, INT8, x, weights)
    if kind != INT8:
        bias = constant("bias", bias.data.astype(np.int64), bias.scales)
    return network("TRANSPOSE_CONV", (ints("shape", shape), weights, x, bias),
                   (activation(rng, "y", shape, kind),),
                   options.TransposeConvOptions(padding, stride, stride))


MOVES = {
    "PAD": pad, "MEAN": mean, "RESHAPE": reshape, "TRANSPOSE": transpose,
    "CONCATENATION": concatenation, "SPLIT": split, "SPLIT_V": split_v, "PACK": pack,
    "UNPACK": unpack, "EXPAND_DIMS": expand_dims, "SQUEEZE": squeeze, "SLICE": slice_,
    "STRIDED_SLICE": strided_slice, "RESIZE_NEAREST_NEIGHBOR": resize,
    "RESIZE_BILINEAR": resize_bilinear, "PRELU": prelu,
    "DEQUANTIZE": dequantize, "TRANSPOSE_CONV": transpose_conv,
}
