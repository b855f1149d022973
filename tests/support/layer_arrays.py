# SPDX-License-Identifier: Apache-2.0
"""Arrays of random numbers in the formats of the libraries, each with numbers of its own."""

from itertools import count

import numpy as np

from tests.support.seed import random_of
from xymac.golden import tflm
from xymac.golden.mli1 import Tensor
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.golden.tflm import Quantisation
from xymac.golden.xs3 import Integers

__all__ = ["FINE", "SCALE", "ZERO", "bso", "factors", "filters", "fx16", "gates", "integers",
           "numbers", "ones", "reals", "sa8", "sa32", "scaled", "tensor", "truth",
           "weights"]

ZERO  = Affine(0, 1, 0)
SCALE = Affine(3, 20000, 14)
FINE  = Affine(3, 500, 14)
_KEYS = count(3)
_BIAS = 1 << 12  #: Largest magnitude of a bias, about that of a sum of few products.


def _random(shape, dtype):
    """Other numbers for each array; those of more than 16 bits are biases."""
    limits = np.iinfo(dtype)
    low, high = (limits.min, limits.max) if limits.bits <= 16 else (-_BIAS, _BIAS)
    return random_of(next(_KEYS)).integers(low, high, shape, dtype, endpoint=True)


def tensor(*shape, bits=8, frac_bits=5):
    return Tensor(_random(shape, f"int{bits}"), frac_bits)


def sa8(*shape, kind=SCALE):
    return QuantTensor(_random(shape, np.int8), Element.SA_8, kind)


def sa32(*shape):
    return QuantTensor(_random(shape, np.int32), Element.SA_32, ZERO)


def weights(*shape):
    return sa8(*shape, kind=Affine(0, 77, 15))


def fx16(*shape, frac_bits=11):
    return QuantTensor(_random(shape, np.int16), Element.FX_16, Fixed(frac_bits))


def scaled(*shape, bits=8, scales=(0.25,), zero=None, axis=-1):
    zero = (3 if bits == 8 else 0) if zero is None else zero
    kind = Quantisation(scales, (zero,) * len(scales), axis)
    return tflm.Tensor(_random(shape, f"int{bits}"), kind)


def numbers(*values):
    return tflm.Tensor(np.array(values, np.int32))


def truth(*shape):
    return tflm.Tensor(_random(shape, np.int8) > 0)


def filters(*shape, axis=0):
    scales = tuple(2.0 ** -(place + 9) for place in range(shape[axis]))
    return scaled(*shape, scales=scales, zero=0, axis=axis)


def gates(*shape):
    return scaled(*shape, scales=(2.0 ** -9,), zero=0)


def integers(*shape, dtype=np.int8):
    return Integers(_random(shape, dtype))


def ones(*shape):
    return Integers(np.ones(shape, np.int16))


def bso(channels, shift2=19):
    """Outputs of 8 bits; of 16 bits with a ``shift2`` of 11."""
    blocks = np.zeros((-(-channels // 16), 7, 16), np.int16)
    rng    = random_of(next(_KEYS))
    blocks[:, 1] = rng.integers(0, 1 << 10, 16)       # low half of the bias
    blocks[:, 2] = rng.integers(1, 4, 16)             # shift 1
    blocks[:, 3] = rng.integers(3000, 20000, 16)      # scale
    blocks[:, 4:6] = rng.integers(-2000, 2000, (2, 16))  # scale of the offset, and offset
    blocks[:, 6] = shift2
    return Integers(blocks)


def factors(channels):
    return Integers(random_of(next(_KEYS)).integers(2000, 30000, channels, np.int16))


def reals(*shape):
    return tflm.Tensor(random_of(1).normal(size=shape).astype(np.float32))
