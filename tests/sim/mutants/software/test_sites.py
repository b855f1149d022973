# SPDX-License-Identifier: Apache-2.0
"""Numbers that no result depends on: the other end of a sequence, and a negative unknown size"""

import pytest

from xymac.sim.mutants.software.sites import mutants_of


def numbers(expression):
    """Changes to an expression's numbers, as texts."""
    mutants = mutants_of(f"def read(x):\n    return {expression}\n", "read.py")
    return [text for text in (mutant.text.rpartition(": ")[2] for mutant in mutants)
            if text.replace(" -> ", "").lstrip("-").replace("-", "").isdigit()]


@pytest.mark.parametrize(("expression", "changes"), [
    ("x[0]", ["0 -> 1"]),
    ("x[-1]", ["-1 -> 1", "1 -> 2"]),
    ("x[1]", ["1 -> 2", "1 -> 0"]),
    ("x[-2]", ["-2 -> 2", "2 -> 3", "2 -> 1"]),
    ("x[y + 0]", ["0 -> 1", "0 -> -1"]),
    ("x[f(0)]", ["0 -> 1", "0 -> -1"]),
    ("x(0)", ["0 -> 1", "0 -> -1"]),
    ("x.reshape(-1)", ["-1 -> 1", "1 -> 0"]),
    ("x.reshape(y, -1)", ["-1 -> 1", "1 -> 0"]),
    ("x.reshape((-1, 3))", ["-1 -> 1", "1 -> 0", "3 -> 4", "3 -> 2"]),
    ("x.reshape(f(-1))", ["-1 -> 1", "1 -> 0", "1 -> 2"]),
    ("x.sum(-1)", ["-1 -> 1", "1 -> 0", "1 -> 2"]),
    ("x[y[0]][1]", ["1 -> 2", "1 -> 0", "0 -> 1"]),
])
def test_ends_of_sequences(expression, changes):
    assert sorted(numbers(expression)) == sorted(changes)
