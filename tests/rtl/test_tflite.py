"""Operators of TensorFlow Lite in RTL: random networks of one operator, and others' networks."""

import numpy as np
import pytest

from golden import tflm
from hdl.config import BASE, SIZES
from host.lower.refuse import NoPassesError
from host.tflite.network import convert_model
from host.tflite.reader import read_model
from tests.host.tflite.test_round_trip import random_inputs
from tests.support.seed import random_of
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.wild import ALL

FEW, MANY = 6, 60
NETWORKS  = {"mlperf_tiny": ("resnet8_int8", "kws_dscnn_int8"),
             "mcu": ("micro_speech", "mnist_lstm", "person_detect", "resnet_large_ic02",
                     "mobilenetv2_035_160")}


def on_the_core(model):
    """Whether the operator is one that the core computes: floats are for the host."""
    network = convert_model(model)
    return all(not isinstance(node.layer, tflm.Dequantize)
               and all(x.type_name != "FLOAT32" for x in network.inputs) for node in network.nodes)


def check_operators(name, size, device, keys):
    """Random networks of one operator, each of whose outputs is golden's."""
    compared = 0
    for key in keys:
        model = ALL[name](random_of((key, 9, *name.encode())))
        if not on_the_core(model):
            continue
        try:
            assert_model(SIZES[size], model, *random_inputs(model, key), device=device)
        except NoPassesError as error:
            pytest.fail(f"{name} {key}: {error}")
        compared += 1
    assert compared or name == "DEQUANTIZE"


@pytest.mark.parametrize("name", ALL)
def test_operators(name, rtl):
    check_operators(name, "base", rtl("base"), range(FEW))


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ALL)
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
