# SPDX-License-Identifier: Apache-2.0
"""``xymac bench --networks --dma``: cycles of images, their limits, and what is refused."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from tests.host.plan.test_cascades import blocks
from tests.support.images import image_of, with_dma
from xymac.hdl.config import BASE, TINY
from xymac.host.image.cycles import predict_list
from xymac.host.image.external import ExternalMemory
from xymac.host.network.session import Session
from xymac.host.network.tflite import network_of
from xymac.sim.benchmarks import image_bench
from xymac.sim.benchmarks.image_bench import ImageResult, image_row, image_table, measure_image
from xymac.sim.benchmarks.networks import NETWORKS
from xymac.sim.benchmarks.results import WrongResultError
from xymac.sim.rtl.device import RtlDevice

CONFIG = with_dma(TINY)
SDRAM  = ExternalMemory()
RESULT = ImageResult("net", 1000, 990, 1000, 700, 600, 310, 1200, 300, 0.75, 200, 7)


@pytest.fixture(scope="module")
def measured():
    with RtlDevice(CONFIG) as device:
        yield device, measure_image(device, blocks(40, 20, residual=False), SDRAM)


def test_an_image_is_measured(measured):
    _, result = measured
    assert result.met
    assert result.cycles > result.core
    assert result.hidden > 0.4 * result.transfers
    assert result.rate == pytest.approx(
        (result.loaded + result.stored) / (2 * result.cycles))
    assert 0.05 < result.rate < 1
    assert 0 < result.between < result.cycles - result.core + 0.02 * result.cycles
    assert result.reads > 0


def test_a_target_below_the_memorys_cycles_is_none(measured):
    device, _ = measured
    targets = [measure_image(device, blocks(8, 8, residual=False), SDRAM, target).target
               for target in (100, 100_000)]
    assert targets == [0, 100_000]


def test_the_input_of_a_large_image_is_hidden():
    """Visual wake words: a layer of 14,000 cycles begins with the first rows of 14,000 cycles."""
    [benchmark] = [each for each in NETWORKS if each.name == "vww_mobilenet"]
    config = with_dma(BASE)
    image  = image_of(network_of(benchmark.model(), benchmark.name), config, SDRAM)
    found  = predict_list(image.run.ordered, config, SDRAM)
    assert found.loaded == 96 * 96 * 3
    assert found.cycles < found.core + 2_000
    assert found.cycles <= 147_500


def test_a_wrong_output_is_found(measured, monkeypatch):
    device, _ = measured
    network = blocks(8, 8, residual=False)
    other   = blocks(8, 8, residual=False, seed=2)
    monkeypatch.setattr(image_bench, "Session", lambda _: Session(other))
    with pytest.raises(WrongResultError, match="The RTL result of blocks differs from golden"):
        measure_image(device, network, SDRAM)


@pytest.mark.parametrize(("changes", "met"), [
    ({}, True), ({"target": 999}, False), ({"target": 0, "cycles": 1009}, True),
    ({"predicted": 979}, False), ({"predicted": 1021}, False)])
def test_limits(changes, met):
    assert replace(RESULT, **changes).met is met


def test_table_and_row():
    console = Console(record=True, width=250, file=io.StringIO())
    console.print(image_table([RESULT]))
    words = console.export_text().split()
    for word in ("net", "1,000", "990", "-1.0%", "700", "600", "310", "1,200", "300", "75%", "met"):
        assert word in words
    assert json.loads(json.dumps(image_row(RESULT)))["stored"] == 300
