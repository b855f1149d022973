# SPDX-License-Identifier: Apache-2.0
"""The core of size tiny after synthesis: the smallest case of every function, random programs.

Takes minutes: ``pytest -m gates``; with ``--netlist small`` that of size small, with ``--netlist
compact`` that of the compact core in an iCE40.
"""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.cases import smallest
from xymac.boards.tools.family import ECP5, ICE40
from xymac.boards.tools.gates import gate_level
from xymac.boards.tools.rtlil import rtlil_of
from xymac.hdl.compact.core import Compact
from xymac.hdl.config import find_size
from xymac.hdl.core.core import Core
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases
from xymac.host.vectors.files import read_cases
from xymac.sim.build.compile import ports_of
from xymac.sim.rtl.device import RtlDevice
from xymac.sim.rtl.harness import compile_harness

from . import test_passes as passes

pytestmark = pytest.mark.gates

VECTORS   = Path(__file__).parents[1] / "vectors"
CASES     = [case for folder in ("", "mli2", "xs3", "tflm")
             for case in read_cases(VECTORS / folder)]
FUNCTIONS = list(dict.fromkeys((case.dialect, case.function) for case in CASES))


class GateLevelCore(RtlDevice):
    """The netlist, reached as by a host on a bus; a program ends soon or does not end."""

    CYCLES = 100_000

    def run(self, first=0, max_cycles=CYCLES):
        return super().run(first, max_cycles)


@pytest.fixture(scope="module")
def netlist(request):
    config = find_size(request.config.getoption("--netlist"))
    core, family = ((Core(config, vendor="ecp5"), ECP5) if config.capabilities.parallel else
                    (Compact(config, vendor="ice40"), ICE40))
    source  = rtlil_of(core, "top", ports=ports_of(core))
    library = compile_harness(gate_level(source, "top", family=family),
                              name=f"gates-{config.name}", optimise="-O1")
    with GateLevelCore(config, backdoor=False, library=library) as device:
        yield device


@pytest.mark.parametrize(("dialect", "function"), FUNCTIONS)
def test_smallest_case_in_every_variant(dialect, function, netlist):
    case = smallest([case for case in CASES
                     if (case.dialect, case.function) == (dialect, function)])

    report = check_cases([case], partial(run_layer, netlist))

    [row] = report.functions
    if row.reasons and not netlist.config.capabilities.tables:
        pytest.skip(row.reasons[0])  # a layer with a table of its own
    assert row.mismatches == row.reasons == []
    assert row.passed == row.cases == len(case.expected)


@settings(max_examples=2, **passes.SETTINGS)
@given(data=st.data())
def test_programs(data, netlist):
    passes.check(netlist, [data.draw(passes.programs(netlist.config, 4))])
