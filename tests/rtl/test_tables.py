# SPDX-License-Identifier: Apache-2.0
"""Tables of the host on the RTL: written over the bus, used, and refused without a place."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.mli2.gate_layers import random_cell
from tests.support.mli2.own_tables import CONTENTS, clear_tables, own_table
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.tensors import tensor_of
from xymac import golden
from xymac.golden import xs3
from xymac.golden.mli2 import (
    Affine,
    Element,
    GruCell,
    L2Normalize,
    LstmCell,
    Sigmoid,
    Softmax,
    Tanh,
)
from xymac.golden.mli2.lut import EXP, ROOT, SIGMOID, TANH
from xymac.golden.xs3 import Integers
from xymac.hdl.config import find_size
from xymac.hdl.isa import (
    OWN_TABLES,
    TABLE_ENTRIES,
    Access,
    Flag,
    Memory,
    Op,
    Pass,
    Region,
    Shape,
    State,
    Status,
    Table,
    TablePlace,
    Width,
    pack_place,
)
from xymac.host.plan.plan import Plan
from xymac.sim.rtl.device import RtlDevice

BOTH = pytest.mark.parametrize("size", ["tiny", "base"])


def assert_golden(device, layers, x):
    """A plan on the device, twice, leaves what the golden kernels do."""
    plan, value = Plan(device.config, layers, x), x
    for layer in layers:
        value = golden.run(layer, value).output
    fill(device, seed=3)
    plan.load(device)
    for _ in range(2):
        assert plan.run(device, x).output == value


@BOTH
@pytest.mark.parametrize("content", CONTENTS)
def test_kernels(rtl, size, content):
    """All kernels that take a table; the core's own are right before, between and after."""
    device, rng = rtl(size), random_of(71)
    fx, sa = (tensor_of(rng, element, (40,), 11) for element in (Element.FX_16, Element.SA_8))
    far = replace(sa, format=Affine(-7, 9, 0))
    sigm, tanh = (own_table(rng, like, content) for like in (SIGMOID, TANH))
    power = own_table(rng, EXP, content, positive=True)
    for x in (fx, sa, far):
        assert_golden(device, [Sigmoid(table=sigm)], x)
        assert_golden(device, [Softmax(table=power)], x)
    assert_golden(device, [Tanh(table=tanh), L2Normalize(table=own_table(rng, ROOT, content))], fx)
    assert_golden(device, [Tanh(), Sigmoid(table=sigm), Tanh(table=tanh), Sigmoid()], fx)
    assert_golden(device, [Sigmoid(), Tanh(), Softmax()], fx)


@BOTH
@pytest.mark.parametrize("kind", ["fx16", "sa8"])
@pytest.mark.parametrize("cell", [LstmCell, GruCell])
def test_cells(rtl, size, cell, kind):
    """Two tables of their own, which do not fit beside those of the core."""
    layer, x = random_cell(4, kind, cell, 3)
    rng = random_of(72)
    own = replace(layer, tanh_table=own_table(rng, TANH, "extremes"),
                  sigm_table=own_table(rng, SIGMOID, "noise"))
    assert_golden(rtl(size), [own], x)
    assert_golden(rtl(size), [layer], x)


@BOTH
def test_a_core_without_initial_values(rtl, size):
    """Tables and places of zeros: a device writes those that a program looks up, each once."""
    rng = random_of(74)
    rtl(size)  # compiled
    x = tensor_of(rng, Element.FX_16, (40,), 11)
    for layers in ([Sigmoid(), Tanh()], [Softmax()], [L2Normalize()], [Sigmoid()]):
        with RtlDevice(find_size(size)) as device:
            clear_tables(device)
            assert_golden(device, layers, x)
            clear_tables(device)
            plan = Plan(device.config, layers, x)
            plan.load(device)
            value = x
            for layer in layers:
                value = golden.run(layer, value).output
            assert plan.run(device, x).output != value  # it had them


@BOTH
def test_lookups(rtl, size):
    rng    = random_of(73)
    layers = [xs3.Lookup8(Integers(rng.integers(0, 256, 256, np.uint8))) for _ in range(4)]
    assert_golden(rtl(size), layers, Integers(rng.permutation(np.arange(256, dtype=np.uint8))))


ONE  = Access(0, 0, 0)
LOOK = Pass(x=ONE, y=ONE, z=Access(8, 8, 8), x_shape=Shape.LANES, y_shape=Shape.LANES, beats=1,
            x_width=Width.BITS16, y_width=Width.BITS16, z_width=Width.BITS16, last=True,
            clip=(-131072, 131071), table_shift=0)


def looked_up(device, table, element):
    """RunResult of a look-up of one element, and what it leaves."""
    lanes = device.config.lanes
    device.write_cells(Memory.X, 0, np.full(lanes, element, np.int16).view(np.uint16))
    device.write_cells(Memory.Y, 0, np.ones(lanes * device.config.ways, np.uint16))
    device.write_cells(Memory.X, 2 * lanes, np.full(lanes, 0x5555, np.uint16))
    device.load_program([replace(LOOK, table=table)])
    result = device.run()
    return result, int(device.read_cells(Memory.X, 2 * lanes, 1).view(np.int16)[0])


@BOTH
@pytest.mark.parametrize("table", OWN_TABLES)
def test_a_table_without_a_legal_place(rtl, size, table):
    """It stops the program, names itself, and nothing is written."""
    device = rtl(size)
    place  = Region.PLACES.value + 4 * table.value
    device.write_table(1660, np.array([5, -7, 9], np.int16))
    for word in (pack_place(None), 830 << 11 | 1659 << 21, 2047 << 21):
        device.harness.write(np.array([place]), np.array([word], np.uint32))
        result, left = looked_up(device, table, 1)
        assert (result.state, result.status, result.field) == (
            State.FAULT, Status.TABLE, table.value)
        assert left == 0x5555
    device.place_table(table, TablePlace(1660, 3, 0))
    result, left = looked_up(device, table, 1)
    assert (result.state, left) == (State.DONE, -7)
    device.place_table(table, None)
    assert looked_up(device, table, 1)[0].status is Status.TABLE


@BOTH
def test_entries_are_written_one_by_one(rtl, size):
    """To the last one, and an odd number of them."""
    device = rtl(size)
    device.place_table(Table.OWN3, TablePlace(TABLE_ENTRIES - 4, 4, 0))
    device.write_table(TABLE_ENTRIES - 4, np.array([11, 22, 33, 44], np.int16))
    device.write_table(TABLE_ENTRIES - 4, np.array([-1, -2, -3], np.int16))
    assert [looked_up(device, Table.OWN3, at)[1] for at in range(3)] == [-1, -2, -3]


@BOTH
def test_a_write_during_a_run_is_told(rtl, size):
    device = rtl(size)
    long   = replace(LOOK, table=Table.NONE, taps=(1, 40, 40), clip=(-32768, 32767), op=Op.MAC)
    device.write_cells(Memory.X, 0, np.zeros(device.config.lanes, np.uint16))  # no sum overflows
    for address in (Region.TABLES.value + 2 * TABLE_ENTRIES - 4, Region.PLACES.value + 4 * 15):
        device.load_program([long])
        device.start()
        device.harness.write(np.array([address]), np.array([0xFFFF_FFFF], np.uint32))
        device.harness.run(100_000)
        assert device.finish().flags is Flag.HOST_HIT
