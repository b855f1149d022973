# SPDX-License-Identifier: Apache-2.0
"""The compact core runs the reference calls of libraries, in the time that is said of it."""

from functools import partial
from pathlib import Path

import pytest

from xymac.hdl.config import COMPACT
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.cycles.model import predict
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import read_cases

VECTORS = Path(__file__).parents[2] / "vectors"


def run_in_time(core, layer, *inputs):
    """Run a layer, in cycles between the ideal and slightly more than the model predicts."""
    run    = run_layer(core, layer, *inputs, c_order=True)
    cycles = run.result.counters["cycles"]
    if isinstance(run.plan, Plan):
        predicted = sum(predict(segment, COMPACT).cycles for segment in run.plan.segments)
        assert abs(predicted - cycles) <= 0.03 * cycles, (predicted, cycles, run.plan.program)
    assert ideal_cycles(layer, COMPACT, *(x.shape for x in inputs)) <= cycles
    return run


def assert_vectors(core, library, part):
    """Of the cases of a library those that ``part`` slices; all of them pass, none is left out."""
    cases = [case for case in read_cases(VECTORS / library)
             if library or case.dialect == "mli-1"][part]

    report = check_cases(cases, partial(run_in_time, core))

    assert report.failed == report.skipped == 0, report.as_json()
    assert report.passed == sum(len(case.expected) for case in cases) > 0


@pytest.mark.parametrize(("library", "step"), [("", 60), ("mli2", 60), ("xs3", 40)])
def test_some_vendor_vectors(core, library, step):
    assert_vectors(core, library, slice(None, None, step))


@pytest.mark.long
@pytest.mark.parametrize(("library", "step", "part"), [
    ("", 3, 0), ("mli2", 10, 0), *(("xs3", 1, part) for part in range(4))])
def test_vendor_vectors(core, library, step, part):
    """Every third of MLI 1.x, every tenth of MLI 2.0, every one of XS3, in four parts."""
    parts = 4 if library == "xs3" else 1
    assert_vectors(core, library, slice(part * step, None, parts * step))
