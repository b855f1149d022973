# SPDX-License-Identifier: Apache-2.0
"""Write a Model as TensorFlow Lite file bytes."""

from dataclasses import dataclass

import flatbuffers
import numpy as np

from xymac.host.errors import check_type

from .codes import OPERATOR, OPTIONS, TENSOR_TYPE
from .fields import write_record
from .halves import pack_halves
from .model import Model
from .prepare import check_model
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

_DEPRECATED = 127  #: Highest operator number of the old one-byte field.


def write_model(model):
    """File bytes for ``model``; InputError for a Model that cannot be computed."""
    check_type("model", model, Model, hint=": read_model reads one of a file's bytes")
    check_model(model)
    return encode_model(model)


def encode_model(model):
    """File bytes for ``model``, without checks.

    Buffer 0 is empty, as readers expect; every constant has its own buffer.
    """
    graphs  = [model, *model.others]
    codes   = list(dict.fromkeys((each.name, each.version) for graph in graphs if graph
                                 for each in graph.operators))
    buffers = [Buffer()]
    records = tuple(_graph(graph, codes, buffers) if graph else SubGraph() for graph in graphs)
    builder = flatbuffers.Builder()
    root    = write_record(builder, File(
        VERSION, tuple(_code(*code) for code in codes), records, model.description,
        tuple(buffers)))
    builder.Finish(root, file_identifier=IDENTIFIER)
    return bytes(builder.Output())


def _graph(graph, codes, buffers):
    """A Subgraph's SubGraph record; its data are added to ``buffers``."""
    tensors = tuple(_tensor(tensor, buffers) for tensor in graph.tensors)
    return SubGraph(tensors, graph.inputs, graph.outputs,
                    tuple(_operator(operator, codes) for operator in graph.operators), graph.name)


def _tensor(tensor, buffers):
    """A Tensor's TensorRecord; its data are added to ``buffers``."""
    number = 0
    if tensor.data is not None:
        number = len(buffers)
        is_half = tensor.type == TENSOR_TYPE.INT4
        buffers.append(Buffer(pack_halves(tensor.data) if is_half else
                              np.frombuffer(tensor.data.tobytes(), np.uint8)))
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
    """An Operator's OperatorRecord, with its code in ``codes``."""
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
