# SPDX-License-Identifier: Apache-2.0
"""The core with all mutants behind its select register, while all are off, is the plain core."""

from functools import partial

import pytest

from xymac.hdl.config import TINY
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.sim.coverage.calls import smallest_calls
from xymac.sim.mutants.hardware.elaborate import REGISTER
from xymac.sim.mutants.hardware.library import active_of, library_of
from xymac.sim.rtl.device import RtlDevice

pytestmark = pytest.mark.long
EVERY = 9  #: A reference call in so many.
OFF   = 0, 0


@pytest.fixture(scope="module")
def library():
    """The tiny core with all its mutants."""
    return library_of("core", TINY)


def measure(library=None):
    """(Results of reference calls, cycles of all) on a new device, with all mutants off."""
    cases = [*smallest_calls()][::EVERY]
    with RtlDevice(TINY, **{} if library is None else {"library": library}) as device:
        if library is not None:
            device.harness.memory(REGISTER)[0] = OFF
        device.harness.reset()
        begin  = device.harness.cycles
        report = check_cases(cases, partial(run_layer, device))
        return report.as_json(), device.harness.cycles - begin


def test_the_core_with_its_mutants_off_is_the_plain_core(library):
    """Reference calls have the same results, in as many cycles."""
    assert OFF not in active_of("core", TINY.name)
    plain = measure()
    assert plain[0]["passed"] > 10
    assert measure(library) == plain
