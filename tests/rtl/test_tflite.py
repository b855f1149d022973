"""Operators of TensorFlow Lite in RTL: random networks of one operator, and others' networks."""

import numpy as np
import pytest

from hdl.config import BASE, SIZES
from host.lower.refuse import NoPassesError
from host.tflite.reader import read_model
from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.wild import ALL

FEW, MANY = 6, 60
NETWORKS  = {"mlperf_tiny": ("resnet8_int8", "kws_dscnn_int8"),
             "mcu": ("micro_speech", "mnist_lstm", "person_detect", "resnet_large_ic02",
                     "mobilenetv2_035_160")}


#: Floats are for the host.
OPERATORS = [name for name in ALL if name not in ("DEQUANTIZE", "QUANTIZE of float")]


def check_operators(name, size, device, keys):
    """Random networks of one operator, each of whose outputs is golden's."""
    for key in keys:
        model = ALL[name](random_of((key, 9, *name.encode())))
        try:
            assert_model(SIZES[size], model, *random_inputs(model, key), device=device)
        except NoPassesError as error:
            pytest.fail(f"{name} {key}: {error}")


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name, rtl):
    check_operators(name, "base", rtl("base"), range(FEW))


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", OPERATORS)
def test_many_operators(name, size, rtl):
    check_operators(name, size, rtl(size), range(FEW, FEW + MANY // len(SIZES)))


def sample(model):
    """A random input, its neighbours alike, as those of networks are."""
    rng = random_of(5)
    for number in model.inputs:
        shape = model.tensors[number].shape
        steps = rng.integers(-9, 10, shape).cumsum(-1) + rng.integers(-99, 100, (*shape[:-1], 1))
        yield np.clip(steps, -128, 127).astype(np.int8)


@pytest.mark.parametrize("name", [name for names in NETWORKS.values() for name in names])
def test_networks(name, rtl, workloads):
    folder = next(folder for folder, names in NETWORKS.items() if name in names)
    model  = read_model((workloads / folder / f"{name}.tflite").read_bytes())
    inputs = [*sample(model)]

    assert_model(BASE, model, *inputs)
    assert_model(BASE, model, *inputs, device=rtl("base"))
