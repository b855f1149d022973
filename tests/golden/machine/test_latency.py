# SPDX-License-Identifier: Apache-2.0
"""Cycles that a core needs at least for the records of a pass."""

import pytest

from xymac.golden.machine.latency import record_cycles
from xymac.hdl.isa import Access, Pass, Scale

ACCESS = Access(0, 0, 99)


@pytest.mark.parametrize(("fields", "cycles"), [
    ({}, {1: (0, 0), 2: (0, 0), 4: (0, 0)}),
    ({"bias_row": 100}, {1: (3, 3), 2: (2, 2), 4: (1, 1)}),
    ({"bias_row": 100, "scale": Scale.BITS32}, {1: (10, 10), 2: (9, 9), 4: (8, 8)}),
    ({"bias_row": 100, "scale": Scale.BITS16, "once": True},
     {1: (10, 3), 2: (9, 2), 4: (8, 1)}),
    ({"bias_row": 100, "scale": Scale.BITS32, "addend": True},
     {1: (17, 17), 2: (15, 15), 4: (13, 13)}),
    ({"bias_row": 100, "scale": Scale.BITS32, "addend": True, "once": True},
     {1: (17, 3), 2: (15, 2), 4: (13, 1)})])
def test_cycles_of_the_first_records_and_of_others(fields, cycles):
    pass_ = Pass(x=ACCESS, y=ACCESS, z=ACCESS, **fields)

    assert {ways: record_cycles(pass_, ways) for ways in (1, 2, 4)} == cycles
