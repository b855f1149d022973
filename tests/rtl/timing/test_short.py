# SPDX-License-Identifier: Apache-2.0
"""Results that are not looked up leave sooner, and yet all are written in order."""

import random
from dataclasses import replace

import pytest

from tests.support.rtl_device import assert_equals_machine
from tests.support.seed import SEED
from tests.support.sizes import each_name
from xymac.hdl.isa import Access, Memory, Pass, Reduce, Scale, Table, Width

#: Both write the same groups, so that their order shows.
PLAIN  = Pass(x=Access(30, 30, 99, (0, 0, 1), (0, 0, 1)), y=Access(30, 20, 99, taps=(0, 0, 1)),
              z=Access(2000, 2000, 2099, (0, 12, 4)), outer=(1, 3, 3), taps=(1, 1, 2), shift=4,
              x_width=Width.BITS16, z_width=Width.BITS16, clip=(-9999, 9999), z_memory=Memory.Y)
LOOKED = replace(PLAIN, table=Table.TANH, table_shift=9)
SPARSE = replace(PLAIN, outer=(1, 1, 3), taps=(1, 1, 65), x=Access(30, 30, 199, taps=(0, 0, 1)),
                 y=Access(30, 20, 199, taps=(0, 0, 1)))
PASSES = {"plain": PLAIN, "looked": LOOKED, "sparse": SPARSE,
          "waits": replace(PLAIN, wait=True),
          "scaled": replace(PLAIN, shift=0, scale=Scale.BITS32, bias_row=200),
          "folded": replace(PLAIN, reduce=Reduce.MAX), "summed": replace(LOOKED, reduce=Reduce.SUM),
          "inverse": replace(PLAIN, inverted=True)}


@each_name
@pytest.mark.parametrize("names", [
    "looked plain", "plain looked", "looked waits plain", "looked sparse plain",
    "sparse looked sparse", "looked scaled plain", "summed inverse plain", "folded looked plain"])
def test_passes_by_turns(size, names, rtl):
    """What is in flight decides, and the cycle model knows."""
    assert_equals_machine(rtl(size), [PASSES[name] for name in names.split()], seed=7)


@each_name
@pytest.mark.parametrize("turns", ["scaled plain", "scaled looked", "scaled plain scaled inverse",
                                   "scaled plain plain scaled plain"])
def test_single_steps_by_turns(size, turns, rtl):
    """Scaled sums take longer, and none meets a sum that is not, however close their steps are."""
    long   = replace(SPARSE, scale=Scale.BITS32, shift=0, bias_row=200)  # those behind are fetched
    passes = [replace(PASSES[name], outer=(1, 1, 1), taps=(1, 1, 1)) for name in turns.split()]
    passes = [long if pass_.epilogue.scale is Scale.BITS32 else pass_ for pass_ in passes]

    assert_equals_machine(rtl(size), passes, seed=8)


@each_name
@pytest.mark.parametrize("seed", range(12))
def test_programs(size, seed, rtl):
    rng    = random.Random(f"{SEED.value} {seed}" if SEED.value else seed)
    passes = [replace(rng.choice(list(PASSES.values())), outer=(1, rng.randint(1, 3), 3))
              for _ in range(rng.randint(2, 6))]

    assert_equals_machine(rtl(size), passes, seed)
