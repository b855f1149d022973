# SPDX-License-Identifier: Apache-2.0
"""Networks of others on the golden machine: outputs that tflite-micro recorded."""

import numpy as np
import pytest

from tests.support.sizes import rarely
from xymac.hdl.config import BASE
from xymac.host.device.device import MachineDevice
from xymac.host.network.inference import classify
from xymac.host.network.tflite import load_tflite

NETWORKS = ["micro_speech", "mnist_lstm", "person_detect", *rarely("mobilenetv2_035_160")]
COUNT    = 2  #: Inputs of each.


@pytest.mark.parametrize("name", NETWORKS)
def test_outputs_are_those_recorded(name, workloads):
    network = load_tflite(workloads / "mcu" / f"{name}.tflite")
    with np.load(workloads / "mcu" / f"{name}.npz") as file:
        inputs  = np.stack([file[f"in_{key}"] for key in range(COUNT)])
        outputs = [file[f"out_{key}"] for key in range(COUNT)]

    with MachineDevice(BASE) as device:
        inference = classify(network, inputs, device=device, reset_states=True)

    assert inference.difference is None
    assert inference.compared == len(network.layers)
    for [actual], expected in zip(inference.outputs, outputs, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_states_stay_as_in_one_interpreter(workloads):
    network = load_tflite(workloads / "mcu/mnist_lstm.tflite")
    with np.load(workloads / "mcu/mnist_lstm.npz") as file:
        inputs, outputs = file["stream_in"], file["stream_out"]

    with MachineDevice(BASE) as device:
        inference = classify(network, inputs, device=device)

    assert inference.difference is None
    np.testing.assert_array_equal([actual for [actual] in inference.outputs],
                                  outputs.reshape(len(inputs), *inference.outputs[0][0].shape))
