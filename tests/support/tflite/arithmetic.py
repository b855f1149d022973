# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator of arithmetic, by the operator's name: see ``cases``."""

from dataclasses import replace

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE

from .cases import (
    activation,
    bias_of,
    draw_activation,
    kind_of,
    network,
    scale_of,
    shape_of,
    unary,
)
from .moves import any_shape, ints
from .networks import value

__all__ = ["ARITHMETIC", "GOLDEN"]

INT8, INT16, INT32, BOOL = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT32,
                            TENSOR_TYPE.BOOL)


def plain(name, shape, kind):
    """A Tensor that is computed, and has no scale."""
    return replace(value(name, tuple(shape), kind), scales=(), zero_points=())


def pair(rng, kind):
    """Two operands, either of them broadcast now and then, and the shape of both."""
    shape = shape_of(rng, 4)
    sizes = [tuple(n if rng.integers(2) else 1 for n in shape), shape]
    first, second = sizes[::rng.choice([-1, 1])] if rng.integers(2) else (shape, shape)
    return activation(rng, "x", first, kind), activation(rng, "z", second, kind), shape


def compare(name):
    """A function of a comparison; scales are equal now and then."""
    def make(rng):
        x, z, shape = pair(rng, INT8)
        x = replace(x, scales=(scale_of(rng, -9, -0.1),))
        z = replace(z, scales=x.scales if rng.integers(2) else (scale_of(rng, -9, -0.1),))
        return network(name, (x, z), (plain("y", shape, BOOL),))
    return make


def logical(name, count):
    """A function of an operator of one or two tensors of truth values."""
    def make(rng):
        *inputs, shape = pair(rng, INT8)
        if count == 1:
            inputs, shape = inputs[:1], inputs[0].shape
        return network(name, [plain(x.name, x.shape, BOOL) for x in inputs],
                       (plain("y", shape, BOOL),))
    return make


def reduce_all(rng):
    """REDUCE_ALL along a random set of dimensions."""
    model = reduce("REDUCE_MAX")(rng)
    x, axes, y = model.tensors
    return network("REDUCE_ALL", (plain("x", x.shape, BOOL), axes), (plain("y", y.shape, BOOL),),
                   model.operators[0].options)


def squared_difference(rng):
    """Scales of the output about those of a square."""
    kind = kind_of(rng)
    x, z, shape = pair(rng, kind)
    if rng.integers(2):
        z = replace(z, scales=x.scales)
    scale = max(x.scales[0], z.scales[0]) ** 2 * 2.0 ** (
        rng.uniform(-2, 10) if kind == INT8 else rng.uniform(3, 18))
    return network("SQUARED_DIFFERENCE", (x, z), (activation(rng, "y", shape, kind,
                                                             float(np.float32(scale))),))


def div(rng):
    """A constant divisor, no element of which is its zero point."""
    x, z, shape = pair(rng, INT8)
    data = rng.integers(-128, 127, z.shape)
    data = (data + (data >= z.zero_points[0])).astype(np.int8)
    return network("DIV", (x, replace(z, data=data)), (activation(rng, "y", shape),),
                   options.DivOptions(draw_activation(rng)))


def add_n(rng):
    """Sums of 2 to 5 tensors in one format."""
    x = activation(rng, "x", any_shape(rng))
    count = int(rng.integers(2, 6))
    inputs = [replace(x, name=f"x{number}") for number in range(count)]
    return network("ADD_N", inputs, (activation(rng, "y", x.shape,
                                                scale=float(np.float32(x.scales[0] * count / 2))),))


def cumsum(rng):
    """Sums along any dimension, in both directions."""
    x    = activation(rng, "x", any_shape(rng))
    axis = int(rng.integers(len(x.shape)))
    return network("CUMSUM", (x, ints("axis", axis - len(x.shape) * int(rng.integers(2)))),
                   (activation(rng, "y", x.shape, scale=float(x.scales[0] * 2)),),
                   options.CumsumOptions(*map(bool, rng.integers(0, 2, 2))))


def reduce(name, kinds=(INT8,)):
    """A function of an operator along a random set of dimensions."""
    def make(rng):
        kind = kinds[rng.integers(len(kinds))]
        x    = activation(rng, "x", shape_of(rng, 4), kind)
        axes = rng.permutation(4)[:rng.integers(1, 4)]
        keep = bool(rng.integers(2))
        size = [1 if n in axes else x.shape[n] for n in range(4) if keep or n not in axes]
        y    = activation(rng, "y", tuple(size), kind, 4 * x.scales[0])
        if name != "SUM":
            y = replace(y, scales=x.scales, zero_points=x.zero_points)
        return network(name, (x, ints("axes", axes - 4 * rng.integers(0, 2, axes.size))), (y,),
                       options.ReducerOptions(keep))
    return make


def place(name, make_options):
    """A function of an operator that gives indices along any dimension."""
    def make(rng):
        x     = activation(rng, "x", any_shape(rng))
        axis  = int(rng.integers(len(x.shape)))
        shape = [*x.shape[:axis], *x.shape[axis + 1:]]
        return network(name, (x, ints("axis", axis - len(x.shape) * int(rng.integers(2)))),
                       (plain("y", shape, INT32),), make_options(INT32))
    return make


def batch_matmul(rng):
    """Matrices of up to 19 columns, one of them for several of the other now and then."""
    kind, rank = kind_of(rng), int(rng.integers(2, 6))
    rows, depth, columns = (int(n) for n in rng.integers(1, 20, 3))
    lead  = rng.integers(1, 4, rank - 2).tolist()
    part  = [n if rng.integers(2) else 1 for n in lead][int(rng.integers(rank - 1)):]
    sizes = [lead, part][::rng.choice([-1, 1])]
    turn  = [bool(rng.integers(2)) for _ in range(2)]
    shapes = [(*size, *(pair[::-1] if adj else pair)) for size, pair, adj
              in zip(sizes, ((rows, depth), (depth, columns)), turn, strict=True)]
    x, z  = (activation(rng, name, shape, kind) for name, shape in zip("xz", shapes, strict=True))
    # Of 16 bits outputs are at their limit where sums leave 32 bits.
    scale = x.scales[0] * z.scales[0] * (2.0 ** 7 * depth ** 0.5 if kind == INT8 else 2.0 ** 15)
    y     = activation(rng, "y", (*lead, rows, columns), kind, float(np.float32(scale)))
    return network("BATCH_MATMUL", (x, z), (y,), options.BatchMatMulOptions(*turn))


def dense_pair(rng):
    """FULLY_CONNECTED of an input and computed weights, with a constant bias now and then."""
    kind = kind_of(rng)
    depth, outputs = (int(n) for n in rng.integers(1, (20, 60)))
    shape   = (*rng.integers(1, 6, rng.integers(1, 4)).tolist(), depth)
    x       = activation(rng, "x", shape, kind)
    weights = activation(rng, "z", (outputs, depth))
    scale   = x.scales[0] * weights.scales[0] * 2.0 ** (7 if kind == INT8 else 8) * depth ** 0.5
    y       = activation(rng, "y", (*shape[:-1], outputs), kind,
                         float(np.float32(scale * 2.0 ** rng.uniform(-2, 2))))
    inputs  = x, weights
    if rng.integers(2):
        inputs += bias_of(rng, outputs, kind, x, weights),
    short = INT32 if rng.integers(2) else TENSOR_TYPE.FLOAT32
    return network("FULLY_CONNECTED", inputs, (y,), options.FullyConnectedOptions(
        draw_activation(rng), keep_num_dims=len(shape) > 2, quantized_bias_type=short))


def rsqrt(rng):
    """Zero points at the lower end, so that no element is below."""
    x = activation(rng, "x", shape_of(rng), zero_point=-128)
    return network("RSQRT", (x,), (activation(rng, "y", x.shape,
                                              scale=scale_of(rng, -2, 6)),))


def log_softmax(rng):
    """Few rows of up to 5 elements, whose thresholds fit any core."""
    x = activation(rng, "x", tuple(rng.integers(1, (4, 6)).tolist()))
    return network("LOG_SOFTMAX", (x,), (activation(rng, "y", x.shape, scale=2.0 ** -4,
                                                    zero_point=127),))


ARITHMETIC = {
    "ABS": unary("ABS"),
    "ELU": unary("ELU", kinds=(INT8,)),
    "RSQRT": rsqrt, "LOG_SOFTMAX": log_softmax,
    "EQUAL": compare("EQUAL"), "NOT_EQUAL": compare("NOT_EQUAL"),
    "GREATER": compare("GREATER"), "GREATER_EQUAL": compare("GREATER_EQUAL"),
    "LESS": compare("LESS"), "LESS_EQUAL": compare("LESS_EQUAL"),
    "LOGICAL_AND": logical("LOGICAL_AND", 2), "LOGICAL_OR": logical("LOGICAL_OR", 2),
    "LOGICAL_NOT": logical("LOGICAL_NOT", 1), "REDUCE_ALL": reduce_all,
    "SQUARED_DIFFERENCE": squared_difference, "ADD_N": add_n, "CUMSUM": cumsum,
    "SUM": reduce("SUM", (INT8, INT16)), "REDUCE_MAX": reduce("REDUCE_MAX"),
    "REDUCE_MIN": reduce("REDUCE_MIN"), "BATCH_MATMUL": batch_matmul,
    "FULLY_CONNECTED of two": dense_pair,
    "ARG_MAX": place("ARG_MAX", options.ArgMaxOptions),
    "ARG_MIN": place("ARG_MIN", options.ArgMinOptions),
}

#: Those of operators that golden alone computes.
GOLDEN = {
    "L2_NORMALIZATION": unary("L2_NORMALIZATION", lambda rng: options.L2NormOptions(),
                              kinds=(INT8,)),
    "DIV": div,
}
