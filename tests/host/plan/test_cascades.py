# SPDX-License-Identifier: Apache-2.0
"""Consecutive layers in row tiles: same outputs, and values between the layers stay in X."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.images import image_of, noisy_machine, run_image, with_dma
from tests.support.seed import random_of
from xymac.golden import mli1
from xymac.golden.tflm import Add, Conv2d, DepthwiseConv2d, Mul, Padding, Quantisation, Tensor
from xymac.hdl.config import SMALL, TINY
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.executable.steps import Read, Write
from xymac.host.network.linker import compile_network
from xymac.host.network.network import Network
from xymac.host.plan.graph import Node
from xymac.host.plan.tiling.cascades import Cascades

KIND = Quantisation((0.0625,), (3,))


def weights(rng, shape):
    return Tensor(rng.integers(-127, 128, shape, np.int8), Quantisation((0.0078125,), (0,)))


def block(rng, channels, wide, stride=1):
    """Layers of an inverted residual block: expand, depthwise, project."""
    return [Conv2d(weights(rng, (wide, 1, 1, channels)), None, KIND),
            DepthwiseConv2d(weights(rng, (1, 3, 3, wide)), None, KIND, stride=(stride, stride),
                            padding=Padding.SAME),
            Conv2d(weights(rng, (channels, 1, 1, wide)), None, KIND)]


def gated(rows, cols):
    """A network that multiplies an image by a value a channel, which a layer just before makes."""
    rng    = random_of(7)
    layers = [(Conv2d(weights(rng, (16, 1, 1, 16)), None, KIND), 1), (Mul(KIND), 0, 2),
              *((layer, 3 + number) for number, layer in enumerate(block(rng, 16, 32)))]
    return Network("gated", tuple(Node(layer, tuple(sources), f"{number}")
                                  for number, (layer, *sources) in enumerate(layers)),
                   (Tensor.zeros((1, rows, cols, 16), np.int8, KIND),
                    Tensor.zeros((1, 1, 1, 16), np.int8, KIND)), ("image", "gate"))


def blocks(rows, cols, *, residual, seed=1, stride=1):
    """A network of two blocks on an image; with ``residual`` each adds its input."""
    rng, nodes, value = random_of(seed), [], 0
    for number in range(2):
        first = value
        for layer in block(rng, 8, 32, stride if number else 1):
            nodes.append(Node(layer, (value,), f"{len(nodes)}"))
            value = len(nodes)
        if residual and stride == 1:
            nodes.append(Node(Add(KIND), (first, value), f"{len(nodes)}"))
            value = len(nodes)
    return Network("blocks", tuple(nodes), (Tensor.zeros((1, rows, cols, 8), np.int8, KIND),))


@pytest.mark.parametrize(("rows", "cols", "options"), [
    (24, 20, {"residual": False}), (25, 19, {"residual": True}),
    (24, 24, {"residual": False, "stride": 2}), (40, 12, {"residual": True, "seed": 5})])
def test_outputs_are_golden_and_fewer_words_move(rows, cols, options):
    config  = with_dma(TINY)
    network = blocks(rows, cols, **options)
    words   = {}
    for cascades in (False, True):
        executable = compile_network(network, config, cascades=cascades)
        words[cascades] = sum(executable.words(step) for step in executable.run
                              if isinstance(step, Write | Read))
    assert words[True] < 0.75 * words[False]
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device)


@pytest.mark.parametrize("x_rows", [512, 1536])
def test_half_of_x_need_not_be_a_size(x_rows):
    """Rows of X are a multiple of 512, which 256 and 768 are not."""
    config  = with_dma(replace(TINY, x_rows=x_rows))
    network = blocks(24, 20, residual=True)
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device)


def test_a_value_with_other_readers_leaves_x():
    """The input of a block's sum has other rows than that of its first layer."""
    config  = with_dma(TINY)
    network = blocks(24, 20, residual=True)
    made    = compile_network(network, config, cascades=True)
    parts   = {str(step.part) for step in made.run
               if isinstance(step, Write) and step.value == 0}
    assert len(parts) > 1


def test_a_value_that_every_tile_reads_whole_is_made_once():
    config  = with_dma(TINY)
    network = gated(24, 20)
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device)


@pytest.mark.parametrize("first", [0, 3])
def test_layers_that_no_program_holds_together_are_apart(first):
    """A softmax of many pieces has scalars; a Concat alone makes a piece of them."""
    config  = with_dma(replace(SMALL, passes=16))
    layers  = [*[(mli1.Permute((0,)), index) for index in range(first)],
               (mli1.Concat(0), first, first), (mli1.Concat(0), first + 1, first + 1),
               (mli1.Softmax(), first + 2)]
    network = Network("pieces", tuple(Node(layer, tuple(sources), f"{number}")
                                      for number, (layer, *sources) in enumerate(layers)),
                      (mli1.Tensor(np.zeros(9, np.int8), 7),))
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device)


def test_row_tiles_without_a_program_are_smaller(monkeypatch):
    """Tiles of more than 3 rows have no program here, though their values fit."""
    plan = Cascades.plan
    rows = set()

    def refuse(self, tile, *, with_program):
        height = tile.target[1].stop - tile.target[1].start
        if with_program and height > 3:
            return Refusal(RefusalKind.OPERATOR, "Too many passes")
        rows.update({height} if with_program else ())
        return plan(self, tile, with_program=with_program)

    monkeypatch.setattr(Cascades, "plan", refuse)
    config  = with_dma(TINY)
    network = blocks(24, 20, residual=False)
    with noisy_machine(config) as device:
        run_image(network, image_of(network, config), device)
    assert rows
