"""Elements of uint8 as a core has them: less 128, with a zero point that is less 128 as well."""

from dataclasses import fields, replace

import numpy as np

from golden.tflm import Quantisation, Quantize, Reshape, Tensor

__all__ = ["UNIT", "as_signed", "as_unsigned", "is_unsigned", "make_signed"]

UNIT  = (1 << 30, 1)  #: Multiplier and exponent of a factor of 1.
_HALF = 0x80


def is_unsigned(value):
    """Whether a golden Array is a Tensor of uint8."""
    return isinstance(value, Tensor) and value.data.dtype == np.uint8


def as_signed(tensor):
    """A Tensor of uint8 as one of int8 that stands for the same."""
    return Tensor((tensor.data ^ _HALF).view(np.int8), _less(tensor.quantisation))


def as_unsigned(tensor, kind):
    """A Tensor of int8 as one of uint8 that stands for the same, in the format of ``kind``."""
    return replace(kind, data=tensor.data.view(np.uint8) ^ _HALF)


def make_signed(layer, inputs, output):
    """The layer that makes of ``inputs``, none of them of uint8, what ``layer`` makes of them, or
    of the uint8 that they stand for: ``output``, uint8 as int8.

    A QUANTIZE that changes nothing is a RESHAPE.
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
    """A Quantisation of uint8 as that of int8."""
    if kind is None:
        return None
    return Quantisation(kind.scales, tuple(zero - _HALF for zero in kind.zero_points), kind.axis)
