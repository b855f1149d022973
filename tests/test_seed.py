# SPDX-License-Identifier: Apache-2.0
"""``pytest --seed``: other stimuli with every seed, the same with the same one, told on failure."""

import re
from pathlib import Path

import pytest

ROOT    = Path(__file__).parents[1]
PLUGINS = ["-p", "_hypothesis_pytestplugin", "-p", "tests.support.seed_option"]
TESTS   = """
from hypothesis import given, settings, strategies as st
from tests.support.seed import SEED, examples, random_of

DRAWN = []

def test_numpy():
    print("numpy", random_of(5).integers(1 << 60), random_of([5, 6]).integers(1 << 60))

@settings(max_examples=20)
@given(st.integers(0, 1 << 60))
def test_hypothesis(value):
    DRAWN.append(value)

def test_examples():
    print("examples", *map(examples, (60, 12, 400)))

def test_what_was_drawn():
    print("hypothesis", hash(tuple(DRAWN)))
    assert False
"""

pytest_plugins = ["pytester"]


@pytest.fixture
def session(pytester, monkeypatch):
    """Function from options to the output of a session with random tests, of which one fails."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(TESTS)
    return lambda *options: pytester.runpytest_subprocess(*PLUGINS, "-rA", "-s", *options)


def drawn(result):
    """What the tests of ``session`` print."""
    output = result.stdout.str()
    lines  = re.findall(r"(numpy \d+ \d+|hypothesis -?\d+)", output)
    assert len({line.split()[0] for line in lines}) == 2, output
    return sorted(set(lines))


@pytest.mark.long
def test_a_seed_decides_what_is_drawn(session):
    every_day, again, seven, other = (
        drawn(session(*options)) for options in ([], ["--seed", "0"], ["--seed=7"], ["--seed=8"]))

    assert every_day == again
    assert drawn(session("--seed=7")) == seven
    assert not {*every_day} & {*seven}
    assert not {*seven} & {*other}


def test_a_failure_tells_the_seed(session, request):
    output = session("--seed", "1234").stdout.str()

    assert request.config.pluginmanager.has_plugin("tests.support.seed_option")
    assert "seed of random tests: 1234" in output
    assert re.search(r"pytest --seed 1234 'test_a_failure_tells_the_seed.py::test_what_was_drawn'",
                     output)


@pytest.mark.parametrize(("options", "counts"), [
    ((), "10 10 50"), (("--thorough", "--seed", "3"), "60 12 400")])
def test_examples(session, options, counts):
    output = session(*options).stdout.str()

    assert f"examples {counts}" in output
    assert ("pytest --seed 3 --thorough '" in output) == bool(options)


@pytest.mark.parametrize("value", ["-1", "x", "1.5"])
def test_refused_seeds(session, value):
    result = session(f"--seed={value}")

    assert result.ret == 4
    assert f"must be a whole number from 0 on, not '{value}'" in result.stderr.str()
