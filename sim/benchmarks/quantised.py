# SPDX-License-Identifier: Apache-2.0
"""Random operands for quantised kernels: MLI 2.0 in SA8, and the XS3 library."""

import numpy as np

from xymac.golden import xs3
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Affine, Element, Eltwise, Fixed, QuantTensor
from xymac.golden.xs3 import Integers, Window

__all__ = ["affine_add", "affine_conv", "byte_table", "deep_conv", "fixed_elements"]

UNIT = Affine(3, 1 << 14, 14)  #: Scale 1 with a non-zero zero point.


def _elements(rng, shape):
    return rng.integers(-128, 127, shape, np.int8, endpoint=True)


def affine_conv(kind, shape, x_shape, rng):
    """An MLI 2.0 convolution of class ``kind``, padded by 1, and its input.

    Weights of ``shape`` (HWCN) have per-output scales; sums fill the 8-bit output range.
    """
    outputs   = shape[3]
    frac_bits = 21 + int(np.prod(shape[:3])).bit_length() // 2
    scales    = tuple(rng.integers(1 << 14, 1 << 15, outputs).tolist())
    weights   = QuantTensor(_elements(rng, shape), Element.SA_8,
                            Affine((0,) * outputs, scales, (frac_bits,) * outputs, 3))
    bias      = QuantTensor(rng.integers(-1 << 12, 1 << 12, outputs, np.int32), Element.SA_32,
                            Affine(0, 1, 0))
    return (kind(weights, bias, UNIT, pad=(1,) * 4),
            QuantTensor(_elements(rng, x_shape), Element.SA_8, UNIT))


def affine_add(shape, rng):
    """An MLI 2.0 sum whose inputs and output differ in scale and zero point, and its inputs."""
    kinds = Affine(5, 20003, 14), Affine(-7, 23457, 15)
    return (Eltwise(EltwiseOp.ADD, Affine(3, 24001, 14)),
            *(QuantTensor(_elements(rng, shape), Element.SA_8, kind) for kind in kinds))


def fixed_elements(layer, count, rng):
    """An MLI 2.0 ``layer``, and 16-bit elements for it."""
    data = rng.integers(-1 << 15, (1 << 15) - 1, count, np.int16, endpoint=True)
    return layer, QuantTensor(data, Element.FX_16, Fixed(11))


def deep_conv(shape, x_shape, rng):
    """An XS3 convolution, padded by 1, with ``shape`` weights, and its input."""
    groups = -(-shape[0] // 16)
    bso    = np.zeros((groups, 7, 16), np.int16)
    bso[:, 0]   = rng.integers(-1, 1, (groups, 16))          # bias, high and low
    bso[:, 1]   = rng.integers(-1 << 15, 1 << 15, (groups, 16))
    bso[:, 2]   = int(np.prod(shape[1:])).bit_length() // 2  # shift to 16 bits
    bso[:, 3]   = rng.integers(1 << 13, 1 << 14, (groups, 16))
    bso[:, 4:6] = rng.integers(-1 << 10, 1 << 10, (groups, 2, 16))
    bso[:, 6]   = 21                                         # shift to 8 bits
    layer = xs3.Conv2dDeep(Integers(_elements(rng, shape)), Integers(bso),
                          Window(x_shape[:2], (-1, -1)), zero_point=-5)
    return layer, Integers(_elements(rng, x_shape))


def byte_table(size, rng):
    """An XS3 lookup table with random elements, and ``size`` bytes to look up."""
    return xs3.Lookup8(Integers(_elements(rng, (256,)))), Integers(_elements(rng, (size,)))
