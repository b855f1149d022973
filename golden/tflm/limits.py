"""Outputs between the limits of a fused activation."""

import numpy as np

from golden.fixed import wrap
from golden.parameters.tflm.ranges import activation_range

from .tensor import Tensor

__all__ = ["clip", "store"]


def clip(x, values, out, activation):
    """Tensor of the type of ``x`` from values, int64, that have the zero point of ``out``."""
    limits = activation_range(activation, out.scale, out.zero_point, x.bits)
    return Tensor(np.asarray(np.clip(values, *limits), x.data.dtype), out)  # scalars, too


def store(x, values, out, activation):
    """The same from values of 32 bits without the zero point; the sum with it wraps."""
    return clip(x, wrap(values + out.zero_point, 32), out, activation)
