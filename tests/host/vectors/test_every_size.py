# SPDX-License-Identifier: Apache-2.0
"""The vendor's vectors on the golden machine of the smaller sizes: none is refused."""

from pathlib import Path

import pytest

from xymac.hdl.config import SIZES
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import read_cases, select_cases

VECTORS = Path(__file__).parents[2] / "vectors"
#: Checks of all cases and builds, by folder and dialect.
CHECKS = {(".", "mli-1"): 1404, ("mli2", "mli-2"): 3024, ("xs3", "xs3"): 403}
#: What tiny cannot hold or do in one program: tensors in tiles, programs in segments.
LARGE = {"mli2": ("v2_avepool_hwc_fx8/6", "v2_avepool_hwc_sa8/2", "v2_argmax_fx16/5",
                  "v2_argmax_sa8/1"),
         "xs3": ("requantize_16_to_8/0",)}


def assert_all_pass(size, cases, backend="machine"):
    """None fails, is refused or has no passes; returns how many there are."""
    with open_evaluator(backend, SIZES[size]) as evaluate:
        report = check_cases(cases, evaluate)
    assert report.failed == report.skipped == 0, report.as_json()
    return report.passed


@pytest.mark.long
@pytest.mark.parametrize("size", ["tiny", "small"])
@pytest.mark.parametrize(("folder", "dialect"), CHECKS)
def test_all_vectors_pass(folder, dialect, size):
    cases = select_cases(read_cases(VECTORS / folder), dialect=dialect)

    assert assert_all_pass(size, cases) == CHECKS[folder, dialect]


@pytest.mark.parametrize("backend", ["machine", "rtl"])
@pytest.mark.parametrize("folder", LARGE)
def test_what_tiny_runs_in_several_programs(folder, backend):
    cases = [case for case in read_cases(VECTORS / folder) if case.id in LARGE[folder]]

    assert assert_all_pass("tiny", cases, backend) >= len(LARGE[folder])
