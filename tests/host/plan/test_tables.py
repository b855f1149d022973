# SPDX-License-Identifier: Apache-2.0
"""Where tables of layers lie, and that those of the core are there again afterwards."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.support.fake.core import FakeCore
from tests.support.lowered import assert_plan
from tests.support.mli2.own_tables import clear_tables, own_table
from tests.support.seed import random_of
from tests.support.soc.master import RomMaster
from tests.support.tensors import tensor_of
from xymac import golden
from xymac.golden import mli1, xs3
from xymac.golden.mli2 import Element, Sigmoid, Tanh
from xymac.golden.mli2.lut import SIGMOID, TANH
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import OWN_TABLES, PLACES, TABLE_ENTRIES, Table, TablePlace, pack_place
from xymac.host.device.device import Device, DeviceError, MachineDevice
from xymac.host.errors import Refusal, accept
from xymac.host.executable.steps import Load, Start
from xymac.host.memory.tables import OwnTable
from xymac.host.network.linker import compile_network
from xymac.host.network.network import join_layers
from xymac.host.network.standalone import make_standalone
from xymac.host.plan.plan import Plan
from xymac.host.plan.tables import place_tables
from xymac.host.runtime import Runtime


def tables_of_the_core(device):
    """Entries of those tables that a MachineDevice has of itself."""
    entries = device._machine.tables.entries
    return [entries[place.first:place.first + place.entries].tolist() for place in PLACES.values()]


def lookups(count):
    """So many tables of 256 elements one after another, and bytes."""
    rng = random_of(61)
    layers = [xs3.Lookup8(Integers(rng.integers(0, 256, 256, np.uint8))) for _ in range(count)]
    return layers, Integers(rng.integers(0, 256, 300, np.uint8))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_tables_that_fit_are_there_together(count):
    layers, x = lookups(count)
    plan = assert_plan(SMALL, layers, x)
    assert len(plan.loads) == len(plan.segments) == 1
    assert plan.loads[0].borrows == (count > 1)


def test_more_tables_than_fit_are_several_loads():
    layers, x = lookups(16)
    plan = assert_plan(BASE, layers, x, keep=False)
    assert [len(load.tables) for load in plan.loads] == [7, 7, 2]


def test_equal_tables_are_one():
    layers, x = lookups(1)
    plan = assert_plan(SMALL, layers * 9, x)
    assert [len(load.tables) for load in plan.loads] == [1]


@pytest.mark.parametrize("layers", [
    (mli1.Sigmoid(), mli1.Tanh(), mli1.Softmax()), (Sigmoid(), Tanh())], ids=["mli1", "mli2"])
def test_tables_of_the_core_are_written_before_they_are_used(layers):
    """By a plan, by a compiled network, and by the words of a ROM."""
    x = mli1.Tensor(random_of(65).integers(-32768, 32768, 20).astype(np.int16), 11)
    if isinstance(layers[0], Sigmoid):
        x = tensor_of(random_of(65), Element.FX_16, (20,), 11)
    wanted = x
    for layer in layers:
        wanted = golden.run(layer, wanted).output
    plan = Plan(TINY, list(layers), x)
    with MachineDevice(TINY) as device:
        clear_tables(device)
        plan.load(device)
        assert plan.run(device, x).output == wanted
    if isinstance(layers[0], Sigmoid):
        return  # no element of its format goes through a compiled network
    compiled = compile_network(join_layers("curves", x, layers), TINY)
    with MachineDevice(TINY) as device:
        runtime = Runtime(compiled, device)
        clear_tables(device)
        runtime.load()
        np.testing.assert_array_equal(runtime.apply(x.data)[0][0], wanted.data)
    core = FakeCore(TINY, busy=0)
    with MachineDevice(TINY) as device:
        device._machine = core._machine
        clear_tables(device)
    master = RomMaster(make_standalone(compiled, [x.data]), core)
    np.testing.assert_array_equal(master.run()[0], wanted.data)


def test_a_device_without_tables_relies_on_those_of_the_core():
    class Plain(MachineDevice):
        write_table = Device.write_table

    x, layers = mli1.Tensor(np.arange(-8, 8, dtype=np.int8), 3), [mli1.Sigmoid()]
    with Plain(TINY) as device:
        plan = Plan(TINY, layers, x)
        plan.load(device)
        assert plan.run(device, x).output == golden.run(layers[0], x).output


def test_tables_of_the_core_are_there_again():
    """Even if the program fails, and those that passes of the load use are there meanwhile."""
    rng    = random_of(62)
    x      = tensor_of(rng, Element.FX_16, (64,), 11)
    layers = [Sigmoid(table=own_table(rng, SIGMOID, "noise")),
              Tanh(table=own_table(rng, TANH, "noise")), Sigmoid(), Tanh()]
    plan = Plan(SMALL, layers, x)
    [load] = plan.loads
    taken  = {entry for table in load.tables
              for entry in range(table.first, table.first + len(table.own.values))}
    for table in (Table.SIGM_FINE, Table.TANH_FINE):
        place = PLACES[table]
        assert not taken & set(range(place.first, place.first + place.entries))
    with MachineDevice(SMALL) as device:
        before = tables_of_the_core(device)
        plan.load(device)
        for _ in range(2):
            value = x
            for layer in layers:
                value = golden.run(layer, value).output
            assert plan.run(device, x).output == value
            assert tables_of_the_core(device) == before

        def fail(*_):
            raise DeviceError("broken")

        device.run = fail
        with pytest.raises(DeviceError, match=r"^broken$"):
            plan.run(device, x)
        assert tables_of_the_core(device) == before


def test_a_table_of_the_core_is_restored_once():
    """Own tables that lie over the same table of the core restore it together."""
    layers, x = lookups(7)
    loads = [step for step in Plan(SMALL, layers, x).executable.run
             if isinstance(step, Start | Load)]
    last  = max(index for index, step in enumerate(loads) if isinstance(step, Start))

    restored = [step.first for step in loads[last:] if isinstance(step, Load)]
    assert len(restored) == len(set(restored)) > 1


def test_plans_on_one_device_do_not_change_each_other():
    layers, x = lookups(5)
    first = mli1.Tensor(np.arange(-300, 300, dtype=np.int16), 8)
    with MachineDevice(BASE) as device:
        for layer, value in ((layers, x), ([mli1.Sigmoid()], first), (layers, x),
                             ([mli1.Tanh()], first), ([mli1.Softmax()], first)):
            plan = Plan(BASE, layer, value)
            plan.load(device)
            wanted = value
            for each in layer:
                wanted = golden.run(each, wanted).output
            assert plan.run(device, value).output == wanted


def test_places_are_even_and_apart():
    rng = random_of(63)
    for _ in range(300):
        wanted = [OwnTable(tuple(rng.integers(0, 9, int(rng.integers(2, 500))).tolist()),
                           int(rng.integers(-20, 300))) for _ in range(int(rng.integers(1, 8)))]
        used = set(rng.choice(list(Table)[:8], int(rng.integers(0, 4))).tolist())
        used = {Table(code) for code in used}
        placed = place_tables(wanted, used)
        if isinstance(placed, Refusal):
            continue
        spans = [(PLACES[table].first, PLACES[table].first + PLACES[table].entries)
                 for table in used if table in PLACES]
        for table in placed:
            pack_place(TablePlace(table.first, len(table.own.values), table.own.offset))
            spans.append((table.first, table.first + len(table.own.values)))
        spans.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))
        assert [table.table for table in placed] == list(OWN_TABLES[:len(placed)])


def test_what_does_not_fit():
    far = [OwnTable((0,) * (TABLE_ENTRIES // 2), 0), OwnTable((1,) * (TABLE_ENTRIES // 2), 0)]
    assert len(place_tables(far, set())) == 2
    with pytest.raises(Refusal, match=r"^Tables of 1024, 1024 entries do not fit the 2048 of the "
                                      r"core beside those that are used$"):
        accept(place_tables(far, {Table.ROOT}))
    with pytest.raises(Refusal, match=r"^A program can use 8 tables of its own, not 9$"):
        accept(place_tables([OwnTable((value, 0), 0) for value in range(9)], set()))


def test_a_layer_whose_tables_do_not_fit_is_named():
    x = tensor_of(random_of(1), Element.FX_16, (4,), 11)
    long = replace(SIGMOID, values=SIGMOID.values * 7)
    with pytest.raises(Refusal, match=r"^Layer 1 \(Sigmoid\): Tables of 2240 entries do not fit"):
        Plan(SMALL, [Tanh(), Sigmoid(table=long)], x)
