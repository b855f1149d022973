# SPDX-License-Identifier: Apache-2.0
"""Run the smallest reference call of every function on a simulated core.

``python -m xymac.sim.coverage.calls SIZE PART PARTS`` runs every PARTS-th function from PART on.
"""

import itertools
import sys
from functools import partial

from xymac.hdl.config import find_size
from xymac.host.cluster import ROOT
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import read_arrays, read_cases
from xymac.sim.rtl.device import RtlDevice

__all__ = ["smallest_calls"]

_FOLDERS = ("", "mli2", "xs3", "tflm")  # of tests/vectors


def smallest_calls(root=ROOT):
    """For each function and file, yield the case with the fewest elements in ``tests/vectors``."""
    for folder in _FOLDERS:
        cases = sorted(read_cases(root / "tests/vectors" / folder), key=_key)
        for _, group in itertools.groupby(cases, key=_key):
            yield min(group, key=lambda case: sum(
                array.size for array in read_arrays(case).values()))


def _key(case):
    return case.dialect, case.function, case.path.stem


def main(size, part, parts):
    """Run the calls; returns the exit code."""
    chosen = list(itertools.islice(smallest_calls(), int(part), None, int(parts)))
    with RtlDevice(find_size(size)) as device:
        report = check_cases(chosen, partial(run_layer, device))
    wrong = [row for row in report.functions if row.mismatches or row.passed < row.cases]
    for row in wrong:
        sys.stderr.write(f"{row.function}: {len(row.mismatches)} differ, {row.reasons}\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
