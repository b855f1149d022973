# SPDX-License-Identifier: Apache-2.0
"""Networks of others in RTL: every layer that stays in memory is golden's."""

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.sizes import rarely
from tests.support.tflite.lowered import assert_model
from xymac.hdl.config import BASE
from xymac.host.tflite.reader import read_model

NETWORKS = ["mlperf_tiny/resnet8_int8", "mlperf_tiny/kws_dscnn_int8", "mcu/micro_speech",
            "mcu/mnist_lstm", "mcu/person_detect",
            *rarely("mcu/resnet_large_ic02", "mcu/mobilenetv2_035_160")]


def sample(model):
    """A random input, its neighbours alike, as those of networks are."""
    rng = random_of(5)
    for number in model.inputs:
        shape = model.tensors[number].shape
        steps = rng.integers(-9, 10, shape).cumsum(-1) + rng.integers(-99, 100, (*shape[:-1], 1))
        yield np.clip(steps, -128, 127).astype(np.int8)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, rtl, workloads):
    model  = read_model((workloads / f"{name}.tflite").read_bytes())
    inputs = [*sample(model)]

    assert_model(BASE, model, *inputs)
    assert_model(BASE, model, *inputs, device=rtl("base"))
