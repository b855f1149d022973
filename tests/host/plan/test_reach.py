# SPDX-License-Identifier: Apache-2.0
"""Gathers of bytes behind the first 64 KiB of X, which large cores alone have."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.graphs import LIBRARIES, random_graphs
from tests.support.lowered import assert_plan, noise
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import Rectify, Relu, Subtensor
from xymac.hdl.config import BASE, find_size
from xymac.hdl.isa import Access, AguMode, Op, Pass
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.plan.graph import Node
from xymac.host.plan.reach import GATHERED, reach_windows

LARGE  = replace(BASE, x_rows=4096)
#: Values that fill X, so that the last layer's input lies at the end.
LAYERS = [Rectify(Relu.GEN)] * 3
PARTS  = [Subtensor((1,), 23001), Subtensor((30,), 777), Subtensor((23001,), 999)]
NODE   = Node(PARTS[0], (0,), "2")


def tensor():
    return noise(random_of(1), 24001, np.int8, 5)


def gathers(plan):
    return [pass_.operands.x for pass_ in plan.program if pass_.accumulate.op is Op.GATHER]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("size", ["base,x_rows=4096", "base,x_rows=3072,y_rows=1536"])
def test_graphs(library, size):
    for nodes, x in random_graphs(library, 25, 1):
        assert_plan(find_size(size), nodes, x)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.start[0]}")
def test_windows_that_begin_earlier(part):
    plan = assert_plan(LARGE, [*LAYERS, part], tensor(), keep=True)
    assert any(x.base > GATHERED > x.low for x in gathers(plan))


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.start[0]}")
def test_windows_that_begin_earlier_in_rtl(part, rtl):
    device, x = rtl("base,x_rows=4096"), tensor()
    plan = assert_plan(LARGE, [*LAYERS, part], x, keep=True)
    fill(device, seed=2)
    plan.load(device)
    for layer, output in zip([*LAYERS, part], plan.run(device, x).outputs, strict=True):
        x = golden.run(layer, x).output
        assert output == x


def test_bytes_lie_near_where_there_is_room():
    """Outputs alternate between the ends of X otherwise."""
    plan = assert_plan(LARGE, [Rectify(Relu.GEN), Subtensor((1,), 5)],
                       noise(random_of(2), 99, np.int8, 5))
    assert all(x.high < GATHERED for x in gathers(plan))
    assert all(step.target.row < GATHERED // 32 for step in plan.steps)


def gather(mode, **fields):
    low = GATHERED + 160
    return Pass(op=Op.GATHER, y=Access(0, 0, 63), z=Access(0, 0, 9), **fields,
                x=Access(low + 8, low, low + 39, (0, 0, -4), (0, 2, 1), mode))


@pytest.mark.parametrize("mode", [AguMode.LINEAR, AguMode.MODULO])
def test_addresses_that_do_not_wrap(mode):
    [pass_] = reach_windows([gather(mode, outer=(1, 1, 3), taps=(1, 14, 6))], NODE)
    x = pass_.operands.x
    assert (x.low, x.mode) == (GATHERED - 1, AguMode.LINEAR)
    assert (x.base, x.high) == (GATHERED + 168, GATHERED + 199)


@pytest.mark.parametrize("counts", [
    {"outer": (1, 1, 4), "taps": (1, 14, 6)}, {"outer": (1, 1, 3), "taps": (1, 14, 7)}])
def test_addresses_that_wrap(counts):
    refusal = reach_windows([gather(AguMode.MODULO, **counts)], NODE)
    assert isinstance(refusal, Refusal)
    assert refusal.kind is RefusalKind.X_MEMORY
    assert str(refusal) == ("Layer 2 (Subtensor) gathers elements of X memory from element 65696 "
                            "on: such a window begins before element 65536")
    near = replace(gather(AguMode.MODULO, **counts), x=Access(4, 0, 39, mode=AguMode.MODULO))
    assert reach_windows([near], NODE) == [near]
