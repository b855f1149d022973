# SPDX-License-Identifier: Apache-2.0
"""How long planning takes: in proportion to the layers, whether X holds all of them or not."""

import sys
from collections import Counter
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from tests.support.calls.mli1 import arguments
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.tflm import Add, Conv2d, DepthwiseConv2d, Padding, Quantisation, Tensor
from xymac.hdl.config import BASE
from xymac.host.api import on_device
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice
from xymac.host.plan.graph import Node
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan

OUT = Quantisation((2.0**-4,), (3,))

#: Calls of functions that a plan takes for each layer, about twice as many as there are.
CALLS = {"small": 4500, "tiled": 10_000}
IMAGE = {"small": (1, 16, 16, 32), "tiled": (1, 28, 28, 64)}


def network(image, count):
    """Nodes of blocks, each with two 1x1 convolutions, one 3x3 depthwise and a sum: about
    MobileNet v2, with other weights in every layer."""
    rng, channels = random_of(1), image[-1]

    def weights(*shape):
        scales = tuple((2.0**rng.uniform(-9, -8, channels)).astype(np.float32).tolist())
        data   = rng.integers(-127, 128, shape, np.int8)
        return Tensor(data, Quantisation(scales, (0,) * channels, shape.index(channels)))

    bias  = Tensor(rng.integers(-1000, 1000, channels, np.int32))
    kinds = [
        lambda: Conv2d(weights(channels, 1, 1, channels), bias, OUT),
        lambda: DepthwiseConv2d(weights(1, 3, 3, channels), bias, OUT, padding=Padding.SAME),
        lambda: Conv2d(weights(channels, 1, 1, channels), bias, OUT),
        lambda: Add(OUT)]
    return [Node(kinds[number % 4](), (number, number - 3) if number % 4 == 3 else (number,))
            for number in range(count)]


def count_calls(nodes, x):
    """Calls of functions in Python while a plan is made, and the plan."""
    calls = 0

    def note(_, event, __):
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        plan = make_plan(BASE, nodes, x)
    finally:
        sys.setprofile(before)
    return calls, plan


@pytest.mark.parametrize("kind", CALLS)
def test_planning_is_linear_in_the_layers(kind):
    x     = Tensor(np.zeros(IMAGE[kind], np.int8), OUT)
    calls = {}
    for count in (25, 50, 100):
        calls[count], plan = count_calls(network(IMAGE[kind], count), x)

        assert isinstance(plan, TiledPlan) == (kind == "tiled")
        assert calls[count] < CALLS[kind] * count

    assert calls[100] - calls[50] < 2.4 * (calls[50] - calls[25])


def test_calls_of_a_function_by_its_name():
    """A call on the golden machine, after a first one: functions of this project, and all."""
    root  = str(Path(golden.__file__).parents[1])  # an environment may lie in it
    calls = Counter()

    def note(frame, event, _):
        if event == "call":
            path = frame.f_code.co_filename
            calls[path.startswith(root) and "site-packages" not in path] += 1

    with MachineDevice(BASE) as device:
        conv2d = on_device(device).mli_krn_conv2d_chw_fx16
        first, second = (arguments("mli_krn_conv2d_chw_fx16", random_of(7)) for _ in range(2))
        conv2d(**first)
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            conv2d(**second)
        finally:
            sys.setprofile(before)

    assert 1000 < calls[True] < 2500, calls
    assert calls.total() < 3900, calls


@pytest.mark.parametrize("kind", CALLS)
def test_a_hundred_layers_take_two_seconds_at_most(kind):
    nodes = network(IMAGE[kind], 100)
    start = process_time()

    make_plan(BASE, nodes, Tensor(np.zeros(IMAGE[kind], np.int8), OUT))

    assert process_time() - start < 2


@pytest.mark.parametrize(("kernel", "channels"), [(31, 512), (15, 384)])
def test_windows_as_large_as_the_image_are_cut_by_channels(kernel, channels):
    """Bands of the image would all need all of it; tiles of whole tiles of lanes use all lanes."""
    rng     = random_of(2)
    weights = Tensor(rng.integers(-127, 128, (1, kernel, kernel, channels), np.int8),
                     Quantisation((2.0**-9,), (0,)))
    layer   = DepthwiseConv2d(weights, None, OUT, padding=Padding.SAME)
    x       = Tensor(np.zeros((1, 28, 28, channels), np.int8), OUT)

    calls, plan = count_calls([Node(layer, (0,))], x)

    assert calls < 200_000
    cycles = sum(predict(segment, BASE).cycles for segment in plan.segments)
    assert cycles < 1.01 * ideal_cycles(layer, BASE, x.shape)
