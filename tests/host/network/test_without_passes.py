# SPDX-License-Identifier: Apache-2.0
"""Operators without passes: the host's at the edges of a network, and between others."""

from dataclasses import replace

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.micro import run_file
from tests.support.tflite.networks import conv_network, value
from xymac.hdl.config import SMALL
from xymac.host.device.device import MachineDevice
from xymac.host.network.edges import split_network
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Operator
from xymac.host.tflite.writer import write_model


def network(*behind, name="L2_NORMALIZATION"):
    """A small network whose last layer is another one, and operators behind it."""
    model = conv_network()
    y     = value("y", (1, 27), scale=2.0 ** -4, zero_point=127)
    more  = [value(f"z{place}", (1, 27), scale=2.0 ** -4, zero_point=127)
             for place in range(len(behind))]
    operators = (*model.operators[:4], Operator(name, (7,), (8,), options.L2NormOptions()), *(
        Operator(each, (8 + place,), (9 + place,)) for place, each in enumerate(behind)))
    return replace(model, tensors=(*model.tensors[:8], y, *more), operators=operators,
                   outputs=(8 + len(behind),))


def test_at_the_end_the_host_computes_them():
    core = split_network(network_of(network(), "a file"))

    assert (core.layers, core.turns) == ((0, 1, 2, 3), ((), (4,)))


def test_between_others_the_host_computes_them():
    network_ = network_of(network("RELU6"), "a file")
    core     = split_network(network_)
    inputs   = [*random_inputs(network("RELU6"))]
    [wanted] = run_file(write_model(network("RELU6")), *inputs)

    with MachineDevice(SMALL) as device:
        run = Session(network_, device).run(*inputs)

    assert (core.layers, core.turns) == ((0, 1, 2, 3, 5), ((), (4,), ()))
    assert (run.difference, run.compared) == (None, 5)
    assert run.outputs[0].data.tolist() == wanted.tolist()


def test_comparisons_are_the_core_s():
    model = conv_network()
    y     = replace(value("y", (1, 3, 3, 3)), type=TENSOR_TYPE.BOOL, scales=(), zero_points=())
    model = replace(model, tensors=(*model.tensors[:5], y), outputs=(5,),
                    operators=(*model.operators[:2], Operator("GREATER", (3, 4), (5,))))

    core = split_network(network_of(model, "a file"))

    assert (core.layers, core.turns) == ((0, 1, 2), ((), ()))
    assert_model(SMALL, model, *random_inputs(model))
