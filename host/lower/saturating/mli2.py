"""Kernels of MLI 2.0 whose sums can leave 32 bits: they wrap, and then the bias saturates."""

import numpy as np

from golden.mli2 import Conv2d, DepthwiseConv2d, FullyConnected, GroupConv2d
from hdl.isa import ACC_BITS
from host.lower.linear.mli2 import LIMIT, outputs, peak_of, taps
from host.lower.pixels import HWC
from host.lower.products import fit_weights, largest_sum
from host.lower.refuse import NoPassesError
from host.lower.sweep import container_clip

from .form import Block, RowRange, SaturatingSum

__all__ = ["FORMS", "can_wrap"]


def can_wrap(layer, x):
    """Whether a sum of ``layer`` on QuantTensors like ``x`` can leave 32 bits, for some input.

    Those that could leave the accumulator of the core as well, or whose weights do not fit, are
    not for these passes.
    """
    weights = taps(layer)
    low, high = container_clip(16)
    if layer.weights.bits == 16 or weights.min() < low or weights.max() > high:
        return False
    return LIMIT < largest_sum(weights, np.zeros(1, np.int64), peak_of(x)) < 1 << ACC_BITS - 1


def form_of_matrix(layer, x):
    """The ``SaturatingSum`` of a fully connected layer for a QuantTensor like ``x``."""
    weights = fit_weights(taps(layer))
    return _form(layer, x, (Block(0, 0, 0, weights[:, 0]),))


def form_of_conv(layer, x):
    """The ``SaturatingSum`` of a convolution; groups of channels have weights of all channels.

    NoPassesError where windows reach out of an image of zeros that no element can be.
    """
    weights = fit_weights(taps(layer))
    lanes   = isinstance(layer, DepthwiseConv2d)
    if not lanes:
        weights = _spread_groups(weights, x.shape[2])
    rows, cols, _ = layer.output_shape(x.shape)
    down, across  = layer.dilation
    blocks = [Block(row * down, col * across, 0, weights[:, row, col:col + 1])
              for row in range(weights.shape[1]) for col in range(weights.shape[2])]
    if across == 1 and not lanes:
        blocks = [Block(row * down, 0, 0, weights[:, row]) for row in range(weights.shape[1])]
    zero = x.format.zero_point if x.is_affine else 0
    low, high = container_clip(x.bits)
    if not low <= zero <= high and any(layer.pad):
        raise NoPassesError(f"Zero point of a padded input whose sums wrap must be between {low} "
                            f"and {high}, not {zero}")
    return _form(layer, x, tuple(blocks), rows, cols=cols, kernel=layer.kernel, order=HWC,
                 start=tuple(-side for side in layer.pad[::2]), stride=layer.stride, lanes=lanes,
                 outside=min(max(zero, low), high))


def _form(layer, x, blocks, rows=1, **fields):
    records, bias, output = outputs(layer, x)
    order = (RowRange(0, rows, tuple(range(len(blocks)))),)
    return SaturatingSum(bias, blocks, order, records=records, wraps=True,
                         x_zero=output.pop("x_zero", 0), output=output, **fields)


def _spread_groups(weights, channels):
    """Weights of groups of channels as weights of all channels, 0 outside of the group."""
    count, rows, cols, held = weights.shape
    spread = np.zeros((count, rows, cols, channels), weights.dtype)
    for output in range(count):
        first = output // (count // (channels // held)) * held
        spread[output, :, :, first:first + held] = weights[output]
    return spread


FORMS = {FullyConnected: form_of_matrix,
         **dict.fromkeys((Conv2d, GroupConv2d, DepthwiseConv2d), form_of_conv)}
