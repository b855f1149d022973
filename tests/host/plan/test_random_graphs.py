# SPDX-License-Identifier: Apache-2.0
"""Random graphs of all libraries, with branches: what golden takes runs, and is exact."""

import pytest

from tests.support.graphs import LIBRARIES, random_graphs
from tests.support.lowered import assert_plan
from tests.support.rtl_device import fill
from tests.support.sizes import each_name
from xymac.hdl.config import SIZES
from xymac.host.device.device import MachineDevice


@pytest.mark.parametrize("library", LIBRARIES)
@each_name
def test_some_graphs(library, size):
    for nodes, x in random_graphs(library, 10, len(size)):
        assert_plan(SIZES[size], nodes, x)


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
@each_name
@pytest.mark.parametrize("seed", range(10, 20))
def test_graphs(library, size, seed):
    for nodes, x in random_graphs(library, 20, seed):
        assert_plan(SIZES[size], nodes, x)


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(100, 110))
def test_graphs_in_rtl(library, seed, rtl):
    """Every output that the golden machine keeps is the same on RTL; those are golden's."""
    device = rtl("base")
    config = SIZES["base"]
    for nodes, x in random_graphs(library, 7, seed):
        plan = assert_plan(config, nodes, x)
        runs = []
        with MachineDevice(config) as machine:
            for each in (machine, device):
                fill(each, seed=2)
                plan.load(each)
                runs.append(plan.run(each, x))
        assert runs[0].outputs == runs[1].outputs
        assert runs[0].overflows == runs[1].overflows
