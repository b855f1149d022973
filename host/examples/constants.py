# SPDX-License-Identifier: Apache-2.0
"""Data files for the embARC MLI example networks: constants in 8 and 16 bits, references."""

import numpy as np

from xymac.golden.mli1 import Tensor

__all__ = ["DTYPES", "TYPES", "constants", "signal_to_noise"]

TYPES  = {"fx8": (8, 8), "fx16": (16, 16), "fx8w16d": (16, 8)}  #: (data, weight) widths, bits.
DTYPES = {8: np.dtype(np.int8), 16: np.dtype(np.int16)}


def constants(arrays, key, shape, bias_shape, bits, integer_bits):
    """A layer's weights and bias, Tensors.

    Parameters
    ----------
    arrays : dict, a data file's arrays
    key : str, the layer's prefix in the file, such as ``L1_conv``
    shape, bias_shape : tuples of int
    bits : int, 8 or 16
    integer_bits : int pair, for weights and bias, without the sign; a negative number counts
        leading fraction zeros that are omitted

    ValueError if an array is missing or has another size.
    """
    tensors = []
    for name, size, before in zip(("wt", "bias"), (shape, bias_shape), integer_bits, strict=True):
        entry = f"w{bits}_{key}_{name}_buf"
        if entry not in arrays or arrays[entry].size != np.prod(size):
            raise ValueError(f"The data must hold {entry} of {np.prod(size)} elements")
        tensors.append(Tensor(arrays[entry].reshape(size), bits - 1 - before))
    return tuple(tensors)


def signal_to_noise(output, reference):
    """Norm of ``reference`` divided by the norm of its difference to the Tensor ``output``.

    Source: embARC MLI 1.1, examples/auxiliary/tests_aux.c, ``measure_ref_to_pred``.
    """
    reference = np.asarray(reference, float)
    noise     = output.data.reshape(reference.shape) / 2.0 ** output.frac_bits - reference
    return float(np.linalg.norm(reference) / np.linalg.norm(noise))
