# SPDX-License-Identifier: Apache-2.0
"""Results at a half, beside it, and at every limit: the golden machine against plain loops."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.naive.machine import run_pass
from tests.support.random_passes import CONFIGS
from tests.support.seed import random_of
from xymac.golden.machine.machine import Machine
from xymac.hdl.isa import (
    ROUNDINGS,
    Access,
    AccumulatorRange,
    Adjust,
    Op,
    Pass,
    RoundMode,
    Scale,
    State,
    Width,
)

FIRST  = 100  #: Row of Y at which the records begin.
PASS   = Pass(x=Access(0, 0, 99), y=Access(0, 0, 99), z=Access(200, 200, 299), bias_row=FIRST,
              z_width=Width.BITS16, clip=(-32768, 32767), last=True)
LIMITS = [sign * (1 << bits) + step for bits in (7, 15, 16, 31, 32) for sign in (-1, 1)
          for step in (-1, 0, 1)]


def put(machine, row, words):
    """Write a record of 48-bit words, one for each lane; returns the row behind it."""
    rows  = -(-48 // (16 * machine.ways))
    cells = np.zeros((rows * machine.ways, machine.lanes), np.uint16)
    for place in range(3):
        cells[place] = [word >> 16 * place & 0xFFFF for word in words]
    y = machine.y.reshape(-1, machine.ways, machine.lanes)
    y[row:row + rows] = cells.reshape(rows, machine.ways, machine.lanes)[::-1]
    return row + rows


def close(rng, bits):
    """A number whose lowest ``bits`` bits are a half, or nearly, or nothing."""
    half = 1 << bits - 1 if bits else 0
    rest = int(rng.choice([half, half - 1, half + 1, 0, 1, -1]))
    return (int(rng.integers(-300, 300)) << bits) + rest


def draw(rng, lanes, addend):
    """Words of parameters, addends and sums of all lanes."""
    words = [], [], []
    for _ in range(lanes):
        pre, post = int(rng.choice([0, 1, 5, 31])), int(rng.choice([0, 1, 2, 14, 31, 32, 40, 63]))
        mul  = int(rng.choice([1, -1, 3, 1 << 14, (1 << 31) - 1, -1 << 31]))
        if rng.integers(3):
            mul, pre = int(rng.choice([1, -1, 3])), int(rng.choice([0, 3]))
        total = int(rng.choice(LIMITS)) << pre if rng.integers(3) == 0 else close(
            rng, pre + (0 if addend else post) if post < 33 else pre)
        more  = close(rng, min(post, 24)) if post else int(rng.choice([-1 << 31, (1 << 31) - 1, 0]))
        total = (total + (1 << 39)) % (1 << 40) - (1 << 39)
        for each, word in zip(words, (mul & 0xFFFFFFFF | pre << 32 | post << 37, more, total),
                              strict=True):
            each.append(word)
    return words


def check(config, pass_, records):
    """Run a pass whose products are 0 on records, lists of words."""
    machine = Machine(config)
    row = FIRST
    for words in records:
        row = put(machine, row, words)
    x, y, fault, overflow = run_pass(pass_, config, machine.x, machine.y)
    machine.load([pass_])

    outcome = machine.run()

    assert (fault, outcome.state) == (None, State.DONE)
    assert (machine.x.tolist(), machine.y.tolist()) == (x, y), pass_
    assert outcome.overflow == (overflow,)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("addend", [False, True])
@pytest.mark.parametrize("scale", [Scale.BITS32, Scale.BITS16, Scale.SYMMETRIC16])
def test_scaled_sums_round_as_plain_loops_do(config, scale, addend):
    lanes = Machine(config).lanes
    for number, rounding in enumerate([*RoundMode] * 12):
        pass_ = replace(PASS, scale=scale, addend=addend, rounding=rounding, shift=0)
        parameters, addends, sums = draw(random_of((number, addend)), lanes, addend)
        check(config, pass_, [parameters, *([addends] if addend else []), sums])


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("shift", [-3, 0, 1, 2, 8, 24])
def test_shifted_sums_round_as_plain_loops_do(config, shift):
    lanes = Machine(config).lanes
    for number, rounding in enumerate([*ROUNDINGS] * 3):
        rng  = random_of((number, shift + 9))
        sums = [close(rng, max(shift, 0)) if rng.integers(2) else int(rng.choice(LIMITS))
                for _ in range(lanes)]
        check(config, replace(PASS, shift=shift, rounding=rounding), [sums])


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("op", [Op.MAX, Op.MIN])
def test_extremes_have_no_bias(config, op):
    lanes = Machine(config).lanes
    words = draw(random_of(5), lanes, True)
    check(config, replace(PASS, op=op, scale=Scale.BITS32, addend=True), words)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
@pytest.mark.parametrize("acc_range", list(AccumulatorRange))
def test_held_sums_are_limited_as_plain_loops_do(config, acc_range):
    lanes = Machine(config).lanes
    for number, (shift, then) in enumerate([(0, 0), (0, 17), (-3, 20), (1, 16), (4, 0)]):
        rng  = random_of((number, lanes))
        sums = [int(rng.choice(LIMITS)) << max(shift, 0) for _ in range(lanes)]
        held = replace(PASS, hold=True, acc_range=acc_range, entry=1, shift=shift, last=False)
        show = replace(PASS, resume=True, bias_row=None, entry=1, shift=then,
                       rounding=RoundMode.FLOOR)
        machine, kept, expected = Machine(config), {}, []
        put(machine, FIRST, sums)
        x, y = machine.x, machine.y
        for pass_ in (held, show):
            x, y, fault, overflow = run_pass(pass_, config, x, y, kept)
            assert fault is None
            expected.append(overflow)
        machine.load([held, show])

        outcome = machine.run()

        assert (machine.x.tolist(), machine.y.tolist()) == (x, y), (acc_range, shift, then)
        assert outcome.overflow == tuple(expected)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_a_share_has_sums_of_32_bits(config):
    """Before any sum the inverse is 32767, and there are no places."""
    machine = Machine(config)
    lanes   = machine.lanes
    for start in range(0, len(LIMITS), lanes):
        sums = (LIMITS[start:] + LIMITS)[:lanes]
        put(machine, FIRST, sums)
        machine.load([replace(PASS, op=Op.SHARE, adjust=Adjust.PLACES, shift=32,
                              rounding=RoundMode.UP)])

        assert machine.run().state is State.DONE

        wanted = [(max(min(value, (1 << 31) - 1), -1 << 31) * 32767 + (1 << 31)) >> 32
                  for value in sums]
        first  = 200 * machine.ways
        assert machine.x.view(np.int16)[first:first + lanes].tolist() == wanted
