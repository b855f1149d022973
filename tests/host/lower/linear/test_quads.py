# SPDX-License-Identifier: Apache-2.0
"""Few outputs on windows of four pixels: the results of golden, and cycles of the drain."""

import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import between
from xymac import golden
from xymac.golden.tflm import Conv2d, Padding
from xymac.hdl.config import BASE, SMALL
from xymac.hdl.isa import Op
from xymac.host.lower.linear import quads, written
from xymac.host.memory.quads import QuadLayout
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer

from .test_side import layer_of
from .test_tflm import predicted, scaled, tensor

pytestmark = pytest.mark.usefixtures("only_quads")


@pytest.fixture
def only_quads(monkeypatch):
    """The host writes windows of four pixels wherever a layer can read them."""
    def forms(linear, x, output, ways):
        if linear.window is None or linear.groups > 1 or linear.lanes or ways == 1 or (
                len(linear.weights) > ways):
            return []
        return [*quads.quad_forms(linear, written.partial(
            written._pack, linear, x, 1, ways), x, ways)]

    monkeypatch.setattr("xymac.host.lower.linear.passes.written_forms", forms)


@pytest.mark.parametrize("dialect", ["tflm", "mli1", "mli1_hwc", "mli2"])
@pytest.mark.parametrize("config", [between(SMALL), BASE], ids=lambda config: config.name)
def test_layers_equal_golden(config, dialect):
    """Of any width, also below four pixels, of any stride, border and number of channels."""
    rng, seen = random_of([*dialect.encode(), 4]), 0
    for _ in range(16):
        channels, outputs = int(rng.integers(1, 6)), int(rng.integers(1, config.ways + 1))
        size   = tuple(rng.integers(4, 14, 2).tolist())
        kernel, stride = rng.integers(1, 5, 2).tolist(), rng.integers(1, 4, 2).tolist()
        layer, x = layer_of(dialect, rng, size, channels, outputs, kernel=tuple(kernel),
                            stride=tuple(stride), padding=Padding(int(rng.integers(2))))

        run = assert_equals_golden(config, layer, x)

        seen += isinstance(run.plan.source, QuadLayout)
    assert seen == 16


def test_dilated_layers():
    rng = random_of(5)
    for dilation in ((2, 1), (1, 2), (3, 3)):
        layer = scaled(rng, Conv2d, (3, 3, 3, 2), (2.0**-7,), dilation=dilation,
                       padding=Padding.SAME)
        run = assert_equals_golden(BASE, layer, tensor(rng, (2, 9, 11, 2), zero=7))
        assert isinstance(run.plan.source, QuadLayout)


@pytest.mark.parametrize("width", [14, 15, 3])
def test_rtl_equals_golden(width, rtl):
    rng   = random_of(6)
    layer = scaled(rng, Conv2d, (4, 3, 3, 1), (2.0**-7,), stride=(2, 2), padding=Padding.SAME)
    x     = tensor(rng, (1, 28, 2 * width, 1), zero=-128)
    device = rtl("base")
    fill(device, 9)

    run = run_layer(device, layer, x)

    assert run.output == golden.run(layer, x).output
    assert isinstance(run.plan.source, QuadLayout)


def test_the_choice_of_a_plan(monkeypatch):
    """The first layer of a network for digits: four pixels in four cycles."""
    monkeypatch.undo()
    rng   = random_of(7)
    layer = scaled(rng, Conv2d, (4, 3, 3, 1), (2.0**-7,), stride=(2, 2), padding=Padding.SAME)

    plan = Plan(BASE, [layer, layer_of("tflm_depthwise", rng, (14, 14), 4, 4)[0]],
                tensor(rng, (1, 28, 28, 1), zero=-128))

    assert isinstance(plan.source, QuadLayout)
    assert plan.program[0].accumulate.op is Op.CROSS
    assert predicted(Plan(BASE, [layer], tensor(rng, (1, 28, 28, 1)))) < 340
