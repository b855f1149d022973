# SPDX-License-Identifier: Apache-2.0
"""Output tiles that belong to two neighbouring pixels: exact in all dialects, and never later."""

from dataclasses import replace

import pytest

from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.tflm import Concatenation, Conv2d, Padding
from xymac.hdl.config import BASE
from xymac.host.memory.strips import StripLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan

from .test_side import IMAGE, layer_of, plain_cycles
from .test_tflm import predicted, scaled, tensor


@pytest.mark.parametrize("dialect", ["tflm", "mli1", "mli1_hwc", "mli2", "xs3"])
@each_size
def test_layers_equal_golden_and_are_never_later(config, dialect, monkeypatch):
    """Of 3 to 11 output vectors; columns that are no whole number of packed pixels."""
    rng = random_of([*dialect.encode(), 2])
    for _ in range(4):
        outputs = int(rng.choice([3, 5, 6, 7, 9, 10, 11])) * config.ways - int(rng.integers(2))
        outputs = 4 * -(-outputs // 4) if dialect == "xs3" else outputs
        kernel, stride = rng.integers(2, 5, 2).tolist(), rng.integers(1, 3, 2).tolist()
        layer, x = layer_of(dialect, rng, (4, int(rng.integers(4, 12))), 8, outputs,
                            kernel=tuple(kernel), stride=tuple(stride),
                            padding=Padding(int(rng.integers(2))))

        run = assert_equals_golden(config, layer, x)

        count = len(run.plan.program)
        assert predicted(run.plan) <= plain_cycles(monkeypatch, config, layer, x) + 10 * count


@pytest.mark.parametrize(("outputs", "kernel", "most"), [
    (24, (3, 3), 0.86), (56, (3, 3), 0.95), (20, (3, 3), 0.79), (12, (1, 8), 0.9)])
def test_idle_lanes_take_the_next_pixel(outputs, kernel, most, monkeypatch):
    layer, x = layer_of("tflm", random_of(outputs), (12, 12), 16, outputs, kernel=kernel)

    run = assert_equals_golden(BASE, layer, x)

    assert predicted(run.plan) < most * plain_cycles(monkeypatch, BASE, layer, x)
    assert max(pass_.loop.taps[1] for pass_ in run.plan.program) > kernel[1]


def test_outputs_with_others_between_them():
    """In a part of a larger tensor a pixel is behind the channels of another layer."""
    rng    = random_of(11)
    layers = [scaled(rng, Conv2d, (24, 3, 3, 8), (2.0**-7,), padding=Padding.SAME)
              for _ in range(2)]
    nodes  = [Node(layers[0], (0,)), Node(layers[1], (0,)),
              Node(Concatenation(3, layers[0].out), (1, 2))]

    plan = assert_plan(BASE, nodes, tensor(rng, (1, *IMAGE, 8), zero=5))

    assert plan.steps[2].passes == ()


@pytest.mark.parametrize("size", [(16, 13), (24, 12)])
def test_strips_read_pixel_by_pixel(size):
    """The input lies in strips, and windows reach from a strip to the next."""
    rng    = random_of(size)
    layers = [scaled(rng, Conv2d, (outputs, 3, 3, held), (2.0**-7,), padding=Padding.SAME)
              for held, outputs in ((3, 4), (4, 24))]

    plan = assert_plan(BASE, layers, tensor(rng, (1, *size, 3), zero=-7))

    assert isinstance(plan.steps[1].sources[0], StripLayout)
    assert max(pass_.loop.taps[1] for pass_ in plan.program) > 3


def test_constants_that_fit_at_once_stay_together():
    """More weights for several pixels never cost a second load of constants."""
    rng    = random_of(12)
    layers = [scaled(rng, Conv2d, (24, 3, 3, 24), (2.0**-7,), padding=Padding.SAME)
              for _ in range(6)]
    x      = tensor(rng, (1, *IMAGE, 24))

    wide, narrow = (Plan(replace(BASE, y_rows=rows), layers, x) for rows in (1024, 512))

    wide_rows, narrow_rows = (sum(values.y_rows for values in plan.loads[0].constants)
                              for plan in (wide, narrow))
    assert len(wide.loads) == len(narrow.loads) == 1
    assert wide_rows > 512 >= narrow_rows
    assert predicted(wide) < predicted(narrow)


def test_weights_that_are_written_for_every_input_are_few():
    """The first layer is in row tiles, and the layers behind these in a further program."""
    rng    = random_of(13)
    layers = [scaled(rng, Conv2d, (24, 3, 3, 24), (2.0**-7,), padding=Padding.SAME,
                     stride=(2, 1)) for _ in range(3)]
    x      = tensor(rng, (1, 40, 20, 24))

    tiled, whole = (assert_plan(replace(BASE, x_rows=rows), layers, x)
                    for rows in (512, BASE.x_rows))

    assert [part.layers for part in tiled.parts] == [range(1), range(1), range(1, 3)]
    assert _widest(whole, 2) > 3 == _widest(tiled, 2)


def test_weights_that_y_cannot_hold_are_few():
    """A layer with more weights than Y holds has them for a pixel alone, and writes them once."""
    layer, x = layer_of("tflm", random_of(14), (6, 6), 320, 24, kernel=(3, 3))

    streamed, whole = (assert_equals_golden(replace(BASE, y_rows=rows), layer, x).plan
                       for rows in (512, BASE.y_rows))

    assert len(streamed.loads) > 1
    assert _widest(whole, 0) > 3 == _widest(streamed, 0)
    assert streamed.steps[0].loaded < 1.5 * layer.weights.data.size


def _widest(plan, step):
    """Columns in the widest window of a layer's passes."""
    return max(plan.program[index].loop.taps[1] for index in plan.steps[step].passes)
