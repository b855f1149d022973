# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.hold.Save: shift, rounding and limit on the saved accumulators."""

from fractions import Fraction
from math import floor

import cocotb

from xymac.hdl.core.hold import Save
from xymac.hdl.isa import ACC_BITS, BANKS, HELD, SHIFT_MAX, SHIFT_MIN
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

SAVE  = Save()
EDGES = [0, 1, -1, (1 << 31) - 1, 1 << 31, -(1 << 31), -(1 << 31) - 1, (1 << 39) - 1, -(1 << 39)]


def limit_sum(total, how):
    """Saved accumulator, in exact arithmetic."""
    shift = how["amount"] + SHIFT_MIN
    value = Fraction(total, 2**shift) if shift >= 0 else Fraction(total * 2**-shift)
    value = (floor(value + Fraction(1, 2)) if how["up"] else round(value) if how["even"]
             else floor(value))
    if how["narrow"]:
        return min(max(value, -(1 << 31) + how["both"]), (1 << 31) - 1)
    return (value + (1 << ACC_BITS - 1)) % (1 << ACC_BITS) - (1 << ACC_BITS - 1)


def random_sum(rng, shift):
    """Sums at the ends of all ranges, before and after the shift."""
    size  = rng.randrange(1, ACC_BITS)
    value = rng.choice([rng.choice(EDGES), rng.randrange(-1 << size, 1 << size)])
    if rng.random() < 0.5 and shift:
        edge  = rng.choice(EDGES)
        value = (edge << shift if shift > 0 else edge >> -shift) + rng.choice([0, 1, -1])
        value += rng.choice([0, 1, -1]) << max(0, shift - 1)
    return (value + (1 << ACC_BITS - 1)) % (1 << ACC_BITS) - (1 << ACC_BITS - 1)


@cocotb.test
async def saves_sums(dut):
    """Back-to-back outputs with four sums, each with its own fields; some are not saved."""
    rng, stimuli, wanted = random_of(104), [{"i": 0}], []
    await start(dut)
    for _ in range(3000):
        shift = rng.choice([-16, -9, -8, -1, 0, 1, 7, 8, 31, SHIFT_MAX,
                            rng.randint(SHIFT_MIN, SHIFT_MAX)])
        rounds, narrow = rng.randrange(3), rng.randrange(2)
        how = {"mark": int(rng.random() < 0.8), "amount": shift - SHIFT_MIN,
               "up": int(rounds == 1), "even": int(rounds == 2), "narrow": narrow,
               "both": narrow & rng.randrange(2), "entry": rng.randrange(HELD)}
        stimuli[-1]["i"] = encode(SAVE.i.shape(), how)
        for bank in range(BANKS):
            total = random_sum(rng, shift)
            stimuli.append({"acc": total % (1 << ACC_BITS), "i": 0})
            wanted.append((how, bank, total))
        if rng.random() < 0.3:
            stimuli.append({"acc": rng.getrandbits(ACC_BITS), "i": 0})
            wanted.append(({"mark": 0}, 0, 0))
    results = await feed(dut, stimuli, ["o", "next_i"], SAVE.LATENCY)

    for (how, bank, total), result in zip(wanted, results[1:], strict=False):
        entry = decode(SAVE.o.shape(), result["o"])
        assert entry["banks"] == how["mark"] << bank, (how, bank)
        if how["mark"]:
            assert entry["entry"] == how["entry"]
            assert entry["sum"] == limit_sum(total, how), (how, total)
    handed = await feed(dut, [{"i": stimulus["i"]} for stimulus in stimuli], ["next_i"], 1)
    for stimulus, result in zip(stimuli, handed, strict=False):
        told, shown = decode(SAVE.i.shape(), stimulus["i"]), decode(SAVE.i.shape(),
                                                                    result["next_i"])
        assert shown["mark"] == told["mark"]
        assert not told["mark"] or shown == told
