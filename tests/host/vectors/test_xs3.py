# SPDX-License-Identifier: Apache-2.0
"""Vectors of the XS3 library: every one on golden and the devices, damaged cases."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.sizes import between
from xymac import golden
from xymac.golden.mli1 import Result
from xymac.golden.xs3 import Integers
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.cli.main import main
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import VectorError, read_cases, select_cases

VECTORS = Path(__file__).parents[2] / "vectors" / "xs3"
CASES   = read_cases(VECTORS)


def first_of(function):
    return select_cases(CASES, match=function, limit=1)


@pytest.mark.parametrize("function", sorted({case.function for case in CASES}))
def test_golden_equals_the_library(function):
    cases = select_cases(CASES, match=function)

    report = check_cases(cases, golden.run)

    assert report.summary == f"{len(cases)} passed, 0 failed, 0 skipped", report.as_json()


def test_every_vector_is_used(capsys):
    code = main(["check", str(VECTORS), "--dialect", "xs3", "--backend", "golden"])

    assert code == 0
    assert "403 passed, 0 failed, 0 skipped" in capsys.readouterr().out


@pytest.mark.parametrize("field", ["low", "final_shift", "zero_point", "shift1"])
def test_vectors_tell_the_library_from_other_outputs(field):
    """So a backend with the other bound, a second rounding or no padding cannot pass."""
    def other(layer, *inputs):
        if field == "shift1" and hasattr(layer, "bso"):
            data = layer.bso.data.copy()
            data[:, 2] ^= 1
            layer = replace(layer, bso=Integers(data))
        elif field == "zero_point" and hasattr(layer, field):
            layer = replace(layer, zero_point=0)
        elif field in ("low", "final_shift") and hasattr(layer, field):
            layer = replace(layer, **{field: -127 if field == "low" else True})
        return golden.run(layer, *inputs)

    assert check_cases(CASES, other).failed > 10


def test_wrong_element_is_a_mismatch():
    def one_wrong(layer, x):
        data = golden.run(layer, x).output.data.copy()
        data[2:] ^= 1
        return Result(Integers(data), overflow=False)

    [mismatch] = check_cases(first_of("argmax_16"), lambda layer, x: Result(
        Integers(np.zeros(2, np.int32)), overflow=False)).functions[0].mismatches
    assert (mismatch.index, mismatch.expected, mismatch.actual) == (
        None, "int32 (1,)", "int32 (2,)")
    [mismatch] = check_cases(first_of("requantize*"), one_wrong).functions[0].mismatches
    assert (mismatch.index, mismatch.variant) == ((2,), "symmetric-saturation")


@pytest.mark.parametrize(("config", "step"), [
    (BASE, 3), (TINY, 8), between(BASE, 1), between(SMALL, 8)])
def test_machine_equals_the_library(config, step):
    """Inputs that do not fit the memories among them: ``requantize_16_to_8/0``."""
    cases = [case for index, case in enumerate(CASES)
             if index % step == 0 or case.id == "requantize_16_to_8/0"]

    with open_evaluator("machine", config) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == f"{len(cases)} passed, 0 failed, 0 skipped", report.as_json()
    assert sum(row.overflows for row in report.functions) == 0


@pytest.mark.parametrize("function", sorted({case.function for case in CASES}))
def test_rtl_equals_the_library(function, rtl):
    cases = select_cases(CASES, match=function)

    report = check_cases(cases,
                         lambda layer, *inputs: run_layer(rtl("base"), layer, *inputs))

    assert report.summary == f"{len(cases)} passed, 0 failed, 0 skipped", report.as_json()


@pytest.mark.parametrize("change", [
    {"function": "conv2d_shallow"}, {"expected": {"exact": {"Y": "c000_Y_model"}}}], ids=str)
def test_unknown_functions_and_variants_are_skipped(change):
    case = replace(first_of("conv2d_deep")[0], **change)

    report = check_cases([case], golden.run)

    assert report.summary == "0 passed, 0 failed, 1 skipped"
    assert "is not available" in report.functions[0].reasons[0]


@pytest.mark.parametrize(("function", "change", "message"), [
    ("conv2d_deep", {"config": {}}, r"^Case conv2d_deep/0 is incomplete: 'Y_shape'$"),
    ("conv2d_deep", {"inputs": {"X": "c000_X"}}, r"^Case conv2d_deep/0 is incomplete: 'K'$"),
    ("lookup8", {"expected": {"symmetric-saturation": {"out": "c000_X"}}},
     r"^Case lookup8/0 has no expected output 'Y' for symmetric-saturation$"),
    ("output_transform_int8", {"config": {"kind": "binary"}}, r" is incomplete: 'binary'$"),
])
def test_bad_case(function, change, message):
    [case] = first_of(function)
    with pytest.raises(VectorError, match=message):
        check_cases([replace(case, **change)], golden.run)


def test_refusals_fail():
    [case] = first_of("add_elementwise")

    report = check_cases([replace(case, config=case.config | {"shr": 0})], golden.run)

    assert report.functions[0].reasons == [
        "add_elementwise/0: shift must be between 1 and 31, not 0"]
    assert report.exit_code == 1


def test_a_config_of_another_kind_is_refused():
    [case] = first_of("avgpool2d_global")
    with pytest.raises(VectorError, match=r"^Case avgpool2d_global/0 is incomplete: scale must be "
                                          r"an int, not float$"):
        check_cases([replace(case, config=case.config | {"scale": 1.5})], golden.run)
