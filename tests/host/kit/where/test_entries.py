# SPDX-License-Identifier: Apache-2.0
"""Curves with a wrong entry in their table: the report says for which inputs, and which entry."""

from dataclasses import replace

import numpy as np
import pytest

from xymac import golden
from xymac.golden.mli1 import lut
from xymac.golden.tflm.curves import interpolate

from .devices import cases_of, explain

TABLES = {"sigmoid": lut.SIGMOID, "tanh": lut.TANH}


def run_all(cases):
    return [np.array(golden.run(case.layer, *case.inputs).output.data) for case in cases]


@pytest.mark.parametrize(("operation", "entry", "added", "places"), [
    ("sigmoid", 40, -64, "plus or minus 1.6"), ("sigmoid", 200, -30, "plus or minus 8.2"),
    ("tanh", 3, 100, "plus or minus 0.04"), ("tanh", 200, -30, "plus or minus 4.15")])
def test_entry_of_a_table_of_magnitudes(operation, entry, added, places, monkeypatch):
    cases = cases_of(operation, "tflm", "int16")
    table = interpolate._SIGMOIDS.copy()
    table[entry] += added
    for case in cases:  # before the table is wrong
        case.expected()

    with monkeypatch.context() as patch:
        patch.setattr(interpolate, "_SIGMOIDS", table)
        results = run_all(cases)
    where = explain(cases, results).where

    assert where.startswith(f"all wrong outputs lie where the input is {places}")
    assert where.endswith(f"as a real number, around entry {entry} of the library's table")


@pytest.mark.parametrize("operation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("distance", [9, -20])
def test_entry_of_a_table_of_both_signs(operation, distance):
    cases  = cases_of(operation, "mli-1", "fx16")
    table  = TABLES[operation]
    entry  = table.offset + distance
    values = [*table.values]
    values[entry] -= 300
    wrong  = replace(table, values=tuple(values))

    results = [lut.apply_table(wrong, case.inputs[0].data.astype(int), case.inputs[0].frac_bits,
                               16, case.layer.rounding).astype(np.int16) for case in cases]
    where = explain(cases, results).where

    assert where.endswith(f"as a real number, around entry {entry} of the library's table")
    assert ("is -" in where) == (distance < 0)


def test_wrong_outputs_of_all_arguments_have_no_entry():
    cases   = cases_of("tanh", "tflm", "int16")
    rng     = np.random.default_rng(5)
    results = [case.expected() ^ (rng.random(case.shape) < 0.01).astype(np.int16)
               for case in cases]

    assert "real number" not in explain(cases, results).sentence
