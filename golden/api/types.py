# SPDX-License-Identifier: Apache-2.0
"""Structures and enumerations common to all MLI versions, under their documented names."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from math import prod
from typing import Protocol

import numpy as np

__all__ = [
    "MLI_MAX_RANK", "dims", "elements", "is_count", "mli_conv2d_cfg", "mli_permute_cfg",
    "mli_point_to_subtsr_cfg", "mli_pool_cfg", "mli_relu_cfg", "mli_relu_type",
    "mli_rnn_out_activation", "mli_status",
]

MLI_MAX_RANK = 4


class mli_status(IntEnum):
    """A function's return value. Names: MLI 1.0 and 1.1, "Error Codes"; values: mli_types.h.

    These two documents omit ``MLI_STATUS_INCOMPATEBLE_TENSORS`` and ``MLI_STATUS_TYPE_MISMATCH``,
    although the library returns them. MLI 2.0 adds the values from 8 on.
    """

    MLI_STATUS_OK                   = 0
    MLI_STATUS_BAD_TENSOR           = 1
    MLI_STATUS_SHAPE_MISMATCH       = 2
    MLI_STATUS_INCOMPATEBLE_TENSORS = 3  #: Element types or fractional bits do not go together.
    MLI_STATUS_BAD_FUNC_CFG         = 4
    MLI_STATUS_NOT_ENGH_MEM         = 5
    MLI_STATUS_NOT_SUPPORTED        = 6
    MLI_STATUS_SPEC_PARAM_MISMATCH  = 7
    MLI_STATUS_ARGUMENT_ERROR       = 8
    MLI_STATUS_LENGTH_ERROR         = 9
    MLI_STATUS_SIZE_MISMATCH        = 10  #: Scales lie along different dimensions.
    MLI_STATUS_RANK_MISMATCH        = 11
    MLI_STATUS_TYPE_MISMATCH        = 12  #: Element type differs from the function name.
    MLI_STATUS_MEM_BANK_MISMATCH    = 13
    MLI_STATUS_MISALIGNMENT_ERROR   = 14


class mli_relu_type(IntEnum):
    """Output limits."""

    MLI_RELU_NONE = 0
    MLI_RELU_GEN  = 1
    MLI_RELU_1    = 2
    MLI_RELU_6    = 3


class mli_rnn_out_activation(IntEnum):
    """Activation at a recurrent cell's output."""

    RNN_ACT_NONE = 0
    RNN_ACT_TANH = 1
    RNN_ACT_SIGM = 2


@dataclass
class mli_relu_cfg:
    """Configuration for ``mli_krn_relu``."""

    type: mli_relu_type = mli_relu_type.MLI_RELU_NONE


@dataclass
class mli_conv2d_cfg:
    """Convolution configuration."""

    stride_width:   int = 1
    stride_height:  int = 1
    padding_left:   int = 0
    padding_right:  int = 0
    padding_top:    int = 0
    padding_bottom: int = 0
    relu: mli_relu_cfg = field(default_factory=mli_relu_cfg)


@dataclass
class mli_pool_cfg:
    """Maximum and average pooling configuration."""

    kernel_width:   int = 1
    kernel_height:  int = 1
    stride_width:   int = 1
    stride_height:  int = 1
    padding_left:   int = 0
    padding_right:  int = 0
    padding_top:    int = 0
    padding_bottom: int = 0


@dataclass
class mli_permute_cfg:
    """Configuration for ``mli_krn_permute``: the input dimension for each output dimension."""

    perm_dim: tuple[int, ...] = tuple(range(MLI_MAX_RANK))


@dataclass
class mli_point_to_subtsr_cfg:
    """Configuration for ``mli_hlp_point_to_subtensor``."""

    start_coord:        tuple[int, ...] = (0,) * MLI_MAX_RANK
    coord_num:          int = 1
    first_out_dim_size: int = 1


def is_count(value: object, low: int = 0, high: int = 255) -> bool:
    """Whether ``value`` is an int from ``low`` to ``high``; the library's fields are uint8."""
    return (isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            and bool(low <= value <= high))


class AnyTensor(Protocol):
    """The tensor members common to all versions."""

    shape: tuple[int, ...]
    rank:  int


def dims(tensor: AnyTensor) -> tuple[int, ...]:
    """Sizes of a tensor's used dimensions."""
    return tuple(int(size) for size in tensor.shape[:tensor.rank])


def elements(tensor: AnyTensor) -> int:
    """Tensor element count, 1 for rank 0."""
    return prod(dims(tensor))
