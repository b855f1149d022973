"""Bench of hdl.output.OutputStage against the rounding rule in whole numbers."""

import random

import cocotb
from amaranth import signed

from hdl.isa import ACC_BITS, BIAS_BITS, SHIFT_MAX, SHIFT_MIN, AccumulatorRange, RoundMode
from hdl.output import OutputConfig, OutputStage
from sim.pipeline import feed
from sim.stream import encode, start

CLIPS = {0: [(-128, 127), (0, 127), (-1, 1), (5, 5)],
         1: [(-32768, 32767), (0, 32767), (-300, 299), (-32768, -32768)]}
LIMITS = {AccumulatorRange.BITS32: 1 << 31, AccumulatorRange.BITS40: 1 << 39}


def expected(config, acc, keep):
    """Element and overflow flag, in exact arithmetic."""
    wrapped = (acc + (1 << ACC_BITS - 1)) % (1 << ACC_BITS) - (1 << ACC_BITS - 1)
    doubled = 2 * wrapped * (1 << -SHIFT_MIN) // (1 << config["shift"] - SHIFT_MIN)
    exact   = doubled * (1 << config["shift"] - SHIFT_MIN) == 2 * wrapped * (1 << -SHIFT_MIN)
    whole, half = divmod(doubled, 2)
    up = half and (config["rounding"] is RoundMode.UP or not exact or whole % 2)
    low, high = config["clip"]
    value = min(max(whole + bool(up), low), high)
    limit = LIMITS[config["acc_range"]]
    bits  = value % 65536 if config["wide"] else value % 256 * 257
    return {"o": bits, "overflow": int(keep and not -limit <= acc < limit)}


def accumulators(rng, shift):
    """Edges of every range, halves around every rounding point, random values of every size."""
    for edge in (0, 1 << 31, 1 << 39, 1 << 47):
        yield from (value for value in (edge - 1, edge, edge + 1, -edge, -edge - 1)
                    if -(1 << 47) <= value < 1 << 47)
    half = 1 << shift >> 1 if shift > 0 else 1
    for multiple in (0, 1, 2, 3, 127, 128, 32767, 32768):
        for sign in (1, -1):
            yield from (sign * ((2 * multiple + 1) * half + off) % (1 << 40) for off in (-1, 0, 1))
    for bits in range(2, 48):
        yield rng.randrange(-(1 << bits), 1 << bits)


@cocotb.test
async def matches_whole_numbers(dut):
    """Every shift in both roundings, two passes at once as the two slots."""
    rng = random.Random(41)
    await start(dut)
    for shift in range(SHIFT_MIN, SHIFT_MAX + 1):
        wide = [rng.randrange(2), rng.randrange(2)]
        configs = [{"shift": shift, "rounding": rounding, "acc_range": rng.choice(list(LIMITS)),
                    "wide": wide[rounding.value], "clip": rng.choice(CLIPS[wide[rounding.value]])}
                   for rounding in RoundMode]
        dut.slots.value = sum(encode(OutputConfig, config) << OutputConfig.size * index
                              for index, config in enumerate(configs))
        cases = [(acc, slot, rng.randrange(2)) for acc in accumulators(rng, shift)
                 for slot in range(2)]
        rng.shuffle(cases)
        found = await feed(
            dut, [{"acc": encode(signed(BIAS_BITS), acc), "slot": slot, "keep": keep}
                  for acc, slot, keep in cases], ["o", "overflow"], OutputStage.LATENCY)
        for (acc, slot, keep), result in zip(cases, found, strict=True):
            assert result == expected(configs[slot], acc, keep), (configs[slot], acc, keep)
