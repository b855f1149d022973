# SPDX-License-Identifier: Apache-2.0
"""Networks of TensorFlow Lite on a device: every layer is compared, whatever stays in memory."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.host.cli.test_run_tflite import edges
from tests.support.seed import random_of
from tests.support.tflite.networks import conv_network, value
from xymac import golden
from xymac.golden.tflm import Conv2d, Pad, Quantisation, Relu, Tensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Memory
from xymac.host.cli.main import main
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.device.device import MachineDevice
from xymac.host.network.cost import layer_costs
from xymac.host.network.inference import Inference, classify
from xymac.host.network.network import Network
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.host.plan.graph import Node
from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model


def short_network():
    """A Model without a softmax: its last output is that of the reshape."""
    model = conv_network()
    return replace(model, operators=model.operators[:-1], outputs=(7,))


def random_data(*shape):
    return random_of(1).integers(-128, 128, shape, np.int8)


def test_every_layer_is_golden_s():
    model, x = short_network(), random_data(1, 6, 5, 2)
    network  = network_of(model, "short")

    with MachineDevice(TINY) as device:
        run = Session(network, device).run(x)

    values = run_model(model, x)
    assert (run.difference, run.compared) == (None, 4)
    assert run.outputs == (values[7].output,)
    assert run["conv"] == run[0] == values[3].output
    assert run["sum"] == values[5].output
    with pytest.raises(KeyError, match="short has no layer 'gone', only conv, relu, sum, flat"):
        run["gone"]


def relus(size, count):
    """A chain of RELUs whose outputs X does not hold together."""
    kind = Quantisation((0.5,), (3,))
    return Network("long", tuple(Node(Relu(kind), (number,), f"relu{number}")
                                 for number in range(count)),
                   (Tensor.zeros((1, size), np.int8, kind),))


class FaultyRun(MachineDevice):
    """Spoils X behind one run, by its number."""

    def __init__(self, config, at):
        super().__init__(config)
        self._runs, self._at = 0, at

    def run(self, first=0, max_cycles=0):
        result = super().run(first)
        if self._runs == self._at:
            count = self.config.x_rows * self.config.lanes
            cells = super().read_cells(Memory.X, 0, count)
            super().write_cells(Memory.X, 0, cells ^ np.uint16(1))
        self._runs += 1
        return result


def test_layers_that_do_not_stay_run_by_themselves():
    size    = TINY.x_bytes * 2 // 5
    network = relus(size, 4)
    with MachineDevice(TINY) as device:
        session = Session(network, device)
        runs    = [session.run(random_data(1, size)) for _ in range(2)]

    kept = [step.kept for step in session.plan.steps]
    assert not all(kept)
    for run in runs:
        assert (run.difference, run.compared) == (None, 4)
        assert all(value is not None for value in run.values)


def test_a_padding_is_the_border_of_its_reader():
    """Its value is golden's, nothing is compared, and no cycle is its own."""
    rng     = random_of(3)
    kind    = Quantisation((0.5,), (3,))
    x       = Tensor.zeros((1, 4, 5, 2), np.int8, kind)
    weights = Tensor(rng.integers(-127, 128, (3, 2, 2, 2), np.int8), Quantisation((2.0**-7,), (0,)))
    layers  = [Pad(((0, 0), (1, 0), (1, 1), (0, 0)), kind), Conv2d(weights, None, kind), Relu(kind)]
    network = Network("padded", tuple(Node(layer, (number,), f"layer{number}")
                                      for number, layer in enumerate(layers)), (x,))

    with MachineDevice(TINY) as device:
        session = Session(network, device)
        run     = session.run(random_data(1, 4, 5, 2))

    assert (run.difference, run.compared) == (None, 2)
    assert run["layer0"] == golden.run(layers[0], run.values[0]).output
    assert [facts.remarks for facts in session.facts] == ["border of its readers", "", ""]
    costs = layer_costs(network, Inference(facts=session.facts), TINY)
    assert [cost.ideal for cost in costs[:2]] == [0, ideal_cycles(layers[1], TINY, (1, 5, 7, 2))]


def test_a_layer_that_does_not_stay_may_differ():
    size    = TINY.x_bytes * 2 // 5
    network = relus(size, 4)
    with FaultyRun(TINY, 1) as device:
        inference = classify(network, random_data(1, 1, size), device=device)

    assert inference.difference.layer == 0
    assert inference.predictions


def test_floating_point_is_the_host_s():
    x = np.array([[-3, -0.3, 0, 0.25, 0.75, 20.2, 200]], np.float32)
    with MachineDevice(BASE) as device:
        session = Session(network_of(edges(), "edges"), device)
        run     = session.run(x)

    assert run.outputs[0].data.tolist() == [[0, 0, 0, 0.5, 1, 20, 62]]
    assert [facts.remarks for facts in session.facts] == [
        "computed by the host", "", "computed by the host"]
    assert run.compared == 1
    assert len(session.plan.steps) == 1


def test_inputs_of_32_bits_are_the_host_s():
    tensors = (value("wide", (1, 5), TENSOR_TYPE.INT32, 2.0**-10), value("x", (1, 5), scale=0.5),
               value("y", (1, 5), scale=0.5))
    model   = Model(tensors, (Operator("QUANTIZE", (0,), (1,)), Operator("RELU", (1,), (2,))),
                    (0,), (2,))
    x       = np.array([[-9000, -1, 0, 1250, 99999]], np.int32)
    with MachineDevice(BASE) as device:
        session = Session(network_of(model, "wide"), device)
        run     = session.run(x)

    assert run.outputs[0].data.tolist() == [[0, 0, 0, 2, 127]]
    assert [facts.host for facts in session.facts] == [True, False]


def test_an_output_in_the_middle_is_kept():
    model   = replace(short_network(), outputs=(3, 7))
    network = network_of(model, "two")
    x       = random_data(1, 6, 5, 2)
    with MachineDevice(TINY) as device:
        run = Session(network, device).run(x)

    values = run_model(model, x)
    assert run.outputs == (values[3].output, values[7].output)


def test_a_difference_is_code_1(tmp_path, capsys, monkeypatch):
    path, read = tmp_path / "short.tflite", MachineDevice.read_cells
    path.write_bytes(write_model(short_network()))
    monkeypatch.setattr(MachineDevice, "read_cells", lambda *call: read(*call) ^ np.uint16(1))

    assert main(["run", str(path), "--backend", "machine", "--json", str(tmp_path / "o.json")]) == 1

    assert ("Machine differs from golden first at image 0, operator 0 (CONV_2D), tensor 3 "
            "('conv'), element (0, 0, 0, 0): ") in capsys.readouterr().out
    content = json.loads((tmp_path / "o.json").read_text())
    assert (content["equal"], content["difference"]["layer"]) == (False, 0)


def test_the_command_compares(tmp_path, capsys):
    path = tmp_path / "short.tflite"
    path.write_bytes(write_model(short_network()))

    assert main(["run", str(path), "--backend", "machine", "--size", "small"]) == 0

    out = capsys.readouterr().out
    assert "Machine = golden, bit for bit: 4 of 4 layers of 1 image compared" in out
    assert "renamed" in out
