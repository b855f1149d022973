# SPDX-License-Identifier: Apache-2.0
"""The whole core over AXI4-Lite, with an independent client; sizes at the ends of their fields."""

from itertools import product

import pytest

from xymac.hdl.axi import CoreAxi
from xymac.hdl.config import FEATURES, TINY, find_size
from xymac.hdl.core.core import Core

ABSENT = ",".join(f"{feature}=0" for feature in FEATURES)


def test_core_over_axi(bench):
    bench(CoreAxi(TINY), "xymac.sim.blocks.core", "core_axi", config=TINY)


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize("passes", [2, 256])
@pytest.mark.parametrize("ways", [1, 2, 4])
def test_the_distances_between_blocks_hold_at_every_end(ways, passes):
    """A core that breaks a distance raises when it is made."""
    for slots, rows, features in product((2, 4), (512, 4096), ("", f",{ABSENT}")):
        Core(find_size(f"ways={ways},passes={passes},slots={slots},x_rows={rows},y_rows={rows}"
                       f"{features}"))
