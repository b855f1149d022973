# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite on elements three ways: golden kernels, golden machine and RTL."""

import numpy as np
import pytest

from tests.rtl.test_lowered import assert_equal
from tests.support.seed import random_of
from xymac.golden.tflm import (
    Add,
    HardSwish,
    LeakyRelu,
    Logistic,
    Mul,
    Prelu,
    Quantisation,
    Quantize,
    Relu,
    Sub,
    Tanh,
    Tensor,
)


def quantisation(scale, zero=0):
    return Quantisation((float(np.float32(scale)),), (zero,))


BYTE = quantisation(0.07, -9)
WORD = quantisation(0.0007)
UNIT = quantisation(2.0**-15)
ONES = Tensor(np.array([-128, 0, 3, 100, 127], np.int8), quantisation(0.01))

CASES = [
    (Add(quantisation(0.1, 3)), BYTE, (3, 4, 5), (3, 4, 5)),
    (Sub(quantisation(0.1, 3)), BYTE, (20, 23, 5), (5,)),
    (Add(quantisation(0.2)), WORD, (3, 4, 5), (4, 1)),
    (Mul(quantisation(0.1, 3)), BYTE, (3, 4, 5), (5,)),
    (Mul(quantisation(0.0001)), WORD, (3, 1, 5), (4, 5)),
    (Relu(quantisation(0.1, 3)), BYTE, (7, 5)),
    (Quantize(quantisation(0.02, 3), np.dtype(np.int8)), WORD, (7, 5)),
    (Quantize(quantisation(0.00001), np.dtype(np.int32)), WORD, (7, 5)),
    (LeakyRelu(quantisation(0.001), 0.3), WORD, (7, 5)),
    (Prelu(quantisation(0.1, 3), ONES), BYTE, (7, 5)),
    (HardSwish(quantisation(0.1, 3)), BYTE, (7, 5)),
    (Logistic(UNIT), WORD, (7, 50)), (Tanh(UNIT), WORD, (7, 50))]


@pytest.mark.parametrize(("layer", "kind", "shapes"), [(each[0], each[1], each[2:])
                                                       for each in CASES],
                         ids=lambda value: type(value).__name__)
def test_layers(device, layer, kind, shapes):
    rng    = random_of(len(shapes[0]))
    limits = np.iinfo(np.int8 if kind is BYTE else np.int16)
    inputs = (Tensor(rng.integers(limits.min, limits.max, shape, limits.dtype, endpoint=True), kind)
              for shape in shapes)
    assert_equal(device, layer, *inputs)
