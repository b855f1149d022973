"""Numbers that no converter writes, in options and as scales: computed, or refused."""

from dataclasses import fields, replace
from math import inf, nan

import pytest

from host.errors import InputError
from host.network.inference import each_input
from host.network.inputs.samples import random_images
from host.network.session import Session
from host.network.tflite import network_of
from host.tflite.reader import read_model
from host.tflite.writer import encode_model
from tests.support.seed import random_of
from tests.support.tflite.reals import REALS, real_network
from tests.support.tflite.wild import EVERY

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
