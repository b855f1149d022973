# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite files as layers: values, constants, states, and what is refused."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import constant, conv_network, value
from tests.support.tflite.wild import ALL
from xymac.golden.tflm import Add, Conv2d, Quantisation, Split
from xymac.host.errors import InputError
from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE, WEIGHTS_FORMAT
from xymac.host.tflite.layers.registry import CONVERTERS
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.signatures import LAYERLESS, SIGNATURES
from xymac.host.tflite.writer import write_model

MODEL = conv_network()


def add_network():
    """A sum of a constant, the input, and the constant again."""
    data    = np.array([[-7], [100]], np.int8)
    tensors = (value("x", (2, 3)), replace(constant("c", data, (0.0625,)), zero_points=(3,)),
               value("first", (2, 3), scale=0.125), value("y", (2, 3), scale=0.25))
    return Model(tensors, (
        Operator("ADD", (1, 0), (2,), options.AddOptions(), 2),
        Operator("ADD", (2, 1), (3,), options.AddOptions(), 2)), (0,), (3,))


def split_network(*outputs):
    """The parts of a split, of which ``outputs`` are those of the network."""
    tensors = (constant("axis", np.array(1, np.int32)), value("x", (2, 6)),
               *(value(f"y{index}", (2, 2)) for index in range(3)))
    return Model(tensors, (Operator("SPLIT", (0, 1), (2, 3, 4), options.SplitOptions(3)),),
                 (1,), outputs)


def state_network(name):
    """A random network of an operator with a state."""
    return ALL[name](random_of((1, *name.encode())))


def with_options(model, **fields):
    """A network of one operator with other options."""
    [operator] = model.operators
    return replace(model, operators=(
        replace(operator, options=replace(operator.options, **fields)),))


def with_tensor(model, number, **fields):
    """A network with other fields of a tensor."""
    tensors = list(model.tensors)
    tensors[number] = replace(tensors[number], **fields)
    return replace(model, tensors=tuple(tensors))


def test_every_operator_has_its_converter():
    assert CONVERTERS.keys() | {*LAYERLESS} == SIGNATURES.keys()
    assert not CONVERTERS.keys() & {*LAYERLESS}


def test_nodes_are_those_of_the_file():
    network = convert_model(MODEL)

    assert [node.name for node in network.nodes] == ["conv", "relu", "sum", "flat", "y"]
    assert [node.sources for node in network.nodes] == [(0,), (1,), (1, 2), (3,), (4,)]
    assert network.tensors == (0, 3, 4, 5, 7, 8)
    assert network.operators == (0, 1, 2, 3, 4)
    assert network.outputs == (5,)
    [x] = network.inputs
    assert (x.shape, x.quantisation) == ((1, 6, 5, 2), Quantisation((0.0625,), (-3,)))
    layer = network.nodes[0].layer
    assert isinstance(layer, Conv2d)
    assert layer.weights.quantisation == Quantisation((0.0078125, 0.015625, 0.03125), (0,) * 3, 0)
    assert layer.stride == (2, 2)


def test_constants_stand_behind_the_inputs():
    model   = add_network()
    network = convert_model(model)

    [data] = network.constants
    assert data.shape == (2, 1)
    assert [node.sources for node in network.nodes] == [(1, 0), (2, 1)]
    assert all(isinstance(node.layer, Add) for node in network.nodes)
    [x] = random_inputs(model)
    np.testing.assert_array_equal(run_model(model, x)[3].output.data,
                                  run_file(write_model(model), x)[0])


@pytest.mark.parametrize(("outputs", "indices"), [((3,), [1]), ((4, 2), [0, 2])])
def test_outputs_of_a_split_that_nothing_takes_are_left_out(outputs, indices):
    network = convert_model(split_network(*outputs))

    assert [node.layer for node in network.nodes] == [
        Split(1, 3, index, Quantisation((0.0625,), (0,))) for index in indices]
    assert [network.tensors[number] for number in network.outputs] == [*outputs]


@pytest.mark.parametrize("name", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_states_are_fresh_every_time(name):
    model  = state_network(name)
    inputs = [*random_inputs(model)]

    first, second = (run_model(model, *inputs)[model.outputs[0]] for _ in range(2))

    np.testing.assert_array_equal(first.output.data, second.output.data)


def two_filters():
    """Two SVDFs that share their state."""
    model = state_network("SVDF")
    [operator] = model.operators
    return replace(model, tensors=(*model.tensors, model.tensors[5]),
                   operators=(operator, replace(operator, outputs=(6,))))


def padded_by(number, **fields):
    model = state_network("PADV2")
    return with_tensor(model, number, **fields)


FULL, DEPTH = state_network("FULLY_CONNECTED"), state_network("DEPTHWISE_CONV_2D")
SLICE, JOIN = state_network("STRIDED_SLICE"), state_network("CONCATENATION")


@pytest.mark.parametrize(("model", "sentence"), [
    (with_tensor(MODEL, 3, shape=(1, 3, 2, 3)),
     r"Operator 0 .*: its output, tensor 3 .*, must have shape \(1, 3, 3, 3\), not \(1, 3, 2, 3\)"),
    (with_tensor(MODEL, 4, type=TENSOR_TYPE.INT16),
     r"Operator 1 \(RELU6\): its output, tensor 4 \('relu'\), must be of INT8, not INT16"),
    (with_tensor(MODEL, 5, scales=(2.0**-30,)),
     r"Operator 2 \(ADD\), tensor 5 \('sum'\): Scales must make a factor less than 1, not .*"),
    (with_tensor(MODEL, 0, shape=(1,) * 6),
     r"Operator 0 \(CONV_2D\), tensor 3 \('conv'\): Input must have 4 dimensions, not 6"),
    (two_filters(),
     r"Operator 1 .*: The state 4 \('state'\) must be its own, not that of operator 0 as well"),
    (with_options(FULL, weights_format=WEIGHTS_FORMAT.SHUFFLED4x16INT8),
     r"Operator 0 \(FULLY_CONNECTED\).*: weights_format must be DEFAULT, not SHUFFLED4x16INT8"),
    (with_options(DEPTH, depth_multiplier=99),
     r"Operator 0 .*: depth_multiplier must make \d+ outputs of the .*, not be 99"),
    (with_options(SLICE, ellipsis_mask=1),
     r"Operator 0 \(STRIDED_SLICE\).*: ellipsis_mask must be 0, not 1"),
    (with_options(SLICE, new_axis_mask=2),
     r"Operator 0 \(STRIDED_SLICE\).*: new_axis_mask must be 0, not 2"),
    (with_options(SLICE, offset=True),
     r"Operator 0 \(STRIDED_SLICE\).*: offset must be False, not True"),
    (with_options(JOIN, fused_activation_function=ACTIVATION.RELU),
     r"Operator 0 \(CONCATENATION\).*: fused_activation_function must be NONE, not RELU"),
    (with_options(state_network("UNIDIRECTIONAL_SEQUENCE_LSTM"),
                  fused_activation_function=ACTIVATION.RELU),
     r"Operator 0 \(.*\).*: fused_activation_function must be TANH, not RELU"),
    (with_tensor(split_network(2), 0, shape=(2,), data=np.zeros(2, np.int32)),
     r"Operator 0 \(SPLIT\).*: Its axis must be 1 element, not 2"),
    (padded_by(1, shape=(8,), data=np.zeros(8, np.int32)),
     r"Operator 0 \(PADV2\).*: Its paddings must have shape \(dimensions, 2\), not \(8,\)"),
    (padded_by(2, shape=(2,), data=np.zeros(2, np.int8)),
     r"Operator 0 \(PADV2\).*: Its padding value must be 1 element, not 2"),
    (padded_by(2, type=TENSOR_TYPE.INT16, data=np.zeros(1, np.int16)),
     r"Operator 0 \(PADV2\).*: Its padding value must be of INT8, not INT16"),
    (replace(MODEL, operators=()), r"The output tensor 8 \('y'\) must be written by an operator"),
])
def test_what_no_layer_computes_is_refused(model, sentence):
    with pytest.raises(InputError) as caught:
        convert_model(model)

    assert re.fullmatch(sentence, str(caught.value))


@pytest.mark.parametrize(("inputs", "sentence"), [
    ((), "Inputs must be 1, not 0"),
    (([1],), "Input 0 must be a numpy array, not list"),
    ((np.zeros((1, 6, 5, 2), np.int16),),
     r"Input 0 must be int8 of shape \(1, 6, 5, 2\), not int16 of shape \(1, 6, 5, 2\)"),
    ((np.zeros((6, 5, 2), np.int8),),
     r"Input 0 must be int8 of shape \(1, 6, 5, 2\), not int8 of shape \(6, 5, 2\)")])
def test_wrong_inputs_are_refused(inputs, sentence):
    with pytest.raises(InputError, match=f"^{sentence}$"):
        run_model(MODEL, *inputs)
