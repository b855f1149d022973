# SPDX-License-Identifier: Apache-2.0
"""Models of TensorFlow Lite as plans on a device, every layer compared with golden."""

from tests.support.rtl_device import fill
from xymac.host.device.device import MachineDevice
from xymac.host.plan.tiling.tiled import make_plan
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.run import run_model

__all__ = ["assert_model"]


def assert_model(config, model, *inputs, device=None):
    """Run a Model on the golden machine, its memories full of noise, or on ``device``: every output
    that its plan keeps is golden's. Returns the plan."""
    network  = convert_model(model)
    computed = run_model(model, *inputs)
    results  = [computed[number] for number in network.tensors]
    count    = network.first
    tensors  = [result.output for result in results[:count]]
    plan     = make_plan(config, network.nodes, *tensors)
    if device is not None:
        _compare(plan, device, tensors, results[count:])
        return plan
    with MachineDevice(config) as machine:
        fill(machine, seed=1)
        _compare(plan, machine, tensors, results[count:])
    return plan


def _compare(plan, device, tensors, expected):
    plan.load(device)
    run = plan.run(device, *tensors)
    assert run.output == expected[-1].output
    for number, (output, result) in enumerate(zip(run.outputs, expected, strict=True)):
        assert output in (None, result.output), number
