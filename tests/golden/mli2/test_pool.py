# SPDX-License-Identifier: Apache-2.0
"""Pooling kernels of MLI 2.0 against single Python ints, as the formulas say."""

import numpy as np
import pytest

from tests.support.naive.mli2 import norm, requantised, rounded, saturated
from tests.support.seed import random_of
from tests.support.tensors import format_of, tensor_of
from xymac.golden import run
from xymac.golden.mli2 import AvePool, Build, Element, MaxPool


def naive_mean(values, x, out, build):
    """Mean of one window, with the wrapped accumulator left out."""
    count = len(values)
    ones  = 2 ** 31 // count
    extra = 32 - ones.bit_length()
    mul, shift = ones * 2 ** extra >> 17, 14 + extra
    if not x.is_affine:
        bits  = 64 if x.bits == 16 else 32
        shift += x.format.frac_bits - out.frac_bits
        return saturated(rounded(mul * sum(values), shift, bits, build), x.bits)
    scale, frac = requantised(x.format, out, build)
    offset  = saturated(out.zero_point - saturated(
        rounded(scale * x.format.zero_point, frac, 32, build), 16), 16)
    product = scale * mul
    excess  = 24 - norm(product, 32)
    mul     = saturated(rounded(product, excess, 32, build), 8)
    shift  += frac - excess
    start   = saturated(offset * 2 ** shift, 32) if shift >= 0 else offset >> -shift
    return saturated(rounded(start + mul * sum(values), shift, 32, build), 8)


def windows(layer, x):
    """Lists of the valid elements of every window, in the order of the output."""
    rows, cols, _ = x.shape
    for row, col, c in np.ndindex(*layer.output_shape(x.shape)):
        top, left = row * layer.stride[0] - layer.pad[0], col * layer.stride[1] - layer.pad[2]
        yield [int(x.data[i, j, c]) for i in range(top, top + layer.kernel[0]) if 0 <= i < rows
               for j in range(left, left + layer.kernel[1]) if 0 <= j < cols]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_pools(element, build, seed):
    rng = random_of(seed)
    x   = tensor_of(rng, element, (7, 6, 2), 9)
    out = format_of(rng, element, 10) if seed else None
    ave = AvePool((3 + seed, 2), (2, 1), (1, 2, 1, 0), out, build)
    big = MaxPool(ave.kernel, ave.stride, ave.pad)

    mean, top = run(ave, x), run(big, x)

    parts = list(windows(ave, x))
    assert mean.output.data.reshape(-1).tolist() == [
        naive_mean(part, x, out or x.format, build) for part in parts]
    assert mean.output.format == (out or x.format)
    assert top.output.data.reshape(-1).tolist() == list(map(max, parts))
    assert top.output.format == x.format
    assert not mean.overflow
