# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.trace.notes: pass numbers and overflow, over loops, in every cycle."""

import cocotb

from xymac.hdl.config import SLOTS
from xymac.hdl.core.trace.notes import Notes
from xymac.hdl.isa import BACK_MAX, BANKS, Flag
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

PASSES, COUNT = (int(cocotb.plusargs[name]) for name in ("passes", "slots"))
INDEX   = Notes(passes=PASSES, slots=COUNT).index.shape()
OUTPUTS = ["issued_pass", "written", "written_pass", "seen", "flags"]


def random_program(rng):
    """Passes in the order of their ends: (number, not the first iteration)."""
    for _ in range(6):
        length = rng.randint(1, min(PASSES, BACK_MAX + 1))
        first  = rng.randrange(PASSES - length + 1)
        for iteration in range(rng.choice([1, 2, 4])):
            yield from ((first + at, int(iteration > 0)) for at in range(length))


class Slots:
    """Stimuli cycle by cycle: the pass in every slot, and random inputs that must not count."""

    def __init__(self, rng):
        self.rng, self.index, self.again = rng, [0] * SLOTS, [0] * SLOTS
        self.cycles = []

    def claim(self, number, pass_):
        """The slot of the ``number``-th pass of a program has this pass from now on."""
        self.index[number % COUNT], self.again[number % COUNT] = pass_

    def cycle(self, **inputs):
        """Append a cycle."""
        rng = self.rng
        self.cycles.append({
            "restart": 0, "done": 0, "overflow": rng.randrange(2), "hit": 0,
            "slot": rng.randrange(COUNT), "index": list(self.index),
            "again": sum(bit << at for at, bit in enumerate(self.again))} | inputs)


def play(rng, pause):
    """Cycles of several programs, whose passes end as early as allowed or later."""
    slots = Slots(rng)
    for _ in range(6):
        passes = list(random_program(rng))
        slots.cycle(restart=1)
        for number, pass_ in enumerate(passes[:COUNT]):
            slots.claim(number, pass_)
        for number in range(len(passes)):
            for _ in range(BANKS - 1):
                slots.cycle(hit=int(rng.random() < 0.002))
            while rng.random() < pause:
                slots.cycle()
            slots.cycle(done=1, overflow=int(rng.random() < 0.1))
            if number + COUNT < len(passes):
                slots.claim(number + COUNT, passes[number + COUNT])
        for _ in range(BANKS):
            slots.cycle()
    return slots.cycles


def expect(cycles):
    """Expected outputs of each cycle; None where an output does not count."""
    wanted = [dict.fromkeys(OUTPUTS) | {"written": 0} for _ in range(len(cycles) + 2)]
    done, overflows, flags, rising = 0, {}, 0, [0, 0]
    for cycle, now in enumerate(cycles):
        wanted[cycle]["flags"] = flags
        flags |= rising.pop(0) | Flag.HOST_HIT.value * now["hit"]
        rising.append(0)
        if cycle:
            wanted[cycle + 1]["issued_pass"] = now["index"][cycles[cycle - 1]["slot"]]
        if now["done"]:
            number = now["index"][done % COUNT]
            again  = now["again"] >> done % COUNT & 1
            seen   = overflows[number] = now["overflow"] | (again & overflows.get(number, 0))
            rising[0] |= Flag.OVERFLOW.value * seen
            wanted[cycle + 1]["written"] = 1
            wanted[cycle + 2] |= {"written_pass": number, "seen": seen}
            done += 1
        if now["restart"]:
            done, flags, rising = 0, 0, [0, 0]
    return wanted


@cocotb.test
@cocotb.parametrize(pause=[0.0, 0.6])
async def knows_passes(dut, pause):
    """Random programs with loops; a pass overflows in some iterations."""
    cycles = play(random_of(241), pause)
    for name in ("restart", "done", "hit"):
        getattr(dut, name).value = 0
    await start(dut)
    results = await feed(dut, [now | {"index": encode(INDEX, now["index"])} for now in cycles],
                         OUTPUTS, 0)
    assert sum(now["done"] for now in cycles) > 100
    for cycle, (result, wanted) in enumerate(zip(results, expect(cycles), strict=False)):
        for name, value in wanted.items():
            assert value is None or result[name] == value, (cycle, name)
