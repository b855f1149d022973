# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x pooling as pools."""

from functools import partial

from xymac.golden.mli1 import AvePool, MaxPool
from xymac.golden.parameters.mean import reciprocal
from xymac.host.ir.fields import container_clip
from xymac.host.ir.pool import MeanForm, Pool, each_mean, find_largest

from .pixels import pixel_order

__all__ = ["FORMS"]


def form_of_maxima(layer, x):
    """The ``Pool`` for a MaxPool on a Tensor like ``x``."""
    return _pool(layer, x, partial(find_largest, container_clip(x.bits)))


def form_of_means(layer, x):
    """The ``Pool`` for an AvePool on a Tensor like ``x``."""
    return _pool(layer, x, partial(each_mean, partial(_mean, layer, x)), counts=True,
                 factor_bits=16)


def _pool(layer, x, find, **fields):
    order = pixel_order(layer.layout)
    sizes, outputs = (tuple(shape[axis] for axis in order[:2])
                      for shape in (x.shape, layer.output_shape(x.shape)))
    return Pool(layer.kernel, layer.stride, layer.pad, order, sizes, outputs, find, **fields)


def _mean(layer, x, count):
    """The MeanForm for ``count`` elements.

    The 15-bit multiplier and the shift are the library's; a multiplier of 1 becomes the equivalent
    full-length multiplier, so that neighbours can share a shift.
    """
    multiplier, shift = reciprocal(count)
    factor, shift = (1 << 14, shift + 14) if multiplier == 1 else (multiplier, shift)
    return MeanForm(factor, output={
        "shift": shift, "rounding": layer.rounding, "acc_range": layer.acc_range(x),
        "clip": container_clip(x.bits)})


FORMS = {MaxPool: form_of_maxima, AvePool: form_of_means}
