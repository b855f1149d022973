# SPDX-License-Identifier: Apache-2.0
"""The watch over host writes: which of them fall into a window of a pass that runs."""

from dataclasses import replace

import pytest

from tests.support.beside_a_run import BASES, LONG, PASS, assert_cells, begin, end, settle
from tests.support.rtl_device import fill
from xymac.hdl.isa import PASS_STRIDE, Flag, Memory, Region, Scale, Shape, Width, record_rows

#: A cell in the first and in the last row of each window, and one just outside of it.
WATCHED = {
    "x first": (Memory.X, 0, True), "x last": (Memory.X, 51, True),
    "x beyond": (Memory.X, 52, False), "y first": (Memory.Y, 0, True),
    "y last": (Memory.Y, 199, True), "y beyond": (Memory.Y, 200, False),
    "z below": (Memory.X, 98, False), "z first": (Memory.X, 100, True),
    "z last": (Memory.X, 219, True), "z beyond": (Memory.X, 220, False),
    "bias below": (Memory.Y, 3998, False), "bias first": (Memory.Y, 4000, True),
    "bias last": (Memory.Y, 4000 + 4 * 90 - 1, True), "bias beyond": (Memory.Y, 4360, False)}


@pytest.mark.parametrize("where", WATCHED)
def test_window_edges_are_watched(device, where):
    """A hit in any row of a window, and in no row beside it."""
    memory, cell, hit = WATCHED[where]
    begin(device, replace(PASS, bias_row=1000))
    device.harness.write(BASES[memory] + cell // 2 * 4, 0x5A5A5A5A, 0b11 << cell % 2 * 2)

    result = end(device)

    assert bool(result.flags & Flag.HOST_HIT) == hit
    settle(device)
    if not where.startswith("z "):
        assert device.read_cells(memory, cell, 1)[0] == 0x5A5A


@pytest.mark.parametrize("changes", [
    {"x_width": Width.BITS16, "x": replace(PASS.operands.x, base=400, low=400, high=499)},
    {"y_width": Width.BITS16, "y": replace(PASS.operands.y, base=3900, low=3900, high=3999)},
    {"y_shape": Shape.LANES, "y": replace(PASS.operands.y, base=8000, low=8000, high=8099)},
    {"z_memory": Memory.Y, "z_width": Width.BITS16,
     "z": replace(PASS.epilogue.z, base=9000, low=9000, high=9239)}], ids=str)
@pytest.mark.parametrize("side", ["below", "first", "last", "beyond"])
def test_windows_of_every_shape_are_watched(device, changes, side):
    """Rows of 4 cells: of words of Y, of 4 groups of X or Z; half as many for 8 bits."""
    begin(device, replace(PASS, **changes))
    name, access = next((name, item) for name, item in changes.items() if len(name) == 1)
    memory  = {"x": Memory.X, "y": Memory.Y, "z": Memory.Y}[name]
    units   = 1 if name == "y" else 4
    units  *= 1 + (changes.get(f"{name}_width", Width.BITS8) is Width.BITS8)
    first, last = access.low // units, access.high // units
    row = {"below": first - 1, "first": first, "last": last, "beyond": last + 1}[side]

    device.harness.write(BASES[memory] + 8 * row, 0)

    assert end(device).flags == (Flag.HOST_HIT if side in ("first", "last") else Flag(0))


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("addend", [False, True])
@pytest.mark.parametrize("beyond", [0, 1])
def test_windows_of_records_are_watched(device, once, addend, beyond):
    """The last row of the last bias, and the one behind it."""
    pass_ = replace(PASS, bias_row=2000, shift=0, scale=Scale.BITS32, addend=addend, once=once)
    begin(device, pass_)
    row = pass_.accumulate.bias_row + record_rows(pass_, device.config.ways) - 1 + beyond

    device.harness.write(BASES[Memory.Y] + 8 * row, 0)

    assert end(device).flags & Flag.HOST_HIT == (Flag(0) if beyond else Flag.HOST_HIT)


@pytest.mark.parametrize("cycles", [60, 400])
def test_window_of_a_pass_is_free_when_it_is_written(device, cycles):
    """The first pass takes some 200 cycles from its fetch on, the second one thousands."""
    first = replace(PASS, outer=(1, 1, 1), last=False,
                    z=replace(PASS.epilogue.z, base=800, low=800, high=1039))
    fill(device, 1)
    device.load_program([first, LONG])
    device.start()
    device.harness.spin(cycles)
    device.harness.write(BASES[Memory.X] + 2 * 404, 0)  # of row 101; group 800 lies in row 100

    assert end(device).flags == (Flag.HOST_HIT if cycles == 60 else Flag(0))


def test_write_of_the_program_during_a_run_is_a_hit(device):
    expected = begin(device, PASS)
    device.harness.write(Region.PROGRAM.value + 8 * PASS_STRIDE * 9, 0)

    assert end(device).flags == Flag.HOST_HIT
    assert_cells(device, expected)
    assert device.run().flags == Flag(0)  # A start clears it.


def test_write_of_the_program_before_or_after_a_run_is_no_hit(device):
    word = Region.PROGRAM.value + 8 * PASS_STRIDE * 9
    begin(device, PASS)
    assert end(device).flags == Flag(0)
    device.harness.write(word, 0)
    settle(device)

    assert device.finish().flags == Flag(0)
