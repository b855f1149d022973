# SPDX-License-Identifier: Apache-2.0
"""Numbers that no converter writes, in options and as scales: computed, or refused."""

from contextlib import suppress
from dataclasses import fields, replace
from math import inf, nan

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import constant, value
from tests.support.tflite.reals import REALS, real_network
from tests.support.tflite.wild import EVERY
from xymac.hdl.config import TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError
from xymac.host.network.inference import each_input
from xymac.host.network.inputs.samples import random_images
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import PADDING
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.writer import encode_model

ODD = (nan, inf, -inf, -0.0, 0.0, 1e-45, -1.5, 3e38, -3e38)


def try_model(model):
    """Whether golden computes a Model; it may refuse it."""
    try:
        network = network_of(read_model(encode_model(model)), "odd")
        Session(network).run(*next(each_input(random_images(network, 1).data)))
    except InputError:
        return False
    return True


def with_odd_options(model):
    """Models, each with another number in the options of an operator."""
    for place, operator in enumerate(model.operators):
        for each in fields(operator.options) if operator.options is not None else ():
            if isinstance(getattr(operator.options, each.name), float):
                for odd in ODD:
                    changed = replace(operator, options=replace(operator.options,
                                                                **{each.name: odd}))
                    yield replace(model, operators=(
                        *model.operators[:place], changed, *model.operators[place + 1:]))


def with_odd_scales(model):
    """Models, each with another scale of a tensor."""
    for place, tensor in enumerate(model.tensors):
        for odd in ODD if tensor.scales else ():
            changed = replace(tensor, scales=(odd,) * len(tensor.scales))
            yield replace(model, tensors=(*model.tensors[:place], changed,
                                          *model.tensors[place + 1:]))


def models():
    """A name and a random network of every operator."""
    for name, draw in EVERY.items():
        yield name, draw(random_of((0, 9)))
    for name in REALS:
        yield f"{name} of float", real_network(random_of((0, 9)), name)


MODELS = dict(models())


@pytest.mark.parametrize("name", MODELS)
def test_odd_numbers(name):
    for model in (*with_odd_options(MODELS[name]), *with_odd_scales(MODELS[name])):
        try_model(model)


def test_some_are_computed_and_some_are_refused():
    taken = [try_model(model) for model in with_odd_options(MODELS["SOFTMAX"])]

    assert True in taken
    assert False in taken


def test_a_scalar_input():
    """An element of an array is no array."""
    network = network_of(read_model(encode_model(MODELS["FILL"])), "fill")
    images  = random_images(network, 1)

    assert network.inputs[0].shape == ()
    [outputs] = [Session(network).run(*each).outputs for each in each_input(images.data)]
    assert set(outputs[0].data.ravel().tolist()) == {images.data[0].item()}


def one_operator(name, kind, *constants):
    """Model of an operator on an image of 6 by 5 pixels of 2 channels that keeps its size."""
    outputs = 3 if constants else 2
    tensors = (value("x", (1, 6, 5, 2)), value("y", (1, 6, 5, outputs)), *constants)
    inputs  = {"TRANSPOSE_CONV": (3, 2, 0), "CONV_2D": (0, 2, -1)}.get(name, (0,))
    return Model(tensors, (Operator(name, inputs, (1,), kind),), (0,), (1,))


WEIGHTS = constant("w", random_of(1).integers(-127, 128, (3, 3, 3, 2)).astype(np.int8), (0.01,) * 3)
SIZES   = (1, 2, 4, 5, 6, 7, 13, 30, 1 << 20, 1 << 28, (1 << 31) - 1)


@pytest.mark.parametrize("size", SIZES)
def test_sizes_beyond_the_image(size):
    """They take no memory, and the results are those of the library where it ends soon."""
    models = [*(one_operator(name, options.Pool2DOptions(PADDING.SAME, 1, 1, size, size))
                for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")),
              one_operator("CONV_2D", options.Conv2DOptions(
                  PADDING.SAME, 1, 1, dilation_w_factor=size, dilation_h_factor=size), WEIGHTS),
              one_operator("TRANSPOSE_CONV", options.TransposeConvOptions(
                  PADDING.SAME, size, size), WEIGHTS, constant("s", np.int32([1, 6, 5, 3])))]
    x = random_of(2).integers(-128, 128, (1, 6, 5, 2)).astype(np.int8)

    for model in models:
        network = network_of(read_model(encode_model(model)), "odd")
        output  = Session(network).run(x).outputs[0].data
        if size <= 30:
            np.testing.assert_array_equal(output, run_file(encode_model(model), x)[0])
        with MachineDevice(TINY) as device, suppress(InputError):
            assert Session(network, device).run(x).difference is None
