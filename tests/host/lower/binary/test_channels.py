# SPDX-License-Identifier: Apache-2.0
"""Sums and products with a vector of channels that fill no row of X."""

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.tflm import Activation, Add, Mul, Quantisation, Sub, Tensor
from xymac.hdl.config import BASE
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.cycles.model import predict
from xymac.host.lower.binary.channels import ChannelLowering
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan


def tensor(rng, shape, dtype=np.int8, scale=0.05, zero=7):
    limits = np.iinfo(dtype)
    return Tensor(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True),
                  Quantisation((float(np.float32(scale)),), (zero if dtype is np.int8 else 0,)))


def layer_of(kind, dtype=np.int8):
    zero = -9 if dtype is np.int8 else 0
    return kind(Quantisation((0.125 if dtype is np.int8 else 2.0**-4,), (zero,)), Activation.NONE)


@each_size
@pytest.mark.parametrize("kind", [Add, Sub, Mul])
@pytest.mark.parametrize("shape", [(1, 16, 10, 3), (1, 14, 14, 5), (2, 9, 12, 20), (1, 11, 13, 3),
                                   (240, 6), (1, 40, 40, 1)])
def test_images_and_vectors(config, kind, shape):
    """In either order; pixels that do not make whole rows together are as before."""
    rng    = random_of(shape)
    image  = tensor(rng, shape)
    vector = tensor(rng, shape[-1:], scale=0.021, zero=-3)

    assert_equals_golden(config, layer_of(kind), image, vector)
    assert_equals_golden(config, layer_of(kind), vector, image)


@each_size
def test_products_of_words(config):
    rng = random_of(2)

    assert_equals_golden(config, layer_of(Mul, np.int16),
                         tensor(rng, (1, 20, 8, 3), np.int16, 0.01),
                         tensor(rng, (1, 1, 1, 3), np.int16, 0.01))


def test_zero_points_that_no_product_takes_off():
    rng = random_of(3)

    assert_equals_golden(BASE, layer_of(Mul), tensor(rng, (1, 20, 20, 3), zero=-128),
                         tensor(rng, (3,), zero=-128))


@pytest.mark.parametrize("kind", [Add, Sub, Mul])
@pytest.mark.parametrize(("side", "channels"), [(64, 3), (48, 7), (32, 12), (32, 20), (32, 28)])
def test_cycles(kind, side, channels):
    rng    = random_of(4)
    inputs = tensor(rng, (1, side, side, channels)), tensor(rng, (1, 1, 1, channels))
    layer  = layer_of(kind)
    ideal  = ideal_cycles(layer, BASE, *(x.shape for x in inputs))

    assert isinstance(find_lowering(layer, inputs, BASE.ways), ChannelLowering)
    assert predict(Plan(BASE, [layer], *inputs).program, BASE).cycles < 1.5 * ideal


def test_layers_behind_one_another():
    """The vectors are inputs as well; a reader wants the output in one run."""
    rng   = random_of(5)
    nodes = [Node(layer_of(Mul), (0, 1)), Node(layer_of(Add), (2, 1))]
    plan  = Plan(BASE, nodes, tensor(rng, (1, 32, 32, 3)), tensor(rng, (3,)))

    assert len(plan.steps[0].passes) == 3
    assert not any(step.moved for step in plan.steps)
    assert_plan(BASE, [Node(layer_of(Mul), (0, 0))], tensor(rng, (1, 8, 8, 3)))
