"""Operators of TensorFlow Lite that move elements, as passes against golden."""

import pytest

from hdl.config import BASE, COMPACT, TINY
from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.moves import MOVES
from tests.support.tflite.states import STATES

MOVED = {name: (MOVES | STATES)[name] for name in (
    "RESHAPE", "TRANSPOSE", "CONCATENATION", "PAD", "PADV2", "SPLIT",
    "SLICE", "STRIDED_SLICE", "RESIZE_NEAREST_NEIGHBOR")}
CORES = pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)


def check_moves(config, name, count):
    for key in range(count):
        model = MOVED[name](random_of((key, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@CORES
@pytest.mark.parametrize("name", MOVED)
def test_equals_golden(config, name):
    check_moves(config, name, 25)
