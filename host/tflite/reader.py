"""The bytes of a TensorFlow Lite file as a Model."""

import struct

from host.errors import InputError

from . import options
from .checks import check_model
from .codes import OPERATOR, OPTIONS
from .content import Content
from .fields import read_record
from .model import TYPES, Model, Operator, Tensor
from .records import File
from .signatures import SIGNATURES
from .tensors import LIMIT, check_shape, check_type

__all__ = ["IDENTIFIER", "VERSION", "read_model"]

IDENTIFIER = b"TFL3"  #: Bytes 4 to 7 of a file.
VERSION    = 3        #: Of the schema.

_HEADER = struct.Struct("<I4s")


def read_model(data):
    """Read the bytes of a file as a Model; InputError, one sentence, if that is impossible.

    Constants are views of ``data``. The shape of a tensor is the stored one even where the file
    calls a dimension open, as in tflite-micro. Of tensors that nothing takes only name, shape and
    type are kept. What says how a file came about is left out: metadata, names of signatures,
    ranges of training.

    Source: tensorflow/compiler/mlir/lite/schema/schema.fbs.
    """
    if len(data) > LIMIT:
        raise InputError(f"A file may have {LIMIT:,} bytes at most, not {len(data):,}")
    content = Content(bytes(data))
    if len(data) < _HEADER.size or data[4:8] != IDENTIFIER:
        raise InputError(f"It is no TensorFlow Lite file: bytes 4 to 7 must be {IDENTIFIER!r}, "
                         f"not {bytes(data[4:8])!r}")
    file = read_record(content, File, content.follow(0, "Model"), "Model")
    if file.version != VERSION:
        raise InputError(f"The version of its schema must be {VERSION}, not {file.version}")
    if len(file.subgraphs) != 1:
        raise InputError(f"It must have 1 subgraph, not {len(file.subgraphs)}")
    [graph] = file.subgraphs
    used = {*graph.inputs, *graph.outputs}.union(
        *(operator.inputs for operator in graph.operators),
        *(operator.outputs for operator in graph.operators))
    model = Model(
        tensors=tuple(_read_tensor(f"tensor {number} ({record.name[:60]!r})", record, file.buffers)
                      if number in used else Tensor(record.name, record.shape, record.type)
                      for number, record in enumerate(graph.tensors)),
        operators=tuple(_read_operator(content, number, record, file.operator_codes)
                        for number, record in enumerate(graph.operators)),
        inputs=graph.inputs, outputs=graph.outputs, name=graph.name, description=file.description)
    check_model(model)
    return model


def _read_tensor(what, record, buffers):
    """The Tensor of a TensorRecord."""
    check_type(what, record.type)
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
    """The read-only array of a constant; None for what is none."""
    if buffer.offset or buffer.size:
        raise InputError(f"Data of {what} must be in the tables of the file, "
                         f"not from byte {buffer.offset} on")
    if buffer.data is None or not buffer.data.size:
        return None
    dtype, size = TYPES[record.type], buffer.data.size
    want = dtype.itemsize
    for each in record.shape:
        want *= each
    if size != want:
        raise InputError(f"{what} of {record.type.name} and shape {record.shape} must have "
                         f"{want:,} bytes, not {size:,}")
    return buffer.data.view(dtype).reshape(record.shape)


def _read_operator(content, number, record, codes):
    """The Operator of an OperatorRecord."""
    what = f"Operator {number}"
    if not 0 <= record.opcode_index < len(codes):
        raise InputError(f"The code of {what[0].lower()}{what[1:]} must be one of 0 to "
                         f"{len(codes) - 1}, not {record.opcode_index}")
    code = codes[record.opcode_index]
    name = _operator_name(what, code)
    return Operator(name, record.inputs, record.outputs,
                    _read_options(content, f"{what} ({name})", name, record), code.version)


def _operator_name(what, code):
    number = max(code.deprecated_builtin_code, code.builtin_code)
    if number == OPERATOR.CUSTOM:
        raise InputError(f"{what} must be one of {', '.join(SIGNATURES)}, "
                         f"not {code.custom_code[:60]!r}, a custom operator")
    if number not in iter(OPERATOR):
        raise InputError(f"{what} must be one of {', '.join(SIGNATURES)}, not number {number}")
    name = OPERATOR(number).name
    if name not in SIGNATURES:
        raise InputError(f"{what} must be one of {', '.join(SIGNATURES)}, not {name}")
    return name


def _read_options(content, what, name, record):
    """The options of an operator; None where its name says all."""
    kind  = SIGNATURES[name].options
    title = kind.__name__ if kind else SIGNATURES[name].title
    # What is empty, and the shape of a reshape that has a second input, need not be there.
    free  = kind in (None, options.ReshapeOptions)
    if record.options_type == OPTIONS.NONE and free:
        return kind and kind()
    if record.options_type != OPTIONS[title]:
        raise InputError(f"{what} must have options of type {OPTIONS[title].value} ({title}), "
                         f"not {record.options_type}")
    if kind is None:
        return None
    if record.options is None:
        raise InputError(f"{what} must have its {title}")
    return read_record(content, kind, record.options, f"{title} of {what[0].lower()}{what[1:]}")
