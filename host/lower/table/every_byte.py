"""Layers that are functions of a byte, by what they make of each."""

from . import tflm, xs3

__all__ = ["FORMS", "is_of_bytes", "outputs_of"]

#: By the class of a layer, what makes the 256 outputs from that for -128 on, ints of 8 bits with a
#: sign, for a layer and a Tensor like its input; or None where it is done otherwise.
FORMS = xs3.FORMS | tflm.FORMS


def outputs_of(layer, x):
    """The 256 outputs of a layer for a Tensor like ``x``, or None."""
    return FORMS[type(layer)](layer, x) if x.bits == 8 else None


def is_of_bytes(layer, x):
    """Whether there are such outputs."""
    return outputs_of(layer, x) is not None
