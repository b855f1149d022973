# SPDX-License-Identifier: Apache-2.0
"""A source tree of two files, its tests, and what becomes of its mutants"""

import json
import os
import subprocess
import sys

from tests.support.modules import ROOT

__all__ = ["SOURCE", "TESTS", "make_toy", "outcomes", "run_toy"]

SOURCE = '''\
from dataclasses import dataclass
from functools import lru_cache, wraps

LIMIT = 5
DOUBLE = LIMIT * 2


def passed_on(function):
    @wraps(function)
    def inner(*args):
        return function(*args)
    return inner


def killed(x):
    return x - 3


def survived(x):
    return x + 0 if x > 3 else x


def endless(n):
    while n > 0:
        n -= 1
    return n


def uncovered(x):
    return x + 7


def half_covered(x):
    if x < 8:
        return x and x * 9
    return x


def both(x, y):
    return x and y


def closure(step):
    def add(x):
        return x + step
    return add


ADD_ONE = closure(1)


@passed_on
def decorated(x):
    return x - 11


@lru_cache
def cached(x):
    return x - 12


@dataclass(frozen=True)
class Pair:
    first: int
    second: int = 13

    @property
    def sum(self):
        return self.first + self.second

    @staticmethod
    def twice(x):
        return x << 14

    def __post_init__(self):
        if self.first < 0:
            raise ValueError("negative")


def default(x, step=15):
    return x - step


def constant():
    return DOUBLE


def steps(n):
    for each in range(n):
        if each == 16:
            continue
        yield each - 17


def early(x):
    return x - 18


def reader():
    return 19


LIMITS = {"low": lambda x: x - 20}


class Table:
    limits = LIMITS

    def look(self, x):
        return self.limits["low"](x)


class Derived(Table):
    pass
'''

TESTS = '''\
from pathlib import Path

import pytest

from src import calc

CASES = [(calc.early(20), 2)]
BUILT = [calc.cached(30)]
TABLE = calc.Derived()


def test_killed(): assert calc.killed(4) == 1
def test_survived(): assert calc.survived(2) == 2
def test_endless(): assert calc.endless(3) == 0
def test_half(): assert calc.half_covered(0) == 0 and calc.half_covered(9) == 9
def test_both(): assert not calc.both(True, False)
def test_closure(): assert calc.ADD_ONE(2) == 3
def test_decorated(): assert calc.decorated(12) == 1
def test_cached(): assert calc.cached(30) == 18
def test_pair(): assert calc.Pair(1).sum == 14
def test_twice(): assert calc.Pair.twice(1) == 1 << 14
def test_default(): assert calc.default(16) == 1
def test_constant(): assert calc.constant() == 10
def test_limits(): assert TABLE.look(21) == 1
def test_names_of_limits(): assert list(calc.LIMITS) == ["low"]
def test_steps(): assert list(calc.steps(18))[-2:] == [-2, 0]


@pytest.mark.parametrize(("got", "wanted"), CASES)
def test_early(got, wanted): assert got == wanted


def test_negative():
    with pytest.raises(ValueError): calc.Pair(-1)


def test_vectors():
    assert int((Path(__file__).parent / "vectors/nineteen").read_text()) == calc.reader()
'''


def make_toy(folder, source=SOURCE, tests=TESTS):
    """Write the source tree; returns the folder."""
    for name, text in {"src/__init__.py": "", "src/calc.py": source, "tests/test_calc.py": tests,
                       "tests/vectors/nineteen": "19"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def run_toy(folder, *options):
    """The finished process of the command on a toy."""
    return subprocess.run(
        [sys.executable, "-m", "xymac.sim.mutants.software", "--root", str(folder),
         "--packages", "src", "--tests", "tests", "--all", *map(str, options)],
        capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"})


def outcomes(folder, file="results.jsonl"):
    """Outcome by (function, mutation) of all results."""
    path = folder / "build/mutants/software" / file
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(row["function"], row["text"].rpartition(": ")[2]): row["outcome"] for row in rows}
