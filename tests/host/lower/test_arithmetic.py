"""Operators of arithmetic of TensorFlow Lite as passes against golden"""

import pytest

from hdl.config import BASE, COMPACT, TINY
from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.arithmetic import ARITHMETIC
from tests.support.tflite.lowered import assert_model

CORES  = pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)


@CORES
@pytest.mark.parametrize("name", ARITHMETIC)
def test_equals_golden(config, name):
    for key in range(8):
        model = ARITHMETIC[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))
