# SPDX-License-Identifier: Apache-2.0
"""The machine's memories in the address map, and words that two commands share."""

import numpy as np
import pytest

from xymac.golden.machine.footprint import Footprint
from xymac.golden.machine.machine import Machine
from xymac.golden.machine.regions import Regions
from xymac.hdl.config import TINY
from xymac.hdl.isa import Region


@pytest.mark.parametrize("region", [Region.X, Region.Y, Region.PROGRAM, Region.TABLES,
                                    Region.PLACES])
def test_a_region_ends_behind_its_last_byte(region):
    regions = Regions(Machine(TINY))
    size    = len(regions.bytes_of(region))
    assert regions.find(region.value) == (region, 0)
    assert regions.find(region.value + size - 1) == (region, size - 1)
    assert regions.find(region.value + size) is None
    assert regions.find(region.value - 1) is None


@pytest.mark.parametrize(("reads", "writes", "conflict"), [
    ([0, 2, 4], [1, 3], None), ([0, 2, 4], [1, 2], Region.X), ([0, 1], [2, 3], None),
    ([0, 1], [1], Region.X), ([3], [3, 9], Region.X), ([], [3], None), ([3], [], None)])
def test_words_that_two_commands_share(reads, writes, conflict):
    first, second = (np.array(each, np.int64) for each in (reads, writes))
    reader, writer = Footprint({Region.X: first}), Footprint({}, {Region.X: second})
    assert reader.conflict(writer) == writer.conflict(reader) == conflict
    assert Footprint({Region.Y: first}).conflict(writer) is None
    assert reader.conflict(Footprint({Region.X: second})) is None
    both = Footprint({}, {Region.X: first}).conflict(writer)
    assert both == conflict
