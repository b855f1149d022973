# SPDX-License-Identifier: Apache-2.0
"""Programs aimed at lines that random programs reach seldom; they end as on the golden machine."""

from dataclasses import replace

import pytest

from tests.support.beside_a_run import PASS
from tests.support.random_passes import slide_of
from tests.support.rtl_device import assert_same, run_machine, run_rtl
from tests.support.sizes import between, each_name
from xymac.hdl.isa import Access, Axis, State, Status


@each_name
@pytest.mark.parametrize("before", [0, 1])
def test_a_loop_before_the_first_pass(rtl, size, before):
    device  = rtl(size)
    passes  = [replace(PASS, last=False)] * before + [
        replace(PASS, last=False, repeat=2, back=before + 1)]
    device.harness.reset()
    run = run_rtl(device, passes, seed=5)
    assert_same(run, run_machine(device.config, passes, seed=5), passes)
    assert run.result.status is Status.END


def wide_count(field, bit):
    """A pass with the count ``1 << bit``; its second step faults, so it is short."""
    count = 1 << bit
    if field == "repeat":
        return replace(PASS, repeat=count, y=Access(0, 0, 0, taps=(0, 0, 1)))
    group, index = field
    return replace(PASS, y=Access(0, 0, 0, taps=(1, 1, 1)), rows=AXIS, cols=AXIS, **{
        group: tuple(count if n == index else 2 for n in range(3))})


AXIS = Axis(0, 1, 65535)  # without padding


@each_name
def test_a_column_behind_the_widest_input(rtl, size):
    """Columns step beyond 16 bits, so no further; their output has no tap, which is a fault."""
    device = rtl(size)
    device.harness.reset()
    passes = [replace(PASS, outer=(2, 1, 4), taps=(1, 1, 1), cols=Axis(0, 60_000, 65535))]
    run = run_rtl(device, passes, seed=7)
    assert_same(run, run_machine(device.config, passes, seed=7), passes)
    assert run.result.status is Status.EMPTY


@each_name
@pytest.mark.parametrize("field", [
    "repeat", *((group, index) for group in ("outer", "taps") for index in range(3))], ids=str)
def test_every_bit_of_a_count(rtl, size, field):
    """The check of a pass, the loops of the program and the padding clip take all 16 bits."""
    device = rtl(size)
    device.harness.reset()
    for bit in range(16):
        passes = [wide_count(field, bit)]
        run = run_rtl(device, passes, seed=bit)
        assert_same(run, run_machine(device.config, passes, seed=bit), passes)
        assert run.result.status is Status.Y_ACCESS, bit


@pytest.mark.parametrize("size", [between("small"), "base"])  # tiny has no slide
@pytest.mark.parametrize("taps", [(3, 3, 1), (2, 4, 1), (1, 1, 1)])
def test_a_slide(rtl, size, taps):
    """Windows of several rows and columns over several outputs."""
    device = rtl(size)
    passes = [slide_of(replace(
        PASS, outer=(3, 5, 7), taps=taps, x=Access(0, 0, 400, outer=(40, 8, 1), taps=(9, 1, 0)),
        z=Access(900, 900, 1800, outer=(40, 8, 1))))]
    device.harness.reset()
    run = run_rtl(device, passes, seed=6)
    assert_same(run, run_machine(device.config, passes, seed=6), passes)
    assert run.result.state is State.DONE
