# SPDX-License-Identifier: Apache-2.0
"""Operators on INT32 without a scale: bit for bit as tflite-micro computes them."""

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

PAIRS = {"ADD": options.AddOptions, "SUB": options.SubOptions, "MUL": options.MulOptions}
LARGE = (-1 << 31, -1 << 30, -70_000, 70_000, 1 << 30, (1 << 31) - 1)
SHAPES = ((3, 40), (3, 40)), ((3, 40), (1,)), ((4, 1, 5, 1), (1, 3, 1, 4))


@pytest.mark.parametrize("activation", ACTIVATION)
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, activation):
    rng = random_of((activation, *name.encode()))
    for shapes in SHAPES:
        inputs  = [rng.choice(np.int32([*range(-9, 10), *LARGE]), shape) for shape in shapes]
        tensors = tuple(Tensor(name, shape, TENSOR_TYPE.INT32) for name, shape in zip(
            "xyz", (*shapes, np.broadcast_shapes(*shapes)), strict=True))
        model   = Model(tensors, (Operator(name, (0, 1), (2,), PAIRS[name](activation)),),
                        (0, 1), (2,))

        [expected] = run_file(write_model(model), *inputs)

        np.testing.assert_array_equal(run_model(model, *inputs)[2].output.data, expected)
