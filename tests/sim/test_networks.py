# SPDX-License-Identifier: Apache-2.0
"""The networks of the bench: their shapes, their values, and their cycles in RTL."""

import json

import numpy as np
import pytest

from tests.support.seed import random_of
from tests.support.tflite.memory import byte_network, stream_network
from tests.support.tflite.reals import real_network
from xymac.hdl.config import TINY
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice
from xymac.host.network.tflite import network_of
from xymac.host.tflite.codes import ACTIVATION
from xymac.host.tflite.network import convert_model
from xymac.host.tflite.reader import read_model
from xymac.host.tflite.run import run_model
from xymac.host.tflite.writer import write_model
from xymac.sim.benchmarks.draw import Drawing
from xymac.sim.benchmarks.network_bench import NetworkResult, measure_network
from xymac.sim.benchmarks.networks import NETWORKS
from xymac.sim.benchmarks.results import MODEL_ERROR, WrongResultError

#: Operators and products, those on padding included, of the files that MLPerf Tiny has.
SHAPES = {"ic_resnet8": (16, 12_501_632), "kws_ds_cnn": (13, 2_656_768),
          "vww_mobilenet": (31, 7_489_664), "ad_autoencoder": (10, 264_192),
          "streaming_wakeword": (11, 826_368)}
def run_bench_json(folder, *options):
    """Exit code of ``xymac bench --networks``, and rows of its JSON by network."""
    path = folder / "networks.json"
    code = main(["bench", "--networks", "--json", str(path), *options])
    return code, {row["network"]: row for row in json.loads(path.read_text())}


each_network = pytest.mark.parametrize("benchmark", NETWORKS, ids=lambda benchmark: benchmark.name)


def outputs_of(model):
    """Layers and their outputs for a random input."""
    network  = convert_model(model)
    x        = random_of(1).integers(-128, 128, network.inputs[0].shape).astype(np.int8)
    computed = run_model(model, x)
    return network.nodes, [computed[number].output for number in network.tensors]


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_those_of_the_benchmark(name):
    [benchmark] = [benchmark for benchmark in NETWORKS if benchmark.name == name]
    nodes, values = outputs_of(benchmark.model())

    products = sum(value.data.size * node.layer.weights.data.size // value.shape[-1]
                   for node, value in zip(nodes, values[1:], strict=True)
                   if hasattr(node.layer, "weights"))
    assert (len(nodes), products) == SHAPES[name]


@each_network
def test_models_are_files(benchmark):
    model = benchmark.model()

    assert read_model(write_model(model)) == model


def test_values_fill_their_range():
    for benchmark in NETWORKS[:5]:
        nodes, values = outputs_of(benchmark.model())
        for node, value in zip(nodes, values[1:], strict=True):
            if hasattr(node.layer, "weights"):
                assert value.data.std() > 10, (benchmark.name, node.name)


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
    result = measure_network(rtl("tiny"), network_of(small_model(), "small"), 10_000)

    assert (result.compared, result.layers, result.programs) == (6, 6, 1)
    assert 0 < result.ideal < result.cycles < 10_000
    assert abs(result.predicted / result.cycles - 1) <= MODEL_ERROR
    assert result.met


def test_a_wrong_output_is_noticed(monkeypatch):
    class Wrong(MachineDevice):
        def read_cells(self, *place):
            return super().read_cells(*place) ^ 1

    with (Wrong(TINY) as device,
          pytest.raises(WrongResultError, match=r"RTL result of small, operator .* differs")):
        measure_network(device, network_of(small_model(), "small"))


@pytest.mark.parametrize("model", [real_network(random_of(4), "EXP"), byte_network(),
                                   stream_network()],
                         ids=["float", "uint8", "states"])
def test_inputs_of_any_type(model, rtl):
    network = network_of(model, "edges")
    result  = measure_network(rtl("tiny"), network)

    ours = sum(not cost.facts.host and not cost.facts.folded for cost in result.costs)
    assert result.compared == ours > 0
    assert result.cycles == sum(cost.cycles for cost in result.costs)
    assert abs(result.predicted / result.cycles - 1) <= MODEL_ERROR
    assert result.traffic.words > 0


@pytest.mark.long
@each_network
def test_network_keeps_its_target(benchmark, rtl):
    result = measure_network(rtl("base"), network_of(benchmark.model(), benchmark.name),
                             benchmark.target)

    assert result.met, f"{result.cycles:,} cycles, target {benchmark.target:,}"
    assert abs(result.predicted / result.cycles - 1) <= MODEL_ERROR


def test_the_command_prints_networks(monkeypatch, tmp_path, capsys):
    class NoDevice(MachineDevice):
        pass

    monkeypatch.setattr("xymac.sim.benchmarks.bench.RtlDevice", NoDevice)
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure_network",
                        lambda device, network, target: NetworkResult(
                            network.name, 5000, 5001, 2500.0, target, 3, 4, 1))

    code, rows = run_bench_json(tmp_path)

    assert code == 1  # 5,000 cycles are more than the single layer may take
    assert "6 targets met, 1 missed" in capsys.readouterr().out
    assert rows.keys() == {benchmark.name for benchmark in NETWORKS}
    assert (rows["ad_autoencoder"]["cycles"], rows["ad_autoencoder"]["used"]) == (5000, 0.5)


def test_files_are_measured_and_others_named(monkeypatch, tmp_path, capsys):
    """The one that does not fit gets a sentence, and the others are measured all the same."""
    monkeypatch.setattr("xymac.sim.benchmarks.bench.RtlDevice", MachineDevice)
    monkeypatch.setattr("xymac.sim.benchmarks.bench.NETWORKS", ())
    large = Drawing(random_of(3), (1, 60_000))
    large.softmax()
    for name, model in {"bytes": byte_network(), "large": large.model("large"),
                        "\x1b[1msmall": small_model()}.items():
        (tmp_path / f"{name}.tflite").write_bytes(write_model(model))

    code, rows = run_bench_json(tmp_path, "--size", "tiny", "--layers", "--files",
                                *map(str, sorted(tmp_path.glob("*.tflite"))))
    printed = capsys.readouterr().out

    assert code == 1
    assert rows["large"]["refused"].startswith("Operator 0 (SOFTMAX), tensor 1")
    assert "large is not measured: Operator 0 (SOFTMAX)" in printed
    assert "\x1b" not in printed
    assert "2 targets met, 0 missed, 1 not measured" in printed
    assert [row["operator"] for row in rows["bytes"]["layers"]][:-2] == [
        operator.name for operator in byte_network().operators]  # two copies are outputs
    assert "DEPTHWISE_CONV_2D" in printed


def test_layers_in_markdown_with_all_columns(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("xymac.sim.benchmarks.bench.RtlDevice", MachineDevice)
    monkeypatch.setattr("xymac.sim.benchmarks.bench.NETWORKS", ())
    (tmp_path / "bytes.tflite").write_bytes(write_model(byte_network()))

    assert main(["bench", "--networks", "--size", "tiny", "--layers", "--markdown", "--files",
                 str(tmp_path / "bytes.tflite")]) == 0
    printed = capsys.readouterr().out

    assert "| shape | type | remarks | passes | ideal |" in printed
    assert "No room" not in printed


@pytest.mark.parametrize(("options", "sentence"), [
    (["--files", "a.tflite"], "--files need --networks"),
    (["--layers"], "--layers need --networks"),
    (["--networks", "--markdown"], "--markdown needs --layers"),
    (["--networks", "--plot", "a.png"], "--plot draws the benchmarks, not --networks")])
def test_options_that_do_not_go_together(options, sentence, capsys):
    assert main(["bench", *options]) == 2
    assert sentence in capsys.readouterr().err
