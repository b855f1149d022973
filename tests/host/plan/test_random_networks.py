# SPDX-License-Identifier: Apache-2.0
"""Random networks: golden is tflite-micro, and plans and command lists are golden."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.images import image_of, noisy_machine, run_image, with_dma
from tests.support.seed import random_of
from tests.support.sizes import each_name
from tests.support.tflite.images import image_network
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.micro import run_file
from tests.support.tflite.mixed import mixed_network
from xymac.hdl.config import find_size
from xymac.host.errors import InputError, Refusal, RefusalKind
from xymac.host.network.load import load_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model

#: Cores with memories that few of these networks fit.
LITTLE = ("tiny,x_rows=512,y_rows=512", "small,x_rows=1536,y_rows=512")

#: Cores with memories of unequal depths, and with little program memory.
ODD = ("base,x_rows=1536,passes=16", "ways=4,x_rows=4096,y_rows=512,passes=32",
       "small,x_rows=512,y_rows=3584,passes=16", "tiny,x_rows=3584,y_rows=512,passes=8")

#: Kinds of refusals that a network may meet: large tensors are not always cut where they take
#: another shape.
STATED = {RefusalKind.OPERATOR, RefusalKind.VALUE, RefusalKind.X_MEMORY}

#: Words of refusals that a network may meet as an image.
UNLISTED = ("passes", "Sums of 64 bits", "which a command list cannot hold",
            "which a transfer cannot arrange", "bytes of X memory")


def draw(key):
    """A Model of up to 8 operators on images, and its inputs."""
    rng = random_of((key, 61))
    while True:
        model = image_network(rng, int(rng.integers(1, 9)))
        if model.operators:
            return model, [*random_inputs(model, key)]


def draw_mixed(key):
    """A Model of any operators, and its inputs."""
    rng = random_of((key, 62))
    while True:
        model = mixed_network(rng, int(rng.integers(1, 6)))
        if model.inputs:
            return model, [*random_inputs(model, key)]


def run_plans(size, first, count, drawn=draw):
    """Plans equal to golden, out of ``count``; others must be refused for a stated reason."""
    refused = []
    for key in range(first, first + count):
        model, inputs = drawn(key)
        try:
            assert_model(find_size(size), model, *inputs)
        except Refusal as refusal:
            refused.append(refusal)
    assert {each.kind for each in refused} <= STATED, refused
    return count - len(refused)


def run_lists(size, first, count, folder, drawn=draw):
    """The same for command lists of a core with DMA, through a file."""
    refused, config = [], with_dma(find_size(size))
    for key in range(first, first + count):
        path = folder / f"{key}.tflite"
        path.write_bytes(write_model(drawn(key)[0]))
        network = load_model(path)
        try:
            image = image_of(network, config)
        except InputError as error:
            refused.append(str(error))
            continue
        with noisy_machine(config) as device:
            run_image(network, image, device)
    assert all(any(words in text for words in UNLISTED) for text in refused), refused
    return count - len(refused)


@pytest.mark.parametrize("drawn", [draw, draw_mixed])
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_golden_is_tflite_micro(first, drawn):
    for key in range(first, first + 20):
        model, inputs = drawn(key)
        computed      = run_model(model, *inputs)
        for number, wanted in zip(model.outputs, run_file(write_model(model), *inputs),
                                  strict=True):
            np.testing.assert_array_equal(computed[number].output.data, wanted, str(key))


@each_name
def test_plans_are_golden(size):
    assert run_plans(size, 0, 25) > 15


@each_name
def test_plans_of_any_operators_are_golden(size):
    assert run_plans(size, 0, 25, draw_mixed) > 20


@pytest.mark.parametrize("drawn", [draw, draw_mixed])
@pytest.mark.parametrize("size", ODD)
def test_plans_for_odd_cores_are_golden(size, drawn):
    assert run_plans(size, 100, 10, drawn) > 5


@pytest.mark.parametrize("drawn", [draw, draw_mixed])
@pytest.mark.parametrize("size", LITTLE)
def test_lists_are_golden(size, drawn, tmp_path):
    assert run_lists(size, 0, 6, tmp_path, drawn) > 3


@pytest.mark.long
@each_name
@pytest.mark.parametrize("first", range(1000, 1800, 200))
def test_many_plans(size, first):
    assert run_plans(size, first, 200) > 120


@pytest.mark.long
@pytest.mark.parametrize("size", ["base", "tiny", "small", *ODD])
@pytest.mark.parametrize("first", range(3000, 3400, 200))
def test_many_plans_of_any_operators(size, first):
    assert run_plans(size, first, 200, draw_mixed) > 150


@pytest.mark.long
@pytest.mark.parametrize("size", ["base", "tiny", *LITTLE])
@pytest.mark.parametrize("first", range(2000, 2120, 40))
def test_many_lists(size, first, tmp_path):
    assert run_lists(size, first, 40, tmp_path) > 20
