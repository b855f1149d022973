# SPDX-License-Identifier: Apache-2.0
"""The functions of lib_nn by their names against outputs of the library itself."""

import numpy as np
import pytest

from tests.support.calls.lib_nn import VECTORS, names_of, run_case
from tests.support.seed import random_of
from xymac.golden.api.xs3.functions import LibNn
from xymac.golden.api.xs3.prototypes import SYMMETRIC
from xymac.host.vectors.files import read_arrays, read_cases

CASES = read_cases(VECTORS)
NAMES = sorted({name for case in CASES for name in names_of(case)})


def cases_of(name):
    return [case for case in CASES if name in names_of(case)]


@pytest.mark.parametrize("name", NAMES)
def test_names_compute_what_the_library_computed(name):
    for number, case in enumerate(cases_of(name)):
        run_case(LibNn(), case, read_arrays(case), random_of(number))


@pytest.mark.parametrize("operator", SYMMETRIC)
def test_the_lowest_output_is_that_of_the_build(operator):
    """All vectors of an operator: what is -128 is -127, the rest is the same."""
    lowered = 0
    for case in cases_of(operator):
        arrays = read_arrays(case)
        [outputs] = case.expected.values()

        run_case(LibNn(symmetric=[operator]), case, arrays, random_of(7), lowest=-127)

        lowered += np.count_nonzero(arrays[outputs["Y"]] == -128)
    assert lowered
