# SPDX-License-Identifier: Apache-2.0
"""Places of largest elements of tensors that X cannot hold: those of golden, ties among them."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.rtl_device import assert_counters
from tests.support.seed import random_of
from tests.support.sizes import rarely
from xymac import golden
from xymac.golden import mli2, xs3
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.hdl.config import COMPACT, TINY
from xymac.host.errors import Refusal
from xymac.host.network.predicted import predict_plan
from xymac.host.plan.run import run_layer
from xymac.host.plan.tiling.tiled import make_plan

LITTLE = replace(TINY, x_rows=512)  #: A core with a quarter of X.


def tensor(*shape, top=3):
    data = random_of(len(shape)).integers(-top, top, shape)
    return QuantTensor(data.astype(np.int16), Element.FX_16, Fixed(7))


@pytest.mark.parametrize("config", [TINY, COMPACT], ids=lambda config: config.name)
@pytest.mark.parametrize("size", [9000, 20011])
def test_the_last_of_the_largest(config, size):
    for top in (2, 30000):
        run = assert_equals_golden(config, mli2.ArgMax(1), tensor(size, top=top))
        assert "searched in" in run.plan.steps[0].remarks


@pytest.mark.parametrize("place", [0, 4999, 5000, 11999])
def test_the_first_of_the_largest(place):
    data = np.full(12000, -5, np.int16)
    data[[place, -1]] = 7
    assert_equals_golden(TINY, xs3.Argmax16(), xs3.Integers(data))


@pytest.mark.parametrize(("shape", "axis", "topk"), [
    ((300, 8, 5), 0, 3), ((5, 300, 7), 1, 2), ((2, 9000), 0, 1), ((9001, 3), 1, 1)])
def test_every_index_by_itself(shape, axis, topk):
    assert_equals_golden(TINY, mli2.ArgMax(topk, axis), tensor(*shape))


def test_bytes():
    data = random_of(8).integers(-128, 127, 40000).astype(np.int8)
    assert_equals_golden(TINY, mli2.ArgMax(1), QuantTensor(data, Element.SA_8, Affine(3, 1, 0)))


@pytest.mark.parametrize("call", [
    ((2060,), -1, 3, 2), *rarely(((2100,), -1, 17, 2), ((2300,), -1, 2, 30000),
                                 ((2, 2060), 0, 3, 1))])
def test_several_places_of_one_index(call):
    """Of equal elements those that the heap leaves, which goes from part to part."""
    shape, axis, topk, top = call
    run = assert_equals_golden(LITTLE, mli2.ArgMax(topk, axis), tensor(*shape, top=top))
    assert run.plan.steps[0].remarks.startswith("searched in 2 parts")
    assert len(run.result.trace) == len(run.plan.program)
    assert tuple(pass_ for segment in run.plan.segments for pass_ in segment) == run.plan.program
    assert predict_plan(run.plan, LITTLE) > len(run.plan.program)


@pytest.mark.long
def test_several_places_in_rtl(device):
    layer, x = mli2.ArgMax(3), tensor(8300, top=2)
    run      = run_layer(device, layer, x)
    assert run.output == golden.run(layer, x).output
    assert_counters(run.result)


def test_more_places_than_x_has_room_for_are_refused():
    with pytest.raises(Refusal, match=r"^Layer 0 \(ArgMax\): its input needs 20000 bytes"):
        make_plan(TINY, [mli2.ArgMax(4000)], tensor(10000))
