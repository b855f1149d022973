# SPDX-License-Identifier: Apache-2.0
"""Layers whose outputs are parts of a concatenation: computed in place, without a copy."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.tflm import (
    Add,
    Concatenation,
    Conv2d,
    LeakyRelu,
    Logistic,
    MaxPool2d,
    Pad,
    Padding,
    Quantisation,
    Quantize,
    Relu,
    Reshape,
    ResizeBilinear,
    ResizeNearestNeighbor,
    Softmax,
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


@pytest.mark.parametrize("anchors", [(3, 3, 3), (2, 3, 1), (1, 2, 4)])
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("last", [Logistic(Quantisation((2.0 ** -8,), (-128,))),
                                  Softmax(Quantisation((2.0 ** -8,), (-128,)), 1.0),
                                  Concatenation(1, KIND)])
@each_size
def test_heads_of_a_detector(config, last, batch, anchors):
    """Images of several sizes become rows of classes, which are joined, each with its padding."""
    rng   = random_of((batch, *anchors))
    x     = Tensor(rng.integers(-128, 128, (batch, 4, 4, 5), np.int8), KIND)
    nodes, ends = [], []
    for count, size in zip(anchors, (4, 2, 1), strict=True):
        weights = Tensor(rng.integers(-127, 128, (3 * count, 3, 3, 5), np.int8),
                         Quantisation((2.0 ** -7,), (0,)))
        nodes += [Node(Conv2d(weights, None, KIND, (4 // size, 4 // size), Padding.SAME), (0,)),
                  Node(Reshape((batch, size * size * count, 3)), (len(nodes) + 1,))]
        ends.append(len(nodes))
    nodes.append(Node(Concatenation(1, KIND), tuple(ends)))
    joined = len(nodes)
    nodes.append(Node(last, (joined, joined) if isinstance(last, Concatenation) else (joined,)))

    assert_plan(config, nodes, x)


@pytest.mark.parametrize("channels", [3, 8, 24, 40])
@pytest.mark.parametrize("axis", [1, 3])
@each_size
def test_activations_in_place(config, axis, channels):
    """Along channels and along rows; another scale in front of a concatenation."""
    rng   = random_of((channels, axis))
    out   = Quantisation((2.0**-8,), (-128,))
    x     = Tensor(rng.integers(-128, 128, (1, 5, 7, channels), np.int8), KIND)
    kinds = Quantize(out, np.int8), Logistic(out), Relu(out), LeakyRelu(out, 0.25)
    nodes = [*(Node(kind, (0,)) for kind in kinds), Node(Add(out), (0, 0)),
             Node(Concatenation(axis, out), (1, 2, 3, 4, 5))]

    plan = assert_plan(config, nodes, x)

    assert plan.steps[5].passes == ()


@pytest.mark.parametrize("last", [MaxPool2d((2, 2), KIND, (1, 1), Padding.VALID),
                                  Softmax(Quantisation((2.0 ** -8,), (-128,)), 1.0),
                                  Concatenation(3, KIND)])
@pytest.mark.parametrize("first", [Pad(((141, 45),), KIND), Concatenation(0, KIND)])
@each_size
def test_rows_in_uneven_parts_become_images(config, first, last):
    """The parts end within rows and within pixels of the images."""
    rng   = random_of(8)
    x     = Tensor(rng.integers(-128, 128, 24 if isinstance(first, Pad) else 105, np.int8), KIND)
    nodes = [Node(Relu(KIND), (0,)), Node(first, (1,) if isinstance(first, Pad) else (1, 0)),
             Node(Reshape((1, 7, 3, 10)), (2,)), Node(Relu(KIND), (3,)),
             Node(last, (4, 3) if isinstance(last, Concatenation) else (4,))]

    assert_plan(config, nodes, x)
