# SPDX-License-Identifier: Apache-2.0
"""Inputs a second: time on the core and of the transfers, whichever limits."""

import pytest

from xymac.host.network.pace import Clock, find_pace, find_paces
from xymac.host.network.traffic import READ_CYCLES, WRITE_CYCLES, Traffic

TRAFFIC = Traffic(words_in=100, words_out=10, programs=0, loads=0, starts=1, frame_bytes=460)
BUS     = 100 * WRITE_CYCLES + 10 * READ_CYCLES


@pytest.mark.parametrize(("cycles", "mhz", "limit"), [
    (BUS + 1, 50, "core"), (BUS - 1, 50, "transfer"), (10 * BUS, 90, "core")])
def test_the_bus_takes_cycles_of_the_clock(cycles, mhz, limit):
    pace = find_pace(cycles, TRAFFIC, Clock(mhz, 2_000_000), "bus")

    assert pace.rate == pytest.approx(1e6 * mhz / (cycles + BUS))
    assert pace.limit == limit


def test_the_uart_has_ten_bits_a_byte_whatever_the_clock():
    slow, fast = (find_pace(5000, TRAFFIC, Clock(mhz, 1_000_000), "uart") for mhz in (10, 100))

    assert slow.transfer == fast.transfer == pytest.approx(4600 / 1e6)
    assert (slow.core, fast.core) == (pytest.approx(5e-4), pytest.approx(5e-5))
    assert fast.limit == "transfer"
    assert [pace.link for pace in find_paces(5000, TRAFFIC, Clock(10, 1))] == ["bus", "uart"]


def test_a_clock_says_whose_it_is():
    assert [str(Clock(90, 1, "ulx3s-85f")), str(Clock(12.5, 1))] == ["90 MHz (ulx3s-85f)",
                                                                    "12.5 MHz"]
