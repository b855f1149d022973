"""The reference works by the cycle model alone: every one keeps its target."""

import pytest

from hdl.config import BASE
from host.floor import floor_cycles
from host.model import predict
from host.plan import Plan
from sim.works import WORKS


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_predicted_cycles_keep_the_target(work):
    layer, *inputs = work.operands()

    cycles = predict(Plan(BASE, [layer], *inputs).program, BASE).cycles

    assert cycles <= work.target * floor_cycles(layer, BASE, *(x.shape for x in inputs))
