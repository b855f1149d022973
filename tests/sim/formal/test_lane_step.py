# SPDX-License-Identifier: Apache-2.0
"""The step of a lane that is proved is the step of the golden machine's own code."""

from types import SimpleNamespace

import numpy as np
import pytest

from xymac.golden.machine import steps as machine
from xymac.hdl.isa import FLOOR_MAX, Op
from xymac.sim.formal.lanes import floored, kept, weighed

EDGES = np.array([-32768, -32767, -129, -128, -1, 0, 1, 127, 128, 32767], np.int64)


def choose(test, one, other):
    return one if test else other


@pytest.fixture
def operands():
    """X and weights of 200 sums of 7 steps with 4 MACs: edges and random numbers."""
    random = np.random.default_rng(5)
    shape  = 200, 7, 4
    edges  = random.choice(EDGES, (2, *shape))
    others = random.integers(-32768, 32768, (2, *shape))
    return np.where(random.random((2, *shape)) < 0.5, edges, others)


def products(x, weights):
    """Terms of all steps: [sums, steps]."""
    return (x * weights).sum(2)


@pytest.mark.parametrize("op", [Op.MAX, Op.MIN])
def test_extremes(operands, op):
    terms = products(*operands)
    found = machine._over_steps(op, terms[..., None], np.ones(terms.shape, bool))[:, 0]
    for row, expected in zip(terms.tolist(), found.tolist(), strict=True):
        acc = row[0]
        for term in row[1:]:
            acc = kept(acc, term, smallest=op is Op.MIN, choose=choose)
        assert acc == expected


def test_sums(operands):
    terms = products(*operands)
    found = machine._over_steps(Op.MAC, terms[..., None], np.ones(terms.shape, bool))[:, 0]
    for row, expected in zip(terms.tolist(), found.tolist(), strict=True):
        acc = row[0]
        for term in row[1:]:
            acc = floored(acc, term, 0, choose)
        assert acc == expected


@pytest.mark.parametrize("floor", range(1, FLOOR_MAX + 1))
def test_the_floor_before_the_last_step(operands, floor):
    terms = products(*operands)
    pass_ = SimpleNamespace(accumulate=SimpleNamespace(floor=floor))
    sums, ends = terms.sum(1)[:, None], terms[:, -1:]
    found = machine.floor_before(pass_, sums, ends, np.ones(len(sums), bool))[:, 0]
    for row, expected in zip(terms.tolist(), found.tolist(), strict=True):
        acc = sum(row[:-1])
        assert floored(acc, row[-1], floor, choose) == expected


def test_weights():
    for word in EDGES.tolist():
        low, high = np.array([word], np.int16).view(np.int8).tolist()
        assert weighed(word, wide=True, upper=False, choose=choose) == word
        assert weighed(word, wide=False, upper=False, choose=choose) == low
        assert weighed(word, wide=False, upper=True, choose=choose) == high
