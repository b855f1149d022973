# SPDX-License-Identifier: Apache-2.0
"""Windows and strides beyond the fields of a pass, which large cores and wide layers have."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.graphs import LIBRARIES, random_graphs
from tests.support.lowered import assert_plan, noise
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import FullyConnected, Rectify, Relu, Subtensor
from xymac.hdl.config import BASE, find_size
from xymac.hdl.isa import Access, AguMode, Op, Pass
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.plan.graph import Node
from xymac.host.plan.reach import GATHERED, fit_fields

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
    [pass_] = fit_fields([gather(mode, outer=(1, 1, 3), taps=(1, 14, 6))], NODE)
    x = pass_.operands.x
    assert (x.low, x.mode) == (GATHERED - 1, AguMode.LINEAR)
    assert (x.base, x.high) == (GATHERED + 168, GATHERED + 199)


@pytest.mark.parametrize("counts", [
    {"outer": (1, 1, 4), "taps": (1, 14, 6)}, {"outer": (1, 1, 3), "taps": (1, 14, 7)}])
def test_addresses_that_wrap(counts):
    refusal = fit_fields([gather(AguMode.MODULO, **counts)], NODE)
    assert isinstance(refusal, Refusal)
    assert refusal.kind is RefusalKind.X_MEMORY
    assert str(refusal) == ("Layer 2 (Subtensor) gathers elements of X memory from element 65696 "
                            "on: such a window begins before element 65536")
    near = replace(gather(AguMode.MODULO, **counts), x=Access(4, 0, 39, mode=AguMode.MODULO))
    assert fit_fields([near], NODE) == [near]


@pytest.mark.parametrize("shape", [(33000,), (60, 60, 12), (65, 65, 16)])
@pytest.mark.parametrize("size", ["tiny", "compact", "base", "tiny,y_rows=512"])
def test_rows_of_weights_beyond_a_stride(size, shape):
    """A part of a row is a pass, whose distance to the next row no index uses."""
    rng   = random_of(3)
    layer = FullyConnected(noise(rng, (9, int(np.prod(shape))), np.int8, 7),
                           noise(rng, (9,), np.int8, 7), 5)

    assert_plan(find_size(size), [layer], noise(rng, shape, np.int8, 5))


def test_strides_of_one_index_are_0():
    plain = Access(0, 0, 99)
    far   = Pass(x=plain, z=plain, outer=(1, 2, 3), taps=(2, 1, 9),
                 y=Access(0, 0, 99, (40000, 1, 2), (3, -50000, 4)))
    near  = replace(far, y=Access(0, 0, 99, (0, 1, 2), (3, 0, 4)))

    assert fit_fields([far, near], NODE) == [near, near]


@pytest.mark.parametrize(("operand", "kind"), [("x", RefusalKind.X_MEMORY),
                                               ("y", RefusalKind.Y_MEMORY)])
def test_longer_strides_are_refused(operand, kind):
    accesses = dict.fromkeys("xyz", Access(0, 0, 99)) | {operand: Access(0, 0, 99, (0, 0, -32768))}

    refusal = fit_fields([Pass(**accesses, outer=(1, 1, 2))], NODE)

    assert isinstance(refusal, Refusal)
    assert refusal.kind is kind
    assert str(refusal) == ("Layer 2 (Subtensor) has a stride of 32768 addresses: a pass holds "
                            "strides of up to 32767")
