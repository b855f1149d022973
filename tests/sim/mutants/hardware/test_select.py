# SPDX-License-Identifier: Apache-2.0
"""The select register: a test's own design has none, and runs as it does without mutants."""

import numpy as np
import pytest

from tests.support.fake.slave import Slave
from xymac.sim.mutants.hardware.library import has_mutants
from xymac.sim.mutants.hardware.select import Selector
from xymac.sim.rtl.harness import Harness, build_harness


@pytest.fixture
def selector(monkeypatch):
    """An installed Selector, until the test ends."""
    for name in ("__init__", "reset", "run", "transfer"):
        monkeypatch.setattr(Harness, name, getattr(Harness, name))
    selector = Selector()
    selector.install()
    return selector


def test_designs_without_mutants_run_and_kill_none(selector):
    library = build_harness(Slave, (), name="slave", axi=True)
    assert not has_mutants(library)
    with Harness(library) as slave:
        selector.begin()
        selector.choose(1, 1)
        slave.reset()
        slave.write(8, 5)
        assert slave.read(np.array([8])) == 5
    assert selector.cycles > 0
    assert not selector.used
