# SPDX-License-Identifier: Apache-2.0
"""Kernels of MLI 2.0 that only move or find elements."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.mli2 import Affine, ArgMax, Element, Fixed, Permute, QuantTensor


def test_permute_moves_the_scales():
    x = QuantTensor(np.arange(6, dtype=np.int8).reshape(1, 2, 3), Element.SA_8,
                    Affine((1, 2, 3), (4, 5, 6), (7, 8, 9), 2))

    output = run(Permute((2, 0, 1)), x).output

    assert output.data.tolist() == [[[0, 3]], [[1, 4]], [[2, 5]]]
    assert output.format == Affine((1, 2, 3), (4, 5, 6), (7, 8, 9), 0)


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_argmax_finds_the_largest(axis):
    rng  = random_of(9)
    data = rng.permutation(24).astype(np.int16).reshape(2, 3, 4)
    x    = QuantTensor(data, Element.FX_16, Fixed(0))

    largest = run(ArgMax(4, axis), x).output.data

    places = np.arange(24).reshape(x.shape)
    slices = [places] if axis < 0 else np.moveaxis(places, axis, 0)
    order  = [sorted(part.reshape(-1).tolist(), key=lambda i: -x.data.reshape(-1)[i])[:4]
              for part in slices]
    assert largest.tolist() == order
