# SPDX-License-Identifier: Apache-2.0
"""Layers cut into tiles: golden's output of every tile is that part of golden's output."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from tests.support.layers import CALLS
from tests.support.seed import random_of
from xymac import golden
from xymac.golden import mli1, mli2, xs3
from xymac.golden.mli2 import Element
from xymac.golden.xs3 import Integers, Window
from xymac.host.lower.registry import find_lowering
from xymac.sim.benchmarks.quantised import affine_conv

#: Layers of which each output needs all of the input, or whose constants cannot be parted.
WHOLE = {mli1.Softmax, mli2.L2Normalize, mli2.ArgMax, xs3.FcDeepin, xs3.Argmax16}
#: Cells, whose tiles hand on a state, see ``recurrent/test_parts.py``; but for a stack of them.
CELLS = {mli1.BasicRnnCell, mli1.LstmCell, mli2.LstmCell, mli2.GruCell}
STACK = 3  #: Dimensions of its weights.
#: Layers of so few channels that a tile has all of them.
SMALL = {xs3.FullyConnected, xs3.AvgPool2dGlobal}


def is_cell(layer):
    """Whether steps of a layer follow one another."""
    stacked = type(layer) is mli1.BasicRnnCell and layer.weights.data.ndim == STACK
    return type(layer) in CELLS and not stacked


def _integers(*shape, dtype=np.int8):
    limits = np.iinfo(dtype)
    return Integers(random_of(len(shape)).integers(limits.min, limits.max, shape, dtype))


def _bso(channels):
    return Integers(np.abs(_integers(-(-channels // 16), 7, 16, dtype=np.int16).data) % 20)


#: As many channels as there are blocks of parameters of the XS3 library.
BLOCKS = [
    (xs3.FullyConnected(_integers(40, 6), _bso(40)), _integers(6)),
    (xs3.Conv2dDeep(_integers(40, 3, 2, 4), _bso(40), Window((4, 3), (-2, 1), (2, 3))),
     _integers(7, 9, 4)),
    (xs3.Conv2dDeep(_integers(40, 3, 2, 4), _bso(40), Window((9, 1), (-6, 1), (2, 3))),
     _integers(7, 9, 4)),
    (xs3.Conv2d1x1(_integers(40, 4), _bso(40)), _integers(7, 9, 4)),
    (xs3.Conv2dDepthwise(_integers(3, 2, 40), _bso(40), Window((4, 3))), _integers(7, 9, 40)),
    (xs3.AvgPool2dGlobal(1, 2, 3), _integers(7, 9, 40)),
    (xs3.MaxPool2d((3, 2), Window((1, 1))), _integers(7, 9, 40)),
]
EVERY = [pytest.param(layer, inputs, id=f"{wing}-{number}-{type(layer).__name__}")
         for wing, calls in (CALLS | {"blocks": BLOCKS}).items()
         for number, (layer, *inputs) in enumerate(calls)
         if wing != "tflm"  # no passes yet
         if not is_cell(layer)
         if getattr(layer, "element", None) is not Element.FP_32]  # golden alone has those


def assert_tiles(layer, inputs, tiles):
    """Tiles make every element of the output once, as golden makes it of the whole."""
    output = golden.run(layer, *inputs).output
    made   = np.zeros(output.shape, int)
    for tile in tiles:
        parts  = [x.take(slices) for x, slices in zip(inputs, tile.sources, strict=True)
                  if slices is not None]
        result = golden.run(tile.layer, *parts).output
        assert result == output.take(tile.target)
        made[tile.target] += 1
    assert (made == 1).all()


def cuts(layer, inputs, *, constants):
    lowering = find_lowering(layer, inputs, 4)
    for number in count(2):
        tiles = lowering.cut(number, constants=constants)
        if not tiles:
            return
        assert len(tiles) == number
        yield tiles


@pytest.mark.parametrize(("layer", "inputs"), EVERY)
def test_tiles_of_inputs(layer, inputs):
    numbers = [assert_tiles(layer, inputs, tiles) for tiles in cuts(layer, inputs, constants=False)]
    small = type(layer) in SMALL and golden.run(layer, *inputs).output.shape[0] < 16
    assert bool(numbers) == (type(layer) not in WHOLE and not small)


@pytest.mark.parametrize(("layer", "inputs"), EVERY)
def test_tiles_of_constants(layer, inputs):
    numbers = [assert_tiles(layer, inputs, tiles) for tiles in cuts(layer, inputs, constants=True)]
    weights = hasattr(layer, "weights") and type(layer) not in WHOLE
    small   = hasattr(layer, "bso") and layer.bso.shape[0] == 1
    assert bool(numbers) == (weights and not small)


@pytest.mark.parametrize("stride", [(1, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("pad", [(0, 0, 0, 0), (1, 2, 0, 2), (2, 0, 2, 1)])
@pytest.mark.parametrize("shape", [(5, 2, 2), (2, 6, 2)])
def test_bands_of_a_transposed_convolution(stride, pad, shape):
    layer, x = affine_conv(mli2.TransposeConv2d, (3, 3, 2, 3), shape, random_of(4))
    layer    = replace(layer, stride=stride, pad=pad)
    numbers  = [assert_tiles(layer, [x], tiles) for tiles in cuts(layer, [x], constants=False)]
    rows, cols, _ = golden.run(layer, x).output.shape
    assert len(numbers) == max(rows, cols) - 1


def test_a_step_beyond_the_kernel_is_not_cut_into_bands():
    layer, x = affine_conv(mli2.TransposeConv2d, (2, 2, 2, 3), (5, 4, 2), random_of(4))
    layer    = replace(layer, stride=(3, 3))
    [*_, tiles] = cuts(layer, [x], constants=False)
    assert_tiles(layer, [x], tiles)
    assert len(tiles) == golden.run(layer, x).output.shape[2]
