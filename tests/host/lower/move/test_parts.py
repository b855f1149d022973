# SPDX-License-Identifier: Apache-2.0
"""Resized images as parts of a concatenation: computed in place, without a copy."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.tflm import (
    Concatenation,
    Quantisation,
    ResizeBilinear,
    ResizeNearestNeighbor,
    Tensor,
)
from xymac.hdl.config import BASE
from xymac.host.plan.graph import Node

KIND = Quantisation((0.5,), (-3,))


@pytest.mark.parametrize("channels", [3, 8, 24, 40])
@pytest.mark.parametrize("size", [(12, 10), (6, 15), (8, 7)])
@each_size
def test_images_are_resized_in_place(config, size, channels):
    """Of a size without scratch between two stages."""
    rng   = random_of((channels, *size))
    x     = Tensor(rng.integers(-128, 128, (1, 6, 5, channels), np.int8), KIND)
    nodes = [Node(ResizeBilinear(size, False, True, KIND), (0,)),
             Node(ResizeNearestNeighbor(size, False, True), (0,)),
             Node(Concatenation(3, KIND), (1, 2))]

    plan = assert_plan(config, nodes, x)

    assert plan.steps[2].passes == ()


def test_images_with_scratch_are_copied():
    """Between both stages rows lie behind the output, where a part has none."""
    x     = Tensor(random_of(5).integers(-128, 128, (1, 11, 11, 8), np.int8), KIND)
    large = ResizeBilinear((27, 23), True, False, KIND)
    nodes = [Node(large, (0,)), Node(large, (0,)), Node(Concatenation(3, KIND), (1, 2))]

    plan = assert_plan(BASE, nodes, x)

    assert len(plan.steps[2].passes) == 2
