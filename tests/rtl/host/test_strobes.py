# SPDX-License-Identifier: Apache-2.0
"""Byte strobes of every word that a host can write: a byte without its strobe keeps its value."""

import numpy as np
import pytest

from tests.rtl.test_tables import looked_up
from tests.support.beside_a_run import LONG, PASS, assert_cells, begin, end
from tests.support.rtl_device import fill, run_machine
from tests.support.seed import random_of
from tests.support.sizes import between
from xymac.hdl.isa import (
    OWN_TABLES,
    PASS_STRIDE,
    PLAIN_REGISTERS,
    TABLE_ENTRIES,
    Control,
    Flag,
    Region,
    Register,
    State,
    Table,
    TablePlace,
    pack_place,
    pack_words,
)

SIZE  = pytest.mark.parametrize("size", ["tiny", between("small"), "base"])
ALL   = 0xFFFF_FFFF
BYTES = [sum(0xFF << 8 * byte for byte in range(4) if mask >> byte & 1) for mask in range(16)]


def core_of(rtl, size):
    """The core of a size after a reset."""
    device = rtl(size)
    device.harness.reset()
    return device


def read(device, register):
    """The word of a register."""
    return int(device.harness.read(np.array([register.value]))[0])


def state_of(device):
    return State(read(device, Register.STATUS) & 3)


@pytest.mark.parametrize("size", ["tiny", between("small"), "base", "tiny,passes=256",
                                  "tiny,dma=32"])
def test_registers_take_the_bytes_that_are_written(size, rtl):
    device, rng = core_of(rtl, size), random_of(301)
    stored = {Register.IRQ_MASK: 1, Register.FIRST: 2 * device.config.passes - 1}
    if device.config.dma:
        stored |= {Register.BASE: ALL - 63, Register.SIZE: ALL, Register.LIST: ALL - 31}
    for register, bits in stored.items():
        device.harness.write(register.value, 0)
        value = 0
        for mask in [*range(16), *rng.permutation(16).tolist()]:
            word  = int(rng.integers(0, 1 << 32)) ^ value & 0xFF
            value = value & ~BYTES[mask] | word & BYTES[mask]
            device.harness.write(register.value, word, mask)
            assert read(device, register) == value & bits, (register, mask)


@SIZE
def test_a_command_needs_the_strobe_of_its_byte(size, rtl):
    """Of a start and of a clear, of which the other three bytes say nothing."""
    device = core_of(rtl, size)
    device.load_program([PASS])
    for mask in (0b0000, 0b1110):
        device.harness.write(Register.CONTROL.value, ALL, mask)
        assert state_of(device) is State.IDLE
    device.harness.write(Register.IRQ_MASK.value, 1, 0b0001)
    device.harness.write(Register.CONTROL.value, Control.START.value, 0b0001)
    device.harness.run(1_000_000)
    assert device.harness.irq
    cycles = read(device, Register.CYCLES)
    for mask in (0b0000, 0b1110):
        device.harness.write(Register.CONTROL.value, ALL, mask)
        assert (state_of(device), device.harness.irq) == (State.DONE, 1)
    assert read(device, Register.CYCLES) == cycles > 0
    device.harness.write(Register.CONTROL.value, Control.CLEAR.value, 0b0001)
    assert (state_of(device), device.harness.irq) == (State.IDLE, 0)


def words_of(config):
    """Addresses of registers, and of some words of every memory."""
    ends = {Region.PROGRAM: 8 * PASS_STRIDE * config.passes, Region.X: config.x_bytes,
            Region.Y: config.y_bytes}
    if config.capabilities.tables:
        ends |= {Region.TABLES: 2 * TABLE_ENTRIES, Region.PLACES: 4 * len(Table)}
    registers = [register.value for register in PLAIN_REGISTERS if register is not Register.CONTROL]
    return np.concatenate([registers, *(region.value + np.arange(0, end, max(end // 160, 1) * 4)
                                        for region, end in ends.items())])


def look(device):
    """What look-ups find in tables of the host; none where it has none."""
    return [looked_up(device, table, element)[1] for table in (OWN_TABLES[0], OWN_TABLES[2])
            for element in (-2000, 0, 2000)] if device.config.capabilities.tables else []


@SIZE
@pytest.mark.parametrize("runs", [False, True])
def test_a_write_without_strobes_changes_nothing(size, runs, rtl):
    """Nowhere, and a program that runs meanwhile sees no hit."""
    device = core_of(rtl, size)
    fill(device, 1)
    before   = look(device)
    expected = (begin if runs else load)(device, LONG)

    device.harness.write(words_of(device.config), ALL, 0)

    if not runs:
        device.start()
    assert end(device).flags == Flag(0)
    assert_cells(device, expected)
    assert look(device) == before


def load(device, pass_):
    """Load a program of one pass beside noise; returns the cells the machine ends with."""
    fill(device, 1)
    device.load_program([pass_])
    return run_machine(device.config, [pass_], seed=1).cells


@SIZE
def test_a_program_of_bytes(size, rtl):
    """Written twice, with random strobes and with all others; the bytes of no strobe are noise."""
    device, rng = core_of(rtl, size), random_of(303)
    device.load_program([PASS])
    expected = device.run()
    words = np.array(pack_words(PASS), np.uint64).view(np.uint32)
    device.harness.write(Region.PROGRAM.value + 4 * np.arange(len(words)),
                         rng.integers(0, 1 << 32, len(words), dtype=np.uint32))
    masks = rng.integers(0, 16, len(words)).astype(np.uint8)
    for strobes in (masks, 15 ^ masks):
        taken = np.array(BYTES, np.uint32)[strobes]
        data  = words & taken | rng.integers(0, 1 << 32, len(words), dtype=np.uint32) & ~taken
        device.harness.write(Region.PROGRAM.value + 4 * np.arange(len(words)), data, strobes)

    assert device.run() == expected


@SIZE
def test_entries_and_places_of_bytes(size, rtl):
    device, rng = core_of(rtl, size), random_of(304)
    first, table = TABLE_ENTRIES - 4, Table.OWN3
    address = Region.TABLES.value + 2 * first
    device.write_table(first, np.array([11, 22, 33, 44], np.int16))
    device.place_table(table, TablePlace(first, 4, 0))
    value = 22 << 16 | 11
    for mask in rng.permutation(16).tolist():
        word  = int(rng.integers(0, 1 << 32))
        value = value & ~BYTES[mask] | word & BYTES[mask]
        device.harness.write(address, word, mask)
        assert [looked_up(device, table, at)[1] & 0xFFFF for at in range(2)] == [
            value & 0xFFFF, value >> 16], mask
    for mask in range(16):
        place = TablePlace(first, 4, int(rng.integers(0, 2)))
        for strobes in (mask, 15 ^ mask):
            noise_ = int(rng.integers(0, 1 << 32)) & ~BYTES[strobes]
            device.harness.write(Region.PLACES.value + 4 * table.value,
                                 pack_place(place) & BYTES[strobes] | noise_, strobes)
        entries = [value & 0xFFFF, value >> 16]
        assert looked_up(device, table, 0)[1] & 0xFFFF == entries[place.offset], mask
