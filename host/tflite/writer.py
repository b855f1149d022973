"""A Model as the bytes of a TensorFlow Lite file."""

from dataclasses import dataclass

import flatbuffers
import numpy as np

from .checks import check_model
from .codes import OPERATOR, OPTIONS
from .fields import write_record
from .reader import IDENTIFIER, VERSION
from .records import (
    Buffer,
    File,
    OperatorCode,
    OperatorRecord,
    Quantization,
    SubGraph,
    TensorRecord,
)
from .signatures import SIGNATURES

__all__ = ["encode_model", "write_model"]

_DEPRECATED = 127  #: Highest number of an operator that fits the field of the first years.


def write_model(model):
    """The bytes of a file that holds ``model``; InputError for a Model that cannot be computed."""
    check_model(model)
    return encode_model(model)


def encode_model(model):
    """The bytes of a file that holds ``model``, whatever it means.

    Buffer 0 is empty, as readers expect; every constant has a buffer of its own.
    """
    codes   = list(dict.fromkeys((each.name, each.version) for each in model.operators))
    buffers = [Buffer()]
    tensors = [_tensor(tensor, buffers) for tensor in model.tensors]
    graph   = SubGraph(tuple(tensors), model.inputs, model.outputs,
                       tuple(_operator(operator, codes) for operator in model.operators),
                       model.name)
    builder = flatbuffers.Builder()
    root    = write_record(builder, File(
        VERSION, tuple(_code(*code) for code in codes), (graph,), model.description,
        tuple(buffers)))
    builder.Finish(root, file_identifier=IDENTIFIER)
    return bytes(builder.Output())


def _tensor(tensor, buffers):
    """The TensorRecord of a Tensor, whose data are added to ``buffers``."""
    number = 0
    if tensor.data is not None:
        number = len(buffers)
        buffers.append(Buffer(np.frombuffer(tensor.data.tobytes(), np.uint8)))
    quantization = None
    if tensor.scales or tensor.zero_points:
        quantization = Quantization(scale=tensor.scales, zero_point=tensor.zero_points,
                                    quantized_dimension=tensor.dimension)
    return TensorRecord(tensor.shape, tensor.type, number, tensor.name, quantization,
                        tensor.is_variable)


def _code(name, version):
    number = OPERATOR[name]
    return OperatorCode(min(number, _DEPRECATED), "", version, number)


def _operator(operator, codes):
    """The OperatorRecord of an Operator, whose code is one of ``codes``."""
    signature = SIGNATURES.get(operator.name)
    options   = operator.options
    title     = signature.title if signature else "NONE"
    if options is None and title != "NONE":
        options = _Empty()
    kind = type(operator.options).__name__ if operator.options is not None else title
    return OperatorRecord(codes.index((operator.name, operator.version)), operator.inputs,
                          operator.outputs, OPTIONS[kind], options)


@dataclass(frozen=True)
class _Empty:
    """Options without a field."""
