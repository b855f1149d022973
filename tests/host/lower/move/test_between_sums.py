# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite that move elements, between convolutions and matrices."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from xymac.golden.tflm import (
    Concatenation,
    Conv2d,
    FullyConnected,
    Pad,
    Padding,
    Quantisation,
    Reshape,
    ResizeNearestNeighbor,
    Slice,
    Split,
    Tensor,
    Transpose,
)
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.host.plan.graph import Node, chain

KIND  = Quantisation((2.0**-3,), (-5,))
CORES = pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)


def weights(*shape):
    return Tensor(random_of(shape).integers(-127, 128, shape, np.int8),
                  Quantisation((2.0**-7,), (0,)))


def conv(inputs, outputs, size=3, padding=Padding.SAME):
    return Conv2d(weights(outputs, size, size, inputs), None, KIND, padding=padding)


def matrix(inputs, outputs):
    return FullyConnected(weights(outputs, inputs), None, KIND)


def image(*shape):
    return Tensor(random_of(1).integers(-128, 128, shape, np.int8), KIND)


#: Networks, the shapes of their inputs, and on base the passes of what moves elements, and elements
#: that are moved besides.
NETWORKS = {
    "padded": ((1, 6, 5, 3), chain([
        conv(3, 8), Pad(((0, 0), (1, 0), (1, 2), (0, 0)), KIND),
        conv(8, 5, padding=Padding.VALID)]), 0, 0),
    "joined channels": ((1, 6, 5, 3), [
        Node(conv(3, 8), (0,)), Node(conv(3, 6), (0,)), Node(Concatenation(3), (1, 2)),
        Node(conv(14, 4), (3,))], 0, 0),
    "joined rows": ((2, 6, 5, 3), [
        Node(conv(3, 8), (0,)), Node(conv(3, 8), (0,)), Node(Concatenation(1), (1, 2)),
        Node(conv(8, 4), (3,))], 2, 0),
    "split channels": ((1, 6, 5, 8), [
        Node(conv(8, 16), (0,)), Node(Split(3, 2, 0), (1,)), Node(Split(3, 2, 1), (1,)),
        Node(conv(8, 4), (3,)), Node(Concatenation(3), (4, 2))], 3, 0),
    "split rows": ((1, 6, 5, 3), [
        Node(conv(3, 8), (0,)), Node(Split(1, 3, 1), (1,)), Node(conv(8, 4), (2,))], 0, 0),
    "pooled": ((1, 1, 1, 12), chain([conv(12, 16, 1), Reshape((1, 16)), matrix(16, 5)]), 0, 0),
    "few channels": ((1, 6, 5, 3), chain([conv(3, 2), Reshape((1, 60, 1))]), 0, 0),
    "flattened": ((2, 3, 4, 5), chain([conv(5, 6), Reshape((2, 72)), matrix(72, 5)]), 0, 0),
    "an image of a row": ((1, 42), chain([Reshape((1, 6, 7, 1)), conv(1, 5)]), 0, 0),
    "an image of a matrix": ((1, 20), chain([
        matrix(20, 36), Reshape((1, 3, 3, 4)), ResizeNearestNeighbor((6, 6)), conv(4, 3)]), 4, 0),
    "turned": ((1, 4, 5, 8), chain([conv(8, 6), Transpose((0, 2, 1, 3)), conv(6, 3)]), 0, 120),
    "channels in front": ((1, 8, 4, 5), chain([Transpose((0, 2, 3, 1)), conv(8, 6)]), 0, 0),
    "cut": ((1, 6, 6, 4), chain([
        conv(4, 8), Slice((0, 1, 2, 4), (1, 4, -1, 4)), conv(4, 3)]), 1, 0)}


@CORES
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_exact_and_move_little(config, name):
    shape, nodes, passes, moved = NETWORKS[name]

    steps = assert_plan(config, nodes, image(*shape)).steps

    assert sum(step.moved for step in steps) == moved
    assert not any(step.renamed and (step.moved or step.passes) for step in steps)
    if config is BASE:
        assert sum(len(step.passes) for step in steps
                   if not isinstance(step.layer, Conv2d | FullyConnected)) == passes
