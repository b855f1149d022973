# SPDX-License-Identifier: Apache-2.0
"""Tensors with gaps in memory, in and out, of a kernel of every family: the bytes of memory are
written to X and read from there over the bus, and golden says what they are."""

from itertools import count

import pytest

from tests.support.calls.in_memory import KERNELS, check_call
from xymac.hdl.config import SIZES
from xymac.sim.rtl.device import RtlDevice


@pytest.fixture(scope="module")
def bus():
    """A core of a size behind its bus."""
    devices = {}

    def get(size):
        if size not in devices:
            devices[size] = RtlDevice(SIZES[size], backdoor=False)
        return devices[size]

    yield get
    for device in devices.values():
        device.close()


def check_calls(device, name, wanted):
    """So many calls that X can hold, most of those that there are."""
    limit = 3 * wanted + 3
    for number in count():
        assert number < limit
        wanted -= check_call(device, name, number)
        if not wanted:
            break


@pytest.mark.parametrize(("name", "size"), [(name, ("base", "tiny")[number % 2])
                                            for number, name in enumerate(KERNELS)])
def test_memory_over_the_bus(name, size, bus):
    check_calls(bus(size), name, 1)


@pytest.mark.long
@pytest.mark.parametrize("size", ["base", "small", "tiny"])
@pytest.mark.parametrize("name", KERNELS)
def test_more_of_every_kernel(name, size, bus):
    check_calls(bus(size), name, 8)
