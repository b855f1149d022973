# SPDX-License-Identifier: Apache-2.0
"""Read TensorFlow Lite file bytes as a Model."""

import struct

from xymac.host.errors import InputError, check_type

from .absent import options_without_table
from .codes import OPERATOR, OPTIONS, TENSOR_TYPE
from .content import Content
from .fields import read_record
from .halves import unpack_halves
from .missing import check_known
from .model import TYPES, Model, Operator, Subgraph, Tensor, size_of
from .prepare import check_model
from .records import File
from .signatures import SIGNATURES
from .tensors import LIMIT, check_code, check_shape

__all__ = ["IDENTIFIER", "VERSION", "read_model", "read_outline"]

IDENTIFIER = b"TFL3"  #: Bytes 4 to 7 of a file.
VERSION    = 3        #: Schema version.

_HEADER = struct.Struct("<I4s")


def read_model(data):
    """Read file bytes, not a name, as a Model; InputError with a single sentence on failure.

    Constants are views of ``data``, except 4-bit constants. As in tflite-micro, a tensor's stored
    shape applies even if a dimension is open. Unused tensors keep only name, shape and type;
    uncalled subgraphs are dropped. Metadata, signature names and training ranges are ignored.

    Source: tensorflow/compiler/mlir/lite/schema/schema.fbs.
    """
    check_type("data", data, bytes, bytearray, memoryview, hint=", the content of a file")
    content, file = _read_file(data)
    called = _find_called(content, file)
    first, *others = (_read_graph(content, number, file) if number in called else None
                      for number in range(max(called) + 1))
    unread = (None,) * (len(file.subgraphs) - max(called) - 1)
    model  = Model(first.tensors, first.operators, first.inputs, first.outputs, first.name,
                   file.description, (*others, *unread))
    check_model(model)
    return model


def read_outline(data):
    """The first Subgraph of file bytes, of operators and tensors of any kind, supported or not.

    Tensors have names, shapes and types alone, and operators no options. InputError for bytes that
    are no TensorFlow Lite file.
    """
    _, file = _read_file(data)
    graph   = file.subgraphs[0]
    return Subgraph(
        tuple(Tensor(record.name, record.shape, record.type) for record in graph.tensors),
        tuple(Operator(_operator_name(f"operator {number}", record, file.operator_codes),
                       record.inputs, record.outputs)
              for number, record in enumerate(graph.operators)),
        graph.inputs, graph.outputs, graph.name)


def _read_file(data):
    """(Content, File) of file bytes."""
    if len(data) > LIMIT:
        raise InputError(f"A file may have {LIMIT:,} bytes at most, not {len(data):,}")
    content = Content(bytes(data))
    if len(data) < _HEADER.size or data[4:8] != IDENTIFIER:
        raise InputError(f"It is no TensorFlow Lite file: bytes 4 to 7 must be {IDENTIFIER!r}, "
                         f"not {bytes(data[4:8])!r}")
    file = read_record(content, File, content.follow(0, "Model"), "Model")
    if file.version != VERSION:
        raise InputError(f"The version of its schema must be {VERSION}, not {file.version}")
    if not file.subgraphs:
        raise InputError("It must have 1 subgraph at least, not 0")
    return content, file


def _find_called(content, file):
    """The first subgraph's number, and called subgraphs' numbers.

    InputError, naming all, for unsupported operators.
    """
    names, called = {}, [0]
    for number in called:
        graph = file.subgraphs[number]
        names[number] = [_operator_name(f"operator {place}", record, file.operator_codes)
                         for place, record in enumerate(graph.operators)]
        for place, name in enumerate(names[number]):
            if name == "CALL_ONCE":
                what  = f"Operator {place} ({name})"
                other = _read_options(content, what, name,
                                      graph.operators[place]).init_subgraph_index
                if not 0 < other < len(file.subgraphs):
                    raise InputError(f"{what} must call one of subgraphs 1 to "
                                     f"{len(file.subgraphs) - 1}, not {other}")
                if other not in called:
                    called.append(other)
    check_known(names.items())
    return called


def _read_graph(content, number, file):
    """The Subgraph with a number."""
    graph = file.subgraphs[number]
    used  = {*graph.inputs, *graph.outputs}.union(
        *(operator.inputs for operator in graph.operators),
        *(operator.outputs for operator in graph.operators))
    return Subgraph(
        tuple(_read_tensor(f"tensor {each} ({record.name[:60]!r})", record, file.buffers)
              if each in used else Tensor(record.name, record.shape, record.type)
              for each, record in enumerate(graph.tensors)),
        tuple(_read_operator(content, each, record, file.operator_codes)
              for each, record in enumerate(graph.operators)),
        graph.inputs, graph.outputs, graph.name)


def _read_tensor(what, record, buffers):
    """The Tensor for a TensorRecord."""
    check_code(what, record.type)
    check_shape(what, record.shape, TYPES[record.type].itemsize)
    if record.sparsity:
        raise InputError(f"{what} must not be sparse")
    if not 0 <= record.buffer < len(buffers):
        raise InputError(f"The buffer of {what} must be one of 0 to {len(buffers) - 1}, "
                         f"not {record.buffer}")
    scales, zero_points, dimension = _read_quantization(what, record.quantization)
    return Tensor(record.name, record.shape, record.type, scales, zero_points, dimension,
                  _read_data(what, record, buffers[record.buffer]), record.is_variable)


def _read_quantization(what, record):
    if record is None:
        return (), (), 0
    if record.details_type:
        raise InputError(f"{what} must be quantised by scales and zero points, not by details of "
                         f"type {record.details_type}")
    scales = record.scale or ()
    return scales, record.zero_point or (), record.quantized_dimension if len(scales) > 1 else 0


def _read_data(what, record, buffer):
    """Read-only array of a constant; None for other tensors.

    A buffer may be longer than its tensor: tflite-micro reads its first bytes.
    """
    if buffer.offset or buffer.size:
        raise InputError(f"Data of {what} must be in the tables of the file, "
                         f"not from byte {buffer.offset} on")
    if buffer.data is None or not buffer.data.size:
        return None
    dtype, want, size = TYPES[record.type], size_of(record.type, record.shape), buffer.data.size
    if size < want:
        raise InputError(f"{what} of {record.type.name} and shape {record.shape} must have "
                         f"{want:,} bytes, not {size:,}")
    held = buffer.data[:want]
    if record.type == TENSOR_TYPE.INT4:
        return unpack_halves(held, record.shape)
    return held.view(dtype).reshape(record.shape)


def _read_operator(content, number, record, codes):
    """The Operator for an OperatorRecord."""
    name = _operator_name(f"operator {number}", record, codes)
    return Operator(name, record.inputs, record.outputs,
                    _read_options(content, f"Operator {number} ({name})", name, record),
                    codes[record.opcode_index].version)


def _operator_name(what, record, codes):
    """An OperatorRecord's operator name, from the schema or as a phrase."""
    if not 0 <= record.opcode_index < len(codes):
        raise InputError(f"The code of {what} must be one of 0 to {len(codes) - 1}, "
                         f"not {record.opcode_index}")
    code   = codes[record.opcode_index]
    number = max(code.deprecated_builtin_code, code.builtin_code)
    if number == OPERATOR.CUSTOM:
        return f"custom operator {code.custom_code[:60]!r}"
    return OPERATOR(number).name if number in iter(OPERATOR) else f"number {number}"


def _read_options(content, what, name, record):
    """An operator's options; None for operators without fields."""
    kind  = SIGNATURES[name].options
    title = kind.__name__ if kind else SIGNATURES[name].title
    absent = record.options_type == OPTIONS.NONE or record.options is None
    if kind and absent and record.options_type in (OPTIONS.NONE, OPTIONS[title]):
        return options_without_table(what, kind)
    if record.options_type not in (OPTIONS[title], OPTIONS.NONE):
        raise InputError(f"{what} must have options of type {OPTIONS[title].value} ({title}), "
                         f"not {record.options_type}")
    if kind is None:
        return None
    return read_record(content, kind, record.options, f"{title} of {what[0].lower()}{what[1:]}")
