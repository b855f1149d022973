# SPDX-License-Identifier: Apache-2.0
"""A pass that reads its own results has no result: the core may read before or after the write."""

from dataclasses import replace

import pytest

from tests.support.naive.machine import reads_own_results
from tests.support.random_passes import CONFIGS, SMALL, machine_with_noise, random_pass
from tests.support.seed import random_of
from xymac.golden.machine import overwrite
from xymac.golden.machine.machine import ProgramError
from xymac.hdl.isa import Access, Memory, Op, Pass, Scale, Shape, State, Status, Width

#: Copies 8 rows of four vectors, elements of 16 bits, from vector 0 of X.
COPY = Pass(x=Access(0, 0, 199, (0, 0, 4)), y=Access(400, 400, 400), z=Access(0, 0, 199, (0, 0, 4)),
            outer=(1, 1, 8), x_shape=Shape.LANES, y_shape=Shape.LANES, x_width=Width.BITS16,
            z_width=Width.BITS16)
OWN  = ("^Pass 0 reads its own results: an output before output {0} writes the {1} operands of "
        "output {0}$")


def run(pass_, config=SMALL):
    machine = machine_with_noise(config, 0)
    machine.load([replace(pass_, last=True)])
    return machine.run()


def moved(base):
    return Access(base, 0, 199, (0, 0, 4))


def test_an_output_may_overwrite_its_operands_and_those_before():
    for base in (0, -4, -12):
        start = max(-base, 0)
        assert run(replace(COPY, x=moved(start), z=moved(start + base))).state is State.DONE


@pytest.mark.parametrize("behind", [4, 8, 28])
def test_an_output_does_not_read_what_one_before_it_writes(behind):
    with pytest.raises(ProgramError, match=OWN.format(behind // 4, "X")):
        run(replace(COPY, z=moved(behind)))


def test_results_behind_all_operands_are_legal():
    assert run(replace(COPY, z=moved(32))).state is State.DONE


def test_bytes_count_not_words():
    """Vectors of 8 bits: a row of 16-bit words holds two rows of them."""
    narrow = replace(COPY, x_width=Width.BITS8, z_width=Width.BITS8, outer=(1, 1, 2),
                     clip=(-128, 127))

    assert run(replace(narrow, x=Access(0, 0, 199, (0, 0, 8)),
                       z=Access(4, 0, 199, (0, 0, 8)))).state is State.DONE
    with pytest.raises(ProgramError, match=OWN.format(1, "X")):
        run(replace(narrow, x=Access(0, 0, 199, (0, 0, 8)), z=Access(8, 0, 199, (0, 0, 8))))


def test_weights_and_records_count():
    words = replace(COPY, z_memory=Memory.Y, y_shape=Shape.VECTOR, y_width=Width.BITS16)
    group = 4 * SMALL.ways  # vectors of a row of Y

    with pytest.raises(ProgramError, match=OWN.format(1, "Y")):
        run(replace(words, y=Access(3, 3, 3), z=Access(3 * group, 0, 199, (0, 0, 4))))
    far = replace(words, y=Access(400, 400, 400), outer=(2, 1, 4), bias_row=2)
    rows = -(-48 // (16 * SMALL.ways))
    with pytest.raises(ProgramError, match=OWN.format(4, "bias")):
        run(replace(far, z=Access((2 + rows) * group, 0, 199, (16, 0, 4))))
    assert run(replace(far, z=Access(2 * group, 0, 199, (0, 0, 0)))).state is State.DONE
    every = replace(far, scale=Scale.BITS32, shift=0, outer=(3, 1, 4))
    for row, output in ((2 + 2 * rows, 4), (2 + 4 * rows, 8), (2 + 6 * rows - 1, 8)):
        with pytest.raises(ProgramError, match=OWN.format(output, "bias")):
            run(replace(every, z=Access(row * group, 0, 199, (0, 0, 0))))
    assert run(replace(every, z=Access((2 + 6 * rows) * group, 0, 199, (0, 0, 0)))
               ).state is State.DONE
    scaled = replace(far, scale=Scale.BITS32, once=True, shift=0)
    assert run(replace(scaled, z=Access(2 * group, 0, 199, (0, 0, 0)))).state is State.DONE


def test_outputs_behind_a_fault_read_nothing():
    short = replace(COPY, x=Access(0, 0, 15, (0, 0, 4)), z=moved(16))  # output 4 faults

    assert run(short).status is Status.X_ACCESS
    with pytest.raises(ProgramError, match=OWN.format(3, "X")):
        run(replace(short, z=moved(12)))


def test_saved_accumulators_are_no_results():
    assert run(replace(COPY, hold=True, z=moved(4))).state is State.DONE


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_equals_plain_loops_on_random_passes(config, monkeypatch):
    """Plain loops note the bytes of each read and write; the machine takes four beats for any."""
    monkeypatch.setattr(overwrite, "CHUNK", 64)
    found = {True: set(), False: set()}
    for seed in range(400):
        pass_ = random_pass(random_of(seed), config)
        x     = pass_.operands.x
        if seed % 2:  # the results over the operands
            strides = (0, 0, 0) if pass_.accumulate.op is Op.GATHER else (3, 0, 1)
            pass_ = replace(pass_, z_memory=Memory.X, z_width=pass_.operands.x_width,
                            z=Access(x.base, x.low, x.low + 300, strides))
        try:
            if run(pass_, config).status is Status.WINDOW:
                continue
            refused = False
        except ProgramError:
            refused = True
        late, op = reads_own_results(pass_, config), pass_.accumulate.op
        assert refused or not late, (seed, pass_)
        if pass_.epilogue.beats == 4 and op not in (Op.MAX, Op.MIN, Op.GATHER):
            assert refused == late, (seed, pass_)
        found[late].add(op)
    assert found[True] >= {Op.MAC, Op.CROSS, Op.SPREAD, Op.GATHER}
    assert found[False] >= {Op.MAC, Op.CROSS, Op.SPREAD, Op.GATHER}
