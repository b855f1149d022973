# SPDX-License-Identifier: Apache-2.0
"""Operators and types that TensorFlow Lite has and tflite-micro lacks."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.beyond import BEYOND, BYTES, narrowed
from tests.support.tflite.litert import run_litert
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.micro import open_file, run_file
from tests.support.tflite.moves import ints
from tests.support.tflite.networks import value
from xymac.hdl.config import BASE, TINY
from xymac.host.errors import InputError
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

INT8, INT16, INT32, BOOL = (TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT32,
                            TENSOR_TYPE.BOOL)
COUNT = 12


def cases_of(name):
    """Yield (Model, inputs)."""
    for key in range(COUNT):
        model = BEYOND[name](random_of((key, *name.encode())))
        yield model, [*random_inputs(model, key)]


def output_of(model, *inputs):
    return run_model(model, *inputs)[model.outputs[0]].output.data


@pytest.mark.parametrize("name", BEYOND)
def test_tflite_micro_has_no_kernel(name):
    model, inputs = next(cases_of(name))
    with pytest.raises(RuntimeError):
        run_file(write_model(model), *inputs)


@pytest.mark.parametrize("name", BYTES)
def test_a_move_of_words_is_that_of_their_bytes(name):
    """Which tflite-micro moves."""
    for model, inputs in cases_of(f"{name} of INT16"):
        bytes_ = [each[..., None].astype("<i2").view(np.int8) for each in inputs]
        run    = open_file(write_model(narrowed(model)))
        parts  = [run(*(np.array(each[..., place]) for each in bytes_))[0]
                  for place in range(2)]
        wanted = np.stack(parts, -1).view("<i2")[..., 0]

        assert np.array_equal(output_of(model, *inputs), wanted)


@pytest.mark.parametrize(("name", "find"), [("REDUCE_MAX", max), ("REDUCE_MIN", min)])
def test_extremes_are_those_of_all_elements(name, find):
    for model, [data] in cases_of(f"{name} of INT16"):
        axes   = {axis % data.ndim for axis in model.tensors[1].data.reshape(-1).tolist()}
        groups = {}
        for place, element in np.ndenumerate(data):
            kept = tuple(index for axis, index in enumerate(place) if axis not in axes)
            groups.setdefault(kept, []).append(element)

        assert output_of(model, data).reshape(-1).tolist() == [*map(find, groups.values())]


def test_tile_repeats_the_whole():
    for model, [data] in cases_of("TILE"):
        result = output_of(model, data)
        assert result.shape == model.tensors[model.outputs[0]].shape
        for place, element in np.ndenumerate(result):
            assert element == data[tuple(np.mod(place, data.shape))]


def test_select_takes_element_by_element():
    for model, (condition, x, z) in cases_of("SELECT"):
        chosen = np.broadcast_to(condition, x.shape).reshape(-1)
        assert output_of(model, condition, x, z).reshape(-1).tolist() == [
            pair[not truth] for truth, *pair in zip(
                chosen, x.reshape(-1).tolist(), z.reshape(-1).tolist(), strict=True)]


@pytest.mark.parametrize("name", BEYOND)
def test_litert_agrees(name):
    for model, inputs in cases_of(name):
        assert np.array_equal(output_of(model, *inputs), run_litert(write_model(model), *inputs)[0])


#: Operator, options, scale and zero point of input and output, and what LiteRT 2.3 computes of
#: every 17th byte.
RECORDED = [
    ("EXP", None, (0.03, 5), (0.15, -128),
     [-128, -128, -128, -127, -127, -126, -125, -124, -121, -116, -108, -94, -72, -35, 28, 127]),
    ("LOG", None, (0.02, -128), (0.03, 40),
     [-128, 4, 27, 41, 50, 58, 64, 69, 73, 77, 81, 84, 87, 90, 92, 94]),
    ("GELU", options.GeluOptions(False), (0.05, 3), (0.024, -121),
     [-121, -121, -121, -121, -121, -122, -125, -128, -115, -81, -42, -5, 31, 66, 102, 127]),
    ("GELU", options.GeluOptions(True), (0.05, 3), (0.004, -3),
     [-3, -3, -3, -3, -4, -9, -30, -44, 34, *[127] * 7])]


@pytest.mark.parametrize(("name", "given", "x", "y", "wanted"), RECORDED)
def test_functions_of_a_byte(name, given, x, y, wanted):
    data  = np.arange(-128, 128, 17).astype(np.int8)
    x, y  = (value(each, (16,), INT8, float(np.float32(scale)), zero)
             for each, (scale, zero) in (("x", x), ("y", y)))
    model = Model((x, y), (Operator(name, (0,), (1,), given),), (0,), (1,))

    assert output_of(model, data).tolist() == wanted


@pytest.mark.parametrize(("name", "wanted"), [
    ("RELU_0_TO_1", [0, 0, 0, 0.25, 1, 1]), ("RELU_N1_TO_1", [-1, -0.5, 0, 0.25, 1, 1])])
def test_limits_of_floating_point(name, wanted):
    x, y  = (Tensor(each, (6,), TENSOR_TYPE.FLOAT32) for each in "xy")
    model = Model((x, y), (Operator(name, (0,), (1,)),), (0,), (1,))
    data  = np.float32([-7, -0.5, 0, 0.25, 1, np.inf])

    assert output_of(model, data).tolist() == wanted
    assert run_litert(write_model(model), data)[0].tolist() == wanted


def square_root(kind, scale, out, zero=0):
    x = value("x", (6,), kind, float(np.float32(scale)), -128 if kind == INT8 else 0)
    y = value("y", (6,), kind, float(np.float32(out)), zero)
    return Model((x, y), (Operator("SQRT", (0,), (1,)),), (0,), (1,))


def test_the_host_takes_square_roots_of_words():
    """The square roots of LiteRT 2.3, where a product with the inverse scale gives 6 and 13."""
    model = square_root(INT16, 1.0248652870359365e-05, 0.003201351733878255)
    data  = np.int16([0, 48, 49, 196, 32767, 1])

    run = Session(network_of(model, "net")).run(data)

    assert run.outputs[0].data.tolist() == [0, 6, 7, 14, 181, 1]


def test_a_square_root_of_a_negative_number():
    model = square_root(INT16, 0.5, 0.5)

    message = "No element must be below its zero point, but one is by 3"
    with pytest.raises(InputError, match=message):
        run_model(model, np.int16([1, 2, -3, 4, 5, 6]))


@pytest.mark.parametrize("name", ["EXP", "LOG", "GELU", "SQRT"])
@pytest.mark.parametrize(("scales", "sentence"), [
    ((2.0 ** -101, 1.0),
     "Scale of the input must be between 2**-100 and 2**100, not 3.9443e-31"),
    ((1.0, 2.0 ** 101), "Scale of out must be between 2**-100 and 2**100, not 2.5353e+30")])
def test_scales_whose_steps_leave_float32(name, scales, sentence):
    x, y  = (value(each, (4,), INT8, scale) for each, scale in zip("xy", scales, strict=True))
    given = options.GeluOptions() if name == "GELU" else None

    with pytest.raises(InputError, match=re.escape(sentence)):
        convert_model(Model((x, y), (Operator(name, (0,), (1,), given),), (0,), (1,)))


@pytest.mark.parametrize("config", [BASE, TINY], ids=["base", "tiny"])
@pytest.mark.parametrize("name", BEYOND)
def test_the_core_computes_them(name, config):
    for model, inputs in cases_of(name):
        assert_model(config, model, *inputs)


def test_the_host_selects_indices():
    """As for an embedding whose negative indices count from the end."""
    numbers = ("i", "j", "y")
    model   = Model((*(Tensor(name, (2, 3), INT32) for name in numbers),
                     Tensor("c", (2, 3), BOOL)),
                    (Operator("SELECT_V2", (3, 0, 1), (2,)),), (0, 1, 3), (2,))
    rng     = random_of(1)
    i, j    = rng.integers(-9, 9, (2, 2, 3)).astype(np.int32)
    truth   = rng.integers(0, 2, (2, 3)).astype(bool)

    run = Session(network_of(model, "net")).run(i, j, truth)

    assert np.array_equal(run.outputs[0].data, np.where(truth, i, j))


def of_tile(times, shape=(2, 3)):
    x = value("x", shape, INT8)
    return Model((x, ints("times", times), replace(x, name="y", shape=(4, 3))),
                 (Operator("TILE", (0, 1), (2,)),), (0,), (2,))


def of_select(condition, second):
    x = value("x", (2, 3), INT8)
    return Model((x, replace(x, name="z", shape=second), value("c", condition, BOOL),
                  replace(x, name="y")), (Operator("SELECT", (2, 0, 1), (3,)),), (0, 1, 2), (3,))


@pytest.mark.parametrize(("model", "sentence"), [
    (of_tile([2, 0]), "times must be at least 1 for each dimension, not (2, 0)"),
    (of_tile([2]), "times must be a tuple of 2 ints, not (2,)"),
    (of_tile([[2, 1]]), "Its times must have 1 dimension, not 2"),
    (of_select((2,), (2, 3)),
     "Its condition must have 0 dimensions or the shape of the inputs, (2, 3), not (2,)"),
    (of_select((2, 3), (1, 3)),
     "Its second input must have the shape of the first, (2, 3), not (1, 3)"),
])
def test_refusals(model, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        convert_model(model)


def open_reshape(wanted):
    """Model of a RESHAPE whose output has one open dimension, stored as 1, and of a RELU."""
    x = value("x", (1, 2, 3, 4), INT8)
    y = replace(x, name="y", shape=(1, 1, 4))
    z = replace(x, name="z", shape=(1, 6, 4))
    return Model((x, ints("wanted", wanted), y, z), (
        Operator("RESHAPE", (0, 1), (2,), options.ReshapeOptions()),
        Operator("RELU", (2,), (3,))), (0,), (3,))


def test_the_second_input_of_a_reshape_closes_an_open_shape():
    model = open_reshape((1, 6, 4))
    [data] = random_inputs(model)

    with pytest.raises(RuntimeError):
        run_file(write_model(model), data)
    assert np.array_equal(output_of(model, data), data.reshape(1, 6, 4).clip(0))


def test_a_stored_shape_that_is_possible_counts():
    """As in tflite-micro, which does not read the second input."""
    model = open_reshape((1, 6, 4))
    y     = replace(model.tensors[2], shape=(1, 8, 3))
    model = replace(model, tensors=(*model.tensors[:2], y, replace(y, name="z")))
    [data] = random_inputs(model)

    [wanted] = run_file(write_model(model), data)

    assert np.array_equal(output_of(model, data), wanted)


@pytest.mark.parametrize("wanted", [(1, 5, 4), (-1, -6, 4), (0, 6, 4)])
def test_a_reshape_to_no_possible_shape(wanted):
    with pytest.raises(InputError, match=r"shape must be one of 24 elements, not \(1, 1, 4\)"):
        convert_model(open_reshape(wanted))


@pytest.mark.parametrize(("name", "sentence"), [
    ("SPACE_TO_BATCH_ND",
     "Images of INT16 must all be computed, not 1 of them: the file must have a fixed batch"),
    ("BATCH_TO_SPACE_ND",
     "Its input of INT16 must have all elements of its output: a file with a fixed batch has them"),
])
def test_open_batches_of_words(name, sentence):
    """No library computes a part of them."""
    block   = ints("block", (2, 2)), ints("sides", [(0, 0), (0, 0)])
    large   = value("x", (1, 4, 4, 3), INT16)
    small   = replace(large, name="y", shape=(1, 2, 2, 3))
    x, y    = (large, small) if name.startswith("SPACE") else (small, large)
    model   = Model((x, *block, y), (Operator(name, (0, 1, 2), (3,)),), (0,), (3,))

    with pytest.raises(InputError, match=sentence):
        convert_model(model)
