"""Format of what a layer returns: shape, type and fractional bits, without computing it."""

import numpy as np

from golden import ConvertTensor, Sigmoid, Softmax, Tanh, Tensor

__all__ = ["blank_output", "element_bits"]

_DTYPES = {8: np.int8, 16: np.int16}


def element_bits(layer, *inputs):
    """Bits of an element of the output of ``layer`` for Tensors like ``inputs``."""
    return layer.bits if isinstance(layer, ConvertTensor) else inputs[0].bits


def _frac_bits(layer, x):
    if isinstance(layer, (Sigmoid, Softmax, Tanh)):
        return x.bits - 1
    if isinstance(layer, ConvertTensor):
        return layer.frac_bits
    found = getattr(layer, "out_frac_bits", None)
    return x.frac_bits if found is None else found


def blank_output(layer, *inputs):
    """Tensor of zeros in the format of the output of ``layer`` for legal Tensors ``inputs``."""
    shape = layer.output_shape(*(x.shape for x in inputs))
    dtype = _DTYPES[element_bits(layer, *inputs)]
    return Tensor(np.zeros(shape, dtype), _frac_bits(layer, inputs[0]))
