# SPDX-License-Identifier: Apache-2.0
"""``--clock``: cycles of a run as times, at a clock or on a board."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.host.cli.test_layers import printed
from tests.support.costs import cells, counted
from xymac.hdl.config import TINY
from xymac.host.cli.main import main
from xymac.host.cli.show.layers import layer_markdown
from xymac.host.network.load import load_model
from xymac.host.network.pace import CoreClock
from xymac.host.network.traffic import READ_CYCLES, WRITE_CYCLES, Traffic, count_traffic
from xymac.sim.benchmarks.network_bench import NetworkResult
from xymac.sim.benchmarks.network_table import network_table

NET = str(Path(__file__).parents[3] / "host/examples/data/digits_cnn.tflite")


def test_layers_have_times():
    costs = counted()

    names, *rows = cells(layer_markdown(costs, CoreClock(40, 1)))

    place = names.index("ms")
    assert names[place - 1] == "cycles"
    assert [row[place] for row in rows[:-1]] == [f"{cost.cycles / 40e3:,.4f}" for cost in costs]


@pytest.mark.parametrize(("clock", "title", "mhz"), [
    ("50", "An input at 50 MHz", 50), ("icebreaker", r"An input at 24 MHz \(icebreaker\)", 24)])
def test_a_run_says_inputs_a_second(clock, title, mhz, capsys):
    assert main(["run", NET, "--size", "tiny", "--backend", "rtl", "--clock", clock]) == 0

    out     = capsys.readouterr().out
    traffic = count_traffic(load_model(NET), TINY)
    cycles  = int(re.search(r"the core takes ([\d,]+) cycles", out)[1].replace(",", ""))
    assert re.search(title, out)
    core, bus = cycles / (1e3 * mhz), traffic.bus_cycles / (1e3 * mhz)
    rate = 1e3 / (core + bus)
    assert re.search(rf"bus, AXI4-Lite +{core:,.3f} +{bus:,.3f} +0\.000 +{rate:,.0f} +"
                     rf"{'core' if core >= bus else 'transfer'}", out)
    link = 1e3 * traffic.link_seconds
    assert re.search(r"\n *DMA of 32 bits, predicted +[\d.]+ +[\d.]+ +[\d.]+ +[\d,]+ +", out)
    assert re.search(rf"UART, 2 Mbaud +{core:,.3f} +{link:,.3f} +", out)


@pytest.mark.parametrize(("clock", "message"), [
    ("0", "must be above 0 MHz, not 0"), ("nan", "must be above 0 MHz, not nan"),
    ("ulx3s", r"must be MHz or a board: Board must be one of .*did you mean ulx3s-[28]5f")])
def test_clocks_that_cannot_be(clock, message, capsys):
    with pytest.raises(SystemExit):
        main(["run", NET, "--clock", clock])

    assert re.search(message, capsys.readouterr().err)


def test_a_command_list_says_its_time(capsys):
    assert main(["run", NET, "--size", "tiny", "--backend", "machine", "--dma", "32", "--clock",
                 "40"]) == 0

    out    = capsys.readouterr().out
    cycles = int(re.search(r"([\d,]+) cycles predicted", out)[1].replace(",", ""))
    assert re.search(rf"DMA of 32 bits, predicted .* {40e6 / cycles:,.0f} +(core|transfer)", out)


def test_benchmarks_of_networks_have_times():
    row   = NetworkResult("net", 9000, 9000, 8000.0, 0, 1, 1, 1,
                          Traffic(100, 10, 0, 0, 1, frame_bytes=460))
    clock = CoreClock(50, 2_000_000)

    head, line = printed(network_table([row], clock), 300).splitlines()
    bare       = printed(network_table([row]), 300)

    bus = 100 * WRITE_CYCLES + 10 * READ_CYCLES
    assert "core ms  a second by bus  limit  a second by uart  limit" in head
    assert max(map(len, printed(network_table([row], clock), 160).splitlines())) <= 160
    assert "a second" not in bare
    assert re.search(rf" 0\.180 +{50e6 / (9000 + bus):,.0f}  core +"
                     rf"{1 / (9000 / 50e6 + 4600 / 2e6):,.0f}  transfer", line)
    other = printed(network_table([replace(row, traffic=None)], clock), 300)
    assert re.search(r" 0\.180 +- +-", other)
