# SPDX-License-Identifier: Apache-2.0
"""What is written is read the same, by us and by tflite-micro."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import conv_network
from tests.support.tflite.wild import EVERY
from xymac.host.tflite.model import TYPES
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.writer import encode_model, write_model


def random_inputs(model, key=0):
    """Arrays for the inputs of a Model; all but integers of 8 and 16 bits are small."""
    rng = random_of(key)
    for number in model.inputs:
        tensor = model.tensors[number]
        dtype  = TYPES[tensor.type]
        limit  = 1 << 7 if dtype.itemsize == 1 else 1 << 15
        least  = -1 if dtype.kind == "b" else -limit
        most   = 1 if dtype.kind == "b" else limit
        yield rng.integers(least, most, tensor.shape).astype(dtype)


def test_a_network_is_read_as_it_was_written():
    model = conv_network()

    assert read_model(write_model(model)) == model


def test_what_is_read_cannot_be_changed():
    model = read_model(write_model(conv_network()))

    with pytest.raises(ValueError, match="read-only"):
        model.tensors[1].data[0] = 0


def test_tflite_micro_takes_what_is_written():
    model = conv_network()

    [output] = run_file(write_model(model), *random_inputs(model))

    assert output.shape == (1, 27)
    assert len(np.unique(output)) > 1


def test_real_networks(workloads):
    paths = sorted(workloads.rglob("*.tflite"))
    assert paths
    for path in paths:
        data    = path.read_bytes()
        model   = read_model(data)
        written = write_model(model)
        inputs  = [*random_inputs(model)]

        assert read_model(written) == model, path
        for expected, actual in zip(run_file(data, *inputs), run_file(written, *inputs),
                                    strict=True):
            np.testing.assert_array_equal(actual, expected, err_msg=str(path))


@pytest.mark.parametrize("name", ["FULLY_CONNECTED", "CONV_2D", "GATHER", "PRELU"])
def test_a_buffer_may_be_longer_than_its_tensor(name):
    models = (EVERY[name](random_of((key, 9))) for key in range(40))
    model  = next(each for each in models if any(
        tensor.data is not None for tensor in each.tensors))
    longer = replace(model, tensors=tuple(
        tensor if tensor.data is None else
        replace(tensor, data=np.append(tensor.data.reshape(-1), tensor.data.reshape(-1)[:3]))
        for tensor in model.tensors))
    data   = encode_model(longer)
    inputs = [*random_inputs(model)]

    assert read_model(data) == model
    for wanted, known in zip(run_file(write_model(model), *inputs), run_file(data, *inputs),
                             strict=True):
        np.testing.assert_array_equal(known, wanted)
