# SPDX-License-Identifier: Apache-2.0
"""Operators of FLOAT32 one by one: bit for bit as tflite-micro computes them."""

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.micro import open_file
from tests.support.tflite.real_operators import REAL_OPERATORS, inputs_of, real_operator
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.writer import write_model


def check(name, count):
    for key in range(count):
        rng     = random_of((key, *name.encode()))
        model   = real_operator(rng, name)
        data    = write_model(model)
        library = open_file(data)
        session = Session(network_of(read_model(data), name))
        for _ in range(2):
            inputs = [*inputs_of(rng, model)]
            [wanted], [made] = library(*inputs), session.run(*inputs).outputs
            assert made.data.dtype == wanted.dtype
            bits = [each.view(np.int32) if each.dtype == np.float32 else each
                    for each in (made.data, wanted)]
            both = (np.isnan(made.data) & np.isnan(wanted)) | (bits[0] == bits[1])
            assert both.all(), (name, key)


@pytest.mark.parametrize("name", REAL_OPERATORS)
def test_operators(name):
    check(name, 12)


@pytest.mark.long
@pytest.mark.parametrize("name", REAL_OPERATORS)
def test_many_operators(name):
    check(name, 200)
