"""The networks of the bench: their shapes, their values, and their cycles in RTL."""

import json

import numpy as np
import pytest

from hdl.config import TINY
from host.cli.main import main
from host.device.device import MachineDevice
from host.tflite.codes import ACTIVATION
from host.tflite.network import convert_model
from host.tflite.reader import read_model
from host.tflite.run import run_model
from host.tflite.writer import write_model
from sim.works.draw import Drawing
from sim.works.network_bench import NetworkResult, measure_network
from sim.works.networks import NETWORKS
from sim.works.results import MODEL_ERROR, WrongResultError
from tests.support.seed import random_of

#: Operators and products, those on padding included, of the files that MLPerf Tiny has.
SHAPES = {"ic_resnet8": (16, 12_501_632), "kws_ds_cnn": (13, 2_656_768),
          "vww_mobilenet": (31, 7_489_664), "ad_autoencoder": (10, 264_192),
          "streaming_wakeword": (11, 826_368)}
each_network = pytest.mark.parametrize("work", NETWORKS, ids=lambda work: work.name)


def outputs_of(model):
    """Layers and their outputs for a random input."""
    network  = convert_model(model)
    x        = random_of(1).integers(-128, 128, network.inputs[0].shape).astype(np.int8)
    computed = run_model(model, x)
    return network.nodes, [computed[number].output for number in network.tensors]


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_those_of_the_benchmark(name):
    [work] = [work for work in NETWORKS if work.name == name]
    nodes, values = outputs_of(work.model())

    products = sum(value.data.size * node.layer.weights.data.size // value.shape[-1]
                   for node, value in zip(nodes, values[1:], strict=True)
                   if hasattr(node.layer, "weights"))
    assert (len(nodes), products) == SHAPES[name]


@each_network
def test_models_are_files(work):
    model = work.model()

    assert read_model(write_model(model)) == model


def test_values_fill_their_range():
    for work in NETWORKS[:5]:
        nodes, values = outputs_of(work.model())
        for node, value in zip(nodes, values[1:], strict=True):
            if hasattr(node.layer, "weights"):
                assert value.data.std() > 10, (work.name, node.name)


def small_model():
    drawing = Drawing(random_of(2), (1, 6, 5, 3))
    drawing.conv(4, (3, 3), (2, 2))
    begin = drawing.last
    drawing.depthwise()
    drawing.add(begin)
    drawing.average()
    drawing.dense(3)
    return drawing.model("small")


def test_drawn_operators():
    model = small_model()

    assert [operator.name for operator in model.operators] == [
        "CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "AVERAGE_POOL_2D", "RESHAPE", "FULLY_CONNECTED"]
    assert model.operators[0].options.fused_activation_function == ACTIVATION.RELU


def test_a_network_is_measured_and_compared(rtl):
    result = measure_network(rtl("tiny"), "small", small_model(), 10_000)

    assert (result.compared, result.layers, result.programs) == (6, 6, 1)
    assert 0 < result.floor < result.cycles < 10_000
    assert abs(result.predicted / result.cycles - 1) <= MODEL_ERROR
    assert result.met


def test_a_wrong_output_is_noticed(monkeypatch):
    class Wrong(MachineDevice):
        def read_cells(self, *place):
            return super().read_cells(*place) ^ 1

    with (Wrong(TINY) as device,
          pytest.raises(WrongResultError, match=r"RTL result of small, layer .* differs")):
        measure_network(device, "small", small_model(), 0)


@pytest.mark.long
@each_network
def test_network_keeps_its_target(work, rtl):
    result = measure_network(rtl("base"), work.name, work.model(), work.target)

    assert result.met, f"{result.cycles:,} cycles, target {work.target:,}"
    assert abs(result.predicted / result.cycles - 1) <= MODEL_ERROR


def test_the_command_prints_networks(monkeypatch, tmp_path, capsys):
    class NoDevice(MachineDevice):
        pass

    monkeypatch.setattr("sim.works.bench.RtlDevice", NoDevice)
    monkeypatch.setattr("sim.works.bench.measure_network", lambda device, name, model, target:
                        NetworkResult(name, 5000, 5001, 2500.0, target, 3, 4, 1))

    code = main(["bench", "--networks", "--json", str(tmp_path / "networks.json")])

    rows = {row["network"]: row for row in json.loads((tmp_path / "networks.json").read_text())}
    assert code == 1  # 5,000 cycles are more than the single layer may take
    assert "6 targets met, 1 missed" in capsys.readouterr().out
    assert rows.keys() == {work.name for work in NETWORKS}
    assert (rows["ad_autoencoder"]["cycles"], rows["ad_autoencoder"]["used"]) == (5000, 0.5)


@pytest.mark.parametrize(("options", "sentence"), [
    (["--files", "a.tflite"], "--files need --networks"),
    (["--networks", "--plot", "a.png"], "--plot draws the works, not --networks")])
def test_options_that_do_not_go_together(options, sentence, capsys):
    assert main(["bench", *options]) == 2
    assert sentence in capsys.readouterr().err
