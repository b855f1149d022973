"""Format of what a layer returns: shape, type and fractional bits, without computing it."""

from dataclasses import replace

import numpy as np

from golden import mli2, xs3
from golden.mli1 import ConvertTensor, Sigmoid, Softmax, Tanh, Tensor
from golden.xs3 import Integers

__all__ = ["blank_output", "element_bits"]

_DTYPES = {8: np.int8, 16: np.int16}
_OF_ONE = (mli2.Sigmoid, mli2.Tanh, mli2.Softmax, mli2.L2Normalize)  #: Outputs from -1 to 1.


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


def _quantised(layer, x):
    """Element and format of the output of a layer of MLI 2.0."""
    if isinstance(layer, mli2.ConvertTensor):
        return layer.element, layer.out
    if isinstance(layer, mli2.ArgMax):
        return mli2.Element.SA_32, mli2.Affine(0, 1, 0)
    if isinstance(layer, _OF_ONE) and not x.is_affine:
        return x.element, mli2.Fixed(x.bits - 1)
    if isinstance(layer, mli2.Permute) and x.is_affine and x.format.dim >= 0:
        return x.element, replace(x.format, dim=layer.order.index(x.format.dim))
    found = getattr(layer, "out", None)
    return x.element, x.format if found is None else found


def _integers(layer):
    """Type of an element of the output of a layer of the XS3 library."""
    if isinstance(layer, xs3.Argmax16):
        return np.int32
    if isinstance(layer, xs3.Lookup8):
        return layer.table.data.dtype
    return _DTYPES[getattr(layer, "out_bits", 8)]


def blank_output(layer, *inputs):
    """Tensor of zeros in the format of the output of ``layer`` for legal Tensors ``inputs``."""
    shape, x = layer.output_shape(*(x.shape for x in inputs)), inputs[0]
    if isinstance(x, mli2.QuantTensor):
        element, kind = _quantised(layer, x)
        return mli2.QuantTensor(np.zeros(shape, element.dtype), element, kind)
    if isinstance(x, Integers):
        return Integers(np.zeros(shape, _integers(layer)))
    dtype = _DTYPES[element_bits(layer, *inputs)]
    return Tensor(np.zeros(shape, dtype), _frac_bits(layer, x))
