# SPDX-License-Identifier: Apache-2.0
"""Scaled passes on the RTL: programs that mix them with others, each cycle accounted for."""

import random
from dataclasses import replace

import numpy as np
import pytest

from tests.support.rtl_device import assert_equals_machine
from tests.support.seed import SEED
from tests.support.sizes import each_name
from tests.support.twice import LIMIT, drawn_sums, quantized, twice_pass, write_sums
from xymac.hdl.isa import (
    ROUNDINGS,
    Access,
    AccumulatorRange,
    Adjust,
    Memory,
    Op,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Status,
    Width,
)

#: Some outputs for each of some outermost indices; the records lie behind the weights.
PASS = Pass(x=Access(40, 30, 99, (2, 0, 1), (0, 0, 1)), y=Access(30, 20, 99, (3, 0, 0), (0, 0, 1)),
            z=Access(200, 200, 499, (24, 12, 4)), outer=(3, 2, 3), taps=(1, 1, 5), bias_row=110)
SCALED = replace(PASS, scale=Scale.BITS32)


@each_name
@pytest.mark.parametrize("addend", [False, True])
@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 4, 9])
@pytest.mark.parametrize("outer", [(5, 1, 1), (3, 2, 3), (7, 1, 2)])
def test_records_of_every_index(size, addend, once, steps, outer, rtl):
    """Parameters stand for the sums of their index, or of all, however soon the next ones come."""
    pass_ = replace(SCALED, addend=addend, once=once, taps=(1, 1, steps), outer=outer,
                    z=replace(SCALED.epilogue.z, outer=(24, 12, 4)))
    assert_equals_machine(rtl(size), [pass_], seed=5)


@each_name
@pytest.mark.parametrize("exponent", [-31, -20, -9, -4, -1, 0, 3])
@pytest.mark.parametrize(("once", "addend"), [(False, False), (False, True), (True, False)])
def test_sums_that_round_twice(size, exponent, once, addend, rtl):
    """Around the halves of either rounding, with the parameters of each lane."""
    device = rtl(size)
    device.harness.reset()
    pass_ = twice_pass(device.config, 20, once=once, addend=addend)
    sums  = drawn_sums(exponent, 20 * device.config.lanes, exponent + 40)
    cells = np.zeros(device.config.y_bytes // 2, np.uint16)
    write_sums(cells, device.config, pass_, sums, exponent)
    device.write_cells(Memory.Y, 0, cells)
    device.load_program([replace(pass_, last=True)])

    assert device.run().status is Status.OK

    elements = device.read_cells(Memory.X, 0, len(sums)).view(np.int16)
    for number, ((x, own), element) in enumerate(zip(sums, elements.tolist(), strict=True)):
        multiplier = sums[number % device.config.lanes][1] if once else own
        wanted = quantized(x, multiplier, exponent)
        assert element == min(max(wanted, -LIMIT - 1), LIMIT), (x, multiplier)


@each_name
def test_sums_that_come_as_soon_as_they_can(size, rtl):
    """Many outputs of a step: as many are in flight as the latency allows."""
    assert_equals_machine(rtl(size), [replace(SCALED, taps=(1, 1, 1), outer=(1, 5, 11))], seed=5)


@each_name
@pytest.mark.parametrize("change", [
    {"scale": Scale.NONE, "addend": False}, {"scale": Scale.BITS32}, {"rounding": RoundMode.UP},
    {"rounding": RoundMode.TWICE}, {"rounding": RoundMode.TWICE, "addend": False}, {},
    {"op": Op.SHARE, "adjust": Adjust.PLACES, "scale": Scale.NONE, "addend": False,
     "bias_row": None, "shift": 30}])
def test_modes_do_not_mix(size, change, rtl):
    """A pass that scales in another way, right behind large sums, and before them."""
    wide  = replace(SCALED, addend=True, scale=Scale.SYMMETRIC16, x_width=Width.BITS16,
                    y_width=Width.BITS16, z_width=Width.BITS16, clip=(-32768, 32767),
                    outer=(1, 3, 7), taps=(1, 1, 1))
    other = replace(wide, **{"bias_row": 130, "z": replace(wide.epilogue.z, base=300)} | change)
    assert_equals_machine(rtl(size), [wide, other] * 4, seed=5)


@each_name
def test_a_held_sum_before_a_scaled_pass(size, rtl):
    """The parameters pass through the accumulator that has just held a sum."""
    held = replace(PASS, bias_row=None, outer=(1, 1, 1), hold=True, shift=3)
    resumed = replace(held, hold=False, resume=True)
    assert_equals_machine(rtl(size), [held, SCALED, resumed], seed=5)


def drawn(rng):
    """A pass of any mode."""
    wide  = rng.choice(list(Width))
    pass_ = replace(
        PASS, outer=tuple(rng.choice([1, 2, 3]) for _ in range(3)),
        taps=(1, 1, rng.choice([1, 2, 3, 4, 5, 9])), op=rng.choice([Op.MAC, Op.MAC, Op.MAX]),
        x_shape=rng.choice(list(Shape)), y_shape=rng.choice(list(Shape)),
        x_width=rng.choice(list(Width)), z_width=wide, rounding=rng.choice(ROUNDINGS),
        clip=(-128, 127) if wide is Width.BITS8 else (-30000, 30000), zero=rng.choice([0, 3, -100]),
        wait=rng.random() < 0.3, bias_row=rng.choice([110, 130]), beats=rng.choice([1, 4, 4]),
        acc_range=rng.choice(list(AccumulatorRange)))
    if rng.random() < 0.7:
        pass_ = replace(pass_, scale=rng.choice(list(Scale)[1:]), addend=rng.random() < 0.5,
                        once=rng.random() < 0.5)
        if rng.random() < 0.5:
            pass_ = replace(pass_, rounding=RoundMode.TWICE)
    else:
        pass_ = replace(pass_, shift=rng.choice([0, 8, 12]), bias_row=rng.choice([None, 110]))
    x_zero = rng.choice([0, -128, 127])
    return replace(pass_, x_zero=x_zero * (pass_.operands.x_width is Width.BITS8))


@each_name
@pytest.mark.parametrize("seed", range(20))
def test_programs(size, seed, rtl):
    rng    = random.Random(f"{SEED.value} {seed}" if SEED.value else seed)
    passes = []
    for _ in range(rng.randint(1, 4)):
        passes.append(drawn(rng))
        if rng.random() < 0.5:
            passes.append(replace(passes[-1], taps=(1, 1, rng.choice([1, 4]))))
    assert_equals_machine(rtl(size), passes, seed)
