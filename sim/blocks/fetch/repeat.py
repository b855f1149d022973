# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.fetch.repeat: single-level loops, judged as early as allowed."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from xymac.hdl.core.fetch.loader import Moves
from xymac.hdl.isa import Encoded
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

PASSES = int(cocotb.plusargs["passes"])


class Model:
    """Loops in Python integers."""

    def __init__(self, first):
        self.number, self.iteration, self.moves = first, 0, [0, 0]

    def judge(self, pass_, good):
        """Take a pass; returns the expected ``loops``, ``over`` and ``astray``."""
        goes   = self.iteration < pass_["repeat"]
        beyond = pass_["back"] > self.number
        if good and goes and not beyond:
            self.number   -= pass_["back"]
            self.iteration += 1
            self.moves = [move + step for move, step in zip(self.moves, pass_["advance"],
                                                            strict=True)]
        else:
            self.number += 1
            if good and pass_["repeat"] and not goes:
                self.iteration, self.moves = 0, [0, 0]
        return int(pass_["repeat"] > 0), beyond if goes else pass_["last"], goes and beyond


def random_program(rng):
    """Passes with loops side by side; a few loops begin before the first pass of the memory."""
    passes, body = [], 0  # passes since the last loop end
    for number in range(PASSES):
        ends   = rng.random() < 0.5
        astray = rng.random() < 0.2
        body  += 1
        passes.append({
            "repeat": rng.choice([1, 2, 3, 5, 300]) if ends else 0,
            "back": rng.randint(number + 1, 63) if astray and number < 63 else rng.randrange(body),
            "advance": [rng.choice([-800, -1, 0, 1, rng.randint(-800, 800)]) for _ in range(2)],
            "last": int(rng.random() < 0.2)})
        if ends:
            body = 0
    return passes


def assert_next(dut, model):
    """Compare the number of the next pass, and its moves unless it is in a first iteration."""
    assert dut.number.value == model.number
    assert dut.again.value == (model.iteration > 0)
    if model.iteration:
        assert decode(Moves, int(dut.moves.value)) == model.moves


async def judge(dut, model, pass_, good, wait):
    """Judge a pass, and compare; ``wait`` is in cycles. Returns whether it is the last pass."""
    dut.pass_.value = encode(Encoded, pass_)
    await RisingEdge(dut.clk)
    assert_next(dut, model)
    for _ in range(wait):
        await RisingEdge(dut.clk)
        assert_next(dut, model)
    dut.judged.value, dut.good.value = 1, good
    await RisingEdge(dut.clk)
    found    = dut.loops.value, dut.over.value, dut.astray.value
    expected = model.judge(pass_, good)
    assert found == expected, (pass_, found, expected)
    dut.judged.value = dut.good.value = 0
    if pass_["repeat"]:  # its number is valid a cycle later, and it adds its moves now
        await RisingEdge(dut.clk)
    return expected[1]


async def begin(dut, first):
    """Start a program at pass ``first``; returns its Model."""
    dut.first.value, dut.start.value = first, 1
    await RisingEdge(dut.clk)
    dut.start.value = 0
    return Model(first)


async def prepare(dut):
    """Reset, with all inputs 0."""
    for name in ("start", "first", "pass_", "judged", "good"):
        getattr(dut, name).value = 0
    await start(dut)


@cocotb.test
@cocotb.parametrize(most=[0, 3])
async def loops(dut, most):
    """Random programs up to their ends, up to a bad pass, or up to the next start."""
    rng = random_of(163)
    await prepare(dut)
    for _ in range(300):
        passes = random_program(rng)
        left   = rng.choice([1, 5, 20, 500])
        model  = await begin(dut, rng.choice([0, 1, rng.randrange(PASSES)]))
        while model.number < PASSES and left:
            left -= 1
            good  = int(rng.random() < 0.97)
            over  = await judge(dut, model, passes[model.number], good, rng.randint(0, most))
            if over or not good:
                break
        await RisingEdge(dut.clk)
        assert_next(dut, model)


@cocotb.test
async def a_long_loop(dut):
    """All bits of the iteration count and of the moves."""
    await prepare(dut)
    pass_ = {"repeat": 1 << 14 | 1, "back": 0, "advance": [15, -16], "last": 1}
    model = await begin(dut, 1)
    for _ in range(pass_["repeat"]):
        assert not await judge(dut, model, pass_, 1, 0)
    assert await judge(dut, model, pass_, 1, 0)
    await ClockCycles(dut.clk, 1)
    assert_next(dut, model)
