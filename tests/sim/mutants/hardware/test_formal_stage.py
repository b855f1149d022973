# SPDX-License-Identifier: Apache-2.0
"""The stage of the hardware mutants that tries proofs."""

from xymac.sim.formal.command import PROPERTIES
from xymac.sim.formal.property import Property, Theorem
from xymac.sim.mutants.hardware.formal_stage import benches


def test_each_property_but_theorems_has_its_bench():
    kinds = {type(each) for each in PROPERTIES.values()}
    found = [*benches(PROPERTIES.values())]

    assert kinds == {Property, Theorem}
    assert [each for each, _ in found] == [
        each for each in PROPERTIES.values() if isinstance(each, Property)]
    assert all(make().ports for _, make in found)
