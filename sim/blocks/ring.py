# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.ring: values in order, early writes, counts and a flush."""

from collections import deque

import cocotb
from cocotb.triggers import RisingEdge

from xymac.hdl.ring import Ring
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start


@cocotb.test
@cocotb.parametrize(late=[0, 1, 5], rush=[0.2, 0.5, 1.0])
async def keeps_values_in_order(dut, late, rush):
    """Values shown ``late`` cycles after their write, between an empty and a full queue."""
    rng = random_of(61)
    for name in ("put", "show", "take", "flush"):
        getattr(dut, name).value = 0
    await start(dut)
    held, shown, shows, halves = deque(), 0, deque([0] * late), 0
    for _ in range(2000):
        flush = rng.random() < 0.01
        put   = len(held) < Ring.DEPTH and rng.random() < rush
        take  = shown > 0 and rng.random() < 0.5
        shows.append(int(put))
        value = rng.getrandbits(len(dut.i))
        dut.i.value, dut.put.value, dut.take.value = value, int(put), int(take)
        dut.flush.value, dut.show.value = int(flush), shows[0]
        await RisingEdge(dut.clk)
        assert int(dut.there.value) == int(shown > 0)
        assert int(dut.half.value) == int(len(held) == Ring.HALF)
        assert not shown or int(dut.o.value) == held[0]
        halves += len(held) == Ring.HALF
        if take:
            held.popleft()
        if put:
            held.append(value)
        shown += shows.popleft() - take
        if flush:
            held, shown, shows = deque(), 0, deque([0] * late)
    assert halves or rush < 0.5
