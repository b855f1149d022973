# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.trace.bank: totals of visits as late as allowed, copies of snapshots."""

import cocotb
from cocotb.triggers import RisingEdge

from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import start

COUNTERS = int(cocotb.plusargs["counters"])
RECORDED = int(cocotb.plusargs["recorded"])
#: Most events between two visits: counters with a snapshot copy, and the others.
LIMITS   = [31 if index < RECORDED else 63 for index in range(COUNTERS)]
INPUTS   = ("events", "snapshot", "anew", "number", "visits", "keeps", "fresh")
WORD     = 1 << 32


class Model:
    """Counts as documented: events since the last visit, their copy, and the total."""

    def __init__(self):
        self.recent, self.kept, self.totals = ([0] * COUNTERS for _ in range(3))
        self.owed = []  # counters whose copy is not added yet

    def visit(self, number, keeps, fresh):
        """Return the new total; the recent count restarts unless its copy is added."""
        before = 0 if fresh else self.totals[number]
        self.totals[number] = (before + (self.kept if keeps else self.recent)[number]) % WORD
        if not keeps:
            self.recent[number] = 0
        return self.totals[number]

    def copy(self):
        """Take a snapshot."""
        self.kept[:RECORDED]   = self.recent[:RECORDED]
        self.recent[:RECORDED] = [0] * RECORDED
        self.owed = [*range(RECORDED)]


def choose(rng, model, late):
    """Return a cycle's (snapshot, visited counter or None, keeps) within the contract."""
    due = [index for index in range(COUNTERS) if model.recent[index] >= LIMITS[index] - COUNTERS]
    if model.owed and rng.random() < 0.5 and not due:
        return 0, model.owed.pop(rng.randrange(len(model.owed))), 1
    if not model.owed and not any(index >= RECORDED for index in due) and rng.random() < 0.02:
        return 1, None, 0
    full = [index for index in due if model.recent[index] == LIMITS[index]]
    if full or (due and not late):
        return 0, rng.choice(full or due), 0
    return 0, rng.randrange(COUNTERS) if rng.random() < 0.01 else None, 0


@cocotb.test
@cocotb.parametrize(rate=[0.1, 0.6, 1.0], late=[0, 1])
async def counts_events(dut, rate, late):
    """Every visit shows the total; with ``late`` counters take turns to reach their widest count.

    Then the others have no events while a counter does, so that only it is due.
    """
    rng, model, expected = random_of(131), Model(), None
    for name in INPUTS:
        getattr(dut, name).value = 0
    await start(dut)
    dut.anew.value = (1 << COUNTERS) - 1  # a reset keeps the recent counts
    await RisingEdge(dut.clk)
    first = [*range(COUNTERS)]  # counters whose total is undefined
    for cycle in range(6000):
        if first:
            snapshot, number, keeps, fresh = 0, first.pop(0), 0, 1
        else:
            (snapshot, number, keeps), fresh = choose(rng, model, late), int(rng.random() < 0.01)
        alone  = 1 << cycle // 100 % COUNTERS if late else -1
        events = [alone >> index & 1 and rng.random() < rate for index in range(COUNTERS)]
        total  = None
        anew   = (1 << RECORDED) - 1 if snapshot else 0
        if number is not None:
            total = model.visit(number, keeps, fresh)
            anew |= 0 if keeps else 1 << number
        if snapshot:
            model.copy()
        model.recent = [count + event for count, event in zip(model.recent, events, strict=True)]
        dut.events.value = sum(event << index for index, event in enumerate(events))
        dut.snapshot.value, dut.anew.value = snapshot, anew
        dut.visits.value, dut.number.value = int(number is not None), number or 0
        dut.keeps.value, dut.fresh.value = keeps, fresh
        await RisingEdge(dut.clk)
        assert expected is None or int(dut.o.value) == expected, cycle
        expected = total
