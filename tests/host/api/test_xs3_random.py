# SPDX-License-Identifier: Apache-2.0
"""Random calls of lib_nn by name: golden, golden machine and RTL leave the same bytes in memory."""

import numpy as np
import pytest

from tests.support.calls.lib_nn_random import NAMES, random_call
from tests.support.seed import random_of
from xymac.golden.api.xs3.functions import LibNn
from xymac.golden.api.xs3.prototypes import SYMMETRIC
from xymac.hdl.config import BASE
from xymac.host.api import on_device
from xymac.host.device.device import MachineDevice


@pytest.fixture(scope="module")
def machine():
    with MachineDevice(BASE) as opened:
        yield opened


def check(name, seed, device):
    """Call a function on golden and on a device; the memory around the output is looked at, too."""
    rng = random_of(seed)
    args, target, shape, dtype = random_call(name, rng)
    symmetric = SYMMETRIC if rng.integers(2) else ()
    expected, actual = (np.full((2, *shape), 77, dtype) for _ in range(2))

    LibNn(symmetric=symmetric).function(name)(**args, **{target: expected})
    on_device(device, LibNn, symmetric=symmetric).function(name)(**args, **{target: actual})

    np.testing.assert_array_equal(actual, expected, f"{name} {seed}")
    assert (expected[1] == 77).all()


@pytest.mark.parametrize("name", NAMES)
def test_random_calls_on_the_machine(name, machine):
    for seed in range(5):
        check(name, seed, machine)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_random_calls_in_rtl(name, rtl):
    for seed in range(20):
        check(name, 100 + seed, rtl("base"))
