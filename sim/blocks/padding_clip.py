# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.padding_clip: the valid taps of each output along both axes."""

from itertools import product

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from xymac.hdl.config import SLOTS
from xymac.hdl.core.loop_nest import LoopNest
from xymac.hdl.isa import Encoded
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start

PHASES = 4
EDGE   = 65535  # largest pad, step and size


def random_axis(rng):
    """Fields of an axis, up to their maximum."""
    return {"pad": rng.choice([0, 0, 1, 2, 5, EDGE, rng.randrange(40)]),
            "step": rng.choice([0, 1, 2, 3, EDGE, rng.randrange(40)]),
            "size": rng.choice([1, 2, 5, EDGE, rng.randint(1, 40)])}


def random_fields(rng):
    """Encoded fields of a pass for the padding clip."""
    return {"rows": random_axis(rng), "cols": random_axis(rng),
            "taps": [rng.choice([1, 2, 3, 7, EDGE, rng.randint(1, 40)]) for _ in range(3)],
            "bias_row": rng.randrange(1 << 16)}


def clip(axis, index, count):
    """Valid taps, their number or 0; whether taps lie in front of the input, and whether the last
    tap lies behind it."""
    first = index * axis["step"] - axis["pad"]
    valid = min(first + count, axis["size"]) - max(first, 0)
    return max(valid, 0), int(first < 0), int(first + count > axis["size"])


async def load(dut, fields, slot):
    """Load a pass into a slot, as the loader does; other fields follow."""
    dut.coming.value, dut.loading.value = encode(Encoded, fields), 1 << slot
    await ClockCycles(dut.clk, LoopNest.STANDS)
    dut.coming.value, dut.loading.value = random_of(slot).getrandbits(Encoded.size), 0


async def step(dut, phase, go=1, **inputs):
    """A cycle in a phase."""
    dut.phase.value, dut.middle.value, dut.go.value = phase, int(phase in (1, 2)), go
    for name, value in inputs.items():
        getattr(dut, name).value = value
    await RisingEdge(dut.clk)


def check(dut, fields, rows, cols):
    """Compare the outputs in phase 3 with both axes, as ``clip`` finds them."""
    assert int(dut.count.value) == fields["taps"][2]
    assert int(dut.wide.value) == fields["taps"][1]
    assert int(dut.rows_empty.value) == (not rows[0])
    assert int(dut.cols_empty.value) == (not cols[0])
    assert not rows[0] or int(dut.rows.value) == rows[0]
    if cols[0]:
        assert int(dut.cols.value) == cols[0]
    if cols[0] or not cols[1]:
        assert int(dut.cut.value) == cols[2]


async def play(dut, rng, fields, shape, most):
    """Outputs of a pass with ``shape`` rows and columns, at most ``most``, each with its pauses."""
    for b, c in list(product(*map(range, shape)))[:most]:
        rows, cols = (clip(fields[name], index, count) for name, index, count in zip(
            ("rows", "cols"), (b, c), fields["taps"], strict=False))
        columns = int(c + 1 < shape[1])
        await step(dut, 0, first=int(b == c == 0), fresh=(b == 0) | (c == 0) << 1,
                   columns=rng.randrange(2))
        assert int(dut.count.value) == fields["bias_row"]
        for phase in (1, 2):
            await step(dut, phase, columns=columns if phase == 2 else rng.randrange(2))
            assert int(dut.rows_left.value) == rows[1], (phase, b, c)
            if phase == 2 or (b, c) != (0, 0):  # the first output loads the columns in phase 1
                assert int(dut.cols_left.value) == cols[1], (phase, b, c)
        while rng.random() < 0.3:
            await step(dut, 3, go=0)
            check(dut, fields, rows, cols)
        await step(dut, 3)
        check(dut, fields, rows, cols)


@cocotb.test
async def counts_valid_taps(dut):
    """Random passes in every slot, some of which end early."""
    rng = random_of(231)
    for name in ("loading", "slot", "phase", "middle", "go", "first", "fresh", "columns"):
        getattr(dut, name).value = 0
    await start(dut)
    for _ in range(40):
        passes = [random_fields(rng) for _ in range(SLOTS)]
        for slot, fields in enumerate(passes):
            await load(dut, fields, slot)
        for slot in rng.sample(range(SLOTS), SLOTS):
            dut.slot.value = slot
            shape = rng.randint(1, 5), rng.randint(1, 9)
            await play(dut, rng, passes[slot], shape, rng.choice([1, 10, 100]))
