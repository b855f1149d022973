# SPDX-License-Identifier: Apache-2.0
"""Mutation points on a toy: known mutants, a known survivor, and no change while all are off."""

from collections import Counter

import pytest
from amaranth import Mux, Signal, signed

from tests.sim.mutants.hardware.toy import SOURCE, model, outputs, package
from xymac.sim.build.compile import ports_of
from xymac.sim.mutants.hardware.elaborate import REGISTER, convert
from xymac.sim.mutants.hardware.mutant import KINDS
from xymac.sim.mutants.hardware.points import Points
from xymac.sim.mutants.hardware.scan import mutants_of, rewrite
from xymac.sim.mutants.hardware.values import BINARY

#: Mutants of the toy by kind.
KNOWN = {"arithmetic": 1, "compare": 1, "arm": 2, "slice": 3, "logic": 2, "operand": 4,
         "condition": 2, "assignment": 3, "constant": 2, "initial": 1}


@pytest.fixture
def toyland(tmp_path):
    """(Points, module, folder) of the toy, rewritten."""
    with package(tmp_path) as (points, module):
        yield points, module, tmp_path / "toyland"


def built(points, module, folder):
    """Verilog of the toy, and its mutants."""
    toy  = module.Toy()
    text = convert(toy, points, ports_of(toy), clocked=True)
    return text, mutants_of(points.active, folder)


def test_mutants_by_kind(toyland):
    _, mutants = built(*toyland)
    assert Counter(mutant.kind for mutant in mutants) == KNOWN
    assert set(KNOWN) <= set(KINDS)
    assert len({mutant.name for mutant in mutants}) == len(mutants)


def test_a_mutant_has_its_place_and_both_texts(toyland):
    _, mutants = built(*toyland)
    lines  = SOURCE.splitlines()
    for mutant in mutants:
        assert mutant.before.split("(")[0] in " ".join(lines[mutant.line - 1].split())
        assert mutant.before != mutant.after
    [compare] = [mutant for mutant in mutants if mutant.kind == "compare"]
    assert (compare.before, compare.after) == ("12 < wide", "12 <= wide")
    assert compare.name == f"toy.py:{1 + lines.index(lines[compare.line - 1])}:compare:1"


def test_nothing_changes_while_no_mutant_is_selected(toyland):
    points, module, _ = toyland
    assert outputs(module.Toy(), points) == model()
    assert outputs(module.Toy(), points, (0, 1)) == model()


def test_the_survivor_is_the_known_one(toyland):
    points, module, folder = toyland
    outputs(module.Toy(), points)  # builds them; without the reset value, which Verilog has alone
    survivors = [str(mutant) for mutant in mutants_of(points.active, folder)
                 if outputs(module.Toy(), points, (mutant.site, mutant.variant)) == model()]
    assert survivors == ["hdl/toy.py:16: 12 < wide  ->  12 <= wide"]


def test_a_mutant_alone_equals_the_selected_mutant(toyland):
    points, module, _ = toyland
    outputs(module.Toy(), points)
    pairs    = sorted(points.active)
    selected = {pair: outputs(module.Toy(), points, pair) for pair in pairs}
    for pair in pairs:
        points.only = pair
        assert outputs(module.Toy()) == selected[pair], pair


def test_the_select_register_is_in_the_verilog(toyland):
    text, _ = built(*toyland)
    assert f"{REGISTER} [0:0]" in text
    assert text.count("mutants \\mutant_register") + text.count("mutants mutant_register") == 1


def test_a_mutant_that_is_left_out_is_not_built(tmp_path):
    with package(tmp_path) as (points, module):
        outputs(module.Toy(), points)
        [gone] = [mutant for mutant in mutants_of(points.active, tmp_path / "toyland")
                  if mutant.kind == "compare"]
        points.left_out, points.active = {(gone.site, gone.variant)}, set()
        outputs(module.Toy(), points)
        assert (gone.site, gone.variant) not in points.active
        assert points.active


def test_plain_python_has_no_mutants():
    points = Points()
    assert points.binary(1, "+", 3, 4) == 7
    assert points.compare(2, "<", 3, 4) is True
    assert points.subscript(3, [5, 6], 1) == 6
    assert points.unary(4, "-", 3) == -3
    assert points.update(5, "|", {1}, {2}) == {1, 2}
    assert not points.active


@pytest.mark.parametrize(("sign", "variants"), [("+", {1, 4, 5}), ("&", {1, 2, 3, 4, 5}),
                                                (">>", {4, 5}), ("*", {1, 4, 5})])
def test_variants_of_an_operator(sign, variants):
    points = Points()
    made   = points.binary(7, sign, Signal(4), 2)
    assert {variant for _, variant in points.active} == variants
    assert made.shape() == BINARY[sign](Signal(4), 2).shape()


def test_shapes_stay():
    points, signal, wide = Points(), Signal(8), Signal(signed(12))
    for made, original in (
            (points.binary(1, "-", signal, 3), signal - 3),
            (points.binary(2, "&", wide, signal), wide & signal),
            (points.subscript(3, signal, slice(2, 5)), signal[2:5]),
            (points.unary(4, "-", signal), -signal),
            (points.mux(5, signal[0], wide, signal), Mux(signal[0], wide, signal))):
        assert made.shape() == original.shape(), original
    assert len(points.active) == 3 + 3 + 2 + 1 + 2


def test_rewritten_sources_keep_their_lines():
    tree, sites = rewrite("toy.py", SOURCE, 1)
    assert [site.number for site in sites] == [*range(1, len(sites) + 1)]
    assert {site.line for site in sites} <= set(range(1, len(SOURCE.splitlines()) + 1))
    assert compile(tree, "toy.py", "exec")
