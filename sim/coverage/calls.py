# SPDX-License-Identifier: Apache-2.0
"""Run the smallest reference call of every function, type and border on a simulated core.

``python -m xymac.sim.coverage.calls SIZE PART PARTS`` runs every PARTS-th call from PART on.
"""

import collections
import itertools
import sys
from functools import partial

from xymac.hdl.config import find_size
from xymac.host.cluster import ROOT
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import read_arrays, read_cases
from xymac.sim.build.coverage import coverage_folder
from xymac.sim.rtl.device import RtlDevice

from .crosses import save_crosses

__all__ = ["smallest_calls"]

_FOLDERS = ("", "mli2", "xs3", "tflm")  # of tests/vectors


def smallest_calls(root=ROOT):
    """For each cross and file, yield the case with the fewest elements in ``tests/vectors``."""
    for folder in _FOLDERS:
        cases = sorted(read_cases(root / "tests/vectors" / folder), key=_key)
        for _, group in itertools.groupby(cases, key=_key):
            yield min(group, key=lambda case: sum(
                array.size for array in read_arrays(case).values()))


def _key(case):
    return case.dialect, case.function, case.path.stem, border_of(case)


def border_of(case):
    """Border of a Case: "padded", "inside" (windows stay within the input) or "no windows"."""
    config = case.config
    if case.dialect == "tflm":
        windows, padded = _tflm_border(case.function, config["options"])
    elif case.dialect == "xs3":
        windows = "start_row" in config
        padded  = config.get("padded", False)
    else:
        given   = config.get("cfg", {}) | config
        sides   = [value for name, value in given.items() if name.startswith("padding_")]
        windows, padded = bool(sides), any(sides)
    return "no windows" if not windows else "padded" if padded else "inside"


def _tflm_border(function, options):
    """(Whether a function has windows, whether they are padded)."""
    windows = "CONV" in function or function.endswith("_POOL_2D")
    return windows, options.get("padding", "SAME") == "SAME"


def cross_of(case):
    """Name of the cross of a Case: kernel, library, types of its inputs, border."""
    arrays = read_arrays(case)
    types  = dict.fromkeys(str(arrays[name].dtype) for name in _inputs(case) if name in arrays)
    return (f"kernel x library x type x border: {case.function}, {case.dialect}, "
            f"{'/'.join(types) or 'none'}, {border_of(case)}")


def _inputs(case):
    return case.inputs.values() if isinstance(case.inputs, dict) else case.inputs


def main(size, part, parts):
    """Run the calls; returns the exit code."""
    calls  = [*smallest_calls()]
    chosen = calls[int(part)::int(parts)]
    with RtlDevice(find_size(size)) as device:
        report = check_cases(chosen, partial(run_layer, device))
    wrong = [row for row in report.functions if row.mismatches or row.passed < row.cases]
    for row in wrong:
        sys.stderr.write(f"{row.function}: {len(row.mismatches)} differ, {row.reasons}\n")
    if coverage_folder() is not None and not wrong:
        hits = collections.Counter(map(cross_of, chosen))
        save_crosses(coverage_folder(), f"core-{size}", "calls",
                     {name: hits[name] for name in map(cross_of, calls)})
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
