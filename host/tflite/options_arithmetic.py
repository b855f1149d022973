# SPDX-License-Identifier: Apache-2.0
"""Options for arithmetic operators: see ``options``."""

from dataclasses import dataclass

from .codes import ACTIVATION, TENSOR_TYPE
from .fields import FLAG, Choice

__all__ = ["ArgMaxOptions", "ArgMinOptions", "BatchMatMulOptions", "CumsumOptions", "DivOptions",
           "GeluOptions", "L2NormOptions"]

_ACTIVATION, _TYPE = Choice(ACTIVATION), Choice(TENSOR_TYPE)


@dataclass(frozen=True)
class DivOptions:
    """DIV options."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class GeluOptions:
    """GELU options."""

    approximate: FLAG = False


@dataclass(frozen=True)
class L2NormOptions:
    """L2_NORMALIZATION options."""

    fused_activation_function: _ACTIVATION = ACTIVATION.NONE


@dataclass(frozen=True)
class CumsumOptions:
    """CUMSUM options."""

    exclusive: FLAG = False
    reverse:   FLAG = False


@dataclass(frozen=True)
class BatchMatMulOptions:
    """BATCH_MATMUL options: which matrices are transposed."""

    adj_x:                      FLAG = False
    adj_y:                      FLAG = False
    asymmetric_quantize_inputs: FLAG = False


@dataclass(frozen=True)
class ArgMaxOptions:
    """ARG_MAX options."""

    output_type: _TYPE = TENSOR_TYPE.FLOAT32


@dataclass(frozen=True)
class ArgMinOptions:
    """ARG_MIN options."""

    output_type: _TYPE = TENSOR_TYPE.FLOAT32
