"""Pooling of MLI 1.x in the one form."""

from functools import partial

from golden.mli1 import AvePool, MaxPool
from golden.parameters.mean import reciprocal
from host.ir.fields import container_clip
from host.lower.pixels import pixel_order

from .form import MeanForm, count_taps, maximum_form, mean_form

__all__ = ["FORMS"]


def form_of_maxima(layer, x):
    """The ``PoolForm`` of a MaxPool for a Tensor like ``x``."""
    order, shape = pixel_order(layer.layout), layer.output_shape(x.shape)
    return maximum_form(layer, order, [shape[axis] for axis in order[:2]], x.bits)


def form_of_means(layer, x):
    """The ``PoolForm`` of an AvePool for a Tensor like ``x``."""
    order = pixel_order(layer.layout)
    taps = [count_taps(layer, x.shape[order[axis]], axis) for axis in range(2)]
    return mean_form(layer, order, taps, partial(_mean, layer, x))


def _mean(layer, x, count):
    """The MeanForm of ``count`` elements.

    Multiplier of 15 bits and shift are those of the library, of which a 1 becomes the equal
    multiplier of full length so that neighbours can share a shift.
    """
    multiplier, shift = reciprocal(count)
    factor, shift = (1 << 14, shift + 14) if multiplier == 1 else (multiplier, shift)
    return MeanForm(factor, output={
        "shift": shift, "rounding": layer.rounding, "acc_range": layer.acc_range(x),
        "clip": container_clip(x.bits)})


FORMS = {MaxPool: form_of_maxima, AvePool: form_of_means}
