# SPDX-License-Identifier: Apache-2.0
"""Bench for xymac.hdl.core.scale in exact arithmetic: every shift, extremes of every operand."""


import cocotb
from amaranth import signed

from xymac.hdl.core.scale import Mode, Record, ScaleUnit
from xymac.hdl.isa import BANKS, BIAS_BITS, SHIFT_MIN, RoundMode, Scale
from xymac.sim.agents.pipeline import feed
from xymac.sim.agents.seed import random_of
from xymac.sim.agents.stream import decode, encode, start

EDGES  = [0, 1, -1, (1 << 31) - 1, -(1 << 31), 1 - (1 << 31), 1 << 16, -(1 << 16), 0xFFFF, 0x8000,
          1 << 30, -(1 << 30)]
LIMITS = {Scale.BITS32: (-(1 << 31), (1 << 31) - 1), Scale.BITS16: (-32768, 32767),
          Scale.SYMMETRIC16: (-32767, 32767)}


def round_off(value, shift, mode):
    """Round ``value / 2**shift`` to an int; ``shift`` is at least 0."""
    whole, rest = divmod(value, 1 << shift)
    twice = 2 * rest - (1 << shift)
    up = twice > 0 or (twice == 0 and (mode in (RoundMode.UP, RoundMode.TWICE) or whole % 2))
    return whole + bool(rest and up and mode is not RoundMode.FLOOR)


def expect(acc, parameters, scale, rounding):
    """A sum's product, shift and range flags."""
    mul, pre, post, addend = parameters
    low, high = LIMITS[scale]
    wrapped = (acc + (1 << 39)) % (1 << 40) - (1 << 39)
    limited = min(max(round_off(wrapped, pre, rounding), low), high)
    beyond  = [not -(1 << bits - 1) <= acc < 1 << bits - 1 for bits in (32, 40)]
    if rounding is RoundMode.TWICE:
        addend = (post > 31) << 30 if addend is None else addend
        sign   = (addend >> 30) & (limited < 0)
        addend = addend % (1 << 31) - sign * (1 << 31)
    return limited * mul + (addend or 0), post, beyond[0] + 2 * beyond[1]


def sums(rng, pre):
    """Edges of every range, halves around the rounding points, values of every size."""
    edge = 1 << rng.choice([15, 31, 39, 47])
    yield rng.choice([-edge, edge - 1, max(-edge - 1, -(1 << 47))])
    half = 1 << pre >> 1
    for limit in (0, 1, 32767, 32768, (1 << 31) - 1):
        centre = rng.choice([-1, 1]) * limit * (1 << pre) + rng.choice([-half, 0, half])
        yield (centre + rng.choice([-1, 0, 1]) + (1 << 47)) % (1 << 48) - (1 << 47)
    yield rng.randrange(-(1 << 47), 1 << 47) >> rng.randrange(46)
    yield rng.randrange(-(1 << 47), 1 << 47) >> rng.randrange(46)


def record(kind, word):
    """Record with a lane's parameters, as the array outputs it."""
    return {"acc": word % (1 << BIAS_BITS), "valid": 1, "record": encode(Record, {kind: 1})}


def groups(rng, count):
    """Stimuli: parameters, then sums that use them, bank by bank; each sum with its parameters."""
    for number in range(count):
        drawn = []
        for _ in range(BANKS):
            mul, addend = (rng.choice([*EDGES, rng.randrange(-(1 << 31), 1 << 31)])
                           for _ in range(2))
            drawn.append([mul, number % 32, (number * 7 + rng.randrange(64)) % 64, addend])
        for mul, pre, post, _ in drawn:
            yield record("scale", mul % (1 << 32) | pre << 32 | post << 37), None
        with_addend = rng.randrange(2)
        for parameters in drawn:
            if with_addend:
                yield record("addend", parameters[3]), None
            else:
                parameters[3] = None
        yield from [({"valid": 0}, None)] * rng.choice([0, 1, 5, 20])
        for bank_sums in zip(*(list(sums(rng, parameters[1])) for parameters in drawn),
                             strict=True):
            for acc, parameters in zip(bank_sums, drawn, strict=True):
                yield ({"acc": encode(signed(BIAS_BITS), acc), "valid": 1, "record": 0},
                       (acc, parameters))
        if number % 3:
            yield from [({"valid": 0}, None)] * rng.choice([0, 1, 2, 3])


@cocotb.test
@cocotb.parametrize(scale=list(LIMITS), rounding=list(RoundMode))
async def matches_whole_numbers(dut, scale, rounding):
    """Parameter sets follow each other as closely as possible; each lasts until its last sum."""
    rng = random_of(171)
    await start(dut)
    dut.mode.value = encode(Mode, {"scale": scale.value, "rounding": rounding.value})
    dut.inverse.value = 12345
    stimuli = list(groups(rng, 128))
    results = await feed(dut, [stimulus for stimulus, _ in stimuli], ["product", "post"],
                         ScaleUnit.LATENCY)
    for (_, wanted), result in zip(stimuli, results, strict=True):
        if wanted is not None:
            product, post, _ = expect(*wanted, scale, rounding)
            assert decode(signed(64), result["product"]) == product, wanted
            assert result["post"] == post, wanted


@cocotb.test
async def shares(dut):
    """SHARE: limited sum times inverse, in units of 2**SHIFT_MIN, regardless of parameters."""
    rng = random_of(173)
    await start(dut)
    dut.mode.value = encode(Mode, {"scale": Scale.BITS32.value, "shares": 1,
                                   "rounding": RoundMode.CONVERGENT.value})
    stimuli = list(groups(rng, 16))
    for inverse in (0, 1, 16384, 32767, rng.randrange(1 << 15)):
        dut.inverse.value = inverse
        results = await feed(dut, [stimulus for stimulus, _ in stimuli], ["product"],
                             ScaleUnit.LATENCY)
        for (_, wanted), result in zip(stimuli, results, strict=True):
            if wanted is not None:
                acc = wanted[0]
                whole   = (acc + (1 << 39)) % (1 << 40) - (1 << 39)
                limited = min(max(whole, -(1 << 31)), (1 << 31) - 1)
                assert decode(signed(64), result["product"]) == limited * inverse << -SHIFT_MIN


@cocotb.test
async def sums_beyond_their_range(dut):
    """The full sum's range flags come with the product."""
    rng = random_of(172)
    await start(dut)
    dut.mode.value = encode(Mode, {"scale": Scale.BITS32.value, "rounding": 0})
    stimuli = list(groups(rng, 64))
    results = await feed(dut, [stimulus for stimulus, _ in stimuli], ["beyond"],
                         ScaleUnit.LATENCY)
    flags   = [(result["beyond"], expect(*wanted, Scale.BITS32, RoundMode.UP)[2])
               for (_, wanted), result in zip(stimuli, results, strict=True) if wanted is not None]
    assert all(one == other for one, other in flags)
    assert {other for _, other in flags} == {0, 1, 3}
