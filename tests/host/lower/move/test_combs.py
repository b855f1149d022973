# SPDX-License-Identifier: Apache-2.0
"""Combs of source indices cover every target index, and no other number of combs is smaller."""

import pytest

from xymac.host.lower.move.combs import comb_places


def fewest(places):
    """The smallest target step at which every comb of ``places`` has one source step, alike."""
    return next(step for step in range(1, len(places) + 1) if len(
        {places[z] - places[z - step] for z in range(step, len(places))}) < 2)


@pytest.mark.parametrize("places", [
    [4], [0, 1, 2, 3], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1], [2, 2], [0, 2, 1, 3, 2], [5, 1, 7],
    [0, 0, 1, 2, 2, 3, 4], [9, 6, 3, 0]], ids=str)
def test_combs_cover_every_place(places):
    combs = comb_places(places)
    taken = {comb.z + index * comb.z_step: comb.x + index * comb.x_step
             for comb in combs for index in range(comb.count)}

    assert sum(comb.count for comb in combs) == len(places)
    assert [taken[z] for z in range(len(places))] == places
    assert {comb.z_step for comb in combs} == {len(combs)} == {fewest(places)}
