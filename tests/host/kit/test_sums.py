# SPDX-License-Identifier: Apache-2.0
"""Some outputs of Sums, and Rules made from Rules."""

import pickle

import numpy as np

from tests.host.kit.test_explain import cases_of
from xymac.host.kit.libraries import sums_of
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import Rule
from xymac.host.kit.sums import COLUMNS, ROWS, TERMS


def test_taken_outputs_are_the_columns_at_their_places():
    for kind in (("conv2d", "tflm", "int8"), ("add", "tflm", "int8")):
        [case]   = cases_of(*kind, 1)
        expected = case.expected()
        sums     = sums_of(case, np.arange(expected.size))
        places   = np.array([expected.size - 1, 0, 0])
        taken    = sums.take(places)
        for name in (*ROWS, *TERMS, *COLUMNS):
            assert np.array_equal(getattr(taken, name), getattr(sums, name)[..., places]), name
        assert (taken.count, sums.take(places[:0]).count) == (3, 0)


def test_rules_with_the_same_differences_are_one():
    one, both = Rule(acc_bits=24), Rule(out=Limit.WRAP, acc_bits=24)
    assert Rule(acc_bits=16) | one == one
    assert len({one | Rule(out=Limit.WRAP), Rule(out=Limit.WRAP) | one, both}) == 1
    assert {both: 1}[pickle.loads(pickle.dumps(both))] == 1
    assert one != Rule(last=Rounding.UP)
    assert one.given == {"acc_bits": 24}
