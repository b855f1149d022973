# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tables in use: fields in schema order."""

from dataclasses import dataclass

from .codes import TENSOR_TYPE
from .fields import (
    BYTE,
    FLAG,
    INT,
    TEXT,
    UBYTE,
    UINT,
    ULONG,
    Choice,
    Data,
    Inner,
    Inners,
    Numbers,
    Presence,
    Union,
)

__all__ = ["Buffer", "File", "OperatorCode", "OperatorRecord", "Quantization", "SubGraph",
           "TensorRecord"]

_INTS = Numbers("i4")


@dataclass(frozen=True)
class Quantization:
    """``QuantizationParameters``: scales and zero points."""

    min:                 Numbers("f4") = ()
    max:                 Numbers("f4") = ()
    scale:               Numbers("f4") = None
    zero_point:          Numbers("i8") = None
    details_type:        UBYTE = 0
    details:             Presence() = False
    quantized_dimension: INT = 0


@dataclass(frozen=True)
class TensorRecord:
    """``Tensor``."""

    shape:           _INTS = ()
    type:            Choice(TENSOR_TYPE) = TENSOR_TYPE.FLOAT32
    buffer:          UINT = 0
    name:            TEXT = ""
    quantization:    Inner(Quantization) = None
    is_variable:     FLAG = False
    sparsity:        Presence() = False
    shape_signature: _INTS = None


@dataclass(frozen=True)
class OperatorCode:
    """``OperatorCode``; both fields hold an early operator's number."""

    deprecated_builtin_code: BYTE = 0
    custom_code:             TEXT = ""
    version:                 INT = 1
    builtin_code:            INT = 0


@dataclass(frozen=True)
class OperatorRecord:
    """``Operator``; ``options`` is a position until its type is known."""

    opcode_index: UINT = 0
    inputs:       _INTS = ()
    outputs:      _INTS = ()
    options_type: UBYTE = 0
    options:      Union() = None


@dataclass(frozen=True)
class SubGraph:
    """``SubGraph``."""

    tensors:   Inners(TensorRecord) = ()
    inputs:    _INTS = ()
    outputs:   _INTS = ()
    operators: Inners(OperatorRecord) = ()
    name:      TEXT = ""


@dataclass(frozen=True)
class Buffer:
    """``Buffer``: constant bytes, stored here or, in huge files, after the tables."""

    data:   Data("u1", 16) = None
    offset: ULONG = 0
    size:   ULONG = 0


@dataclass(frozen=True)
class File:
    """``Model``, the root."""

    version:        UINT = 0
    operator_codes: Inners(OperatorCode) = ()
    subgraphs:      Inners(SubGraph) = ()
    description:    TEXT = ""
    buffers:        Inners(Buffer) = ()
