# SPDX-License-Identifier: Apache-2.0
"""Inputs a second: time on the core and of the transfers, whichever limits."""

from pathlib import Path

import pytest

from xymac.hdl.config import BASE, COMPACT, change_size
from xymac.host.image.cycles import ListCycles
from xymac.host.network.load import load_model
from xymac.host.network.pace import (
    DMA_BITS,
    CoreClock,
    find_dma_pace,
    find_pace,
    find_paces,
    pace_of_list,
    predict_dma,
)
from xymac.host.network.traffic import READ_CYCLES, WRITE_CYCLES, Traffic

NET     = Path(__file__).parents[3] / "host/examples/data/digits_cnn.tflite"
TRAFFIC = Traffic(words_in=100, words_out=10, programs=0, loads=0, starts=1, frame_bytes=460)
BUS     = 100 * WRITE_CYCLES + 10 * READ_CYCLES


@pytest.mark.parametrize(("cycles", "mhz", "limit"), [
    (BUS + 1, 50, "core"), (BUS - 1, 50, "transfer"), (10 * BUS, 90, "core")])
def test_the_bus_takes_cycles_of_the_clock(cycles, mhz, limit):
    pace = find_pace(cycles, TRAFFIC, CoreClock(mhz, 2_000_000), "bus")

    assert pace.rate == pytest.approx(1e6 * mhz / (cycles + BUS))
    assert pace.limit == limit


def test_the_uart_has_ten_bits_a_byte_whatever_the_clock():
    slow, fast = (find_pace(5000, TRAFFIC, CoreClock(mhz, 1_000_000), "uart") for mhz in (10, 100))

    assert slow.transfer == fast.transfer == pytest.approx(4600 / 1e6)
    assert (slow.core, fast.core) == (pytest.approx(5e-4), pytest.approx(5e-5))
    assert fast.limit == "transfer"
    assert [pace.link for pace in find_paces(5000, TRAFFIC, CoreClock(10, 1))] == ["bus", "uart"]


def test_a_clock_says_whose_it_is():
    assert [str(CoreClock(90, 1, "ulx3s-85f")), str(CoreClock(12.5, 1))] == ["90 MHz (ulx3s-85f)",
                                                                    "12.5 MHz"]


def test_transfers_of_a_dma_hide_behind_the_core():
    pace = pace_of_list(ListCycles(cycles=1200, core=1000, transfers=400, loaded=1, stored=1),
                        CoreClock(100, 1))

    assert pace.rate == pytest.approx(1e8 / 1200)
    assert (pace.transfer, pace.hidden) == (pytest.approx(4e-6), pytest.approx(2e-6))
    assert (pace.link, pace.limit) == ("dma", "core")


def test_a_dma_pace_is_that_of_the_image():
    network  = load_model(NET)
    listed   = predict_dma(network, BASE)
    own      = predict_dma(network, change_size(BASE, dma=DMA_BITS))
    pace     = find_dma_pace(network, BASE, CoreClock(50, 1))

    assert listed == own
    assert pace.rate == pytest.approx(50e6 / listed.cycles)
    assert find_dma_pace(network, COMPACT, CoreClock(50, 1)) is None
