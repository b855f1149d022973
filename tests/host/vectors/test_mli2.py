# SPDX-License-Identifier: Apache-2.0
"""Golden kernels of MLI 2.0 against the vendor's reference vectors and tables."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from xymac import golden
from xymac.golden.mli2 import Build
from xymac.golden.mli2.lut import EXP, ROOT, SIGMOID, TANH
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.vectors.check import build_layer, check_cases
from xymac.host.vectors.files import VectorError, read_arrays, read_cases, select_cases

VECTORS = Path(__file__).parents[2] / "vectors" / "mli2"
CASES   = read_cases(VECTORS)
BUILDS  = [build.value for build in Build]


@pytest.mark.parametrize("function", sorted({case.function for case in CASES}))
def test_golden_equals_the_library(function):
    cases = select_cases(CASES, match=function)

    report = check_cases(cases, golden.run)

    assert report.functions[0].mismatches == []
    count = 3 * (180 if function == "mli_hlp_convert_tensor" else 12)
    assert (report.passed, report.failed, report.skipped) == (count, 0, 0)
    assert report.functions[0].overflows == 0


def test_there_are_all_cases():
    assert len(CASES) == len(select_cases(CASES, dialect="mli-2")) == 1008
    assert all(sorted(case.expected) == sorted(BUILDS) for case in CASES)


@pytest.mark.parametrize(("build", "others"), [
    (Build.UP_FULL, ["up-reduced", "convergent-full"]),
    (Build.UP_REDUCED, ["up-full", "convergent-full"]),
    (Build.CONVERGENT_FULL, ["up-full", "up-reduced"])])
def test_the_builds_differ(build, others):
    """So a backend that ignores rounding or accumulator cannot pass."""
    def always(layer, *inputs):
        return golden.run(replace(layer, build=build) if hasattr(layer, "build") else layer,
                          *inputs)

    cases = select_cases(CASES, match="mli_krn_*_sa8*")
    assert all(check_cases(cases, always, variant=other).failed for other in others)
    assert check_cases(cases, always, variant=build.value).failed == 0


@pytest.mark.parametrize(("name", "table"), [
    ("v2_sigm", SIGMOID), ("v2_tanh", TANH), ("v2_softmax", EXP), ("v2_l2_normalize", ROOT)])
def test_tables_equal_those_of_the_library(name, table):
    with np.load(VECTORS / "luts.npz") as file:
        assert file[name].tolist() == list(table.values)


def test_the_documented_gru_has_one_scale_for_all_gates():
    cases = select_cases(CASES, match="mli_krn_gru_cell_*")

    report = check_cases(cases, lambda layer, x: golden.run(replace(layer, documented=True), x))

    failed = {row.function: row.cases - row.passed for row in report.functions}
    assert failed == {"mli_krn_gru_cell_fx16": 0, "mli_krn_gru_cell_fx16_fx8_fx8": 0,
                      "mli_krn_gru_cell_sa8_sa8_sa32": 36}


def test_what_has_no_passes_is_skipped():
    def refuse(layer, x):
        raise Refusal(RefusalKind.OPERATOR, "There are no passes")

    cases = select_cases(CASES, match="mli_krn_relu_sa8", limit=2)

    report = check_cases(cases, refuse, variant="up-full")

    assert report.summary == "0 passed, 0 failed, 2 skipped"
    assert report.functions[0].reasons == [
        f"{case.id} (up-full) has a golden model, but no passes: There are no passes"
        for case in cases]


@pytest.mark.parametrize(("changes", "variant"), [
    ({"function": "mli_krn_fft_sa8"}, "up-full"), ({"function": "mli_krn_relu_sa9"}, "up-full"),
    ({"function": "relu"}, "up-full"), ({}, "up")])
def test_unknown_functions_and_builds_are_skipped(changes, variant):
    [case] = select_cases(CASES, match="mli_krn_relu_sa8", limit=1)
    case   = replace(case, expected=case.expected | {"up": case.expected["up-full"]}, **changes)

    report = check_cases([case], golden.run, variant=variant)

    assert report.summary == "0 passed, 0 failed, 1 skipped"


@pytest.mark.parametrize(("match", "change", "message"), [
    ("mli_krn_conv2d_hwcn_fx16", lambda config: config["quant"].pop("w"), r"incomplete: 'w'$"),
    ("mli_krn_conv2d_hwcn_fx16", lambda config: config.pop("cfg"), r"incomplete: 'cfg'$"),
    ("mli_krn_relu_sa8", lambda config: config["quant"].update(x=3),
     r"Format of SA_8 must be Affine, not Fixed$")])
def test_incomplete_cases_are_refused(match, change, message):
    [case] = select_cases(CASES, match=match, limit=1)
    config = json.loads(json.dumps(case.config))
    change(config)
    with pytest.raises(VectorError, match=message):
        build_layer(replace(case, config=config), "up-full", read_arrays(case))


def test_wrong_types_are_refused():
    [case] = select_cases(CASES, match="mli_krn_relu_fx8", limit=1)
    case   = replace(case, function="mli_krn_relu_fx16")
    with pytest.raises(VectorError, match=r"FX_16 must be a numpy array of int16, not int8$"):
        build_layer(case, "up-full", read_arrays(case))
