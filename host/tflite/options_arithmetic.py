# SPDX-License-Identifier: Apache-2.0
"""Options of arithmetic operators: see ``options``."""

from dataclasses import dataclass

from .codes import ACTIVATION, TENSOR_TYPE
from .fields import FLAG, Choice

__all__ = ["ArgMaxOptions", "ArgMinOptions", "BatchMatMulOptions", "CumsumOptions", "DivOptions",
           "L2NormOptions"]

_ACTIVATION, _TYPE = Choice(ACTIVATION), Choice(TENSOR_TYPE)


@dataclass(frozen=True)
class DivOptions:
    """Options of DIV."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class L2NormOptions:
    """Options of L2_NORMALIZATION."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class CumsumOptions:
    """Options of CUMSUM."""

    exclusive: FLAG = False
    reverse:   FLAG = False


@dataclass(frozen=True)
class BatchMatMulOptions:
    """Options of BATCH_MATMUL: which matrices are transposed."""

    adj_x:                      FLAG = False
    adj_y:                      FLAG = False
    asymmetric_quantize_inputs: FLAG = False


@dataclass(frozen=True)
class ArgMaxOptions:
    """Options of ARG_MAX."""

    output_type: _TYPE = TENSOR_TYPE.FLOAT32


@dataclass(frozen=True)
class ArgMinOptions:
    """Options of ARG_MIN."""

    output_type: _TYPE = TENSOR_TYPE.FLOAT32
