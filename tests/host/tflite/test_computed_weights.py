# SPDX-License-Identifier: Apache-2.0
"""FULLY_CONNECTED whose weights are computed, bit for bit as in tflite-micro."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.cases import network
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import constant, value
from tests.support.tflite.wild import EVERY, wild_of
from xymac.hdl.config import TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

NAME  = "FULLY_CONNECTED of two"
INT4, INT8, INT16, FLOAT32 = (TENSOR_TYPE.INT4, TENSOR_TYPE.INT8, TENSOR_TYPE.INT16,
                              TENSOR_TYPE.FLOAT32)


def check_golden(model, key):
    """Golden's output is tflite-micro's, unless golden refuses the sums."""
    inputs = [*random_inputs(model, key)]
    try:
        computed = run_model(model, *inputs)
    except InputError:
        return 0
    [wanted] = run_file(write_model(model), *inputs)
    np.testing.assert_array_equal(computed[model.outputs[0]].output.data, wanted, str(key))
    return 1


def test_random_networks():
    assert sum(check_golden(EVERY[NAME](random_of((key, 5))), key) for key in range(60)) == 60


def test_scales_and_zero_points_at_their_ends():
    assert sum(check_golden(wild_of(NAME, key), key) for key in range(60)) > 40


@pytest.mark.long
def test_many_networks():
    for key in range(60, 1500):
        check_golden(EVERY[NAME](random_of((key, 5))), key)
        check_golden(wild_of(NAME, key), key)


def dense(x, weights, y, *bias, activation=ACTIVATION.NONE):
    """Model of a FULLY_CONNECTED without constant weights."""
    return network("FULLY_CONNECTED", (x, weights, *bias), (y,),
                   options.FullyConnectedOptions(activation))


def product_of_activations(activation=ACTIVATION.RELU):
    """TRANSPOSE and FULLY_CONNECTED, as a converter writes a product of two matrices."""
    tensors = (value("a", (7, 12), INT8, 0.0625, -9), value("b", (12, 40), INT8, 0.046875, 11),
               constant("order", np.array([1, 0], np.int32)),
               value("turned", (40, 12), INT8, 0.046875, 11), value("y", (7, 40), INT8, 0.125, -20))
    return Model(tensors, (
        Operator("TRANSPOSE", (1, 2), (3,)),
        Operator("FULLY_CONNECTED", (0, 3, -1), (4,),
                 options.FullyConnectedOptions(activation))), (0, 1), (4,))


def run_session(model, *inputs):
    """(Output array on a golden machine, whether the host computes each layer)."""
    with MachineDevice(TINY) as device:
        session = Session(network_of(model, "net"), device)
        output  = session.run(*inputs).outputs[0].data
    return output, [facts.host for facts in session.facts]


def test_a_product_of_two_activations_runs_on_the_core():
    model    = product_of_activations()
    inputs   = [*random_inputs(model, 1)]
    [wanted] = run_file(write_model(model), *inputs)

    output, host = run_session(model, *inputs)
    np.testing.assert_array_equal(output, wanted, strict=True)
    assert host == [False, False]
    assert len(np.unique(wanted)) > 20


def attention(rng, rows, depth):
    """Scores of two matrix products, SOFTMAX and a third product with a bias."""
    projections = [constant(f"w{place}", rng.integers(-127, 128, (depth, 6), np.int8), (2.0 ** -7,))
                   for place in range(3)]
    bias    = constant("b", rng.integers(-999, 999, depth, np.int32), (2.0 ** -11,))
    tensors = (
        value("x", (rows, 6), INT8, 0.0625, 3), *projections,
        *(value(name, (rows, depth), INT8, 0.125, zero)
          for name, zero in (("q", -5), ("k", 7), ("v", 9))),
        value("scores", (rows, rows), INT8, 1.0, -9),
        value("shares", (rows, rows), INT8, 2.0 ** -8, -128),
        constant("order", np.array([1, 0], np.int32)),
        value("turned", (depth, rows), INT8, 0.125, 9),
        bias, value("y", (rows, depth), INT8, 0.0625, -30))
    kind = options.FullyConnectedOptions()
    operators = [Operator("FULLY_CONNECTED", inputs, (output,), kind) for inputs, output in (
        ((0, 1, -1), 4), ((0, 2, -1), 5), ((0, 3, -1), 6), ((4, 5, -1), 7), ((8, 10, 11), 12))]
    operators[4:4] = [Operator("SOFTMAX", (7,), (8,), options.SoftmaxOptions(1.0)),
                      Operator("TRANSPOSE", (6, 9), (10,))]
    return Model(tensors, tuple(operators), (0,), (12,))


@pytest.mark.parametrize(("rows", "depth"), [(34, 31), (6, 48)])
def test_attention_runs_on_the_core(rows, depth):
    model    = attention(random_of(rows), rows, depth)
    inputs   = [*random_inputs(model, 3)]
    [wanted] = run_file(write_model(model), *inputs)

    output, host = run_session(model, *inputs)
    np.testing.assert_array_equal(output, wanted, strict=True)
    assert not any(host)


@pytest.mark.parametrize(("shape", "out"), [((2, 3, 4), (6, 5)), ((4,), (5,)), ((2, 6), (3, 5))])
def test_the_host_computes_outputs_of_other_dimensions(shape, out):
    model    = dense(value("x", shape, INT8, 0.0625, 3), value("w", (5, 4), INT8, 0.03125, -7),
                     value("y", out, INT8, 0.5, 1))
    inputs   = [*random_inputs(model, 2)]
    [wanted] = run_file(write_model(model), *inputs)

    output, host = run_session(model, *inputs)
    np.testing.assert_array_equal(output, wanted, strict=True)
    assert host == [True]


X, Y = value("x", (3, 4), INT8), value("y", (3, 5), INT8)
WEIGHTS = value("w", (5, 4), INT8, 0.03125, -7)
BIAS    = value("b", (5,), TENSOR_TYPE.INT32)


@pytest.mark.parametrize(("model", "sentence"), [
    (dense(X, WEIGHTS, Y, BIAS), r": its bias, tensor 2 \('b'\), must be a constant$"),
    (dense(X, replace(WEIGHTS, type=INT4, zero_points=(0,)), Y),
     r", tensor 2 \('y'\): Weights of INT4 must be a constant$"),
    (dense(X, replace(WEIGHTS, scales=(0.5,) * 5, zero_points=(0,) * 5), Y),
     r", tensor 2 \('y'\): Weights must have one scale, not one along dimension 0$"),
    (dense(X, replace(WEIGHTS, shape=(1, 5, 4)), Y),
     r", tensor 2 \('y'\): Weights must have 2 dimensions, not 3$"),
    (dense(value("x", (3, 4), INT16, 0.5, 0), replace(WEIGHTS, type=INT16, zero_points=(0,)),
           value("y", (3, 5), INT16, 0.5, 0)),
     r": its weights, tensor 1 \('w'\), must be of INT8 or INT4 or FLOAT32, not INT16$"),
    (dense(X, WEIGHTS, value("y", (3, 6), INT8)),
     r": its output, tensor 2 \('y'\), must have shape \(3, 5\), not \(3, 6\)$"),
])
def test_refusals(model, sentence):
    with pytest.raises(InputError, match=rf"^Operator 0 \(FULLY_CONNECTED\){sentence}"):
        convert_model(model)


def test_real_weights_run_on_the_host():
    model    = dense(value("x", (3, 4), FLOAT32), value("w", (5, 4), FLOAT32),
                     value("y", (3, 5), FLOAT32))
    model    = replace(model, tensors=tuple(replace(each, scales=(), zero_points=())
                                            for each in model.tensors))
    rng      = random_of(3)
    inputs   = [rng.normal(size=shape).astype(np.float32) for shape in ((3, 4), (5, 4))]
    [wanted] = run_file(write_model(model), *inputs)

    output, host = run_session(model, *inputs)
    np.testing.assert_array_equal(output, wanted, strict=True)
    assert host == [True]
