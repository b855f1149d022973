# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator that TensorFlow Lite has and tflite-micro lacks, by a name."""

from dataclasses import replace

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE

from .arithmetic import ARITHMETIC
from .cases import activation, kind_of, network, scale_of
from .moves import any_shape, ints, like
from .networks import value
from .picks import PICKS

__all__ = ["BEYOND", "BYTES", "narrowed"]

INT8, INT16, INT32, BOOL = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT32,
                            TENSOR_TYPE.BOOL)

#: Moves that tflite-micro has for bytes alone.
BYTES = ("GATHER", "GATHER_ND", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND", "MIRROR_PAD", "FILL")


def _retyped(model, old, new):
    """Model with tensors of another type, all zero points 0."""
    tensors = tuple(replace(each, type=new, zero_points=(0,) * len(each.zero_points))
                    if each.type == old else each for each in model.tensors)
    return replace(model, tensors=tensors)


def narrowed(model):
    """The same moves of bytes."""
    return _retyped(model, INT16, INT8)


def _wide(draw):
    return lambda rng: _retyped(draw(rng), INT8, INT16)


def tile(rng):
    """TILE of 1 to 3 times along each of 1 to 4 dimensions."""
    x     = activation(rng, "x", any_shape(rng), kind_of(rng))
    times = rng.integers(1, 4, len(x.shape))
    return network("TILE", (x, ints("times", times)),
                   (like(x, "y", (np.array(x.shape) * times).tolist()),))


def select(rng):
    """SELECT of equal shapes, or by a single condition."""
    shape = any_shape(rng)
    kind  = kind_of(rng)
    return network("SELECT", (value("c", shape if rng.integers(3) else (), BOOL),
                              activation(rng, "x", shape, kind), activation(rng, "z", shape, kind)),
                   (activation(rng, "y", shape, kind),))


def _curve(name, options_of=lambda rng: None):
    """A function of bytes whose largest outputs are near the ends of the output."""
    def draw(rng):
        x    = activation(rng, "x", any_shape(rng), scale=scale_of(rng, -8, -3))
        step = scale_of(rng, -12, 2)
        return network(name, (x,), (activation(rng, "y", x.shape, scale=step),), options_of(rng))
    return draw


def sqrt(rng):
    """SQRT of bytes, all of which are at least the zero point."""
    x    = activation(rng, "x", any_shape(rng), zero_point=-128)
    step = float(np.float32((255 * x.scales[0]) ** 0.5 / 255 * 2.0 ** rng.uniform(-1, 1)))
    return network("SQRT", (x,), (activation(rng, "y", x.shape, scale=step),))


BEYOND = {
    "SQRT": sqrt,
    "TILE": tile, "SELECT": select, "EXP": _curve("EXP"), "LOG": _curve("LOG"),
    "RELU_0_TO_1": _curve("RELU_0_TO_1"), "RELU_N1_TO_1": _curve("RELU_N1_TO_1"),
    "GELU": _curve("GELU", lambda rng: options.GeluOptions(bool(rng.integers(2)))),
    **{f"{name} of INT16": _wide(PICKS[name]) for name in BYTES},
    **{f"{name} of INT16": _wide(ARITHMETIC[name]) for name in ("REDUCE_MAX", "REDUCE_MIN")},
}
