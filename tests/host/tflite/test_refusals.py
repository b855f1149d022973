# SPDX-License-Identifier: Apache-2.0
"""Files that are whole and still cannot be computed: each is refused in a sentence of its own."""

from dataclasses import replace

import flatbuffers
import numpy as np
import pytest

from tests.support.tflite.memory import stream_network
from tests.support.tflite.networks import constant, conv_network, value
from xymac.host.errors import InputError
from xymac.host.tflite import options
from xymac.host.tflite.codes import OPERATOR, TENSOR_TYPE
from xymac.host.tflite.content import SHARING
from xymac.host.tflite.fields import write_record
from xymac.host.tflite.model import Model, Operator, Tensor
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.reader import IDENTIFIER, read_model
from xymac.host.tflite.records import (
    Buffer,
    File,
    OperatorCode,
    OperatorRecord,
    SubGraph,
    TensorRecord,
)
from xymac.host.tflite.tensors import LIMIT
from xymac.host.tflite.writer import encode_model, write_model

MODEL = conv_network()


def with_tensor(number, **fields):
    """The network with other fields of a tensor."""
    tensors = list(MODEL.tensors)
    tensors[number] = replace(tensors[number], **fields)
    return replace(MODEL, tensors=tuple(tensors))


def with_operator(number, **fields):
    """The network with other fields of an operator."""
    operators = list(MODEL.operators)
    operators[number] = replace(operators[number], **fields)
    return replace(MODEL, operators=tuple(operators))


def with_order(*numbers):
    """The network with its operators in another order."""
    return replace(MODEL, operators=tuple(MODEL.operators[number] for number in numbers))


@pytest.mark.parametrize(("model", "sentence"), [
    (with_tensor(0, shape=(-1, 6, 5, 2)),
     r"tensor 0 \('x'\) must have a fixed shape, not \(-1, 6, 5, 2\)"),
    (with_tensor(0, shape=(1, 0, 5, 2)),
     r"tensor 0 \('x'\) must have at least 1 element per dimension, not shape \(1, 0, 5, 2\)"),
    (with_tensor(0, shape=(1,) * 9), r"tensor 0 \('x'\) may have at most 8 dimensions, not 9"),
    (with_tensor(0, shape=(1 << 20, 1 << 20)),
     r"tensor 0 \('x'\) may take at most 67,108,864 bytes, not 1,099,511,627,776, the size .*"),
    (with_tensor(0, type=TENSOR_TYPE.UINT16),
     r"tensor 0 \('x'\) must be of INT8, INT16, .*, INT4, RESOURCE, not UINT16"),
    (with_tensor(0, type=TENSOR_TYPE.INT32),
     r"Operator 0 \(CONV_2D\): its input, tensor 0 \('x'\), must be of INT8 or INT16 .*"),
    (with_tensor(1, type=TENSOR_TYPE.INT32, data=np.zeros((3, 3, 3, 2), np.int32)),
     r"Operator 0 \(CONV_2D\): its weights, tensor 1 \('w'\), must be of INT8 or INT4 .*"),
    (with_tensor(1, shape=(3, 3, 3, 3)),
     r"tensor 1 \('w'\) of INT8 and shape \(3, 3, 3, 3\) must have 81 bytes, not 54"),
    (with_tensor(1, data=None),
     r"Operator 0 \(CONV_2D\) reads tensor 1 \('w'\), which no operator writes"),
    (with_operator(0, inputs=(0, 0)),
     r"Operator 0 \(CONV_2D\): its weights, tensor 0 \('x'\), must be a constant"),
    (with_tensor(1, is_variable=True),
     r"Operator 0 \(CONV_2D\): its weights, .* must not be a state"),
    (with_tensor(1, scales=(1.0, 1.0), zero_points=(0, 0)),
     r"tensor 1 \('w'\) must have 1 scale or 3, one per index of dimension 0, not 2"),
    (with_tensor(1, dimension=4),
     r"Scales of tensor 1 \('w'\) must lie along dimension 0 to 3, not 4"),
    (with_tensor(1, scales=(), zero_points=()),
     r"Operator 0 \(CONV_2D\): its weights, .* must have at least 1 scale, not 0"),
    (with_tensor(0, scales=(1.0, 1.0), zero_points=(0, 0)),
     r"Operator 0 \(CONV_2D\): its input, .* must have 1 scale, not 2"),
    (with_tensor(0, zero_points=()),
     r"tensor 0 \('x'\) must have 1 zero point, or as many as its 1 scales, not 0"),
    (with_tensor(1, zero_points=(0, 0)),
     r"tensor 1 \('w'\) must have 1 zero point, or as many as its 3 scales, not 2"),
    (with_tensor(0, zero_points=(128,)),
     r"Zero points of tensor 0 \('x'\) must be between -128 and 127, not 128"),
    *((with_tensor(0, scales=(scale,)),
       rf"Scales of tensor 0 \('x'\) must be finite and at least 0, not {scale}")
      for scale in (-1.0, float("inf"), float("nan"))),
    (with_tensor(0, is_variable=True),
     r"The input tensor 0 \('x'\) must not be a constant or a state"),
    (with_tensor(3, is_variable=True),
     r"Operator 0 \(CONV_2D\) must not write tensor 3 \('conv'\), a state"),
    (with_tensor(0, data=np.zeros((1, 6, 5, 2), np.int8)),
     r"The input tensor 0 \('x'\) must not be a constant or a state"),
    (with_operator(0, inputs=(0,)), r"Operator 0 \(CONV_2D\) must have 2 to 3 inputs, not 1"),
    (with_operator(2, inputs=(3, 4, 4)), r"Operator 2 \(ADD\) must have 2 inputs, not 3"),
    (with_operator(2, inputs=(3, -1)), r"Operator 2 \(ADD\) must have its second input"),
    (with_operator(2, inputs=(3, 9)),
     r"Operator 2 \(ADD\): its second input must be one of tensors 0 to 8, not 9"),
    (with_operator(2, outputs=()), r"Operator 2 \(ADD\) must have 1 output, not 0"),
    (with_operator(2, outputs=(5, 7)), r"Operator 2 \(ADD\) must have 1 output, not 2"),
    (with_operator(2, options=options.MulOptions()),
     r"Operator 2 \(ADD\) must have options of type 11 \(AddOptions\), not 21"),
    (with_operator(2, name="WHILE"),
     r"operator 2, WHILE, is not supported; see `xymac run --operators`"),
    (replace(MODEL, operators=(*MODEL.operators[:2], *(
        replace(operator, name=name) for operator, name in zip(
            MODEL.operators[2:], ("WHILE", "IF", "WHILE"), strict=True)))),
     r"operators 2, 4 \(WHILE\), 3 \(IF\) are not supported; see `xymac run --operators`"),
    (with_order(1, 0, 2, 3, 4),
     r"Operator 0 \(RELU6\) must come after operator 1 \(CONV_2D\), which writes .* \('conv'\)"),
    (with_operator(1, inputs=(4,)),
     r"Operator 1 \(RELU6\) must come after operator 1 \(RELU6\), which .*"),
    (with_order(0, 2, 3, 4),
     r"Operator 1 \(ADD\) reads tensor 4 \('relu'\), which no operator writes"),
    (with_operator(1, outputs=(3,)),
     r"Operator 1 \(RELU6\) must not write tensor 3 \('conv'\), which operator 0 writes"),
    (with_operator(1, outputs=(0,)),
     r"Operator 1 \(RELU6\) must not write tensor 0 \('x'\), an input of the network"),
    (replace(MODEL, operators=()), "A network must have at least one operator, not 0"),
    (replace(MODEL, inputs=()), "A network must have at least one of its inputs, not 0"),
    (replace(MODEL, outputs=()), "A network must have at least one of its outputs, not 0"),
    (replace(MODEL, inputs=(0, 0)), "Inputs of the network must be different tensors, not 0, 0"),
    (replace(MODEL, outputs=(9,)),
     "Outputs of the network must be one of tensors 0 to 8, not 9"),
    (replace(MODEL, tensors=(*MODEL.tensors, Tensor("gone", (1,), TENSOR_TYPE.INT8)),
             outputs=(9,)),
     r"The output tensor 9 \('gone'\) must be written by an operator"),
])
def test_networks_that_cannot_be_computed(model, sentence):
    with pytest.raises(InputError, match=f"^{sentence}$"):
        read_model(encode_model(model))


def test_what_cannot_be_computed_is_not_written():
    with pytest.raises(InputError, match=r"^Operator 1 \(RELU6\) must not write "):
        write_model(with_operator(1, outputs=(3,)))


def encode(file):
    """Bytes of a file out of its records."""
    builder = flatbuffers.Builder()
    builder.Finish(write_record(builder, file), file_identifier=IDENTIFIER)
    return bytes(builder.Output())


GRAPH = SubGraph((TensorRecord((1,), TENSOR_TYPE.INT8),))


@pytest.mark.parametrize(("data", "sentence"), [
    (b"", r"It is no TensorFlow Lite file: bytes 4 to 7 must be b'TFL3', not b''"),
    (b"PK\3\4" * 9, r"It is no TensorFlow Lite file: bytes 4 to 7 must be b'TFL3', not b'PK.*"),
    (bytes(LIMIT + 1), "A file may have 67,108,864 bytes at most, not 67,108,865"),
    (encode(File(2)), "The version of its schema must be 3, not 2"),
    (encode(File(3)), "It must have 1 subgraph at least, not 0"),
    (encode(File(3, (), (replace(GRAPH, inputs=(0,)),))),
     r"The buffer of tensor 0 \(''\) must be one of 0 to -1, not 0"),
    (encode(File(3, (), (replace(GRAPH, inputs=(0,)),), "", (Buffer(None, 8, 8),))),
     r"Data of tensor 0 \(''\) must be in the tables of the file, not from byte 8 on"),
])
def test_files_that_hold_something_else(data, sentence):
    with pytest.raises(InputError, match=f"^{sentence}$"):
        read_model(data)


@pytest.mark.parametrize(("code", "sentence"), [
    (OperatorCode(OPERATOR.CUSTOM, "Mine", 1, OPERATOR.CUSTOM),
     r"operator 0, custom operator 'Mine', is not supported; see `xymac run --operators`"),
    (OperatorCode(127, "", 1, 5000), r"operator 0, number 5000, is not supported; see .*")])
def test_operators_that_are_unknown(code, sentence):
    file = File(3, (code,), (replace(GRAPH, operators=(OperatorRecord(0),)),), "", (Buffer(),))

    with pytest.raises(InputError, match=f"^{sentence}$"):
        read_model(encode(file))


def test_many_references_to_one_vector():
    builder = flatbuffers.Builder()
    tensor  = write_record(builder, TensorRecord((1,) * 1000, TENSOR_TYPE.INT8))
    builder.StartVector(4, 1000, 4)
    for _ in range(1000):
        builder.PrependUOffsetTRelative(tensor)
    tensors = builder.EndVector()
    builder.StartObject(5)
    builder.PrependUOffsetTRelativeSlot(0, tensors, 0)
    graph = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(graph)
    graphs = builder.EndVector()
    builder.StartObject(5)
    builder.PrependUOffsetTRelativeSlot(2, graphs, 0)
    builder.Finish(builder.EndObject(), file_identifier=IDENTIFIER)

    with pytest.raises(InputError, match=rf"^References must cover at most {SHARING} times"):
        read_model(bytes(builder.Output()))


def test_an_output_must_have_elements():
    model = replace(stream_network(), outputs=(10, 1))

    with pytest.raises(InputError, match=(
            r"^The output tensor 1 \('rows'\) must not be of RESOURCE, which has no elements$")):
        read_model(encode_model(model))


@pytest.mark.parametrize("places", [(1, 2), (2, 1)])
def test_the_library_reads_begin_and_size_of_a_slice_in_one_type(places):
    long, short = places
    tensors = {0: value("x", (4,)), short: constant("short", np.int32([1])),
               long: constant("long", np.int64([1])), 3: value("y", (1,))}
    model   = Model(tuple(tensors[number] for number in range(4)),
                    (Operator("SLICE", (0, 1, 2), (3,)),), (0,), (3,))
    kinds   = [tensors[number].type.name for number in (1, 2)]

    with pytest.raises(InputError, match=f"Its begin is {kinds[0]}, its size is {kinds[1]}$"):
        convert_model(model)


def test_tensors_that_nothing_takes_may_be_anything():
    model = replace(MODEL, tensors=(*MODEL.tensors, Tensor("", (0,), TENSOR_TYPE.STRING)))

    assert read_model(write_model(model)) == model


def test_an_operator_without_options():
    model = with_operator(1, name="HARD_SWISH")

    assert read_model(write_model(model)) == model
    assert model.operators[1] == Operator("HARD_SWISH", (3,), (4,))
