# SPDX-License-Identifier: Apache-2.0
"""The core of size tiny in CXXRTL, a second simulator: the smallest call of every function."""

from functools import partial

import pytest

from tests.rtl.test_gate_level import CASES, FUNCTIONS
from tests.support.cases import smallest
from xymac.hdl.config import TINY
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.sim.cxxrtl.library import cxxrtl_library
from xymac.sim.rtl.device import RtlDevice

#: Minutes to compile, and a thousandth of Verilator's speed.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def device():
    with RtlDevice(TINY, backdoor=False, library=cxxrtl_library(TINY)) as device:
        yield device


@pytest.mark.parametrize(("dialect", "function"), FUNCTIONS)
def test_smallest_case_in_every_variant(dialect, function, device):
    case = smallest([case for case in CASES
                     if (case.dialect, case.function) == (dialect, function)])

    report = check_cases([case], partial(run_layer, device))

    [row] = report.functions
    assert row.mismatches == row.reasons == []
    assert row.passed == row.cases == len(case.expected)
