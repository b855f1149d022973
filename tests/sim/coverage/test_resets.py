# SPDX-License-Identifier: Apache-2.0
"""Resets in every state of the host port and of the sequencer; the core then works as from new."""

import contextlib
from dataclasses import replace

import pytest

from tests.support.beside_a_run import BASES, LONG
from tests.support.rtl_device import assert_same, run_machine, run_rtl
from tests.support.sizes import each_name
from xymac.hdl.isa import Memory, Region, Register
from xymac.sim.rtl import harness as module
from xymac.sim.rtl.harness import SimulationError

#: Addresses of everything that a host reads or writes.
PLACES = {"x": BASES[Memory.X], "y": BASES[Memory.Y], "program": Region.PROGRAM.value,
          "tables": Region.TABLES.value, "places": Region.PLACES.value,
          "trace": Region.TRACE.value, "register": Register.STATUS.value,
          "mask": Register.IRQ_MASK.value, "counter": Register.CYCLES.value, "hole": 0xFFFC}
STATES = 14  #: The longest request takes less cycles.
FETCH  = 48  #: Cycles from the start in which the sequencer loads and judges passes.


def assert_works(device, seed):
    """A program of a core after its reset ends as on the golden machine."""
    passes = [LONG]
    assert_same(run_rtl(device, passes, seed=seed), run_machine(device.config, passes, seed=seed),
                passes)


@contextlib.contextmanager
def at_most(cycles, monkeypatch):
    """A request is given up after so many cycles."""
    with monkeypatch.context() as patch, contextlib.suppress(SimulationError):
        patch.setattr(module, "_LIMIT", cycles)
        yield


@each_name
@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
@pytest.mark.parametrize("write", [False, True], ids=["read", "write"])
def test_a_reset_in_every_cycle_of_a_request(rtl, size, write, busy, monkeypatch):
    device = rtl(size)
    for name, place in PLACES.items():
        for cycles in range(1, STATES):
            device.harness.reset()
            if busy:
                device.load_program([LONG])
                device.start(0)
            with at_most(cycles, monkeypatch):
                if write:
                    device.harness.write([place], [1])
                else:
                    device.harness.read([place])
            device.harness.reset()
            [status] = device.harness.read([Register.STATUS.value])
            assert status & 3 == 0, f"After {cycles} cycles of a request to {name}"
    assert_works(device, seed=1)


@each_name
def test_a_reset_in_every_cycle_of_a_fetch(rtl, size):
    device = rtl(size)
    for cycles in range(FETCH):
        device.harness.reset()
        device.load_program([replace(LONG, last=False)] * 2 + [LONG])
        device.start(0)
        device.harness.run(cycles)
        device.harness.reset()
        assert not device.harness.irq
        if cycles % 8 == 0:
            assert_works(device, seed=2)
