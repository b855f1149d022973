# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 on base in RTL: the vendor's smallest case of every function and type, every build."""

from functools import partial
from pathlib import Path

import pytest

from tests.support.cases import smallest
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import read_cases

CASES = read_cases(Path(__file__).parents[1] / "vectors/mli2")
TYPES = sorted({case.path.stem for case in CASES})  #: A file has the cases of a function and type.


def test_there_are_all_functions_and_types():
    assert len(TYPES) == 84
    assert {case.function for case in CASES} == {
        next(case.function for case in CASES if case.path.stem == kind) for kind in TYPES}


@pytest.mark.parametrize("kind", TYPES)
def test_rtl_equals_the_library(kind, rtl):
    case = smallest([case for case in CASES if case.path.stem == kind])

    report = check_cases([case], partial(run_layer, rtl("base")))

    [row] = report.functions
    assert row.mismatches == row.reasons == []
    assert row.passed == row.cases == len(case.expected) == 3
