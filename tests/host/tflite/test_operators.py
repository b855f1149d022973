# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator: read as written, and tflite-micro computes them."""

import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.micro import run_file
from tests.support.tflite.wild import EVERY
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.writer import write_model


def check_cases(name, count):
    for key in range(count):
        model = EVERY[name](random_of((key, *name.encode())))
        data  = write_model(model)
        assert read_model(data) == model, (name, key)
        outputs = run_file(data, *random_inputs(model, key))
        assert [each.shape for each in outputs] == [
            model.tensors[number].shape for number in model.outputs], (name, key)


@pytest.mark.parametrize("name", EVERY)
def test_operators(name):
    check_cases(name, 15)


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_many_operators(name):
    check_cases(name, 200)
