# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite in RTL: random networks of one operator."""

import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.sizes import each_name
from tests.support.tflite.beyond import BEYOND
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.wild import ALL
from xymac.hdl.config import SIZES
from xymac.host.errors import Refusal

FEW, MANY = 7, 66


DRAWN = ALL | BEYOND
#: Floats are for the host.
OPERATORS = [name for name in DRAWN if name not in ("DEQUANTIZE", "QUANTIZE of float")]


def check_operators(name, size, device, keys):
    """Random networks of one operator, each of whose outputs is golden's."""
    for key in keys:
        model = DRAWN[name](random_of((key, 9, *name.encode())))
        try:
            assert_model(SIZES[size], model, *random_inputs(model, key), device=device)
        except Refusal as error:
            pytest.fail(f"{name} {key}: {error}")


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, rtl):
    check_operators(name, "base", rtl("base"), range(FEW))


@pytest.mark.long
@each_name
@pytest.mark.parametrize("name", OPERATORS)
def test_many_operators(name, size, rtl):
    check_operators(name, size, rtl(size), range(FEW, FEW + MANY // len(SIZES)))
