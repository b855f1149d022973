# SPDX-License-Identifier: Apache-2.0
"""The benchmarks in RTL keep their targets, and the bench says so when one does not."""

import json
import xml.etree.ElementTree as ElementTree
from math import inf

import numpy as np
import pytest
from matplotlib.image import imread
from threadpoolctl import threadpool_limits

from tests.support.seed import random_of
from tests.support.sizes import rarely
from xymac.golden import run
from xymac.golden.mli1 import Conv2d, Tensor
from xymac.hdl.config import TINY
from xymac.hdl.isa import RoundMode
from xymac.host.cli.main import main
from xymac.host.device.device import MachineDevice
from xymac.sim.benchmarks.bench import measure_benchmark, measure_limits
from xymac.sim.benchmarks.benchmarks import BENCHMARKS
from xymac.sim.benchmarks.figure import benchmark_figure
from xymac.sim.benchmarks.gaps import idle_between
from xymac.sim.benchmarks.loops import golden_speed, plain_conv2d
from xymac.sim.benchmarks.measure import measure_run
from xymac.sim.benchmarks.results import MODEL_ERROR, BenchmarkResult, Limit, WrongResultError

DEVICES = ("tiny", *rarely("small"), "base")


@pytest.mark.parametrize("benchmark", [
    pytest.param(each, id=each.name, marks=[pytest.mark.long] * (each.name == "argmax_top5"))
    for each in BENCHMARKS])
def test_benchmark_keeps_its_target(benchmark, rtl):
    result = measure_benchmark(rtl("base"), benchmark)

    assert result.ratio <= benchmark.target
    assert abs(result.error) <= MODEL_ERROR


@pytest.mark.parametrize("size", DEVICES)
def test_idle_cycles_between_passes(size, rtl):
    independent, _ = idle_between(rtl(size), dependent=False)
    dependent, depth = idle_between(rtl(size), dependent=True)

    assert independent <= 4
    assert 4 < dependent <= depth + 8


def test_plain_loops_are_the_sums_of_the_golden_kernel():
    rng = random_of(3)
    x, weights, bias = (rng.integers(-9, 10, shape, np.int8)
                        for shape in ((3, 6, 5), (4, 3, 3, 2), (4,)))
    layer = Conv2d(Tensor(weights, 7), Tensor(bias, 7), 4, pad=(1, 1, 1, 1), rounding=RoundMode.UP)

    sums = plain_conv2d(x.tolist(), weights.tolist(), bias.tolist(), 1, 7)
    rounded = np.clip((np.array(sums) + 2 ** 9) >> 10, -128, 127)

    np.testing.assert_array_equal(run(layer, Tensor(x, 7)).output.data.ravel(), rounded)


def test_golden_is_fast():
    [layer], x = BENCHMARKS[0].operands()

    with threadpool_limits(1):  # Two wait for each other where other programs run.
        seconds, plain = golden_speed(layer, x)

    assert seconds < 0.02
    assert plain >= 20 * seconds


def fake_results(monkeypatch, cycles, met):
    """Replace what takes long; returns nothing."""
    class NoDevice:
        def __init__(self, config):
            self.config = config

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    monkeypatch.setattr("xymac.sim.benchmarks.bench.RtlDevice", NoDevice)
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure_benchmark",
                        lambda device, each: BenchmarkResult(each.name, cycles, 1000.0, 1.05, 1010))
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure_limits",
                        lambda device: [Limit("speed", "5 x", ">= 4", met, 5)])


@pytest.mark.parametrize(("cycles", "met", "code", "missed"), [
    (1010, True, 0, 0), (1010, False, 1, 1),
    (1060, True, 1, len(BENCHMARKS)),   # the ratio
    (1040, True, 1, len(BENCHMARKS))])  # the prediction
def test_exit_code_says_whether_targets_are_met(cycles, met, code, missed, monkeypatch, capsys):
    fake_results(monkeypatch, cycles, met)

    assert main(["bench"]) == code
    assert (f"\n{len(BENCHMARKS) + 1 - missed} targets met, {missed} missed\n"
            in capsys.readouterr().out)


def test_a_wrong_result_is_a_sentence(monkeypatch, capsys):
    def measure(device, benchmark):
        raise WrongResultError("The RTL result of conv3x3_fx8 differs from golden")

    fake_results(monkeypatch, 1010, True)
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure_benchmark", measure)

    assert main(["bench"]) == 1
    out, error = capsys.readouterr()
    assert (out, error) == ("The RTL result of conv3x3_fx8 differs from golden\n", "")


def test_another_size_has_no_targets(monkeypatch, capsys):
    fake_results(monkeypatch, 1010, True)
    sizes = []
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure_benchmark", lambda device, each: (
        sizes.append(device.config.name) or BenchmarkResult(each.name, 9999, 1000.0, inf, 9999)))

    assert main(["bench", "--size", "tiny,y_rows=1024"]) == 0
    assert {*sizes} == {"w1_x2048_y1024_p32_s2"}
    assert main(["bench", "--size", "small", "--plot", "f.svg"]) == 2
    assert capsys.readouterr().err == (
        "xymac bench: --plot draws targets, which are those of base, not of small\n")


def test_figure_shows_ratios_and_targets():
    results = [BenchmarkResult("good", 1010, 1000.0, 1.05, 1010),
               BenchmarkResult("bad", 5000, 1000.0, 4.0, 5000),
               BenchmarkResult("full", 1000, 1000.0, 1.5, 1000)]

    figure = benchmark_figure("Cycles", results)

    axes, = figure.axes
    drawn = {line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True))
             for line in axes.lines}
    expected = {"target": [(5, 0), (300, 1), (50, 2)], "measured": [(1, 0), (0.1, 2)],
                "measured, missed": [(400, 1)]}
    assert drawn.keys() == expected.keys()
    for label, points in expected.items():
        np.testing.assert_allclose(drawn[label], points)
    assert [text.get_text() for text in axes.texts] == [
        "1,010 / 1,000 = 1.010, target 1.05", "5,000 / 1,000 = 5.000, target 4.00",
        "1,000 / 1,000 = 1.000, target 1.50"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["good", "bad", "full"]
    assert (axes.get_ylabel(), figure.get_suptitle()) == ("benchmark", "Cycles")
    assert axes.get_xlabel() == "cycles beyond the ideal, % of the ideal (logarithmic)"


@pytest.mark.parametrize("name", ["bench.png", "bench.svg"])
def test_plot_is_an_image_of_the_works(name, monkeypatch, tmp_path, capsys):
    fake_results(monkeypatch, 1010, True)
    path = tmp_path / name

    assert main(["bench", "--plot", str(path)]) == 0

    if path.suffix == ".svg":
        texts = [element.text for element in ElementTree.parse(path).iter()]
        assert texts.count("1,010 / 1,000 = 1.010, target 1.05") == len(BENCHMARKS)
        assert {benchmark.name for benchmark in BENCHMARKS} <= {*texts}
    else:
        assert imread(path).shape[1] > 1000


def test_json_holds_the_works(monkeypatch, tmp_path, capsys):
    fake_results(monkeypatch, 1010, True)

    main(["bench", "--json", str(tmp_path / "bench.json")])

    rows = json.loads((tmp_path / "bench.json").read_text())
    assert [row["benchmark"] for row in rows if "benchmark" in row] == [
        each.name for each in BENCHMARKS]
    assert rows[0] == {"benchmark": "conv3x3_fx8", "cycles": 1010, "ideal": 1000.0, "ratio": 1.01,
                       "predicted": 1010}
    assert rows[-1] == {"measure": "speed", "number": 5, "limit": ">= 4", "met": True}


@pytest.mark.parametrize(("fast", "met"), [(129, False), (130, True)])
def test_speed_of_a_run_has_a_target(fast, met, monkeypatch):
    monkeypatch.setattr("xymac.sim.benchmarks.bench.idle_between", lambda device, dependent: (4, 4))
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure", lambda config: (9, 10))
    monkeypatch.setattr("xymac.sim.benchmarks.bench.measure_run", lambda config: (fast, 100))
    monkeypatch.setattr("xymac.sim.benchmarks.bench.golden_speed", lambda layer, x: (0.001, 1))

    limits = {limit.name: limit for limit in measure_limits(MachineDevice(TINY))}

    limit = limits["xymac run on the digits, speed-up"]
    assert (limit.limit, limit.number, limit.met) == (">= 1.3", fast / 100, met)
    assert f"{fast} cycles/s, {fast / 100:.2f} x" in limit.value


@pytest.mark.long
def test_measure_run():
    fast, plain = measure_run(TINY)
    assert fast > plain > 1000
