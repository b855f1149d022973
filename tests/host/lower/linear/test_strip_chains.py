# SPDX-License-Identifier: Apache-2.0
"""Random chains of convolutions and pools of few channels, some values with two readers: strips,
the rows of others and pixels again, against golden."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.tflm import (
    AveragePool2d,
    Conv2d,
    DepthwiseConv2d,
    HardSwish,
    LeakyRelu,
    MaxPool2d,
    Padding,
    Quantisation,
    Quantize,
)
from xymac.hdl.config import BASE, SMALL
from xymac.host.memory.strips import StripLayout
from xymac.host.plan.graph import Node

from .test_tflm import scaled, tensor

KIND  = Quantisation((0.5,), (3,))
KINDS = Conv2d, DepthwiseConv2d, MaxPool2d, AveragePool2d


def random_layer(rng, x, out):
    """A layer on a Tensor like ``x``."""
    kind    = KINDS[int(rng.integers(len(KINDS)))]
    kernel, stride = (tuple(rng.integers(1, most, 2).tolist()) for most in (5, 4))
    options = {"stride": stride, "padding": Padding(int(rng.integers(2)))}
    if kind in (MaxPool2d, AveragePool2d):
        return kind(kernel, x.quantisation, **options)
    channels = x.shape[3]
    shape    = ((int(rng.integers(1, 13)), *kernel, channels) if kind is Conv2d
                else (1, *kernel, channels))
    return scaled(rng, kind, shape, (2.0**-7,), out, **options)


def random_chain(rng):
    """Nodes and their input; some layers work element by element."""
    dtype  = np.int16 if rng.random() < 0.2 else np.int8
    zeros  = rng.integers(-128, 128, 2) * (dtype is np.int8)
    size   = rng.integers(9, 60, 2).tolist()
    values = [tensor(rng, (1, *size, int(rng.integers(1, 9))), dtype, zero=int(zeros[0]))]
    out    = Quantisation((0.5,), (int(zeros[1]),))
    nodes  = []
    for _ in range(int(rng.integers(2, 5))):
        source = len(values) - 1 - int(rng.random() < 0.15 and len(values) > 1)
        layer  = random_layer(rng, values[source], out)
        try:
            values.append(golden.run(layer, values[source]).output)
        except ValueError:  # the kernel is larger than the image
            continue
        nodes.append(Node(layer, (source,)))
    return nodes, values[0]


@pytest.mark.parametrize(("config", "count"), [
    (BASE, 60), (SMALL, 20), pytest.param(BASE, 900, marks=pytest.mark.long)])
def test_random_chains(config, count):
    strips = joined = 0
    for key in range(count):
        rng      = random_of((config.ways, key))
        nodes, x = random_chain(rng)
        if not nodes:
            continue

        plan = assert_plan(config, nodes, x)

        if hasattr(plan, "sources"):
            strips += isinstance(plan.source, StripLayout)
            joined += sum(isinstance(step.sources[0], StripLayout) and step.moved > 0
                          for step in plan.steps)
    assert strips > count // 8
    assert joined


def test_no_rows_of_others_where_outside_is_not_zero():
    """A maximum of 16 bits has the lowest element outside, which no pass can add there."""
    rng   = random_of(5)
    out   = Quantisation((0.5,), (0,))
    first = scaled(rng, Conv2d, (4, 3, 3, 4), (2.0**-7,), out, padding=Padding.SAME)
    nodes = [Node(first, (0,)), Node(MaxPool2d((3, 3), out, (1, 1), padding=Padding.SAME), (1,))]

    assert_plan(BASE, nodes, tensor(rng, (1, 47, 13, 4), np.int16))


def test_windows_beyond_the_last_row_have_padding():
    """A window that is as long as its stride is within a strip, but what lies behind the image is
    what the layer before has left there."""
    rng   = random_of(6)
    out   = Quantisation((0.5,), (0,))
    x     = tensor(rng, (1, 34, 55, 7), np.int16)
    nodes = [Node(MaxPool2d((3, 2), x.quantisation, (3, 3)), (0,)),
             Node(scaled(rng, Conv2d, (8, 3, 1, 7), (2.0**-7,), out, stride=(3, 1),
                         padding=Padding.SAME), (1,))]

    assert isinstance(assert_plan(BASE, nodes, x).source, StripLayout)


@pytest.mark.parametrize(("kind", "shape", "size", "stride", "count"), [
    (Conv2d, (24, 5, 5, 3), (128, 128), (2, 2), 4), (Conv2d, (8, 3, 3, 8), (96, 70), (1, 1), 2)])
def test_more_tiles_whose_inputs_lie_in_strips(kind, shape, size, stride, count):
    """As few tiles as there can be have no room for strips, one more has."""
    rng   = random_of(7)
    layer = scaled(rng, kind, shape, (2.0**-7,), stride=stride, padding=Padding.SAME)

    plan = assert_plan(BASE, [layer], tensor(rng, (1, *size, shape[3]), zero=5))

    assert len(plan.parts) == count
    assert all(isinstance(part.plan.source, StripLayout) for part in plan.parts)


@pytest.mark.parametrize("between", [LeakyRelu(KIND, 0.25), HardSwish(KIND),
                                     Quantize(KIND, np.dtype(np.int8))],
                         ids=lambda layer: type(layer).__name__)
def test_elements_stay_in_strips(between):
    """A layer that works element by element takes them where they lie, and so does the next."""
    rng    = random_of(8)
    layers = [scaled(rng, Conv2d, (4, 3, 3, 1), (2.0**-7,), KIND, padding=Padding.SAME), between,
              MaxPool2d((2, 2), KIND, (2, 2))]

    plan = assert_plan(BASE, layers, tensor(rng, (1, 48, 40, 1), zero=4))

    assert [isinstance(step.target, StripLayout) for step in plan.steps] == [True] * 3
    assert not any(step.moved for step in plan.steps)
