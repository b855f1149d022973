# SPDX-License-Identifier: Apache-2.0
"""Layers of TensorFlow Lite in tiles: images, bands of them, rows of matrices, outputs."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from xymac import golden
from xymac.golden.tflm import Conv2d, DepthwiseConv2d, Padding, TransposeConv
from xymac.hdl.config import BASE, TINY
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.tiling.tiled import TiledPlan

from .test_tflm import bias_of, matrix, scaled, tensor

SAME = {"padding": Padding.SAME}
#: Kinds, shapes of weights, options.
LAYERS = [
    (Conv2d, (5, 3, 3, 4), SAME), (Conv2d, (5, 3, 4, 4), SAME | {"stride": (2, 3)}),
    (Conv2d, (5, 3, 2, 4), SAME | {"dilation": (2, 3)}), (Conv2d, (5, 4, 2, 4), {}),
    (Conv2d, (4, 2, 2, 2), SAME), (DepthwiseConv2d, (1, 3, 3, 4), SAME),
    (DepthwiseConv2d, (1, 5, 2, 8), SAME | {"stride": (2, 2)}),
    (TransposeConv, (5, 3, 2, 4), {"stride": (2, 1), "sizes": (15, 8)}),
    (TransposeConv, (5, 2, 3, 4), {"stride": (3, 4), "sizes": (22, 29)}),
    (TransposeConv, (5, 3, 3, 4), SAME | {"stride": (2, 2), "sizes": (14, 14)})]


def put_together(tiles, like, *inputs):
    """The output that the golden layers of Tiles make, each element by one of them."""
    data, made = np.zeros_like(like.data), np.zeros(like.shape, int)
    for tile in tiles:
        parts = [x.take(slices) for x, slices in zip(inputs, tile.sources, strict=True)]
        data[tile.target] = golden.run(tile.layer, *parts).output.data
        made[tile.target] += 1
    assert (made == 1).all()
    return data


def check_cuts(layer, x, counts, *, constants=False):
    whole    = golden.run(layer, x).output
    lowering = find_lowering(layer, (x,), BASE.ways)
    for count in counts:
        tiles = lowering.cut(count, constants=constants)
        assert len(tiles) == count
        np.testing.assert_array_equal(put_together(tiles, whole, x), whole.data, str(count))
        for tile in tiles:  # and again
            part  = x.take(tile.sources[0])
            again = find_lowering(tile.layer, (part,), BASE.ways).cut(2, constants=constants)
            made  = golden.run(tile.layer, part).output
            if again:
                np.testing.assert_array_equal(put_together(again, made, part), made.data)


@pytest.mark.parametrize(("kind", "shape", "options"), LAYERS)
def test_bands_are_the_whole(kind, shape, options):
    rng = random_of(sum(shape))
    for size, batch in (((7, 7), 1), ((1, 9), 1), ((7, 6), 3)):
        x = tensor(rng, (batch, *size, 4), zero=3)
        if kind is not TransposeConv and "padding" not in options and size[0] == 1:
            continue
        check_cuts(scaled(rng, kind, shape, (2.0**-7,), **options), x, (2, 3))


@pytest.mark.parametrize(("kind", "shape", "options"), LAYERS)
def test_outputs_are_the_whole(kind, shape, options):
    rng   = random_of(sum(shape))
    layer = scaled(rng, kind, shape, (2.0**-7,), **options)
    count = shape[3 if kind is DepthwiseConv2d else 0]
    layer = replace(layer, bias=bias_of(*rng.integers(-9000, 9000, count)))

    check_cuts(layer, tensor(rng, (1, 7, 7, 4)), (2,), constants=True)


@pytest.mark.parametrize(("shape", "keep"), [((6, 5), False), ((4, 10), False), ((2, 3, 5), True),
                                             ((1, 4, 5), True)])
def test_rows_are_the_whole(shape, keep):
    rng   = random_of(len(shape))
    layer = matrix(rng, 7, 5, keep_num_dims=keep)
    x     = tensor(rng, shape)

    check_cuts(layer, x, (2,))
    check_cuts(layer, x, (3, 4), constants=True)


@pytest.mark.parametrize(("kind", "shape", "options"), [
    (Conv2d, (5, 3, 3, 4), SAME | {"stride": (2, 2)}), (DepthwiseConv2d, (1, 3, 3, 4), SAME),
    (TransposeConv, (8, 2, 2, 4), SAME | {"stride": (2, 2), "sizes": (90, 80)})])
def test_what_x_cannot_hold_runs_in_tiles(kind, shape, options):
    rng  = random_of(21)
    size = (45, 40) if kind is TransposeConv else (70, 66)

    plan = assert_equals_golden(TINY, scaled(rng, kind, shape, (2.0**-7,), **options),
                                tensor(rng, (1, *size, 4), zero=-3)).plan

    assert isinstance(plan, TiledPlan)


@pytest.mark.parametrize(("outputs", "inputs"), [(90, 500), (7, 9000), (7, 17000)])
def test_what_y_cannot_hold_is_loaded_in_parts(outputs, inputs):
    """Weights of some outputs, of a part of a sum, and inputs that X cannot hold."""
    rng = random_of(22)

    plan = assert_equals_golden(TINY, matrix(rng, outputs, inputs), tensor(rng, (1, inputs))).plan

    [plan] = [part.plan for part in plan.parts] if inputs > 16384 else [plan]
    assert len(plan.loads) > 1


@pytest.mark.parametrize(("kernel", "channels", "each"), [(11, 160, 1), (11, 168, 1)])
def test_windows_as_large_as_the_image_are_cut_by_channels(kernel, channels, each):
    rng    = random_of(kernel)
    config = replace(BASE, x_rows=512)
    layer  = scaled(rng, DepthwiseConv2d, (1, kernel, kernel, channels * each), (2.0**-9,),
                    padding=Padding.SAME)

    plan = assert_plan(config, [layer], tensor(rng, (1, 11, 10, channels), zero=4))

    assert len(plan.parts) > 1
    assert all(part.sources[0][1][1] == slice(0, 11) for part in plan.parts)


def test_turns_of_windows_as_large_as_the_image_are_cut_by_rows():
    rng    = random_of(9)
    config = replace(BASE, x_rows=512)
    layer  = scaled(rng, DepthwiseConv2d, (1, 9, 9, 200), (2.0**-9,), padding=Padding.SAME)

    plan = assert_plan(config, [layer], tensor(rng, (1, 11, 10, 100), zero=4))

    assert len(plan.parts) > 1
    assert all(part.sources[0][1][3] == slice(0, 100) for part in plan.parts)
