# SPDX-License-Identifier: Apache-2.0
"""Scaled passes that round twice: TensorFlow Lite's factors, exactly."""

from dataclasses import replace

import pytest

from tests.support.random_passes import CONFIGS, SMALL
from tests.support.twice import LIMIT, drawn_sums, quantized, twice_pass, write_sums
from xymac.golden.machine.machine import Machine
from xymac.hdl.isa import BANKS, RoundMode, State

INDICES = 25


def run(config, pass_, sums, exponent, addend=None):
    """Elements of a pass whose records are of ``sums``."""
    machine = Machine(config)
    write_sums(machine.y, config, pass_, sums, exponent, addend)
    machine.load([replace(pass_, last=True)])
    assert machine.run().state is State.DONE
    return machine.x[:len(sums)].astype("int16").tolist()


@pytest.mark.parametrize("addend", [False, True])
@pytest.mark.parametrize("exponent", range(-31, 4))
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_elements_are_those_of_the_library(config, exponent, addend):
    pass_ = twice_pass(config, INDICES, addend=addend)
    sums  = drawn_sums(exponent, INDICES * BANKS * config.ways, 100 + exponent)

    elements = run(config, pass_, sums, exponent)

    for (x, multiplier), element in zip(sums, elements, strict=True):
        wanted = min(max(quantized(x, multiplier, exponent), -LIMIT - 1), LIMIT)
        assert element == wanted, (x, multiplier, exponent)


def test_rounded_once_they_are_not():
    """The sums are such that a single rounding gives others."""
    sums = drawn_sums(-9, INDICES * BANKS * SMALL.ways, 91)
    pass_ = twice_pass(SMALL, INDICES)

    once = run(SMALL, replace(pass_, rounding=RoundMode.UP), sums, -9)

    assert run(SMALL, pass_, sums, -9) != once


@pytest.mark.parametrize("addend", [0x1234_5678, 0x4000_0000, 0x7654_3210, 0x3FFF_FFFF])
def test_any_addend_has_the_sign_of_its_sum_where_bit_30_is_set(addend):
    """Sums of 0 are not negative; divided by 2**17 only the addend is left."""
    sums = [(x, 1) for x in (0, 1, -1, 5, -5, 0, -1, 0)]

    elements = run(SMALL, twice_pass(SMALL, 1), sums, 14, addend)

    for (x, _), element in zip(sums, elements, strict=True):
        signed = addend - (1 << 31 if addend >> 30 and x < 0 else 0)
        assert element == (x + signed + (1 << 16)) >> 17, (x, addend)


def test_parameters_of_the_first_index_stand_for_all():
    sums  = drawn_sums(-7, INDICES * BANKS * SMALL.ways, 92)
    lanes = BANKS * SMALL.ways

    elements = run(SMALL, twice_pass(SMALL, INDICES, once=True), sums, -7)

    for number, (x, _) in enumerate(sums):
        wanted = quantized(x, sums[number % lanes][1], -7)
        assert elements[number] == min(max(wanted, -LIMIT - 1), LIMIT)
