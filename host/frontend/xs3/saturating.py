# SPDX-License-Identifier: Apache-2.0
"""XS3 kernels as sums that saturate after each block, in the unit's order."""

from functools import partial
from itertools import groupby

import numpy as np

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import BLOCK
from xymac.hdl.isa import RoundMode
from xymac.host.ir.pixels import HWC
from xymac.host.ir.saturating import Block, RowRange, SaturatingSum

from .linear import LIMIT, PEAK, outputs, saturates, taps

__all__ = ["FORMS"]


def _can_saturate(layer, x):
    """Whether a ``layer`` sum on Integers like ``x`` can pass the limit, for some input."""
    if isinstance(layer, xs3.AvgPool2dGlobal):
        return abs(layer.bias) + x.shape[0] * x.shape[1] * abs(layer.scale) * PEAK > LIMIT
    return saturates(layer)


def form_of_matrix(layer, x, short_first=False):
    """The ``SaturatingSum`` for a matrix on Integers like ``x``."""
    weights = taps(layer)
    records, bias, fields = outputs(layer, len(weights))
    blocks  = _runs(weights, short_first)
    return SaturatingSum(bias, blocks, _one_order(1, blocks), records=records, **fields)


def form_of_pixels(layer, x):
    """The ``SaturatingSum`` for a single-pixel convolution."""
    weights = taps(layer)
    records, bias, fields = outputs(layer, len(weights))
    blocks  = _runs(weights)
    return SaturatingSum(bias, blocks, _one_order(x.shape[0], blocks), x.shape[1], order=HWC,
                         records=records, **fields)


def form_of_conv(layer, x, blocks_of):
    """The ``SaturatingSum`` for a window convolution, in blocks from ``blocks_of``."""
    weights = taps(layer)
    blocks  = blocks_of(weights)
    return _on_windows(layer, blocks, _order_rows(layer.window, weights.shape[1], x.shape[0],
                                                  blocks))


def form_of_channels(layer, x):
    """The ``SaturatingSum`` for a depthwise convolution: the same order in all rows."""
    blocks = _products(taps(layer))
    return _on_windows(layer, blocks, _one_order(layer.window.out[0], blocks), lanes=True)


def _on_windows(layer, blocks, row_ranges, lanes=False):
    weights, window = taps(layer), layer.window
    records, bias, fields = outputs(layer, len(weights))
    return SaturatingSum(bias, blocks, row_ranges, window.out[1], weights.shape[1:3], window.start,
                         window.stride, layer.zero_point, HWC, lanes, records, **fields)


def form_of_global_mean(layer, x):
    """The ``SaturatingSum`` for an AvgPool2dGlobal on Integers like ``x``."""
    rows, cols, channels = x.shape
    weights = np.full((channels, rows, cols, 1), layer.scale, np.int8)
    blocks  = _products(weights)
    output  = {"shift": layer.shift, "rounding": RoundMode.UP, "clip": (layer.low, 127)}
    return SaturatingSum(np.full(channels, layer.bias), blocks, _one_order(1, blocks),
                         kernel=(rows, cols), order=HWC, lanes=True, output=output)


def _one_order(rows, blocks):
    return (RowRange(0, rows, tuple(range(len(blocks)))),)


def _runs(weights, short_first=False):
    """Blocks of 32 inputs, column by column; the short block comes last unless
    ``short_first``."""
    inputs = weights.shape[3]
    short  = inputs % BLOCK if short_first else 0
    starts = [*([0] if short else []), *range(short, inputs, BLOCK)]
    ends   = [*starts[1:], inputs]
    return tuple(Block(row, col, first, weights[:, row, col:col + 1, first:end])
                 for row in range(weights.shape[1]) for col in range(weights.shape[2])
                 for first, end in zip(starts, ends, strict=True))


def _rows(weights):
    """Blocks with a kernel row each."""
    return tuple(Block(row, 0, 0, weights[:, row]) for row in range(weights.shape[1]))


def _products(weights):
    """Blocks with a single product per channel."""
    return tuple(Block(row, col, 0, weights[:, row, col:col + 1])
                 for row in range(weights.shape[1]) for col in range(weights.shape[2]))


def _order_rows(window, kernel_rows, rows, blocks):
    """RowRanges covering all outputs: blocks outside the image come first."""
    by_row = [[index for index, block in enumerate(blocks) if block.row == row]
              for row in range(kernel_rows)]

    def order(output):
        return tuple(index for row in window.outside_first(output, kernel_rows, rows)
                     for index in by_row[row])

    ranges = []
    for indices, run in groupby(range(window.out[0]), order):
        run = list(run)
        ranges.append(RowRange(run[0], len(run), indices))
    return tuple(ranges)


#: Layers whose sums can saturate on the way.
_FORMS = {
    xs3.FullyConnected: partial(form_of_matrix, short_first=True),
    xs3.FcDeepin: form_of_matrix,
    xs3.Conv2d1x1: form_of_pixels,
    xs3.Conv2dDeep: partial(form_of_conv, blocks_of=_runs),
    xs3.Conv2dShallowin: partial(form_of_conv, blocks_of=_rows),
    xs3.Conv2dDepthwise: form_of_channels,
    xs3.AvgPool2dGlobal: form_of_global_mean,
}


def form_of(make, layer, x):
    """The ``SaturatingSum`` for a layer where it is needed, else None."""
    return make(layer, x) if _can_saturate(layer, x) else None


FORMS = {layer: partial(form_of, make) for layer, make in _FORMS.items()}
