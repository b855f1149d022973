# SPDX-License-Identifier: Apache-2.0
"""Sample network properties, and tensors for such networks."""

from dataclasses import dataclass

import numpy as np

from ..codes import ACTIVATION, PADDING, TENSOR_TYPE
from ..model import TYPES, Tensor

__all__ = ["BOOL", "FLOAT32", "INT4", "INT8", "INT16", "INT32", "INT64", "UINT8", "Wish",
           "constant", "value"]

INT4, INT8, INT16, INT32, INT64, FLOAT32, UINT8, BOOL = (
    TENSOR_TYPE.INT4, TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT32, TENSOR_TYPE.INT64,
    TENSOR_TYPE.FLOAT32, TENSOR_TYPE.UINT8, TENSOR_TYPE.BOOL)

_SIZES = (1, 2, 6, 5, 4)  #: Sizes of the last dimensions; the first is the batch.


@dataclass(frozen=True)
class Wish:
    """Sample network properties; an operator uses the fields that concern it.

    Parameters
    ----------
    kind, to : input and output TENSOR_TYPE
    rank, batch : int, the input's rank and its first dimension
    stride, dilation, times : int, along rows and columns; outputs per channel
    padding : PADDING
    activation : ACTIVATION, fused
    bias : TENSOR_TYPE, None for no bias
    many : bool, whether weights have a scale per output
    other : additional operands' TENSOR_TYPE: a state, slopes
    flag : bool, the second choice
    """

    kind:       TENSOR_TYPE = INT8
    to:         TENSOR_TYPE = INT8
    rank:       int = 4
    batch:      int = 1
    stride:     int = 1
    dilation:   int = 1
    times:      int = 1
    padding:    PADDING = PADDING.SAME
    activation: ACTIVATION = ACTIVATION.NONE
    bias:       TENSOR_TYPE | None = INT32
    many:       bool = True
    other:      TENSOR_TYPE = INT8
    flag:       bool = False

    @property
    def shape(self):
        """The input's shape."""
        if self.rank == 1:
            return _SIZES[-1:]
        return (self.batch, *(1,) * (self.rank - len(_SIZES) - 1),
                *_SIZES[len(_SIZES) - min(self.rank - 1, len(_SIZES)):])

    @property
    def strides(self):
        """(columns, rows), as options have them."""
        return self.stride, self.stride


def value(name, shape, kind, scale=0.0625, zero_point=None):
    """A computed Tensor; INT8 and UINT8 have a zero point."""
    if kind in (FLOAT32, BOOL):
        return Tensor(name, tuple(shape), kind)
    zero = zero_point
    if zero is None:
        zero = {INT8: -3, UINT8: 125}.get(kind, 0)
    return Tensor(name, tuple(shape), kind, (scale,), (zero,))


def constant(name, data, kind, scales=(), dimension=0):
    """A Tensor with constant data."""
    data = np.asarray(data, TYPES[kind])
    return Tensor(name, data.shape, kind, tuple(scales), (0,) * len(scales), dimension, data)
