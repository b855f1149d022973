"""Kernels of the XS3 library as sums that saturate after each block, in the unit's order."""

from itertools import groupby

import numpy as np

from golden import xs3
from golden.xs3.sums import BLOCK
from hdl.isa import RoundMode
from host.lower.linear.xs3 import LIMIT, PEAK, outputs, saturates, taps

from .form import Block, Chain, Stretch

__all__ = ["KINDS", "can_saturate", "describe"]

#: Layers whose sums can saturate on the way, and what derives from them.
MATRICES = (xs3.FullyConnected, xs3.FcDeepin)
KINDS = (*MATRICES, xs3.Conv2d1x1, xs3.Conv2dDeep, xs3.Conv2dShallowin, xs3.Conv2dDepthwise,
         xs3.AvgPool2dGlobal)


def can_saturate(layer, x):
    """Whether a sum of ``layer`` on Integers like ``x`` can pass the limit, for some input."""
    if isinstance(layer, xs3.AvgPool2dGlobal):
        return abs(layer.bias) + x.shape[0] * x.shape[1] * abs(layer.scale) * PEAK > LIMIT
    return saturates(layer)


def describe(layer, x):
    """The ``Chain`` of a layer for Integers like ``x``."""
    if isinstance(layer, xs3.AvgPool2dGlobal):
        return _global_mean(layer, x)
    weights = taps(layer)
    records, bias, fields = outputs(layer, len(weights))
    common  = {"records": records, **fields}
    if isinstance(layer, MATRICES):
        blocks = _runs(weights, isinstance(layer, xs3.FullyConnected))
        return Chain(bias, blocks, _one_order(1, blocks), **common)
    if isinstance(layer, xs3.Conv2d1x1):
        blocks = _runs(weights, front=False)
        return Chain(bias, blocks, _one_order(x.shape[0], blocks), x.shape[1], **common)
    window, lanes = layer.window, isinstance(layer, xs3.Conv2dDepthwise)
    if lanes:
        blocks = _products(weights)
        orders = _one_order(window.out[0], blocks)
    else:
        whole  = isinstance(layer, xs3.Conv2dShallowin)
        blocks = _rows(weights) if whole else _runs(weights, front=False)
        orders = _orders(window, weights.shape[1], x.shape[0], blocks)
    return Chain(bias, blocks, orders, window.out[1], weights.shape[1:3], window.start,
                 window.stride, layer.zero_point, lanes, **common)


def _global_mean(layer, x):
    rows, cols, channels = x.shape
    weights = np.full((channels, rows, cols, 1), layer.scale, np.int8)
    blocks  = _products(weights)
    output  = {"shift": layer.shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}
    return Chain(np.full(channels, layer.bias), blocks, _one_order(1, blocks), kernel=(rows, cols),
                 lanes=True, output=output)


def _one_order(rows, blocks):
    return (Stretch(0, rows, tuple(range(len(blocks)))),)


def _runs(weights, front):
    """Blocks of 32 inputs, column by column; the short one comes last or in ``front``."""
    inputs = weights.shape[3]
    short  = inputs % BLOCK if front else 0
    starts = [*([0] if short else []), *range(short, inputs, BLOCK)]
    ends   = [*starts[1:], inputs]
    return tuple(Block(row, col, first, weights[:, row, col:col + 1, first:end])
                 for row in range(weights.shape[1]) for col in range(weights.shape[2])
                 for first, end in zip(starts, ends, strict=True))


def _rows(weights):
    """Blocks of a row of the kernel each."""
    return tuple(Block(row, 0, 0, weights[:, row]) for row in range(weights.shape[1]))


def _products(weights):
    """Blocks of a single product of every channel."""
    return tuple(Block(row, col, 0, weights[:, row, col:col + 1])
                 for row in range(weights.shape[1]) for col in range(weights.shape[2]))


def _orders(window, kernel_rows, rows, blocks):
    """Stretches of rows of outputs: the blocks outside of the image come first."""
    by_row = [[index for index, block in enumerate(blocks) if block.row == row]
              for row in range(kernel_rows)]

    def order(output):
        return tuple(index for row in window.outside_first(output, kernel_rows, rows)
                     for index in by_row[row])

    stretches = []
    for found, run in groupby(range(window.out[0]), order):
        run = list(run)
        stretches.append(Stretch(run[0], len(run), found))
    return tuple(stretches)
