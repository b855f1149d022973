# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.output.OutputStage against the rounding rule in exact arithmetic."""


import cocotb
from amaranth import signed

from xymac.hdl.core.output import OutputStage
from xymac.hdl.isa import (
    ACC_BITS,
    BIAS_BITS,
    ROUNDINGS,
    SHIFT_MAX,
    SHIFT_MIN,
    AccumulatorRange,
    Op,
    RoundMode,
)
from xymac.sim.agents.fields import fields_of, travel
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import encode, start
from xymac.sim.agents.tables import TABLES_AT, VALUES, serve_tables

CLIPS = {0: [(-128, 127), (0, 127), (-1, 1), (5, 5)],
         1: [(-32768, 32767), (0, 32767), (-300, 299), (-32768, -32768)]}
LOOKED_UP = [(-32768, 32767), (-131072, 131071), (-70000, 90000)]
LIMITS = {AccumulatorRange.BITS32: 1 << 31, AccumulatorRange.BITS40: 1 << 39,
          AccumulatorRange.SYMMETRIC32: 1 << 31}


def round_off(value, shift, mode):
    """Round ``value / 2**shift`` to an int; ``shift`` is at least 0."""
    whole, rest = divmod(value, 1 << shift)
    twice = 2 * rest - (1 << shift)
    up = twice > 0 or (twice == 0 and (mode in (RoundMode.UP, RoundMode.TWICE) or whole % 2))
    return whole + bool(rest and up and mode is not RoundMode.FLOOR)


def wrapped(value):
    """Low 16 bits, signed."""
    return (value + 32768) % 65536 - 32768


async def narrow(dut, items, outputs, latency):
    """Feed an item (config, marks, inputs) per cycle, or None; its fields travel beside it."""
    configs = travel([item and fields_of(*item[:2]) for item in items])
    return await feed(dut, [
        {"config": config} | (item[2] if item else {})
        for config, item in zip(configs, [*items, *[None] * len(configs)], strict=False)],
        outputs, latency)


def summed(config, acc, **marks):
    """``narrow`` item for a sum."""
    return config, marks, {"acc": encode(signed(BIAS_BITS), acc)}


def looked_up(config, value):
    """Result from the ``config`` table for ``value``."""
    table = config["table"]
    entry, way = divmod(value, 1 << config["table_shift"])
    entry = min(max(entry + table.offset, 0), table.entries - 2)
    here, there = VALUES[table.first + entry:table.first + entry + 2]
    between = wrapped(here - round_off(wrapped(here - there) * way, config["table_shift"],
                                       config["table_rounding"]))
    if config["wide"]:
        return between
    return min(round_off(between, 8, config["table_rounding"]), 127)


def element(config, value):
    """Output element for a rounded value."""
    low, high = config["clip"]
    value = min(max(value, low), high) + config.get("zero", 0)
    if config["table"] is not None:
        value = looked_up(config, value)
    return value % 65536 if config["wide"] else value % 256 * 257


def expect(config, acc, keep):
    """Element and overflow flag, in exact arithmetic."""
    limit   = LIMITS[config["acc_range"]]
    flag    = int(keep and not -limit <= acc < limit)
    if config["inverted"]:
        inverse = config["inverse"] if config["wide"] else config["inverse"] % 256 * 257
        return {"o": inverse, "overflow": flag}
    wrapped = (acc + (1 << ACC_BITS - 1)) % (1 << ACC_BITS) - (1 << ACC_BITS - 1)
    wrapped = wrapped - config["anchor"] >> config["halve"]
    value   = round_off(wrapped << -SHIFT_MIN, config["shift"] - SHIFT_MIN, config["rounding"])
    return {"o": element(config, value), "overflow": flag}


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
    """Every shift, with two interleaved passes; half the passes have a table."""
    rng = random_of(41)
    await start(dut)
    cocotb.start_soon(serve_tables(dut))
    for shift in range(SHIFT_MIN, SHIFT_MAX + 1):
        wide = [rng.randrange(2), rng.randrange(2)]
        configs = [{"shift": shift, "rounding": rounding, "acc_range": rng.choice(list(LIMITS)),
                    "wide": wide[slot], "clip": rng.choice(CLIPS[wide[slot]]),
                    "table": None, "table_shift": 0, "table_rounding": RoundMode.UP,
                    "anchor": rng.choice([0, 0, -32768, 32767, rng.randint(-32768, 32767)]),
                    "halve": rng.choice([0, 0, 1]), "inverted": rng.choice([0, 0, 0, 0, 1]),
                    "inverse": rng.randrange(1 << 15)}
                   for slot, rounding in enumerate(rng.sample(ROUNDINGS, 2))]
        for config in configs:
            config["zero"] = rng.choice([0, 7, 299]) * (config["clip"][1] < 32767)
        for config in rng.sample(configs, shift % 2):
            config |= {"table": rng.choice(TABLES_AT), "table_shift": rng.randrange(16),
                       "table_rounding": rng.choice(ROUNDINGS),
                       "clip": rng.choice(LOOKED_UP), "zero": 0}
            config["zero"] = rng.choice([0, -999, 30000]) * (config["clip"][0] > -131072)
        cases = [(acc, slot, rng.randrange(2)) for acc in accumulators(rng, shift)
                 for slot in range(2)]
        rng.shuffle(cases)
        results = await narrow(dut, [summed(configs[slot], acc, keep=keep)
                                     for acc, slot, keep in cases],
                               ["o", "overflow"], OutputStage.LATENCY)
        for (acc, slot, keep), result in zip(cases, results, strict=False):
            assert result == expect(configs[slot], acc, keep), (configs[slot], acc, keep)


@cocotb.test
async def tables(dut):
    """Every table, shift and rounding, with elements of every size."""
    rng = random_of(42)
    await start(dut)
    cocotb.start_soon(serve_tables(dut))
    for table in TABLES_AT:
        for shift in range(16):
            wide    = rng.sample([0, 1], 2)
            configs = [{"shift": 0, "rounding": RoundMode.UP, "acc_range": AccumulatorRange.BITS40,
                        "wide": wide[slot], "clip": (-131072, 131071), "table": table,
                        "table_shift": shift, "table_rounding": rounding, "anchor": 0,
                        "halve": 0, "inverted": 0}
                       for slot, rounding in enumerate(rng.sample(ROUNDINGS, 2))]
            first = -table.offset
            last  = first + table.entries - 1
            accs  = [entry * (1 << shift) + off
                     for entry in (first - 9, first, first + 1, -1, 0, 1, last - 2, last - 1, last,
                                   last + 1, last + 9, rng.randrange(first, last))
                     for off in (-1, 0, 1, 1 << shift >> 1)]
            accs += [rng.randrange(-(1 << bits), 1 << bits) for bits in range(2, 19)]
            cases = [(acc, slot) for acc in accs for slot in range(2)]
            rng.shuffle(cases)
            results = await narrow(dut, [summed(configs[slot], acc, keep=1) for acc, slot in cases],
                                   ["o", "overflow"], OutputStage.LATENCY)
            for (acc, slot), result in zip(cases, results, strict=False):
                assert result == expect(configs[slot], acc, 1), (configs[slot], acc)


def products(rng, post):
    """Extremes, halves around every rounding point, random values of every size."""
    half = 1 << post >> 1
    for edge in (0, 1, 1 << 31, (1 << 62) + (1 << 31)):
        yield from (edge, -edge)
    for multiple in (0, 1, 127, 128, 32767, 32768):
        for sign in (1, -1):
            yield from (value for value in (sign * ((2 * multiple + 1) * half + off)
                                            for off in (-1, 0, 1)) if abs(value) >> 63 == 0)
    yield from (rng.randrange(-(1 << bits), 1 << bits) for bits in range(2, 63, 4))


@cocotb.test
async def scaled_products(dut):
    """Every right shift, with two interleaved passes; product and flags follow their fields."""
    rng = random_of(43)
    await start(dut)
    cocotb.start_soon(serve_tables(dut))
    for post in range(64):
        configs = [{"rounding": rng.choice(list(RoundMode)),
                    "acc_range": rng.choice(list(LIMITS)), "wide": wide,
                    "clip": (-120, 130) if not wide else (-32500, 32000),
                    "zero": rng.choice([0, -8, 700 if wide else 3]), "table": None}
                   for wide in (0, 1)]
        cases = [(product, slot, rng.randrange(2), rng.choice([0, 1, 3]))
                 for product in products(rng, post) for slot in range(2)]
        rng.shuffle(cases)
        idle  = [(0, 0, 0, 0)] * OutputStage.PRODUCT
        results = await narrow(dut, [
            (configs[slot], {"keep": keep, "scaled": 1},
             {"product": encode(signed(64), now), "post": post, "beyond": beyond,
              "acc": rng.getrandbits(BIAS_BITS)})
            for (now, *_, beyond), (_, slot, keep, _) in zip(
                [*idle, *cases], [*cases, *idle], strict=True)],
            ["o", "overflow"], OutputStage.LATENCY)
        for (product, slot, keep, beyond), result in zip(cases, results, strict=False):
            config = configs[slot]
            over   = beyond >> (config["acc_range"] is AccumulatorRange.BITS40) & 1
            assert result == {"o": element(config, round_off(product, post, config["rounding"])),
                              "overflow": keep & over}, (config, product, post, keep, beyond)


@cocotb.test
async def shared_products(dut):
    """Products in units of 2**SHIFT_MIN, narrowed by the pass's shift."""
    rng = random_of(45)
    await start(dut)
    cocotb.start_soon(serve_tables(dut))
    for shift in range(SHIFT_MIN, SHIFT_MAX + 1):
        config = {"rounding": rng.choice(ROUNDINGS), "acc_range": AccumulatorRange.BITS40,
                  "wide": 1, "clip": (-32500, 32000), "zero": 7, "table": None, "shift": shift,
                  "op": Op.SHARE}
        values  = [value for value in products(rng, max(shift, 0)) if abs(value) >> 46 == 0]
        idle    = [0] * OutputStage.PRODUCT
        results = await narrow(dut, [
            (config, {"keep": 1, "scaled": 1},
             {"product": encode(signed(64), value << -SHIFT_MIN), "post": rng.randrange(64),
              "beyond": 0, "acc": rng.getrandbits(BIAS_BITS)})
            for value in [*idle, *values]], ["o"], OutputStage.LATENCY)
        for value, result in zip(values, results[:len(values)], strict=True):
            wanted = round_off(value << -SHIFT_MIN, shift - SHIFT_MIN, config["rounding"])
            assert result["o"] == element(config, wanted), (config, value)


@cocotb.test
@cocotb.parametrize(pause=[0, 1, OutputStage.SOONER])
async def short_ways(dut, pause):
    """Sums that bypass the table, before and after other sums: they stay in order."""
    rng = random_of(44)
    await start(dut)
    cocotb.start_soon(serve_tables(dut))
    for _ in range(40):
        configs = [{"shift": rng.randrange(12), "rounding": rng.choice(ROUNDINGS),
                    "acc_range": rng.choice(list(LIMITS)), "wide": wide, "zero": 0,
                    "clip": rng.choice(CLIPS[wide]), "table": None, "anchor": 0, "halve": 0,
                    "inverted": rng.choice([0, 0, 1]), "inverse": rng.randrange(1 << 15),
                    "table_shift": 3, "table_rounding": RoundMode.UP}
                   for wide in rng.choices([0, 1], k=2)]
        looked  = rng.randrange(2)
        configs[looked] |= {"table": rng.choice(TABLES_AT), "inverted": 0,
                            "clip": rng.choice(LOOKED_UP)}
        # SOONER idle cycles separate a sum on the long path from a bypassing sum.
        kinds  = [0] * 9 + [1] * 9 + [None] * OutputStage.SOONER + [0] * 5 + [None] * pause + [1]
        cases  = [None if kind is None else
                  (rng.randrange(-(1 << 41), 1 << 41) >> rng.randrange(40), kind, rng.randrange(2))
                  for kind in kinds]
        items  = [case and summed(configs[looked if case[1] else 1 - looked], case[0],
                                  keep=case[2], short=1 - case[1]) for case in cases]
        latency = OutputStage.LATENCY - OutputStage.SOONER
        results = await narrow(dut, items + [None] * OutputStage.SOONER, ["o", "overflow"], latency)
        for number, case in enumerate(cases):
            if case is not None:
                acc, kind, keep = case
                wanted = expect(configs[looked if kind else 1 - looked], acc, keep)
                assert results[number + OutputStage.SOONER * kind] == wanted, (configs, case)


@cocotb.test
async def held_sums(dut):
    """A left shift beyond 40 bits is an overflow in a pass that saves 40-bit accumulators."""
    rng = random_of(46)
    await start(dut)
    for shift in range(SHIFT_MIN, SHIFT_MAX + 1):
        configs = [{"shift": shift, "rounding": rng.choice(ROUNDINGS), "held": 1,
                    "acc_range": AccumulatorRange.BITS40, "wide": 1, "clip": CLIPS[1][0],
                    "table": None}]
        edge  = 1 << 39 + min(shift, 0)
        cases = [(acc, keep) for acc in (0, -1, edge - 1, edge, -edge, -edge - 1,
                                         rng.randrange(-(1 << 39), 1 << 39) >> rng.randrange(38))
                 if -(1 << 39) <= acc < 1 << 39 for keep in (0, 1)]
        results = await narrow(dut, [summed(configs[0], acc, keep=keep) for acc, keep in cases],
                               ["overflow"], OutputStage.LATENCY)
        for (acc, keep), result in zip(cases, results, strict=False):
            wanted = keep and not -edge <= acc < edge
            assert result["overflow"] == wanted, (shift, acc, keep)
