# SPDX-License-Identifier: Apache-2.0
"""Layers in any order behind one another: what golden takes runs, and leaves what was asked for."""

from functools import lru_cache

import numpy as np
import pytest

from tests.support.chains import chains, layers_of
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac import golden
from xymac.hdl.config import SIZES
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan


@lru_cache(maxsize=1)
def all_chains():
    """Chains that golden accepts: tuples of names."""
    return [names for names in chains() if layers_of(names)]


def raw_elements(device, layout, count, dtype):
    """The first elements from the first row of a layout on, as a bus shows their bytes."""
    cells = device.read_cells(layout.memory, layout.row * layout.row_cells,
                              layout.rows * layout.row_cells)
    return cells.astype("<u2").view(dtype)[:count]


def assert_chain(device, names, *, c_order):
    """The last output is golden's; in C order its cells are, too, in both senses."""
    layers, x = layers_of(names)
    plan = Plan(device.config, layers, x, c_order=c_order)
    fill(device, seed=len(plan.program))
    plan.load(device)
    run, value = plan.run(device, x), x
    for layer in layers:
        value = golden.run(layer, value).output
    assert run.output == value, names
    if c_order:
        raw = raw_elements(device, plan.target, value.data.size, value.data.dtype)
        assert np.array_equal(raw, value.data.ravel()), names


@pytest.mark.parametrize("part", range(8))
@each_name
def test_some_chains(size, part):
    with MachineDevice(SIZES[size]) as device:
        for number, names in enumerate(all_chains()[13 * part + list(SIZES).index(size)::311]):
            assert_chain(device, names, c_order=number % 2 == 0)


@pytest.mark.long
@pytest.mark.parametrize("part", range(32))
def test_all_chains(part):
    with MachineDevice(SIZES["base"]) as device:
        for names in all_chains()[part::32]:
            for c_order in (False, True):
                assert_chain(device, names, c_order=c_order)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
@each_name
def test_random_chains_in_rtl(size, part, rtl):
    rng = random_of(part)
    for index in rng.choice(len(all_chains()), 50 if size == "base" else 10):
        assert_chain(rtl(size), all_chains()[index], c_order=bool(index % 2))
