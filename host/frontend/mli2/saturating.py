# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 kernels whose sums can exceed 32 bits: sums wrap, then the bias addition saturates."""

from functools import partial

import numpy as np

from xymac.golden.mli2 import (
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    GroupConv2d,
    TransposeConv2d,
)
from xymac.hdl.isa import ACC_BITS
from xymac.host.ir.fields import ZERO_MAX, container_clip
from xymac.host.ir.pixels import HWC
from xymac.host.ir.saturating import Block, RowRange, SaturatingSum
from xymac.host.ir.sums import fit_weights, largest_sum

from .linear import LIMIT, outputs, taps

__all__ = ["FORMS"]


def _can_wrap(layer, x):
    """Whether a ``layer`` sum on QuantTensors like ``x`` can exceed 32 bits for some input.

    Operands above 16 bits are added in parts, which counts as well. False if sums could
    exceed the core's accumulator: no passes exist for them.
    """
    if layer.weights.bits == 16:
        return False
    weights, zero = taps(layer), x.format.zero_point if x.is_affine else 0
    sums  = [largest_sum(part, np.zeros(1, np.int64), _peak(x, off))
             for off, part in _parts(weights, zero)]
    plain = len(sums) == 1 and sums[0] <= LIMIT
    return not plain and sum(sums) < 1 << ACC_BITS - 1


def _peak(x, zero):
    """Largest magnitude of an element minus ``zero``."""
    return max(abs(limit - zero) for limit in container_clip(x.bits))


def _parts(weights, zero):
    """Products of elements minus ``zero`` as sums of products with 16-bit operands.

    Yields (zero point to subtract, weights).
    """
    factors = [(zero, weights)]
    if abs(zero) > ZERO_MAX:
        factors = [(zero // 2, weights), (zero - zero // 2, weights), (0, -weights)]
    low, high = container_clip(16)
    for off, factor in factors:
        if low <= factor.min() and factor.max() <= high:
            yield off, factor
        else:
            yield off, factor >> 1
            yield off, factor - (factor >> 1)


def form_of_matrix(layer, x):
    """SaturatingSum for a fully connected layer on a QuantTensor like ``x``."""
    return _form(layer, x, taps(layer), [(0, 0, slice(1))])


def form_of_conv(layer, x):
    """SaturatingSum for a convolution; a grouped convolution gets weights for all channels."""
    weights = taps(layer)
    lanes   = isinstance(layer, DepthwiseConv2d)
    if not lanes:
        weights = _spread_groups(weights, x.shape[2])
    down, across = layer.dilation
    places = [(row, col * across, slice(col, col + 1)) for row in range(weights.shape[1])
              for col in range(weights.shape[2])]
    if across == 1 and not lanes:
        places = _whole_rows(weights)
    return _form_of_image(layer, x, weights, places, any(layer.pad), down=down, lanes=lanes,
                          kernel=layer.kernel, start=tuple(-side for side in layer.pad[::2]),
                          stride=layer.stride)


def form_of_transposed(layer, x):
    """SaturatingSum for a transposed convolution: the image spread with zeros, the kernel mirrored.
    """
    weights = taps(layer)[:, ::-1, ::-1]
    start   = tuple(side - size + 1 for side, size in zip(layer.pad[::2], layer.kernel,
                                                          strict=True))
    return _form_of_image(layer, x, weights, _whole_rows(weights), True, kernel=layer.kernel,
                          start=start, spread=layer.stride)


def _whole_rows(weights):
    """Blocks with a kernel row each."""
    return [(row, 0, slice(None)) for row in range(weights.shape[1])]


def _form_of_image(layer, x, weights, places, padded, down=1, **fields):
    """SaturatingSum over image blocks.

    If the image is ``padded`` with zeros that no element can represent, the sum reads a copy minus
    the zero point, as far as 16 bits hold it.
    """
    rows, cols, _ = layer.output_shape(x.shape)
    zero = x.format.zero_point if x.is_affine else 0
    low, high = container_clip(x.bits)
    fields |= {"outside": min(max(zero, low), high)}
    if padded and not low <= zero <= high:
        taken = min(max(zero, -ZERO_MAX), ZERO_MAX)
        fields |= {"outside": zero - taken, "taken": taken,
                   "lacks": (taken - zero) * weights.reshape(len(weights), -1).sum(1)}
    return _form(layer, x, weights, places, down, rows, cols=cols, order=HWC, **fields)


def _form(layer, x, weights, places, down=1, rows=1, **fields):
    """SaturatingSum for blocks at ``places``: kernel row, first column, kernel column slice."""
    records, bias, output = outputs(layer, x)
    zero   = output.pop("x_zero", 0)
    parts  = list(_parts(weights, 0 if "taken" in fields else zero))
    dtype  = fit_weights(np.stack([part for _, part in parts])).dtype
    blocks = tuple(Block(row * down, col, 0, part[:, row, cols].astype(dtype), off)
                   for off, part in parts for row, col, cols in places)
    order  = (RowRange(0, rows, tuple(range(len(blocks)))),)
    return SaturatingSum(bias, blocks, order, records=records, wraps=True, output=output, **fields)


def _spread_groups(weights, channels):
    """Grouped weights as weights for all channels, 0 outside the group."""
    count, rows, cols, held = weights.shape
    spread = np.zeros((count, rows, cols, channels), weights.dtype)
    for output in range(count):
        first = output // (count // (channels // held)) * held
        spread[output, :, :, first:first + held] = weights[output]
    return spread


_FORMS = {FullyConnected: form_of_matrix,
         **dict.fromkeys((Conv2d, GroupConv2d, DepthwiseConv2d), form_of_conv),
         TransposeConv2d: form_of_transposed}


def form_of(make, layer, x):
    """SaturatingSum for a layer if it needs it, else None."""
    return make(layer, x) if _can_wrap(layer, x) else None


FORMS = {layer: partial(form_of, make) for layer, make in _FORMS.items()}
