# SPDX-License-Identifier: Apache-2.0
"""A sum of a program that a fault has ended leaves nothing to the next program."""

from dataclasses import replace

import numpy as np
import pytest

from tests.rtl.test_scalars import PASS, USER
from tests.support.rtl_device import noise, run_machine
from tests.support.sizes import each_name
from xymac.hdl.config import SIZES
from xymac.hdl.isa import (
    Adjust,
    Control,
    Memory,
    Op,
    Reduce,
    Region,
    Register,
    State,
    Status,
    Width,
)

SUM   = replace(PASS, reduce=Reduce.SUM, z_width=Width.BITS16, fresh=False)
SHARE = replace(USER, op=Op.SHARE, adjust=Adjust.PLACES, taps=(1, 1, 5), last=True)


def request(device, *pairs):
    """Write registers one after the other as soon as the core takes them."""
    registers, words = zip(*pairs, strict=True)
    device.harness.write(np.array([Region.REGISTERS.value + each.value for each in registers]),
                         np.array(words, np.uint32))


@each_name
@pytest.mark.parametrize("later", range(0, 16, 3))
def test_a_start_soon_after_a_fault(size, later, rtl):
    device, config = rtl(size), SIZES[size]
    good   = [SUM, SHARE]
    # The step beyond the window ends the pass before its last vector.
    broken = replace(SUM, outer=(1, 1, 16), last=True,
                     x=replace(PASS.operands.x, high=75), z=replace(PASS.epilogue.z, high=290))
    wanted = run_machine(config, good, seed=later)
    for memory, cells in noise(config, later).items():
        device.write_cells(memory, 0, cells)
    device.load_program([*good, broken])
    request(device, (Register.IRQ_MASK, 1), (Register.FIRST, 2),
            (Register.CONTROL, Control.START.value), (Register.FIRST, 0))
    device.harness.run(2000)
    device.harness.spin(later)
    request(device, (Register.CONTROL, Control.CLEAR.value),
            (Register.CONTROL, Control.START.value))
    device.harness.run(2000)
    result = device.finish()
    assert (result.state, result.status) == (State.DONE, Status.OK)
    cells   = wanted.cells[Memory.X]
    written = cells != noise(config, later)[Memory.X]
    np.testing.assert_array_equal(device.read_cells(Memory.X, 0, len(cells))[written],
                                  cells[written])
    assert written.sum() == 2 * config.lanes
