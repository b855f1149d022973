# SPDX-License-Identifier: Apache-2.0
"""Cases for devices that give sums."""

from functools import partial

import numpy as np

from xymac.host.kit.accumulate import Accumulate

from .draw import NoCaseError

__all__ = ["GENERATORS"]

_INPUTS  = (8, 1, 3, 4, 16, 64, 255, 256, 257, 2048, 1 << 17)
_OUTPUTS = (8, 4, 16, 1, 3)
_ROWS    = (8, 1, 2, 5)
_ZEROS   = (-128, 127, 0, -1, 5)
_LONG    = 1024  #: From so many products on there is a single output.


def _draw(draw, kind, is_tile):
    """An Accumulate and its elements; a tile has neither zero point nor bias."""
    inputs  = draw.pick("channels", _INPUTS)
    is_long = inputs > _LONG
    outputs = draw.near("outputs", 1) if is_long else draw.pick("outputs", _OUTPUTS)
    rows    = draw.near("height", 1) if is_long else draw.pick("height", _ROWS)
    zero    = 0 if is_tile else draw.pick("input_zero", _ZEROS)
    x       = draw.data("data", (rows, inputs), np.int8)
    weights = draw.data("data of weights", (outputs, inputs), np.int8)
    if is_long:
        x, weights = _same_signed(draw, x.shape, "input"), _same_signed(
            draw, weights.shape, "weights")
    bias    = np.zeros(outputs, np.int64)
    if not is_tile and draw.pick("bias", ("zero", "other")) == "other":
        sizes = 2.0 ** draw.rng.uniform(8, 30.9, outputs)
        bias  = (sizes * draw.rng.choice([-1, 1], outputs)).astype(np.int64)
    layer = Accumulate(weights, bias.astype(np.int32), zero)
    if not layer.fits(x):
        raise NoCaseError("a sum is longer than 32 bits")
    return layer, (x,)


def _same_signed(draw, shape, quantity):
    """Elements near the lowest or the highest value."""
    low, high = draw.ends(quantity, -127, 127)
    end = (low, high)[draw.integers(0, 1)]
    return np.rint(end * draw.rng.uniform(0.9, 1, shape)).astype(np.int8)


#: Functions from a Draw and a type to a layer and its inputs, by operation.
GENERATORS = {"accumulate": partial(_draw, is_tile=False), "matmul": partial(_draw, is_tile=True)}
