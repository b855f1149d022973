# SPDX-License-Identifier: Apache-2.0
"""Verdicts are kept: a resumed run tries what is left, and survivors of other tests."""

from xymac.sim.mutants.hardware.mutant import Mutant
from xymac.sim.mutants.hardware.order import Order
from xymac.sim.mutants.hardware.reviewed import Reviewed, read_reviewed
from xymac.sim.mutants.hardware.store import Store, digest


def mutant_of(file, line):
    return Mutant(f"{file}:{line}:arm:1", 1, 1, file, line, "arm", "a", "b")


def test_a_resumed_run_has_the_verdicts(tmp_path):
    store = Store("tiny", "abc", "tests", tmp_path)
    store.add(mutant_of("a", 1), "core", "test_x", "differs", 0.5)
    store.add(mutant_of("a", 2), "core", None, "", 4.0)

    again = Store("tiny", "abc", "tests", tmp_path)

    assert again.killed(mutant_of("a", 1)).killer == "test_x"
    assert again.killed(mutant_of("a", 2)) is None
    assert [again.tried(mutant_of("a", line), "core") for line in (1, 2, 3)] == [
        True, True, False]
    assert again.tried(mutant_of("a", 1), "blocks")  # it is killed
    assert not again.tried(mutant_of("a", 2), "blocks")


def test_a_survivor_is_tried_on_new_tests(tmp_path):
    Store("tiny", "abc", "old", tmp_path).add(mutant_of("a", 2), "core", None, "", 4.0)
    assert not Store("tiny", "abc", "new", tmp_path).tried(mutant_of("a", 2), "core")


def test_other_sources_and_sizes_have_verdicts_of_their_own(tmp_path):
    Store("tiny", "abc", "tests", tmp_path).add(mutant_of("a", 1), "core", "test_x", "", 0.5)
    for size, sources in (("base", "abc"), ("tiny", "abd")):
        assert Store(size, sources, "tests", tmp_path).killed(mutant_of("a", 1)) is None


def test_a_cut_last_line_is_not_a_verdict(tmp_path):
    store = Store("tiny", "abc", "tests", tmp_path)
    store.add(mutant_of("a", 1), "core", "test_x", "", 0.5)
    with open(store.path, "a", encoding="utf-8") as file:
        file.write('{"mutant": "a:2')
    again = Store("tiny", "abc", "tests", tmp_path)
    assert again.killed(mutant_of("a", 1))
    again.add(mutant_of("a", 3), "core", "test_x", "", 0.5)
    assert Store("tiny", "abc", "tests", tmp_path).killed(mutant_of("a", 3))


def test_digest_depends_on_names_and_content(tmp_path):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("a")
    other.write_text("a")
    assert digest([one]) != digest([other])
    before = digest([one])
    one.write_text("b")
    assert digest([one]) != before


def test_cheap_tests_and_killers_of_neighbours_come_first():
    order   = Order()
    seconds = {"slow": 5.0, "cheap": 0.1, "killer": 1.0}
    assert order.sort(mutant_of("a.py", 10), seconds) == ["cheap", "killer", "slow"]
    order.learn(mutant_of("a.py", 12), "killer")
    assert order.sort(mutant_of("a.py", 10), seconds)[0] == "killer"
    assert order.sort(mutant_of("b.py", 10), seconds)[0] == "cheap"


def test_a_reason_belongs_to_the_text():
    reviewed = Reviewed([{"file": "a.py", "before": "a", "after": "b", "reason": "never read"}])
    assert reviewed.get(mutant_of("a.py", 10)) == "never read"
    assert reviewed.get(mutant_of("a.py", 99)) == "never read"
    assert reviewed.get(mutant_of("b.py", 10)) is None


def test_reviewed_survivors_have_reasons():
    assert read_reviewed().get(mutant_of("a.py", 10)) is None
