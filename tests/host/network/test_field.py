# SPDX-License-Identifier: Apache-2.0
"""Networks that people have: golden, the golden machine and RTL give what tflite-micro recorded."""

import numpy as np
import pytest

from xymac.hdl.config import BASE
from xymac.host.device.device import MachineDevice
from xymac.host.network.session import Session
from xymac.host.network.tflite import load_tflite

SMALL = ["field/wakeword_okay_nabu", "field/vad", "field/keras_lstm_mnist", "field/har",
         "field/anomaly_detection", "field/keyword_scrambled"]
LARGE = ["field/rock_paper_scissors", "field/fomo_face", "field/blazeface", "field/dtln",
         "field/diy_alexa", "field/mnist_depthwise", "keras/mobile", "keras/tcn", "keras/unet",
         "keras/conv1d"]


def columns(file, prefix, number):
    """What is called ``in_0``, ``in1_0``, ... in a file."""
    names = [f"{prefix}{place or ''}_{number}" for place in range(9)]
    return [file[name] for name in names if name in file]


def check_recorded(workloads, name, device, count):
    """Fresh inputs, each by itself, then those of a stream."""
    network = load_tflite(workloads / f"{name}.tflite")
    with np.load(workloads / f"{name}.npz") as file:
        calls = [(columns(file, "in", key), columns(file, "out", key), True)
                 for key in range(count)]
        if "stream_in" in file:
            calls += [([x], [y], False) for x, y
                      in zip(file["stream_in"], file["stream_out"], strict=True)]
    fresh, stream = (Session(network, device, reset_states=reset) for reset in (True, False))
    for inputs, outputs, resets in calls:
        run = (fresh if resets else stream).run(*inputs)
        assert run.difference is None
        for expected, output in zip(outputs, run.outputs, strict=True):
            assert output.data.dtype == expected.dtype
            np.testing.assert_array_equal(output.data, expected.reshape(output.shape))


@pytest.mark.parametrize("name", SMALL + LARGE)
def test_golden(name, workloads):
    check_recorded(workloads, name, None, 4)


@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.long)
                                            for name in LARGE)])
def test_the_golden_machine(name, workloads):
    with MachineDevice(BASE) as device:
        check_recorded(workloads, name, device, 1)


@pytest.mark.parametrize("name", [*SMALL[:2], *(pytest.param(name, marks=pytest.mark.long)
                                                for name in SMALL[2:] + LARGE)])
def test_rtl(name, workloads, rtl):
    check_recorded(workloads, name, rtl("base"), 1)
