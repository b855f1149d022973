# SPDX-License-Identifier: Apache-2.0
"""uint8 elements on a core: stored minus 128 as int8, with the zero point minus 128."""

from dataclasses import fields, replace

import numpy as np

from xymac.golden.tflm import Quantisation, Quantize, Reshape, Tensor

__all__ = ["UNIT", "as_signed", "as_unsigned", "is_unsigned", "make_signed"]

UNIT  = (1 << 30, 1)  #: Multiplier and exponent of the factor 1.
_HALF = 0x80


def is_unsigned(value):
    """Whether a golden Array is a uint8 Tensor."""
    return isinstance(value, Tensor) and value.data.dtype == np.uint8


def as_signed(tensor):
    """The int8 Tensor with the real values of a uint8 Tensor."""
    return Tensor((tensor.data ^ _HALF).view(np.int8), _less(tensor.quantisation))


def as_unsigned(tensor, kind):
    """The uint8 Tensor with the real values of an int8 Tensor, in ``kind``'s format."""
    return replace(kind, data=tensor.data.view(np.uint8) ^ _HALF)


def make_signed(layer, inputs, output):
    """Layer on int8, equivalent to ``layer`` on uint8.

    ``inputs`` have no uint8 elements; ``output`` is the original output, whose uint8 becomes int8.
    A QUANTIZE without effect becomes a RESHAPE.
    """
    known = {field.name for field in fields(layer)}
    if "out" in known and is_unsigned(output):
        changed = {"out": _less(layer.out)} | ({"dtype": np.int8} if "dtype" in known else {})
        layer   = replace(layer, **changed)
    if isinstance(layer, Quantize) and _changes_nothing(layer, *inputs):
        return Reshape(output.shape, layer.out)
    return layer


def _changes_nothing(layer, x):
    return (x.data.dtype == layer.output_dtype(x) and x.quantisation is not None
            and layer.factor(x) == UNIT and x.quantisation.zero_point == layer.out.zero_point)


def _less(kind):
    """Quantisation for uint8 elements stored as int8."""
    if kind is None:
        return None
    return Quantisation(kind.scales, tuple(zero - _HALF for zero in kind.zero_points), kind.axis)
