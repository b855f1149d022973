"""Random graphs of all libraries, with branches: what golden takes runs, and is exact."""

from itertools import count

import pytest

from hdl.config import SIZES
from host.device.device import MachineDevice
from host.plan.plan import Plan
from host.plan.rows import AllocationError
from tests.support.graphs import LIBRARIES, random_graph
from tests.support.lowered import assert_plan
from tests.support.rtl_device import fill
from tests.support.seed import random_of

BASE = SIZES["base"]


def graphs(library, number, seed):
    """So many random graphs of 3 to 12 nodes that fit X memory: nodes and input."""
    for each in count():
        rng = random_of([seed, each])
        nodes, x = random_graph(library, rng, int(rng.integers(3, 13)))
        try:
            Plan(BASE, nodes, x)
        except AllocationError:
            assert each < 2 * number + 9  # few are too large
            continue
        yield nodes, x
        number -= 1
        if not number:
            return


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(4))
def test_some_graphs(library, seed):
    for nodes, x in graphs(library, 8, seed):
        assert_plan(BASE, nodes, x)


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("seed", range(100, 110))
def test_graphs_in_rtl(library, seed, rtl):
    """Every output that the golden machine keeps is the same on RTL; those are golden's."""
    device = rtl("base")
    for nodes, x in graphs(library, 7, seed):
        plan = assert_plan(BASE, nodes, x)
        runs = []
        with MachineDevice(BASE) as machine:
            for each in (machine, device):
                fill(each, seed=2)
                plan.load(each)
                runs.append(plan.run(each, x))
        assert runs[0].outputs == runs[1].outputs
        assert runs[0].overflows == runs[1].overflows
