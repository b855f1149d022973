# SPDX-License-Identifier: Apache-2.0
"""Random recurrent layers of MLI 2.0 and their inputs."""

import numpy as np

from tests.support.seed import random_of
from xymac.golden.mli2 import (
    Act,
    Affine,
    Build,
    Direction,
    Element,
    Fixed,
    LstmCell,
    QuantTensor,
    RnnDense,
    RnnOutput,
)

__all__ = ["KINDS", "random_cell", "random_dense"]

KINDS = ("fx16", "fx16_fx8_fx8", "sa8")


def pick(rng, values):
    """One of some values, which may be members of an Enum."""
    values = list(values)
    return values[rng.integers(len(values))]


def noise(rng, shape, element, kind):
    info = np.iinfo(element.dtype)
    return QuantTensor(rng.integers(info.min, info.max, shape, element.dtype, endpoint=True),
                       element, kind)


def data_format(rng, kind, spread=40):
    """Format whose elements reach from about 1 to 16."""
    if kind != "sa8":
        return Fixed(int(rng.integers(11, 16)))
    return Affine(int(rng.integers(-spread, spread)), int(rng.integers(1 << 13, 1 << 15)),
                  int(rng.integers(17, 21)))


def weights_of(rng, shape, kind, zero=0):
    """Weights of about 1 at most; SA_8 ones with a scale for each part or for all."""
    if kind == "fx16":
        return noise(rng, shape, Element.FX_16, Fixed(int(rng.integers(13, 17))))
    if kind == "fx16_fx8_fx8":
        return noise(rng, shape, Element.FX_8, Fixed(int(rng.integers(5, 9))))
    scales = rng.integers(1 << 13, 1 << 15, shape[0]).tolist()
    if len(shape) < 3 or rng.integers(2):
        return noise(rng, shape, Element.SA_8, Affine(zero, scales[0], 21))
    count = shape[0]
    return noise(rng, shape, Element.SA_8, Affine(
        (zero,) * count, tuple(scales), tuple(rng.integers(20, 23, count).tolist()), 0))


def bias_of(rng, shape, kind, x, weights):
    if kind == "sa8":
        return QuantTensor(rng.integers(-3000, 3000, shape, np.int32), Element.SA_32,
                           Affine(0, 1, 0))
    element = weights.element
    most    = x.format.frac_bits + weights.format.frac_bits
    return noise(rng, shape, element, Fixed(most - int(rng.integers(0, 12))))


def random_cell(seed, kind, cell, outputs, *, steps=None, inputs=None, apart=False):
    """An ``LstmCell`` or ``GruCell`` and its input; ``apart`` gives the initial state a format of
    its own."""
    rng   = random_of(seed)
    gates = cell.gates
    steps, inputs = steps or int(rng.integers(1, 5)), inputs or int(rng.integers(1, 12))
    element = Element.SA_8 if kind == "sa8" else Element.FX_16
    x       = noise(rng, (steps, inputs), element, data_format(rng, kind))
    w_in    = weights_of(rng, (gates, inputs, outputs), kind)
    w_out   = weights_of(rng, (gates, outputs, outputs), kind)
    bias    = bias_of(rng, (gates, outputs), kind, x, w_in)
    out     = data_format(rng, kind)
    first   = data_format(rng, kind) if apart else out
    state   = noise(rng, (outputs,), element, first)
    options = {"direction": pick(rng, Direction), "output": pick(rng, RnnOutput),
               "build": pick(rng, Build)}
    if cell is LstmCell:
        options |= {"cell": noise(rng, (outputs,), element, data_format(rng, kind)),
                    "act": pick(rng, Act)}
    elif kind == "sa8":
        options["documented"] = bool(rng.integers(2))
    return cell(w_in, w_out, bias, state, out, **options), x


def random_dense(seed, kind, outputs, count=2, zero=0):
    """An ``RnnDense`` and its inputs."""
    rng     = random_of(seed)
    element = Element.SA_8 if kind == "sa8" else Element.FX_16
    xs      = [noise(rng, (int(rng.integers(1, 20)),), element, data_format(rng, kind))
               for _ in range(count)]
    weights = tuple(weights_of(rng, (x.shape[0], outputs), kind, zero) for x in xs)
    bias    = bias_of(rng, (outputs,), kind, xs[0], weights[0])
    out     = Fixed(int(rng.integers(7, 16))) if kind != "sa8" else data_format(rng, kind)
    return RnnDense(weights, bias, out, pick(rng, Build)), *xs
